#include "base/thread_limit.hpp"

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/control_group.hpp"

namespace clchol {
namespace {

/// Processors of the machine that are online.  On Linux not by hardware_concurrency(), which may
/// count the processors of the affinity mask instead.
int num_cores() {
#if defined(__linux__)
  return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
#else
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#endif
}

/// Processors that the calling thread may run on; 0 where the system does not report them.
int num_in_affinity_mask() {
#if defined(__linux__)
  // The kernel rejects a set that is smaller than its own.
  for (int processors = 1024; processors <= 1 << 20; processors *= 2) {
    cpu_set_t* const set = CPU_ALLOC(processors);
    if (set == nullptr) return 0;
    const std::size_t size = CPU_ALLOC_SIZE(processors);
    const bool is_read = sched_getaffinity(0, size, set) == 0;
    const int count = is_read ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (is_read) return count;
  }
#endif
  return 0;
}

/// Reads two numbers from the first line of a file.  A missing number becomes 0.
void read_numbers(const std::string& path, double& first, double& second) {
  first = second = 0;
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return;
  char line[128] = {};
  if (std::fgets(line, sizeof line, file) != nullptr) {
    char* end = line;
    first = static_cast<double>(std::strtoll(line, &end, 10));  // 0 for "max".
    second = static_cast<double>(std::strtoll(end, nullptr, 10));
  }
  std::fclose(file);
}

/// CPU quota of the control group with this directory, in processors; infinite without a limit.
double quota_of(const std::string& folder) {
  // Version 2 has one file with quota and period in microseconds: "max 100000" or "150000 100000".
  // Version 1 has two files, with quota -1 for no limit.
  double quota = 0, period = 0, nothing = 0;
  read_numbers(folder + "/cpu.max", quota, period);
  if (!(quota > 0 && period > 0)) {
    read_numbers(folder + "/cpu.cfs_quota_us", quota, nothing);
    read_numbers(folder + "/cpu.cfs_period_us", period, nothing);
  }
  return quota > 0 && period > 0 ? quota / period : HUGE_VAL;
}

/// First number of OMP_NUM_THREADS, which may be a list for nested regions; 0 without a number.
int omp_num_threads() {
  const char* const text = std::getenv("OMP_NUM_THREADS");    // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? 0 : std::max(0, std::atoi(text));  // NOLINT(cert-err34-c): 0 if invalid.
}

}  // namespace

ThreadLimit read_thread_limit(const std::string& root) {
  ThreadLimit limit;
  limit.cores = num_cores();
  limit.threads = limit.cores;
  limit.reason = "cores of the machine";
  const auto lower_to = [&limit](int threads, const char* reason) {
    if (threads < 1 || threads >= limit.threads) return;
    limit.threads = threads;
    limit.reason = reason;
  };
  lower_to(num_in_affinity_mask(), "affinity mask");
  for (const std::string& folder : control_group_folders("cpu", root)) {
    const double quota = quota_of(folder);
    if (quota < 1e6) {
      lower_to(static_cast<int>(std::ceil(std::max(quota, 1.0))), "CPU quota of the control group");
    }
  }
  lower_to(omp_num_threads(), "OMP_NUM_THREADS");
  return limit;
}

const ThreadLimit& thread_limit() {
  static const ThreadLimit kLimit = read_thread_limit();
  return kLimit;
}

}  // namespace clchol
