// Linux control groups (cgroups) of the process, by which containers and services limit resources.
#pragma once

#include <string>
#include <vector>

namespace clchol {

/// Returns the directories of the control groups that limit a resource of the process: of the group
/// to which the process belongs, then of the group's ancestors.  Finds groups of cgroup version 2
/// and of version 1.  Empty where no group is found.
/// @param controller  the resource: "cpu" or "memory".
/// @param root        prefix of the paths /proc and /sys; tests pass a directory of their own.
/// Throws std::bad_alloc.
std::vector<std::string> control_group_folders(const std::string& controller,
                                               const std::string& root = {});

}  // namespace clchol
