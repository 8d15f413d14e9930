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
  /// Whether the device has what the kernel needs.
  std::function<bool(const DeviceSession&)> applies = [](const DeviceSession&) { return true; };
  std::function<gpu::TuningParams(const DeviceSession&)> start = {};
  std::vector<Moves> moves = {};  // Group after group.
  /// Whether the parameters are valid and within the device's limits.
  std::function<bool(const DeviceSession&, const gpu::TuningParams&)> fits = {};
  /// A case for each size.
  std::function<std::vector<Case>(const gpu::TuningParams&)> cases = {};
  /// The best parameters as the file has them: with what they are for, where rows of a variant are
  /// told apart.
  std::function<gpu::TuningParams(gpu::TuningParams)> row = [](gpu::TuningParams params) {
    return params;
  };
};

/// Rows of one variant follow each other as the library looks at them.
/// @param quick  one small size and few moves.
std::vector<Search> all_searches(bool quick);

}  // namespace clchol::cli
