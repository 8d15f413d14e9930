// Output of the command: standard output, the error line, and files.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "solver/cli/arguments.hpp"

namespace clchol::cli {

/// Prepares the standard streams.  Must be called before any other function.
/// - Opens /dev/null for closed standard descriptors, so that no file opened later gets their
///   numbers.
/// - Ignores the signals of a closed pipe and of a file beyond the size limit of the process, so
///   that the write fails with an error instead.  This also holds for writes of drivers' caches.
void prepare_standard_streams();

/// Throws Failure(kUsage) for an output that cannot be written, that is also an input, or that is
/// named twice.  Tests a directory by creating a file in it, and removes the file.
void check_outputs(const Arguments& arguments);

/// Throws Failure(kUsage) for a file that cannot be written.
void check_writable(const std::string& path);

/// Calls write() and converts InvalidArgument to Failure(kUsage).
void write_file(const std::function<void()>& write);

/// @return the size of a file in bytes; empty for a pipe or a device.
std::optional<std::int64_t> file_bytes(const std::string& path);

/// Sets the flag that cancels writes to standard streams that accept no bytes
/// (base/write_all.hpp); null: writes are not cancelled.
void give_up_streams_when(const std::atomic<bool>* cancel);

/// Writes "clchol: <message>" to stderr, on one line.
void print_error(const std::string& message);

/// Writes a compiler's log to stderr, unchanged.
void print_log(const std::string& log);

/// Writes to stdout and flushes.  @return false if not all bytes could be written.
bool print(const std::string& text);

}  // namespace clchol::cli
