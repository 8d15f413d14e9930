// Forward and backward solve with a forest of fronts, on NVIDIA devices.  The forest is divided
// into groups of fronts, and a launch needs only one group's panels in device memory.  Right-hand
// sides are divided into blocks of FrontSolveParams::rhs columns.  For each group, each block of
// right-hand sides and each direction, there are two launches: one for the subtrees of small fronts
// (kernels/fronts/subtree_solve.cl), and one for all other fronts, which are cut into tiles
// (kernels/fronts/front_solve.cl).  front_solve_tiles.hpp describes the tiles.
//
//   FrontSolvePlan plan = upload_front_solve(queue, make_front_solve(input, {}), rowind);  // once
//   FrontSolve solve(programs, front_solve_params(nrhs, plan.sizes));
//   FrontSolveWorkspace workspace = solve.workspace(queue, plan, values, nrhs);
//   FrontSolveBlocks blocks(programs);
//   for every group g, once for each factor:  blocks.run(queue, plan, g, panels, inverses);
//   for g = 0, 1, ...:                        solve.forward(queue, plan, workspace, g, operands);
//   for g = ..., 1, 0:                        solve.backward(queue, plan, workspace, g, operands);
//
// run(), forward() and backward() enqueue commands and do not wait.  They read the panels and the
// inverted diagonal blocks of group g only.  In each direction, a panel is read once for each block
// of right-hand sides.  Results are bitwise reproducible.  The device must have the capabilities
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
  Index rhs = 1;          // Greatest number of right-hand sides in one launch: 1, 2, 4, 8 or 16.
  Index stages = 3;       // Number of 64 x 64 blocks of L in local memory at once, 2 to 8.
  Index registers = 128;  // Maximum number of registers of a work-item.  0: the compiler's choice.
  Index work_groups_per_unit = 2;  // Number of work-groups that run on a compute unit at once.
  // Whether the kernels can solve with spans of several blocks.  A span is some neighbouring
  // diagonal blocks of a front, which are solved at the same time: FrontSolveOptions::span.
  bool spans = false;

  /// Returns whether all parameters are in the kernels' range.
  bool valid() const;
  /// Returns an upper bound on the bytes of local memory of a work-group.
  Offset local_bytes() const;
  /// Returns the compiler options that set the kernels' macros and register limit.
  std::string build_options() const;
};

/// Returns parameters for solves with up to nrhs right-hand sides.  The member `rhs` of the result
/// is the least of 1, 2, 4, 8 and 16 that is at least nrhs, or 16 for larger nrhs.
/// @param sizes  FrontSolvePlan::sizes of the plan of the solves.  Only sizes.has_spans is read; it
///               must be true if any plan of the solves has spans.
FrontSolveParams front_solve_params(Index nrhs, const FrontSolveSizes& sizes = {});

/// The lists of one forest, ready for launches.  A member without a comment is a copy of the member
/// of FrontSolveLists with the same name.  A DeviceBuffer is in device memory, and a std::vector is
/// in host memory.
struct FrontSolvePlan {
  DeviceBuffer<SolveFront> fronts;
  DeviceBuffer<Index> subtree_ptr, source_ptr, sources;
  // Row number in x of each row of each front.  The element for row i of the SolveFront F has the
  // index F.rows + i.
  DeviceView<const Index> rowind;
  DeviceBuffer<SolveTicket> forward, backward;
  DeviceBuffer<SolveWait> waits;
  std::vector<SolveGroup> groups;
  /// For each group: list of the triangles L11 (the first ncol rows of a panel) of the group's
  /// fronts that are cut into tiles, and list of the diagonal blocks of order 64 of these
  /// triangles.  FrontSolveBlocks::run() inverts the diagonal blocks.  Indexed by group.
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

/// Uploads the lists of a forest, and returns when they are on the device.
/// @param rowind  FrontSolvePlan::rowind: row number in x of each row of each front.  The elements
///                of a front begin at index SolveFrontInput::rows.  The memory must outlive the
///                plan.
FrontSolvePlan upload_front_solve(Queue& queue, const FrontSolveLists& lists,
                                  DeviceView<const Index> rowind);
/// Returns the bytes of device memory that upload_front_solve() allocates.
Offset front_solve_bytes(const FrontSolveLists& lists);

/// Prepares a factor for solves: inverts the diagonal blocks of the fronts that are cut into tiles,
/// and computes the couplings of those of these fronts that have at least
/// FrontSolveOptions::coupled_blocks diagonal blocks.  A coupling is a product of inverted diagonal
/// blocks with blocks of L (formulas: kernels/fronts/front_solve_args.h).  Couplings shorten the
/// time from one diagonal block to the next in a solve.
/// Kernels: kernels/dense/trinv.cl, kernels/fronts/couple_blocks.cl.
///
/// Not thread-safe.  Enqueue the commands of one object to one in-order queue.  Before using
/// another queue, wait until the first queue's commands have finished.
class FrontSolveBlocks {
 public:
  /// Builds the kernels.  Throws BuildError when the device's compiler refuses a kernel.
  explicit FrontSolveBlocks(ProgramCache& programs);

  /// Enqueues launches that compute the inverted diagonal blocks and the couplings of a group.
  /// @param panels    panels of the group, which hold L.
  /// @param inverses  receives the result: at least plan.inverse_entries(group) entries.
  /// Throws InvalidArgument when the plan has no such group, when `inverses` is too small, or when
  /// `panels` or `inverses` has an odd offset in its buffer.
  void run(Queue& queue, const FrontSolvePlan& plan, Index group, DeviceView<const double> panels,
           DeviceView<double> inverses);

 private:
  Trinv<double> trinv_;
  Kernel couple_;
};

/// The workspace of solves with one plan.  Only one solve may use a workspace at a time.  A
/// FrontSolve object may use a workspace that another FrontSolve object has made, if its
/// params().rhs is not greater than that of the other object.
struct FrontSolveWorkspace {
  // Update vectors of `blocks` blocks of right-hand sides, then partial sums of the backward solve.
  // Between solves the caller may use this memory for other data.
  DeviceView<double> values;
  Index blocks = 1;  // Number of blocks of right-hand sides that have update vectors of their own.
  // Numbers that work-groups of a launch pass to each other: entries of x, and, in fronts with
  // spans, sums.  A number of 64 bits takes two words of 64 bits.  Each word has one half of the
  // number and the tag of the launch that wrote the word.  A work-group that needs the number reads
  // the two words again and again until both words have the tag of the work-group's launch.
  DeviceBuffer<Offset> tagged;
  Index tag = 0;  // Tag of the last launch that used `tagged`.  The next launch has tag + 1.
  // FrontSolveSizes::num_counters counters of progress, then the ticket counter.
  DeviceBuffer<Index> counters;
};

/// What forward() and backward() read and write.
struct FrontSolveOperands {
  Index nrhs = 1;                     // Number of right-hand sides, the columns of x.
  DeviceView<const double> panels;    // Panels of the group, which hold L.
  DeviceView<const double> inverses;  // Result of FrontSolveBlocks::run() for the group.
  // Right-hand sides, which the solution overwrites: n x nrhs, row-major.  Rows are numbered as in
  // the permuted matrix.
  DeviceView<double> x;
};

/// Solves forward and backward, one group of fronts at a time.
///
/// Not thread-safe, const functions included.  Enqueue the commands of one object to one in-order
/// queue.  Before using another queue, wait until the first queue's commands have finished.
class FrontSolve {
 public:
  /// Builds the kernels.  Throws InvalidArgument for parameters that are not valid(), and
  /// BuildError when the device's compiler refuses a kernel.
  FrontSolve(ProgramCache& programs, const FrontSolveParams& params);

  /// Makes a workspace for solves with up to nrhs right-hand sides.  Returns when the device has
  /// set FrontSolveWorkspace::tagged to zero.
  /// @param values  memory for FrontSolveWorkspace::values, at least
  ///                workspace_entries(plan.sizes, params().rhs, nrhs) entries, at an even offset in
  ///                its buffer.  The memory must outlive the workspace.
  /// Throws InvalidArgument when `values` is too small or has an odd offset.
  FrontSolveWorkspace workspace(Queue& queue, const FrontSolvePlan& plan, DeviceView<double> values,
                                Index nrhs) const;
  /// Returns the number of entries of FrontSolveWorkspace::values.
  /// @param sizes  FrontSolvePlan::sizes of the plan.
  /// @param rhs    FrontSolveParams::rhs, the greatest number of right-hand sides in one launch.
  /// @param nrhs   greatest number of right-hand sides in one solve.
  static Offset workspace_entries(const FrontSolveSizes& sizes, Index rhs, Index nrhs);
  /// Returns FrontSolveWorkspace::blocks, the number of blocks of `rhs` right-hand sides that have
  /// memory of their own for update vectors.
  /// - ceil(nrhs / rhs), so that each block has memory of its own, in two cases: the plan has
  ///   several groups (one group is solved for all blocks before the next group begins); or update
  ///   vectors are handed over to or from another device.
  /// - 1 in all other cases: all blocks use the same memory, one block after another.
  /// The parameters are those of workspace_entries().
  static Index vector_blocks(const FrontSolveSizes& sizes, Index rhs, Index nrhs) {
    return sizes.num_groups > 1 || sizes.has_handed ? (nrhs + rhs - 1) / rhs : 1;
  }
  /// Returns the bytes of device memory that workspace() allocates, besides the caller's `values`.
  /// @param rhs  FrontSolveParams::rhs, the greatest number of right-hand sides in one launch.
  static Offset workspace_bytes(const FrontSolveSizes& sizes, Index rhs);

  /// Enqueues the part of the forward solve x := L^-1 x that belongs to one group's fronts.  For a
  /// complete forward solve, the caller calls forward() for all groups in ascending order.
  /// Throws InvalidArgument when
  /// - operands.nrhs < 1, or the workspace is for fewer right-hand sides;
  /// - the plan has no group with the number `group`;
  /// - operands.inverses has fewer than plan.inverse_entries(group) entries;
  /// - operands.panels or operands.inverses has an odd offset in its buffer;
  /// - the plan has spans of several blocks, and params().spans is false.
  void forward(Queue& queue, const FrontSolvePlan& plan, FrontSolveWorkspace& workspace,
               Index group, const FrontSolveOperands& operands) const;
  /// Enqueues the part of the backward solve x := L^-T x that belongs to one group's fronts.  For a
  /// complete backward solve, the caller calls backward() for all groups in descending order.
  /// Throws InvalidArgument in the cases that forward() lists.
  void backward(Queue& queue, const FrontSolvePlan& plan, FrontSolveWorkspace& workspace,
                Index group, const FrontSolveOperands& operands) const;

  const FrontSolveParams& params() const { return params_; }

 private:
  // Returns the greatest number of work-groups that run at once on the whole device.
  Offset most_work_groups() const { return compute_units_ * params_.work_groups_per_unit; }
  // Throws InvalidArgument in the cases that forward() lists.
  void check(const FrontSolvePlan& plan, const FrontSolveWorkspace& workspace, Index group,
             const FrontSolveOperands& operands) const;

  FrontSolveParams params_;
  Kernel forward_, backward_, subtree_forward_, subtree_backward_;
  Offset compute_units_ = 1;  // Compute units of the device.
};

}  // namespace clchol::gpu
