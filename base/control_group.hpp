// Control groups of Linux that the process is in: limits of containers and services.
#pragma once

#include <string>
#include <vector>

namespace clchol {

/// Folders of the groups that bound the process' use of what `controller` ("cpu", "memory")
/// controls: its own group, then those above it, of version 2 and of version 1; empty where there
/// are none.
/// @param root  what stands before /proc and /sys; tests bring their own.
/// Throws std::bad_alloc.
std::vector<std::string> control_group_folders(const std::string& controller,
                                               const std::string& root = {});

}  // namespace clchol
