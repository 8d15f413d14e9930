// Error messages of the readers: "<file>, line <k>: <reason>", one printable line.
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace clchol::solver {

/// Throws InvalidArgument with the text "<name>, line <line>: <reason>".
/// @param name  the file's name.
/// @param line  1-based line of the file; 0: no line is at fault, and the text names none.
[[noreturn]] void refuse(const std::string& name, Offset line, const std::string& reason);

/// Throws InvalidArgument with the text "<name>: cannot <action>: <the system's error text>".
/// @param action  what failed, such as "write the file".
/// @param error   the value of errno.
[[noreturn]] void refuse_system(const std::string& name, const char* action, int error);

/// @return `text` in single quotes, cut to 40 characters, with unprintable bytes as \xNN.
std::string in_quotes(std::string_view text);

/// @return the text "(row, column)", 1-based, for 0-based indices.
std::string position(Index row, Index col);

/// Calls read() and converts std::bad_alloc to an OutOfMemory that names the file.
template <class Read>
auto with_memory_errors(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(name + ": not enough memory to read the file");
  }
}

}  // namespace clchol::solver
