// Forward and backward solve with a whole forest of fronts, for each group of them one launch for
// subtrees of small fronts and one for all others, for NVIDIA: kernels/fronts/subtree_solve.cl,
// kernels/fronts/front_solve.cl.
//
//   FrontSolvePlan plan = upload_front_solve(queue, make_front_solve(input, {}), rowind);  // once
//   FrontSolve solve(programs, front_solve_params(nrhs, plan.sizes));
//   FrontSolveWorkspace workspace = solve.workspace(queue, plan, values, nrhs);
//   for every group g, once a factor:  FrontSolveBlocks(programs).run(queue, plan, g, ...);
//   for g = 0, 1, ...:                 solve.forward(queue, plan, workspace, g, operands);
//   for g = ..., 1, 0:                 solve.backward(queue, plan, workspace, g, operands);
//
// Calls enqueue and wait for nothing.  Panels and inverted blocks of one group are at hand while it
// is solved with, those of others need not be.  Each panel is read once for every params.rhs
// right-hand sides, in each direction.  Same bits at every run.  Wants the capabilities
// `mma_m16n8k16`, `bulk_copy` and `forward_progress`, and static_local_bytes for the local_bytes()
// of its parameters.
#pragma once

#include <string>

#include "gpu_kernels/dense/triangle_list.hpp"
#include "gpu_kernels/dense/trinv.hpp"
#include "gpu_kernels/fronts/front_solve_tiles.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

struct FrontSolveParams {
  Index rhs = 1;              // Right-hand sides of a launch: 1, 2, 4, 8 or 16.
  Index stages = 3;           // Blocks of L in local memory, 2 to 8.
  Index registers = 128;      // Most registers of a work-item; 0: the compiler's choice.
  Index groups_per_unit = 2;  // Work-groups that run on a compute unit at once.
  bool spans = false;         // For plans with spans of several blocks too.

  bool valid() const;
  /// Of local memory that a work-group declares, at most.
  Offset local_bytes() const;
  /// The only place that writes these options.
  std::string build_options() const;
};

/// For solves of up to nrhs right-hand sides: as few in a launch as hold them, at most
/// kMostSolveSides; and for plans of those sizes.
FrontSolveParams front_solve_params(Index nrhs, const FrontSolveSizes& sizes = {});

/// The lists on the device.
struct FrontSolvePlan {
  DeviceBuffer<SolveFront> fronts;
  DeviceBuffer<Index> subtree_ptr, source_ptr, sources, rowind;
  DeviceBuffer<SolveTicket> forward, backward;
  DeviceBuffer<SolveWait> waits;
  std::vector<SolveGroup> groups;  // And the ends.
  /// Diagonal blocks that are inverted: of each group.
  std::vector<TriangleBatch> triangles;
  DeviceBuffer<SolveCoupling> couplings;
  std::vector<Index> coupling_ptr;
  FrontSolveSizes sizes;

  /// Number of values that a group's inverted blocks have.
  Offset inverse_entries(Index group) const {
    const auto g = static_cast<std::size_t>(group);
    return groups[g + 1].inverses - groups[g].inverses;
  }
};

/// Uploads the lists; blocking.
/// @param rowind  row numbers of all fronts in x.
FrontSolvePlan upload_front_solve(Queue& queue, const FrontSolveLists& lists,
                                  std::span<const Index> rowind);
/// What that takes of the device's memory.
Offset front_solve_bytes(const FrontSolveLists& lists, std::span<const Index> rowind);

/// Inverts diagonal blocks, and couples those of fronts with many: kernels/dense/trinv.cl,
/// kernels/fronts/couple_blocks.cl.  For one thread and one queue at a time.
class FrontSolveBlocks {
 public:
  /// Throws BuildError.
  explicit FrontSolveBlocks(ProgramCache& programs);

  /// Enqueues.
  /// @param panels    the panels of the group.
  /// @param inverses  plan.inverse_entries(group) values, written.
  /// Throws InvalidArgument for a group that is not there, inverses without room, either at an odd
  /// place of its buffer.
  void run(Queue& queue, const FrontSolvePlan& plan, Index group, DeviceView<const double> panels,
           DeviceView<double> inverses);

 private:
  Trinv<double> trinv_;
  Kernel couple_;
};

/// What one solve at a time writes.
/// For all solvers of one plan whose launches have as many right-hand sides or fewer.
struct FrontSolveWorkspace {
  DeviceView<double> values;  // Update vectors and partial sums: the caller's between solves.
  Index blocks = 1;           // Blocks of right-hand sides that have update vectors in `values`.
  DeviceBuffer<Offset> tagged;
  Index tag = 0;                 // Of the last launch.
  DeviceBuffer<Index> counters;  // Of progress, and the ticket at the end.
};

struct FrontSolveOperands {
  Index nrhs = 1;
  DeviceView<const double> panels;    // The panels of the group.
  DeviceView<const double> inverses;  // Its inverted blocks: plan.inverse_entries(group) values.
  DeviceView<double> x;               // n x nrhs, row-major, in the factor's order: overwritten.
};

/// For one thread and one queue at a time.
class FrontSolve {
 public:
  /// Throws InvalidArgument for parameters that are not valid(), BuildError.
  FrontSolve(ProgramCache& programs, const FrontSolveParams& params);

  /// For solves with up to nrhs right-hand sides.
  /// @param values  workspace_entries() for params().rhs at an even place of their buffer.
  /// Throws InvalidArgument when they are fewer.
  FrontSolveWorkspace workspace(Queue& queue, const FrontSolvePlan& plan, DeviceView<double> values,
                                Index nrhs) const;
  /// Values of a workspace for solves with nrhs right-hand sides, `rhs` in a launch.  Where there
  /// are several groups, all nrhs go through one before the next: each has update vectors; so it is
  /// where update vectors are handed over.
  static Offset workspace_entries(const FrontSolveSizes& sizes, Index rhs, Index nrhs);
  /// Blocks of right-hand sides that have update vectors of their own.
  static Index vector_blocks(const FrontSolveSizes& sizes, Index rhs, Index nrhs) {
    return sizes.num_groups > 1 || sizes.has_handed ? (nrhs + rhs - 1) / rhs : 1;
  }
  /// What workspace() takes of the device's memory.
  static Offset workspace_bytes(const FrontSolveSizes& sizes, Index rhs);

  /// A group's part of x := L^-1 x, after those of earlier groups.  Throws InvalidArgument for
  /// nrhs < 1, a group that is not there, inverses without room, panels or inverses at an odd place
  /// of their buffer, spans that params() has not, a workspace for fewer right-hand sides.
  void forward(Queue& queue, const FrontSolvePlan& plan, FrontSolveWorkspace& workspace,
               Index group, const FrontSolveOperands& operands) const;
  /// A group's part of x := L^-T x, after those of later groups.  Throws as forward().
  void backward(Queue& queue, const FrontSolvePlan& plan, FrontSolveWorkspace& workspace,
                Index group, const FrontSolveOperands& operands) const;

  const FrontSolveParams& params() const { return params_; }

 private:
  Offset most_groups() const { return compute_units_ * params_.groups_per_unit; }
  void check(const FrontSolvePlan& plan, const FrontSolveWorkspace& workspace, Index group,
             const FrontSolveOperands& operands) const;

  FrontSolveParams params_;
  Kernel forward_, backward_, subtree_forward_, subtree_backward_;
  Offset compute_units_ = 1;
};

}  // namespace clchol::gpu
