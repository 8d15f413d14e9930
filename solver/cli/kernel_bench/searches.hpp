// Searches of `clchol tune` for the best parameters of kernels, by coordinate search over sets of
// parameters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/cli/kernel_bench/case.hpp"

namespace clchol::cli {

/// Alternatives for a set of parameters.  Each one is put over the best parameters of the sets
/// before and measured.
using Moves = std::vector<gpu::TuningParams>;

/// The search for one row of a tuning file.
struct Search {
  std::string kernel = {};
  std::string variant = {};
  std::string precision = {};
  std::vector<Offset> sizes = {};  // Orders of the matrices that are measured.
  /// Whether the device can run the kernel.
  std::function<bool(const DeviceSession&)> applies = [](const DeviceSession&) { return true; };
  /// Returns the parameters from which the search starts.
  std::function<gpu::TuningParams(const DeviceSession&)> start = {};
  std::vector<Moves> moves = {};  // Sets of alternatives, tried in this order.
  /// Whether the parameters are valid and within the device's limits.
  std::function<bool(const DeviceSession&, const gpu::TuningParams&)> fits = {};
  /// Makes one case per size, with the given parameters.
  std::function<std::vector<Case>(const gpu::TuningParams&)> cases = {};
  /// Returns the best parameters as a row of the file.  When a variant has several rows, adds the
  /// bounds of the products that the row is for.
  std::function<gpu::TuningParams(gpu::TuningParams)> row = [](gpu::TuningParams params) {
    return params;
  };
};

/// Returns all searches.  The searches of one variant are in the order in which the library looks
/// at their rows.
/// @param quick  one small size and few alternatives per search.
std::vector<Search> all_searches(bool quick);

}  // namespace clchol::cli
