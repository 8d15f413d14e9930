// Cholesky factorization of dense fronts on the device: kernels/dense/panel.cl and
// kernels/dense/gemm.cl.
//
//   Potrf<double> potrf(programs, shapes...);
//   const PotrfPlan<double> plan(queue, potrf.plan(fronts, FrontUpdate::kWrite));   // once
//   potrf.factor(queue, plan, operands);      // as often as wanted: enqueues, waits for nothing
//   ... read status at the end
//
// A front whose pivot fails stops there: its status has column and value of its first bad pivot,
// later launches leave it alone, and other fronts are not touched by it.  A pivot fails unless its
// reciprocal is positive and finite.  Same bits at every run.
#pragma once

#include <span>

#include "gpu_kernels/dense/potrf_plan.hpp"

namespace clchol::gpu {

/// The lists of a plan on the device.
template <class T>
struct PotrfPlan {
  /// Uploads; blocking.
  PotrfPlan(Queue& queue, const PotrfLists& lists);

  DeviceBatch<FrontPanel, PanelTile> panels;
  ProductBatch large;
  ProductBatch small;
  std::vector<PotrfStep> steps;
  UpdateRange updates;
  Offset num_fronts = 0;
  Offset num_entries = 0;
  Offset num_updates = 0;
};

/// Where the fronts of a plan lie.
template <class T>
struct PotrfOperands {
  DeviceView<T> panels;
  DeviceView<T> updates;              // Not used by plans without update matrices.
  DeviceView<PivotStatus<T>> status;  // One for each front.
  DeviceView<T> workspace;            // Potrf::workspace_entries() values or more.
};

/// Tiles of large and small updates.
struct PotrfGemms {
  GemmParams large;
  GemmParams small;
};

/// Kernels for one thread and one queue at a time.  T: double, float.
template <class T>
class Potrf {
 public:
  /// Throws InvalidArgument for invalid parameters, BuildError.
  Potrf(ProgramCache& programs, const PanelParams& params, const PotrfGemms& gemms);

  /// The lists for these kernels' shapes.
  PotrfLists plan(std::span<const DenseFront> fronts, FrontUpdate update) const;
  /// What upload() takes of the device's memory.
  Offset bytes(const PotrfLists& lists) const;
  PotrfPlan<T> upload(Queue& queue, const PotrfLists& lists) const { return {queue, lists}; }
  /// Of a plan for so many fronts: two diagonal blocks for each.  Plans that run one after another
  /// may share it.
  Offset workspace_entries(Offset num_fronts) const {
    return num_fronts * 2 * params_.block * params_.block;
  }

  /// Enqueues all: 2 * blocks + 2 launches at most.  The operands are ready in the queue's order;
  /// status is set by this call.  Throws InvalidArgument when a view is too small for the plan.
  void factor(Queue& queue, const PotrfPlan<T>& plan, const PotrfOperands<T>& operands);

 private:
  void run(Queue& queue, const PotrfPlan<T>& plan, const UpdateRange& range,
           const ProductOperands<T>& operands);

  PanelParams params_;
  Kernel factor_panel_;
  Gemm<T> large_, small_;
};

/// No pivot has failed: enqueues that.
template <class T>
void reset_status(Queue& queue, DeviceView<PivotStatus<T>> status);

}  // namespace clchol::gpu
