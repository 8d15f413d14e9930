// Chooses the subtrees of small fronts in the forest of a solve.  One warp solves with all fronts
// of a subtree (kernels/fronts/subtree_solve.cl).  Fronts that are in no subtree are cut into tiles
// (kernels/fronts/front_solve.cl).
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_solve_tiles.hpp"

namespace clchol::gpu {

/// The chosen subtrees of a forest, numbered from 0.
struct Subtrees {
  // For each front, number of the subtree to which the front belongs.  kNone: the front belongs to
  // no subtree, and is cut into tiles.
  std::vector<Index> of_front;
  std::vector<double> time;  // Predicted microseconds that a warp takes.  Indexed by subtree.
  // For each subtree, SolveFrontInput::group of the subtree's fronts.  A group of a solve is the
  // fronts with which the same launches solve.  The device engine makes one group of a solve from
  // each slab, that is, from one or several consecutive groups of the factorization.
  std::vector<Index> group;
};

/// Chooses the subtrees.  A front is small when it has at most options.subtree_rows rows, and from
/// 1 to options.subtree_columns pivot columns.  (Fronts without pivot columns, which other devices
/// compute, are not small.)  A front with all its descendants is an eligible subtree when all these
/// fronts are small and in one group.  Let T be the sum of the predicted times of all fronts in
/// eligible subtrees, and T(g) the part of T that the fronts of group g take.  The chosen subtrees
/// of group g are the largest eligible subtrees whose predicted time is at most
///
///   max(min(T, 4 T(g)) / options.subtrees, 10 microseconds).
///
/// Eligible subtrees within a chosen subtree are not chosen.  So a forest of one group with enough
/// small fronts has about options.subtrees chosen subtrees.  In a forest of several groups, each
/// group with enough small fronts has at least a quarter of this number: the subtrees of a group
/// are solved by one launch, which takes at least as long as the largest subtree, even if the
/// device could run many more warps.
Subtrees find_subtrees(std::span<const SolveFrontInput> fronts, const FrontSolveOptions& options);

}  // namespace clchol::gpu
