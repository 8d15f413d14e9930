// Formats the results of a run as text for the user, where --json is not given.
#pragma once

#include <string>
#include <vector>

#include "base/thread_limit.hpp"
#include "gpu_kernels/devices/device_list.hpp"
#include "solver/cli/record.hpp"

namespace clchol::cli {

/// @return the summary: the sections matrix, analysis, factorization, solution, memory, modes,
///         output and notes.  Sections whose data the record does not have are left out.
std::string summary(const Record& record);

/// @return a line about a drawing, such as "out.svg: tree of A.mtx, 12.3 kB".
std::string drawing_line(const Record& record);

/// @return the list of the CPU and the OpenCL devices that `clchol devices` prints.
/// @param cpu    name of the CPU.
/// @param limit  number of threads that the process may use, and what limits it.
std::string device_summary(const std::string& cpu, const ThreadLimit& limit,
                           const gpu::DeviceList& list);

}  // namespace clchol::cli
