#include "base/control_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/files.hpp"

namespace clchol {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A tree of files that stands in for /proc and /sys.
class ControlGroupFolders : public testing::Test {
 protected:
  void tell_groups(const std::string& lines) { put("proc/self/cgroup", lines); }
  void put(const std::string& name, const std::string& content) {
    std::filesystem::create_directories((root_.path() / name).parent_path());
    test::put_file(root_.path() / name, content);
  }
  std::string mount(const std::string& name) const {
    return root_.path().string() + "/sys/fs/cgroup" + name;
  }
  std::string root() const { return root_.path().string(); }

 private:
  test::TemporaryFolder root_;
};

TEST_F(ControlGroupFolders, AreNoneWithoutGroups) {
  EXPECT_THAT(control_group_folders("cpu", root()), IsEmpty());
}

TEST_F(ControlGroupFolders, LeadFromTheProcessUpInVersion2) {
  tell_groups("0::/system.slice/job.service\n");
  put("sys/fs/cgroup/system.slice/job.service/cpu.max", "max 100000\n");

  EXPECT_THAT(control_group_folders("cpu", root()),
              ElementsAre(mount("/system.slice/job.service"), mount("/system.slice"), mount("")));
}

TEST_F(ControlGroupFolders, AreTheControllersInVersion1) {
  tell_groups("12:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/\n");
  put("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "1\n");

  EXPECT_THAT(control_group_folders("cpu", root()),
              ElementsAre(mount("/cpu,cpuacct/docker/abc"), mount("/cpu,cpuacct/docker"),
                          mount("/cpu,cpuacct"), mount("")));
}

TEST_F(ControlGroupFolders, BeginAtTheRootWhereAContainerSeesNoneOfItsPath) {
  tell_groups("0::/kubepods/pod1/abc\n");
  put("sys/fs/cgroup/cpu.max", "150000 100000\n");

  EXPECT_THAT(control_group_folders("cpu", root()), ElementsAre(mount("")));
}

}  // namespace
}  // namespace clchol
