// Writes all bytes to a file descriptor or returns an error.  Two cases differ from write():
//
//   - When a file would exceed the size limit of the process (ulimit -f), the error is EFBIG.  The
//     signal SIGXFSZ, which would end the process and leave a temporary file behind, is blocked in
//     the calling thread meanwhile.
//   - The caller can cancel the writing to a pipe that nobody reads.
#pragma once

#include <atomic>
#include <string_view>

namespace clchol {

/// Milliseconds.  After the caller has cancelled, the functions below give up when a pipe has
/// accepted no bytes, or has found no reader, for this long.
inline constexpr int kPipePatience = 200;

/// Writes all bytes, and waits as long as a pipe or a terminal accepts none.
/// @param cancel  flag that cancels the writing: once it is true and the file has accepted no bytes
///                for kPipePatience milliseconds, the function returns.  Null: never.
/// @return 0 on success, ECANCELED when the writing was cancelled, else the errno of write().
/// Throws nothing.  Changes no state of the process and restores the thread's signal mask.
int write_all(int file, std::string_view bytes, const std::atomic<bool>* cancel = nullptr);

/// Opens a named pipe for writing, and waits for a reader as open() does.
/// @param cancel  flag that cancels the waiting: once it is true and no reader has come for
///                kPipePatience milliseconds, the function returns.  Null: never.
/// @return the descriptor, or -1 with the reason in errno; ECANCELED when cancelled.
int open_pipe(const char* path, const std::atomic<bool>* cancel);

}  // namespace clchol
