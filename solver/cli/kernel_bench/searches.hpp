// Searches of `clchol tune` for the fastest parameters of kernels, for example tile sizes.
//
// A search is a coordinate search.  It starts from given parameters.  Then it goes through several
// sets of alternatives, one set after another: it measures each alternative of the set, with the
// other parameters as found so far, and keeps the fastest before it goes to the next set.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solver/cli/kernel_bench/case.hpp"

namespace clchol::cli {

/// One set of alternatives.  Each alternative gives new values to some parameters, for example
/// tile_k = 8.  The other parameters keep the best values that earlier sets have found.
using Moves = std::vector<gpu::TuningParams>;

/// The search for the parameters of one row of a tuning file.
struct Search {
  std::string kernel = {};         // Kernel, variant and precision of the row.
  std::string variant = {};        // Variant of the kernel, for example "plain_small".
  std::string precision = {};      // "double" or "single".
  std::vector<Offset> sizes = {};  // Orders of the matrices that are measured.
  /// Whether the device can run the kernel.
  std::function<bool(const DeviceSession&)> applies = [](const DeviceSession&) { return true; };
  /// Returns the parameters from which the search starts.
  std::function<gpu::TuningParams(const DeviceSession&)> start = {};
  std::vector<Moves> moves = {};  // Sets of alternatives, in the order in which they are tried.
  /// Whether the parameters are valid and within the device's limits.
  std::function<bool(const DeviceSession&, const gpu::TuningParams&)> fits = {};
  /// Makes the cases that measure the given parameters, one for each size.  Of two sets of
  /// parameters, the one with the larger geometric mean of the cases' flop rates is better.
  std::function<std::vector<Case>(const gpu::TuningParams&)> cases = {};
  /// Converts the best parameters to those of the row in the tuning file.  A variant may have
  /// several rows, each for products of some sizes; then row() adds the bounds of these sizes.
  std::function<gpu::TuningParams(gpu::TuningParams)> row = [](gpu::TuningParams params) {
    return params;
  };
};

/// Returns all searches.  If a variant has several rows, its searches are in the order of the rows
/// in the tuning file: for a product, the library takes the first row whose bounds fit.
/// @param quick  true: each search has one small size and few alternatives.
std::vector<Search> all_searches(bool quick);

}  // namespace clchol::cli
