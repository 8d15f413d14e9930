// Partial Cholesky factorization of many dense fronts at once, on the device.  potrf_plan.hpp
// describes the method.  Kernels: kernels/dense/panel.cl and kernels/dense/gemm.cl.
//
//   Potrf<double> potrf(programs, panel_params, gemms);
//   const PotrfPlan<double> plan(queue, potrf.plan(fronts, FrontUpdate::kWrite));   // once
//   potrf.factor(queue, plan, operands);   // any number of times; enqueues and returns
//   ... read operands.status after the queue has finished
//
// A pivot fails unless its reciprocal is positive and finite.  When a pivot fails, the status of
// the front gets the column and the value of the front's first failed pivot, and later launches
// skip this front.  Other fronts are not affected.  Results are bitwise reproducible.
#pragma once

#include <span>

#include "gpu_kernels/dense/potrf_plan.hpp"

namespace clchol::gpu {

/// A plan for the factorization of certain fronts: PotrfLists, copied to device memory.
template <class T>
struct PotrfPlan {
  /// Uploads the lists and waits for the transfers.
  PotrfPlan(Queue& queue, const PotrfLists& lists);

  DeviceBatch<FrontPanel, PanelTile> panels;  // PotrfLists::fronts and PotrfLists::panel_tiles.
  ProductBatch large;                         // PotrfLists::large.
  ProductBatch small;                         // PotrfLists::small.
  std::vector<PotrfStep> steps;               // Tiles of each step's launches, in host memory.
  UpdateRange updates;     // Tiles of the last launch, which computes the update matrices.
  Offset num_fronts = 0;   // Number of fronts.
  Offset num_entries = 0;  // Entries that PotrfOperands::panels must have.
  Offset num_updates = 0;  // Entries that PotrfOperands::updates must have.
};

/// Device memory of the fronts of a plan.
template <class T>
struct PotrfOperands {
  DeviceView<T> panels;               // Panels of all fronts, overwritten by L.
  DeviceView<T> updates;              // Update matrices.  May be empty for FrontUpdate::kNone.
  DeviceView<PivotStatus<T>> status;  // Result for each front.  Length: num_fronts or more.
  DeviceView<T> workspace;            // Length: Potrf::workspace_entries() or more.
};

/// Parameters of the two gemm kernels between which a plan chooses for each launch.
struct PotrfGemms {
  GemmParams large;  // For launches that have at least PanelParams::few_tiles tiles of this size.
  GemmParams small;  // For all other launches.
};

/// Factors the fronts of a plan on the device.  Not thread-safe.  T is double or float.
template <class T>
class Potrf {
 public:
  /// Builds the kernels.  Throws InvalidArgument for parameters that are not valid(), and
  /// BuildError when the device's compiler refuses a kernel.
  Potrf(ProgramCache& programs, const PanelParams& params, const PotrfGemms& gemms);

  /// Returns plan_potrf() for the block and tile sizes of this object's kernels.  Throws
  /// InvalidArgument for a bad size, and names the front, the value and the bound.
  PotrfLists plan(std::span<const DenseFront> fronts, FrontUpdate update) const;
  /// Returns the bytes of device memory that upload() allocates for these lists.
  Offset bytes(const PotrfLists& lists) const;
  /// Copies the lists to device memory and waits for the transfers.
  PotrfPlan<T> upload(Queue& queue, const PotrfLists& lists) const { return {queue, lists}; }
  /// Returns the entries that PotrfOperands::workspace must have for a plan of this number of
  /// fronts: two diagonal blocks for each front.  Plans may share one workspace if their
  /// factorizations run one after another.
  Offset workspace_entries(Offset num_fronts) const {
    return num_fronts * 2 * params_.block * params_.block;
  }

  /// Enqueues the factorization of all fronts of the plan, and returns.  Earlier commands of the
  /// queue may still be writing the operands.  operands.status is overwritten.
  /// Throws InvalidArgument when a view of `operands` is too small for the plan.
  /// Cost: at most 2 * blocks + 2 commands, where `blocks` is the number of column blocks (of
  /// PanelParams::block columns) of the front with the most pivot columns.
  void factor(Queue& queue, const PotrfPlan<T>& plan, const PotrfOperands<T>& operands);

 private:
  // Enqueues one launch of gemm, with large or small tiles as `range` says.
  void run(Queue& queue, const PotrfPlan<T>& plan, const UpdateRange& range,
           const ProductOperands<T>& operands);

  PanelParams params_;
  Kernel factor_panel_;
  Gemm<T> large_, small_;
};

/// Enqueues a fill that sets the status of every front to "no pivot has failed".
template <class T>
void reset_status(Queue& queue, DeviceView<PivotStatus<T>> status);

}  // namespace clchol::gpu
