// How many threads the process may keep busy.
#pragma once

#include <string>

namespace clchol {

struct ThreadLimit {
  int cores = 1;       // Processors of the machine that are online.
  int threads = 1;     // At least 1.
  const char* reason;  // What sets it: "cores of the machine", "affinity mask", "CPU quota of the
                       // control group", "OMP_NUM_THREADS".
};

/// The least of the processors that the calling thread may run on, the CPU quotas of its control
/// groups, rounded up, and OMP_NUM_THREADS, by which users of other libraries tell them the same.
/// Found when it is first asked for, and kept.
const ThreadLimit& thread_limit();

/// The same, read anew.
/// @param root  what stands before /proc and /sys; tests bring their own.
ThreadLimit read_thread_limit(const std::string& root = {});

}  // namespace clchol
