#include "base/control_group.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

namespace clchol {
namespace {

/// Whether the comma-separated `list` contains `name`.
bool is_listed(const std::string& name, const std::string& list) {
  return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

/// Appends the existing directories of group `path` and of its ancestors, below `mount`.  A
/// container may see its own group mounted as the root; the path that the kernel reports then does
/// not exist.
void add_chain(const std::string& mount, std::string path, std::vector<std::string>& folders) {
  for (;;) {
    std::error_code ignored;
    if (std::filesystem::is_directory(mount + path, ignored)) folders.push_back(mount + path);
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return;
    path.resize(slash);
  }
}

}  // namespace

std::vector<std::string> control_group_folders(const std::string& controller,
                                               const std::string& root) {
  std::vector<std::string> folders;
  // Not by std::ifstream, which takes a failed allocation for the end of the file.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen((root + "/proc/self/cgroup").c_str(), "re"), &std::fclose);
  char line[4096 + 256];  // A path, and the hierarchy and controllers before it.
  while (file != nullptr && std::fgets(line, sizeof line, file.get()) != nullptr) {
    // The format is "hierarchy:controllers:path"; version 2 lists no controllers.
    const std::string_view text(line);
    const std::size_t first = text.find(':');
    const std::size_t second = text.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string controllers(text.substr(first + 1, second - first - 1));
    std::string path(text.substr(second + 1, text.find('\n') - second - 1));
    if (path == "/") path.clear();
    std::string mounts = root + "/sys/fs/cgroup";
    if (!controllers.empty()) {
      if (!is_listed(controller, controllers)) continue;
      mounts += "/";
      mounts += controllers;
    }
    add_chain(mounts, path, folders);
  }
  return folders;
}

}  // namespace clchol
