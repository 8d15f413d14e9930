// What leaves the command: standard output, the error line, and files.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "solver/cli/arguments.hpp"

namespace clchol::cli {

/// To be called first: closed standard descriptors are given to /dev/null, lest a file that is
/// opened later takes their number; a closed pipe, and a file beyond the process' limit (in the
/// drivers' caches too), become an error of the write, not a signal.
void prepare_standard_streams();

/// Throws Failure(kUsage) for an output that cannot be written or that is an input too.
/// A file's folder is tried by creating, and removing, a file in it.
void check_outputs(const Arguments& arguments);

/// Throws Failure(kUsage) for a file that cannot be written.
void check_writable(const std::string& path);

/// Calls write(); what cannot be written throws Failure(kUsage).
void write_file(const std::function<void()>& write);

/// Bytes of a file; nothing for a pipe or a device.
std::optional<std::int64_t> file_bytes(const std::string& path);

/// From now on, once `cancel` is true, standard streams that take nothing are given up
/// (base/write_all.hpp); null: never.
void give_up_streams_when(const std::atomic<bool>* cancel);

/// "clchol: <message>" on stderr, on one line.
void print_error(const std::string& message);

/// A compiler's log, on stderr, as it is.
void print_log(const std::string& log);

/// Writes to stdout and flushes; false when it could not all be written.
bool print(const std::string& text);

}  // namespace clchol::cli
