// Partial Cholesky factorization of many dense fronts at once, on the device.  potrf_plan.hpp
// describes the method.  Kernels: kernels/dense/panel.cl and kernels/dense/gemm.cl.
//
//   Potrf<double> potrf(programs, panel_params, gemms);
//   const PotrfPlan<double> plan(queue, potrf.plan(fronts, FrontUpdate::kWrite));   // once
//   potrf.factor(queue, plan, operands);   // any number of times; enqueues and returns
//   ... read operands.status after the queue has finished
//
// A pivot fails unless its reciprocal is positive and finite.  When a pivot of a front fails, the
// front's status gets the column and the value of the front's first failed pivot, and later
// launches skip the front.  Other fronts are not affected.  Results are the same bits in every run.
#pragma once

#include <span>

#include "gpu_kernels/dense/potrf_plan.hpp"

namespace clchol::gpu {

/// A plan for the factorization of a given list of fronts: a copy of PotrfLists, whose lists of
/// fronts, tiles and products are in device memory.
template <class T>
struct PotrfPlan {
  /// Uploads the lists and waits until the transfers have ended.
  PotrfPlan(Queue& queue, const PotrfLists& lists);

  /// Device copy of PotrfLists::fronts and PotrfLists::panel_tiles.
  DeviceBatch<FrontPanel, PanelTile> panels;
  ProductBatch large;            // Device copy of PotrfLists::large.
  ProductBatch small;            // Device copy of PotrfLists::small.
  std::vector<PotrfStep> steps;  // Ranges of tiles for the launches of each step, in host memory.
  UpdateRange updates;           // Tiles of the last launch, which computes the update matrices.
  Offset num_fronts = 0;         // Number of fronts.
  Offset num_entries = 0;        // Least number of entries of PotrfOperands::panels.
  Offset num_updates = 0;        // Least number of entries of PotrfOperands::updates.
};

/// Device memory of the fronts of a plan.
template <class T>
struct PotrfOperands {
  /// Panels of all fronts, at the offsets FrontPanel::panel.  Overwritten by L.
  DeviceView<T> panels;
  /// Update matrices of all fronts, at the offsets DenseFront::update.  May be empty when the plan
  /// was made with FrontUpdate::kNone.
  DeviceView<T> updates;
  /// First failed pivot of each front.  Length: PotrfPlan::num_fronts or more.
  DeviceView<PivotStatus<T>> status;
  /// Workspace, in which factor() keeps factored diagonal blocks from one launch to the next.  Its
  /// contents before factor() do not matter.  Length: Potrf::workspace_entries(num_fronts) or more.
  DeviceView<T> workspace;
};

/// Parameters of two gemm kernels, one with large and one with small tiles.  A plan chooses one of
/// the kernels for each launch.
struct PotrfGemms {
  GemmParams large;  // Used for a launch that has at least PanelParams::few_tiles large tiles.
  GemmParams small;  // Used for all other launches.
};

/// Factors the fronts of a plan on the device.  Not thread-safe.  T is double or float.
template <class T>
class Potrf {
 public:
  /// Builds the kernels.  Throws InvalidArgument for parameters that are not valid(), and
  /// BuildError when the device's compiler refuses a kernel.
  Potrf(ProgramCache& programs, const PanelParams& params, const PotrfGemms& gemms);

  /// Returns the result of plan_potrf() for the block and tile sizes of this object's kernels.
  /// Throws InvalidArgument as plan_potrf() does.
  PotrfLists plan(std::span<const DenseFront> fronts, FrontUpdate update) const;
  /// Returns the bytes of device memory that upload() allocates for `lists`.
  Offset bytes(const PotrfLists& lists) const;
  /// Copies the lists to device memory and waits until the transfers have ended.
  PotrfPlan<T> upload(Queue& queue, const PotrfLists& lists) const { return {queue, lists}; }
  /// Returns the least number of entries of PotrfOperands::workspace for a plan of `num_fronts`
  /// fronts: two diagonal blocks for each front.  Several plans may use one workspace if their
  /// factorizations run one after another.
  Offset workspace_entries(Offset num_fronts) const {
    return num_fronts * 2 * params_.block * params_.block;
  }

  /// Enqueues the factorization of all fronts of the plan, and returns.  The caller need not wait
  /// for earlier commands of the in-order queue that write the panels or the update matrices.
  /// Overwrites operands.status, also if no pivot fails.
  /// Throws InvalidArgument when a view of `operands` is too small for the plan.
  /// Cost: at most 2 * blocks + 2 commands, where `blocks` is the number of blocks of
  /// PanelParams::block columns in the front with the greatest number of pivot columns.
  void factor(Queue& queue, const PotrfPlan<T>& plan, const PotrfOperands<T>& operands);

 private:
  // Enqueues one launch that computes the tiles of `range`: by small_ if range.small, else by
  // large_.
  void run(Queue& queue, const PotrfPlan<T>& plan, const UpdateRange& range,
           const ProductOperands<T>& operands);

  PanelParams params_;
  Kernel factor_panel_;
  Gemm<T> large_, small_;
};

/// Enqueues a fill that sets every element of `status` to "no pivot has failed" (column = -1).
template <class T>
void reset_status(Queue& queue, DeviceView<PivotStatus<T>> status);

}  // namespace clchol::gpu
