# clchol_embed(TARGET target FUNCTION function [ROOT folder] FILES ... INCLUDES ...): the texts of the files as a
# source of the target that defines
#
#   std::span<const clchol::gpu::EmbeddedText> clchol::gpu::FUNCTION();
#
# An `#include "x"` line of a file is replaced by the file x of ROOT, once each: the program text
# is complete, and drivers need no include path.  Made again when one of FILES and INCLUDES changes.
# The texts as they are embedded lie in the build folder too, under the function's name, for tools
# that check kernels offline.
function(clchol_embed)
  cmake_parse_arguments(ARG "" "TARGET;FUNCTION;ROOT" "FILES;INCLUDES" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${ARG_FUNCTION}.cpp)
  set(paths ${ARG_FILES})
  list(TRANSFORM paths PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(includes ${ARG_INCLUDES})
  list(TRANSFORM includes PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${source}" -DFUNCTION=${ARG_FUNCTION} "-DFILES=${paths}"
            "-DROOT=${CMAKE_CURRENT_SOURCE_DIR}/${ARG_ROOT}"
            "-DTEXTS=${CMAKE_CURRENT_BINARY_DIR}/${ARG_FUNCTION}" -P
            ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
    DEPENDS ${paths} ${includes} ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
    COMMENT "Embedding ${ARG_FUNCTION}"
    VERBATIM)
  # Alone, so that a change of a text does not compile other sources.
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${ARG_TARGET} PRIVATE ${source})
endfunction()
