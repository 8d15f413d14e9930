#include "gpu_kernels/fronts/front_solve_subtrees.hpp"

#include <algorithm>
#include <numeric>

#include "base/index_math.hpp"

namespace clchol::gpu {
namespace {

// Predicted time of a warp for a small front, in microseconds.
double small_time(const SolveFrontInput& front) {
  constexpr double kBegin = 1, kColumn = 0.06, kEntries = 0.3;
  return kBegin + kColumn * front.ncol +
         kEntries * ceil_div(front.nrow, 32) * ceil_div(front.ncol, 8);
}
// The bound on the time of a subtree is never smaller than this number of microseconds.
constexpr double kLeastSubtreeTime = 10;
// A group with enough small fronts has at least 1 / kGroupShare of FrontSolveOptions::subtrees.
constexpr double kGroupShare = 4;

/// Predicted microseconds of the whole subtree with each front as its root.  -1: a front of the
/// subtree is not small, or is in another group.
std::vector<double> subtree_times(std::span<const SolveFrontInput> fronts,
                                  const FrontSolveOptions& options) {
  std::vector<double> times(fronts.size(), 0);
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const SolveFrontInput& front = fronts[f];
    const bool small = front.nrow <= options.subtree_rows &&
                       front.ncol <= options.subtree_columns && front.ncol > 0;
    times[f] = small && times[f] >= 0 ? times[f] + small_time(front) : -1;
    if (front.parent == kNone) continue;
    double& parent = times[at(front.parent)];
    const bool same_group = front.group == fronts[at(front.parent)].group;
    parent = times[f] < 0 || parent < 0 || !same_group ? -1 : parent + times[f];
  }
  return times;
}

/// Returns for each group the greatest time, in microseconds, that one subtree of the group may
/// take.
/// @param times     Result of subtree_times().
/// @param subtrees  FrontSolveOptions::subtrees.
std::vector<double> greatest_times(std::span<const SolveFrontInput> fronts,
                                   std::span<const double> times, Index subtrees) {
  // Predicted microseconds of all fronts in eligible subtrees of each group.
  std::vector<double> group_times;
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    if (at(fronts[f].group) >= group_times.size()) group_times.resize(at(fronts[f].group) + 1, 0);
    if (times[f] >= 0) group_times[at(fronts[f].group)] += small_time(fronts[f]);
  }
  const double all = std::accumulate(group_times.begin(), group_times.end(), 0.0);
  std::vector<double> most;
  most.reserve(group_times.size());
  for (const double time : group_times) {
    most.push_back(std::max(std::min(all, kGroupShare * time) / subtrees, kLeastSubtreeTime));
  }
  return most;
}

}  // namespace

Subtrees find_subtrees(std::span<const SolveFrontInput> fronts, const FrontSolveOptions& options) {
  const std::vector<double> times = subtree_times(fronts, options);
  const std::vector<double> most = greatest_times(fronts, times, options.subtrees);
  Subtrees found{std::vector<Index>(fronts.size(), kNone), {}, {}};
  for (std::size_t f = fronts.size(); f-- > 0;) {
    if (times[f] < 0 || times[f] > most[at(fronts[f].group)]) continue;
    const Index parent = fronts[f].parent;
    found.of_front[f] = parent == kNone ? kNone : found.of_front[at(parent)];
    if (found.of_front[f] != kNone) continue;
    found.of_front[f] = static_cast<Index>(found.time.size());
    found.time.push_back(times[f]);
    found.group.push_back(fronts[f].group);
  }
  return found;
}

}  // namespace clchol::gpu
