// Output of the command: standard output, the error line, and files.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "solver/cli/arguments.hpp"

namespace clchol::cli {

/// Prepares the standard streams.  Must be called before any other function of the process:
/// - Opens /dev/null in place of closed descriptors 0, 1 and 2 (standard input, output and error).
///   Otherwise a file that is opened later would get one of these numbers.
/// - Ignores SIGPIPE (write to a pipe that nobody reads) and SIGXFSZ (file beyond the size limit of
///   the process).  Writes then fail with an error instead, also the writes of drivers to their
///   caches.
void prepare_standard_streams();

/// Checks the output files that the arguments name, before the work begins.  Throws Failure(kUsage)
/// for an output file that cannot be written, that is also an input file, or that two options name.
void check_outputs(const Arguments& arguments);

/// Checks whether a file can be written: creates a temporary file in the directory of `path`, and
/// removes it.  Does not change the file `path`.  Throws Failure(kUsage) if it cannot be written.
void check_writable(const std::string& path);

/// Calls write(), which writes a file.  If write() throws InvalidArgument, throws Failure(kUsage)
/// with the same message.
void write_file(const std::function<void()>& write);

/// @return the size of a file in bytes; empty for a pipe or a device.
std::optional<std::int64_t> file_bytes(const std::string& path);

/// Sets the flag that print(), print_error() and print_log() poll while standard output or standard
/// error accepts no bytes (base/write_all.hpp).  When the flag is true, they give up.  Must outlive
/// all such calls.  Null: no flag, they wait.
void give_up_streams_when(const std::atomic<bool>* cancel);

/// Writes "clchol: <message>" and a line end to standard error.  The message is put on one line.
void print_error(const std::string& message);

/// Writes a text, for example the log of a compiler, and a line end to standard error.
void print_log(const std::string& log);

/// Writes to standard output.  @return false if not all bytes could be written.
bool print(const std::string& text);

}  // namespace clchol::cli
