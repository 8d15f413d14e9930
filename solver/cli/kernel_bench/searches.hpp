// What `clchol tune` searches: parameters of a kernel, one group after another.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/cli/kernel_bench/case.hpp"

namespace clchol::cli {

/// Values that belong together, in turn: each is put over the best parameters so far.
using Moves = std::vector<gpu::TuningParams>;

/// One row of a tuning file.
struct Search {
  std::string kernel = {};
  std::string variant = {};
  std::string precision = {};
  std::vector<Offset> sizes = {};  // Orders that are measured.
  std::function<gpu::TuningParams(const DeviceSession&)> start = {};
  std::vector<Moves> moves = {};  // Group after group.
  /// Whether the parameters are valid and within the device's limits.
  std::function<bool(const DeviceSession&, const gpu::TuningParams&)> fits = {};
  /// A case for each size.
  std::function<std::vector<Case>(const gpu::TuningParams&)> cases = {};
};

/// @param quick  one small size and few moves.
std::vector<Search> all_searches(bool quick);

}  // namespace clchol::cli
