// Forward and backward solve with a forest of fronts, on NVIDIA devices.  The forest is divided
// into groups of fronts, and a launch needs only one group's panels in device memory.  For each
// group and each block of params.rhs right-hand sides, each direction takes one launch for subtrees
// of small fronts (kernels/fronts/subtree_solve.cl) and one launch for all other fronts, which are
// cut into tiles (kernels/fronts/front_solve.cl).
//
//   FrontSolvePlan plan = upload_front_solve(queue, make_front_solve(input, {}), rowind);  // once
//   FrontSolve solve(programs, front_solve_params(nrhs, plan.sizes));
//   FrontSolveWorkspace workspace = solve.workspace(queue, plan, values, nrhs);
//   FrontSolveBlocks blocks(programs);
//   for every group g, once for each factor:  blocks.run(queue, plan, g, panels, inverses);
//   for g = 0, 1, ...:                        solve.forward(queue, plan, workspace, g, operands);
//   for g = ..., 1, 0:                        solve.backward(queue, plan, workspace, g, operands);
//
// run(), forward() and backward() only enqueue.  They read the panels and the inverted diagonal
// blocks of group g only.  In each direction a panel is read once for each block of params.rhs
// right-hand sides.  Results are bitwise reproducible.  The device must have the capabilities
// `mma_m16n8k16` (tensor core products of doubles), `bulk_copy` (asynchronous bulk copies from
// global to local memory) and `forward_progress` (work-groups may wait for work-groups with lower
// tickets), and Capabilities::static_local_bytes must be at least FrontSolveParams::local_bytes().
#pragma once

#include <string>

#include "gpu_kernels/dense/triangle_list.hpp"
#include "gpu_kernels/dense/trinv.hpp"
#include "gpu_kernels/fronts/front_solve_tiles.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// How the solve kernels are built and launched.
struct FrontSolveParams {
  Index rhs = 1;                   // Right-hand sides of a launch, greatest number: 1, 2, 4, 8, 16.
  Index stages = 3;                // Number of blocks of L in local memory at once, 2 to 8.
  Index registers = 128;           // Greatest number for a work-item.  0: the compiler's choice.
  Index work_groups_per_unit = 2;  // Number of work-groups that run on a compute unit at once.
  bool spans = false;              // Whether the kernels can solve with spans of several blocks.

  /// Returns whether all parameters are in the kernels' range.
  bool valid() const;
  /// Returns an upper bound on the bytes of local memory that a work-group declares.
  Offset local_bytes() const;
  /// Returns the compiler options that set the kernels' macros and register limit.
  std::string build_options() const;
};

/// Returns parameters for solves of up to nrhs right-hand sides with plans of these sizes.  The
/// member `rhs` is the least of 1, 2, 4, 8 and 16 that is at least nrhs, or 16 for larger nrhs.
FrontSolveParams front_solve_params(Index nrhs, const FrontSolveSizes& sizes = {});

/// The lists of one forest, ready for launches.  Members without a comment are the members of
/// FrontSolveLists with the same names; each DeviceBuffer is in device memory.
struct FrontSolvePlan {
  DeviceBuffer<SolveFront> fronts;
  // `rowind` has the rows in x of all fronts: SolveFront::rows is an index.
  DeviceBuffer<Index> subtree_ptr, source_ptr, sources, rowind;
  DeviceBuffer<SolveTicket> forward, backward;
  DeviceBuffer<SolveWait> waits;
  std::vector<SolveGroup> groups;
  /// Pivot blocks of each group's fronts in tiles: the lower triangles whose diagonal blocks are
  /// inverted.  Indexed by group.
  std::vector<TriangleBatch> triangles;
  DeviceBuffer<SolveCoupling> couplings;
  std::vector<Index> coupling_ptr;
  FrontSolveSizes sizes;

  /// Returns the number of entries of a group's inverted diagonal blocks and couplings.
  Offset inverse_entries(Index group) const {
    const auto g = static_cast<std::size_t>(group);
    return groups[g + 1].inverses - groups[g].inverses;
  }
};

/// Uploads the lists, and returns when they are on the device.
/// @param rowind  rows in x of the rows of all fronts: SolveFrontInput::rows is an index.
FrontSolvePlan upload_front_solve(Queue& queue, const FrontSolveLists& lists,
                                  std::span<const Index> rowind);
/// Returns the bytes of device memory that upload_front_solve() allocates.
Offset front_solve_bytes(const FrontSolveLists& lists, std::span<const Index> rowind);

/// The kernels that prepare a factor for solves: they invert the diagonal blocks of fronts in
/// tiles, and compute the couplings of fronts with many blocks.
/// Kernels: kernels/dense/trinv.cl, kernels/fronts/couple_blocks.cl.
///
/// Not thread-safe.  All commands of one object go to one in-order queue at a time: finish one
/// queue before using another.
class FrontSolveBlocks {
 public:
  /// Builds the kernels.  Throws BuildError.
  explicit FrontSolveBlocks(ProgramCache& programs);

  /// Enqueues the inversion and the coupling of a group's diagonal blocks.
  /// @param panels    panels of the group, which hold L.
  /// @param inverses  plan.inverse_entries(group) entries, which are overwritten.
  /// Throws InvalidArgument when the plan has no such group, when `inverses` is too small, or when
  /// `panels` or `inverses` has an odd offset in its buffer.
  void run(Queue& queue, const FrontSolvePlan& plan, Index group, DeviceView<const double> panels,
           DeviceView<double> inverses);

 private:
  Trinv<double> trinv_;
  Kernel couple_;
};

/// The workspace of solves with one plan.  Only one solve may use a workspace at a time.  Several
/// FrontSolve objects may share a workspace when none has a greater params().rhs than the object
/// that made the workspace.
struct FrontSolveWorkspace {
  // Update vectors of `blocks` blocks of right-hand sides, then partial sums.  Between solves the
  // caller may use this memory.
  DeviceView<double> values;
  Index blocks = 1;  // Number of blocks of right-hand sides that have update vectors of their own.
  // Entries of x, and sums that work-groups of a span exchange.  Each number is stored as two
  // words, half of the number in each word, beside the tag of the launch that wrote the number.
  DeviceBuffer<Offset> tagged;
  Index tag = 0;                 // Tag of the last launch.
  DeviceBuffer<Index> counters;  // FrontSolveSizes::num_counters counters, then the ticket counter.
};

/// What forward() and backward() read and write.
struct FrontSolveOperands {
  Index nrhs = 1;                     // Number of right-hand sides, the columns of x.
  DeviceView<const double> panels;    // Panels of the group, which hold L.
  DeviceView<const double> inverses;  // Result of FrontSolveBlocks::run() for the group.
  // Right-hand sides, which solutions overwrite: n x nrhs, row-major.  Rows are numbered as in the
  // permuted matrix.
  DeviceView<double> x;
};

/// The kernels of forward and backward solves.
///
/// Not thread-safe, const functions included.  All commands of one object go to one in-order queue
/// at a time: finish one queue before using another.
class FrontSolve {
 public:
  /// Builds the kernels.  Throws InvalidArgument for parameters that are not valid(), and
  /// BuildError.
  FrontSolve(ProgramCache& programs, const FrontSolveParams& params);

  /// Makes a workspace for solves with up to nrhs right-hand sides.  Returns when the device has
  /// zeroed the tags.
  /// @param values  memory of FrontSolveWorkspace::values, which must outlive the workspace: at
  ///                least workspace_entries(plan.sizes, params().rhs, nrhs) entries, at an even
  ///                offset in the buffer.
  /// Throws InvalidArgument when `values` is too small or has an odd offset.
  FrontSolveWorkspace workspace(Queue& queue, const FrontSolvePlan& plan, DeviceView<double> values,
                                Index nrhs) const;
  /// Returns the number of entries of FrontSolveWorkspace::values.
  /// @param rhs   FrontSolveParams::rhs, the greatest number of right-hand sides in one launch.
  /// @param nrhs  greatest number of right-hand sides in one solve.
  static Offset workspace_entries(const FrontSolveSizes& sizes, Index rhs, Index nrhs);
  /// Returns the number of blocks of `rhs` right-hand sides that have update vectors of their own.
  /// With several groups, every block of nrhs right-hand sides has its own, because a solve goes
  /// through all blocks with one group before the next group.  Every block also has its own where
  /// update vectors are handed over to or from another share.  Otherwise all blocks take turns in
  /// the update vectors of one block.
  static Index vector_blocks(const FrontSolveSizes& sizes, Index rhs, Index nrhs) {
    return sizes.num_groups > 1 || sizes.has_handed ? (nrhs + rhs - 1) / rhs : 1;
  }
  /// Returns the bytes of device memory that workspace() allocates.
  static Offset workspace_bytes(const FrontSolveSizes& sizes, Index rhs);

  /// Enqueues the steps of x := L^-1 x that belong to the fronts of a group.  The caller must call
  /// forward() for all groups in ascending order.
  /// Throws InvalidArgument when
  /// - operands.nrhs < 1, or the workspace is for fewer right-hand sides;
  /// - the plan has no such group;
  /// - operands.inverses is too small;
  /// - operands.panels or operands.inverses has an odd offset in its buffer;
  /// - the plan has spans of several blocks, and params().spans is false.
  void forward(Queue& queue, const FrontSolvePlan& plan, FrontSolveWorkspace& workspace,
               Index group, const FrontSolveOperands& operands) const;
  /// Enqueues the steps of x := L^-T x that belong to the fronts of a group.  The caller must call
  /// backward() for all groups in descending order.
  /// Throws InvalidArgument in the cases that forward() lists.
  void backward(Queue& queue, const FrontSolvePlan& plan, FrontSolveWorkspace& workspace,
                Index group, const FrontSolveOperands& operands) const;

  const FrontSolveParams& params() const { return params_; }

 private:
  // Returns the number of work-groups that run at once on the whole device.
  Offset most_work_groups() const { return compute_units_ * params_.work_groups_per_unit; }
  // Throws InvalidArgument in the cases that forward() lists.
  void check(const FrontSolvePlan& plan, const FrontSolveWorkspace& workspace, Index group,
             const FrontSolveOperands& operands) const;

  FrontSolveParams params_;
  Kernel forward_, backward_, subtree_forward_, subtree_backward_;
  Offset compute_units_ = 1;
};

}  // namespace clchol::gpu
