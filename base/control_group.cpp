#include "base/control_group.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

namespace clchol {
namespace {

/// Whether `name` is one of the names in a list separated by commas.
bool is_listed(const std::string& name, const std::string& list) {
  return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

/// Adds the folders of group `path` and of those above it, as far as they are there.  A container
/// may be shown its group as the root: then the path that the kernel tells leads nowhere.
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
  // Not by streams of C++, which take memory that cannot be had for the end of the file.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen((root + "/proc/self/cgroup").c_str(), "re"), &std::fclose);
  char line[4096 + 256];  // A path and what stands before it.
  while (file != nullptr && std::fgets(line, sizeof line, file.get()) != nullptr) {
    // "hierarchy:controllers:path", no controllers in version 2.
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
