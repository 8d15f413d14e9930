// Formats the results of a run as text for the user.
#pragma once

#include <string>
#include <vector>

#include "base/thread_limit.hpp"
#include "gpu_kernels/devices/device_list.hpp"
#include "solver/cli/record.hpp"

namespace clchol::cli {

/// @return the sections matrix, analysis, factorization, solution, memory, modes, output and notes,
///         as far as their data are known.
std::string summary(const Record& record);

/// @return a line about a drawing, such as "out.svg: tree of A.mtx, 12.3 kB".
std::string drawing_line(const Record& record);

/// @return the list that `clchol devices` prints.
std::string device_summary(const std::string& cpu, const ThreadLimit& limit,
                           const gpu::DeviceList& list);

}  // namespace clchol::cli
