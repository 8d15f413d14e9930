// The summary that a person reads.
#pragma once

#include <string>
#include <vector>

#include "base/thread_limit.hpp"
#include "gpu_kernels/devices/device_list.hpp"
#include "solver/cli/record.hpp"

namespace clchol::cli {

/// Aligned sections: matrix, analysis, factorization, solution, memory, notes; those that are
/// known.
std::string summary(const Record& record);

/// "out.svg: tree of A.mtx, 12.3 kB".
std::string drawing_line(const Record& record);

/// The list that `clchol devices` prints.
std::string device_summary(const std::string& cpu, const ThreadLimit& limit,
                           const gpu::DeviceList& list);

}  // namespace clchol::cli
