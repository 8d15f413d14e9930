#include "base/control_group.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
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
  std::ifstream file(root + "/proc/self/cgroup");
  file.exceptions(std::ios::badbit);  // Else memory that cannot be had looks like the file's end.
  std::string line;
  while (std::getline(file, line)) {  // "hierarchy:controllers:path", no controllers in version 2.
    std::istringstream fields(line);
    std::string hierarchy, controllers, path;
    std::getline(fields, hierarchy, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    if (path == "/") path.clear();
    const std::string mounts = root + "/sys/fs/cgroup";
    if (controllers.empty()) {
      add_chain(mounts, path, folders);
    } else if (is_listed(controller, controllers)) {
      add_chain(mounts + "/" + controllers, path, folders);
    }
  }
  return folders;
}

}  // namespace clchol
