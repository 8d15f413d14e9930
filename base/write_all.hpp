// Writing to a file descriptor, all or an error, with two ends that write() does not have.
//
// A file that would outgrow the process' limit (ulimit -f) is the error EFBIG: the signal SIGXFSZ,
// which would end the process and leave a temporary file behind, is held back in this thread.
// A pipe that nobody reads can be given up.
#pragma once

#include <atomic>
#include <string_view>

namespace clchol {

/// Milliseconds that a pipe may take no bytes after the caller has given up.
inline constexpr int kPipePatience = 200;

/// Writes all bytes; waits for a pipe or a terminal to take them.
/// @param cancel  once it is true and the file has taken nothing for kPipePatience, the rest is
///                given up; null: never.
/// @return 0, or what write() left in errno; ECANCELED when given up.
/// Throws nothing.  Changes no state of the process; the thread's signal mask is as before.
int write_all(int file, std::string_view bytes, const std::atomic<bool>* cancel = nullptr);

/// Opens a pipe by its name for writing; waits for a reader, as open() does.
/// @param cancel  as above, for a reader that does not come.
/// @return the descriptor, or -1 with the reason in errno; ECANCELED when given up.
int open_pipe(const char* path, const std::atomic<bool>* cancel);

}  // namespace clchol
