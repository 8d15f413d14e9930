# The script of clchol_embed():
#   cmake -DOUTPUT= -DFUNCTION= -DROOT= -DFILES= -DTEXTS= -P embed_texts.cmake
cmake_minimum_required(VERSION 3.22)

# Compilers must take 65535 characters of one literal, in pieces of at most 16380.
set(longest_text 65000)
set(longest_piece 15000)

# The file's text, the included files of ROOT in place of their #include lines.
function(read_with_includes path result)
  file(READ ${path} text)
  string(REGEX MATCHALL "(^|\n)#include \"[^\"\n]+\"" lines "${text}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ".*\"([^\"]+)\"" "\\1" name "${line}")
    get_property(seen GLOBAL PROPERTY included)
    if(name IN_LIST seen)
      set(included "")
    else()
      set_property(GLOBAL APPEND PROPERTY included ${name})
      read_with_includes(${ROOT}/${name} included)
    endif()
    string(REPLACE "#include \"${name}\"" "${included}" text "${text}")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# The text as adjacent raw literals, cut at line ends.
function(as_literals text result)
  set(literals "")
  string(LENGTH "${text}" left)
  while(left GREATER longest_piece)
    string(SUBSTRING "${text}" 0 ${longest_piece} piece)
    string(FIND "${piece}" "\n" last REVERSE)
    math(EXPR length "${last} + 1")
    string(SUBSTRING "${text}" 0 ${length} piece)
    string(SUBSTRING "${text}" ${length} -1 text)
    string(LENGTH "${text}" left)
    string(APPEND literals "R\"clchol(${piece})clchol\"\n")
  endwhile()
  string(APPEND literals "R\"clchol(${text})clchol\"")
  set(${result} "${literals}" PARENT_SCOPE)
endfunction()

set(entries "")
set(count 0)
foreach(path IN LISTS FILES)
  get_filename_component(name ${path} NAME)
  set_property(GLOBAL PROPERTY included "")
  read_with_includes(${path} text)
  # Lines of comments are left empty, so that numbers of lines stay.
  string(REGEX REPLACE "(^|\n)[ \t]*//[^\n]*" "\\1" text "${text}")
  string(LENGTH "${text}" length)
  if(length GREATER longest_text)
    message(FATAL_ERROR "${path}: ${length} characters, more than a string literal may have")
  endif()
  file(WRITE ${TEXTS}/${name} "${text}")
  as_literals("${text}" literals)
  string(APPEND entries "    {\"${name}\",\n${literals}},\n")
  math(EXPR count "${count} + 1")
endforeach()

file(WRITE ${OUTPUT} "// Made from ${count} files by cmake/embed_texts.cmake.
#include \"gpu_kernels/devices/embedded_text.hpp\"

namespace clchol::gpu {
namespace {

constexpr EmbeddedText kTexts[] = {
${entries}};

}  // namespace

std::span<const EmbeddedText> ${FUNCTION}() { return kTexts; }

}  // namespace clchol::gpu
")
