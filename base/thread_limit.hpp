// The number of threads that the process may keep busy.
#pragma once

#include <string>

namespace clchol {

/// Result of thread_limit().
struct ThreadLimit {
  int cores = 1;    // Number of processors of the machine that are online.
  int threads = 1;  // Number of threads that the process may keep busy, at least 1.
  // The limit that determines `threads`: "cores of the machine", "affinity mask", "CPU quota of the
  // control group", "OMP_NUM_THREADS".
  const char* reason;
};

/// Returns the limit.  ThreadLimit::threads is the minimum of: the number of processors that the
/// calling thread may run on; the CPU quotas of the process' control groups, in processors, rounded
/// up; OMP_NUM_THREADS, by which users limit the threads of other libraries.  The first call
/// computes the limit, and later calls return the same object.
const ThreadLimit& thread_limit();

/// Computes at every call what thread_limit() computes once for the process.
/// @param root  prefix of the paths /proc and /sys; tests pass a directory of their own.
ThreadLimit read_thread_limit(const std::string& root = {});

}  // namespace clchol
