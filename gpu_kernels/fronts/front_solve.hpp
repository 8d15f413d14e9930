// Forward and backward solve with a forest of fronts, on NVIDIA devices.  Each direction takes, for
// every group and every params.rhs right-hand sides, one launch for subtrees of small fronts
// (kernels/fronts/subtree_solve.cl) and one for all other fronts (kernels/fronts/front_solve.cl).
//
//   FrontSolvePlan plan = upload_front_solve(queue, make_front_solve(input, {}), rowind);  // once
//   FrontSolve solve(programs, front_solve_params(nrhs, plan.sizes));
//   FrontSolveWorkspace workspace = solve.workspace(queue, plan, values, nrhs);
//   for every group g, once a factor:  FrontSolveBlocks(programs).run(queue, plan, g, ...);
//   for g = 0, 1, ...:                 solve.forward(queue, plan, workspace, g, operands);
//   for g = ..., 1, 0:                 solve.backward(queue, plan, workspace, g, operands);
//
// run(), forward() and backward() only enqueue.  They need the panels and the inverted blocks of
// their group only, in device memory.  In each direction a panel is read once for every params.rhs
// right-hand sides.  Results are bitwise reproducible.  The device must have the capabilities
// `mma_m16n8k16`, `bulk_copy` and `forward_progress`, and static_local_bytes of at least the
// parameters' local_bytes().
#pragma once

#include <string>

#include "gpu_kernels/dense/triangle_list.hpp"
#include "gpu_kernels/dense/trinv.hpp"
#include "gpu_kernels/fronts/front_solve_tiles.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

struct FrontSolveParams {
  Index rhs = 1;                   // Right-hand sides of a launch: 1, 2, 4, 8 or 16.
  Index stages = 3;                // Blocks of L in local memory at once, 2 to 8.
  Index registers = 128;           // Registers of a work-item at most; 0: the compiler's choice.
  Index work_groups_per_unit = 2;  // Work-groups that run on a compute unit at once.
  bool spans = false;              // true: the kernels solve with spans of several blocks too.

  bool valid() const;
  /// Bytes of local memory that a work-group declares, at most.
  Offset local_bytes() const;
  /// The compiler options; no other function writes them.
  std::string build_options() const;
};

/// Parameters for solves of up to nrhs right-hand sides with plans of these sizes.  A launch has
/// the least allowed number of right-hand sides that is at least nrhs, at most kMostSolveSides.
FrontSolveParams front_solve_params(Index nrhs, const FrontSolveSizes& sizes = {});

/// FrontSolveLists in device memory, and what the host needs of them for launches.
struct FrontSolvePlan {
  DeviceBuffer<SolveFront> fronts;
  DeviceBuffer<Index> subtree_ptr, source_ptr, sources, rowind;
  DeviceBuffer<SolveTicket> forward, backward;
  DeviceBuffer<SolveWait> waits;
  std::vector<SolveGroup> groups;  // One for each group, then the ends.
  /// The diagonal blocks of each group's fronts in tiles, which are inverted.  Indexed by group.
  std::vector<TriangleBatch> triangles;
  DeviceBuffer<SolveCoupling> couplings;
  std::vector<Index> coupling_ptr;
  FrontSolveSizes sizes;

  /// Number of entries of a group's inverted diagonal blocks and couplings.
  Offset inverse_entries(Index group) const {
    const auto g = static_cast<std::size_t>(group);
    return groups[g + 1].inverses - groups[g].inverses;
  }
};

/// Uploads the lists; returns when they are on the device.
/// @param rowind  row numbers of all fronts in x: the list that SolveFrontInput::rows indexes.
FrontSolvePlan upload_front_solve(Queue& queue, const FrontSolveLists& lists,
                                  std::span<const Index> rowind);
/// Bytes of device memory that upload_front_solve() allocates.
Offset front_solve_bytes(const FrontSolveLists& lists, std::span<const Index> rowind);

/// Inverts the diagonal blocks of fronts in tiles, and computes the couplings of fronts with many
/// blocks.  Kernels: kernels/dense/trinv.cl, kernels/fronts/couple_blocks.cl.  An object is for one
/// thread and one queue at a time.
class FrontSolveBlocks {
 public:
  /// Throws BuildError.
  explicit FrontSolveBlocks(ProgramCache& programs);

  /// Enqueues the inversion and the coupling of a group's diagonal blocks.
  /// @param panels    panels of the group.
  /// @param inverses  plan.inverse_entries(group) values, which are overwritten.
  /// Throws InvalidArgument when the plan has no such group, when `inverses` is too small, or when
  /// `panels` or `inverses` has an odd offset in its buffer.
  void run(Queue& queue, const FrontSolvePlan& plan, Index group, DeviceView<const double> panels,
           DeviceView<double> inverses);

 private:
  Trinv<double> trinv_;
  Kernel couple_;
};

/// The workspace of one solve at a time.  FrontSolve objects may share it when they solve with the
/// same plan and their params().rhs is not larger than that of the object that made it.
struct FrontSolveWorkspace {
  // Update vectors of `blocks` blocks of right-hand sides, then partial sums.  Between solves the
  // caller may use this memory.
  DeviceView<double> values;
  Index blocks = 1;  // Blocks of right-hand sides that have update vectors of their own.
  // Values of x and sums in spans, two words each, with the tag of the launch that wrote them.
  DeviceBuffer<Offset> tagged;
  Index tag = 0;                 // Tag of the last launch.
  DeviceBuffer<Index> counters;  // Counters of progress, then the ticket counter.
};

struct FrontSolveOperands {
  Index nrhs = 1;
  DeviceView<const double> panels;    // Panels of the group.
  DeviceView<const double> inverses;  // What FrontSolveBlocks::run() wrote for the group.
  DeviceView<double> x;               // n x nrhs, row-major, in the factor's order; overwritten.
};

/// For one thread and one queue at a time.
class FrontSolve {
 public:
  /// Throws InvalidArgument for parameters that are not valid(), BuildError.
  FrontSolve(ProgramCache& programs, const FrontSolveParams& params);

  /// Makes a workspace for solves with up to nrhs right-hand sides.  Returns when the device has
  /// zeroed the tags.
  /// @param values  at least workspace_entries(plan.sizes, params().rhs, nrhs) values at an even
  ///                offset of their buffer.
  /// Throws InvalidArgument when `values` is too small or has an odd offset.
  FrontSolveWorkspace workspace(Queue& queue, const FrontSolvePlan& plan, DeviceView<double> values,
                                Index nrhs) const;
  /// Entries of FrontSolveWorkspace::values for solves with nrhs right-hand sides, `rhs` in a
  /// launch.
  static Offset workspace_entries(const FrontSolveSizes& sizes, Index rhs, Index nrhs);
  /// Number of blocks of `rhs` right-hand sides that have update vectors of their own: all blocks
  /// where there are several groups, because all right-hand sides are solved with one group before
  /// the next, or where update vectors are handed over; else one.
  static Index vector_blocks(const FrontSolveSizes& sizes, Index rhs, Index nrhs) {
    return sizes.num_groups > 1 || sizes.has_handed ? (nrhs + rhs - 1) / rhs : 1;
  }
  /// Bytes of device memory that workspace() allocates.
  static Offset workspace_bytes(const FrontSolveSizes& sizes, Index rhs);

  /// Enqueues a group's part of x := L^-1 x, which must follow the parts of earlier groups.
  /// Throws InvalidArgument for nrhs < 1, a group that the plan does not have, `inverses` too
  /// small, `panels` or `inverses` at an odd offset of its buffer, a plan with spans where
  /// params().spans is false, or a workspace for fewer right-hand sides.
  void forward(Queue& queue, const FrontSolvePlan& plan, FrontSolveWorkspace& workspace,
               Index group, const FrontSolveOperands& operands) const;
  /// Enqueues a group's part of x := L^-T x, which must follow the parts of later groups.  Throws
  /// as forward().
  void backward(Queue& queue, const FrontSolvePlan& plan, FrontSolveWorkspace& workspace,
                Index group, const FrontSolveOperands& operands) const;

  const FrontSolveParams& params() const { return params_; }

 private:
  // Work-groups that run at once on the whole device.
  Offset most_work_groups() const { return compute_units_ * params_.work_groups_per_unit; }
  void check(const FrontSolvePlan& plan, const FrontSolveWorkspace& workspace, Index group,
             const FrontSolveOperands& operands) const;

  FrontSolveParams params_;
  Kernel forward_, backward_, subtree_forward_, subtree_backward_;
  Offset compute_units_ = 1;
};

}  // namespace clchol::gpu
