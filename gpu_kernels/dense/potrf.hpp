// Partial Cholesky factorization of dense fronts on the device, many at once (potrf_plan.hpp has
// the method).  Kernels: kernels/dense/panel.cl and kernels/dense/gemm.cl.
//
//   Potrf<double> potrf(programs, panel_params, gemms);
//   const PotrfPlan<double> plan(queue, potrf.plan(fronts, FrontUpdate::kWrite));   // once
//   potrf.factor(queue, plan, operands);   // any number of times; only enqueues
//   ... read operands.status after the queue has finished
//
// A pivot fails unless its reciprocal is positive and finite.  The front's status then gets the
// column and the value of its first failed pivot, and later launches skip the front.  Other fronts
// are not affected.  Results are bitwise reproducible.
#pragma once

#include <span>

#include "gpu_kernels/dense/potrf_plan.hpp"

namespace clchol::gpu {

/// The lists of a plan in device memory.
template <class T>
struct PotrfPlan {
  /// Uploads the lists and waits for the transfers.
  PotrfPlan(Queue& queue, const PotrfLists& lists);

  DeviceBatch<FrontPanel, PanelTile> panels;  // All fronts, and the panel tiles of all steps.
  ProductBatch large;                         // Products with large tiles.
  ProductBatch small;                         // Products with small tiles.
  std::vector<PotrfStep> steps;
  UpdateRange updates;  // Tiles of the update matrices, after all steps.
  Offset num_fronts = 0;
  Offset num_entries = 0;  // Entries that the buffer of panels must have.
  Offset num_updates = 0;  // Entries that the buffer of update matrices must have.
};

/// Device memory of a plan's fronts.
template <class T>
struct PotrfOperands {
  DeviceView<T> panels;
  DeviceView<T> updates;              // Update matrices.  Empty for plans without them.
  DeviceView<PivotStatus<T>> status;  // Pivot status of each front.
  DeviceView<T> workspace;            // Potrf::workspace_entries() entries or more.
};

/// Parameters of gemm for launches with many tiles, and for launches with few.
struct PotrfGemms {
  GemmParams large;
  GemmParams small;
};

/// The kernels, for one thread and one queue at a time.  T: double, float.
template <class T>
class Potrf {
 public:
  /// Builds the kernels.  Throws InvalidArgument for invalid parameters, and BuildError.
  Potrf(ProgramCache& programs, const PanelParams& params, const PotrfGemms& gemms);

  /// Makes the lists for these kernels' tile shapes.  Throws as plan_potrf().
  PotrfLists plan(std::span<const DenseFront> fronts, FrontUpdate update) const;
  /// Bytes of device memory that upload() allocates.
  Offset bytes(const PotrfLists& lists) const;
  PotrfPlan<T> upload(Queue& queue, const PotrfLists& lists) const { return {queue, lists}; }
  /// Entries of the workspace of a plan: two diagonal blocks for each front.  Plans that run one
  /// after another may share a workspace.
  Offset workspace_entries(Offset num_fronts) const {
    return num_fronts * 2 * params_.block * params_.block;
  }

  /// Enqueues the factorization: at most 2 * blocks + 2 commands, for blocks of columns of the
  /// widest front.  The operands must be ready in the queue's order.  The status is overwritten.
  /// Throws InvalidArgument when a view is too small for the plan.
  void factor(Queue& queue, const PotrfPlan<T>& plan, const PotrfOperands<T>& operands);

 private:
  void run(Queue& queue, const PotrfPlan<T>& plan, const UpdateRange& range,
           const ProductOperands<T>& operands);

  PanelParams params_;
  Kernel factor_panel_;
  Gemm<T> large_, small_;
};

/// Enqueues a fill of the status with "no pivot has failed".
template <class T>
void reset_status(Queue& queue, DeviceView<PivotStatus<T>> status);

}  // namespace clchol::gpu
