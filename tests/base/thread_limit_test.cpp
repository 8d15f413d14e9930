#include "base/thread_limit.hpp"

#include <gtest/gtest.h>
#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/support/environment.hpp"
#include "tests/support/files.hpp"

namespace clchol {
namespace {

/// A tree of files that stands in for /proc and /sys.
class LimitOfThreads : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& content) {
    std::filesystem::create_directories((root_.path() / name).parent_path());
    test::put_file(root_.path() / name, content);
  }
  ThreadLimit limit() const { return read_thread_limit(root_.path().string()); }

 private:
  test::TemporaryFolder root_;
  test::Variable no_variable_{"OMP_NUM_THREADS", nullptr};
};

TEST_F(LimitOfThreads, IsTheMachinesWithoutOthers) {
  EXPECT_GE(limit().threads, 1);
  EXPECT_LE(limit().threads, limit().cores);
}

TEST_F(LimitOfThreads, IsTheQuotaOfVersion2RoundedUp) {
  put("proc/self/cgroup", "0::/a/b\n");
  put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/a/cpu.max", "50000 100000\n");

  EXPECT_EQ(limit().threads, 1);
  if (limit().cores > 1) {
    EXPECT_STREQ(limit().reason, "CPU quota of the control group");
  }
}

TEST_F(LimitOfThreads, IsTheQuotaOfVersion1) {
  put("proc/self/cgroup", "4:cpu,cpuacct:/job\n");
  put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "100000\n");
  put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");

  EXPECT_EQ(limit().threads, 1);
}

TEST_F(LimitOfThreads, IgnoresAQuotaThatIsNone) {
  const int without = limit().threads;
  put("proc/self/cgroup", "4:cpu,cpuacct:/\n0::/\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu.max", "max 100000\n");

  EXPECT_EQ(limit().threads, without);
}

TEST_F(LimitOfThreads, RoundsUpToWholeThreads) {
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/cpu.max", "110000 100000\n");

  EXPECT_LE(limit().threads, 2);
  EXPECT_EQ(limit().threads, std::min(2, limit().cores));
}

TEST_F(LimitOfThreads, HeedsWhatTellsOpenMp) {
  const test::Variable one("OMP_NUM_THREADS", "1,2");

  EXPECT_EQ(limit().threads, 1);
}

TEST_F(LimitOfThreads, IgnoresAVariableWithoutANumber) {
  const int without = limit().threads;
  for (const char* text : {"", "many", "0", "-4"}) {
    const test::Variable variable("OMP_NUM_THREADS", text);
    EXPECT_EQ(limit().threads, without) << text;
  }
}

#if defined(__linux__)
TEST_F(LimitOfThreads, IsTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const ThreadLimit narrow = limit();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);

  EXPECT_EQ(narrow.threads, 1);
  if (narrow.cores > 1) {
    EXPECT_STREQ(narrow.reason, "affinity mask");
  }
}
#endif

}  // namespace
}  // namespace clchol
