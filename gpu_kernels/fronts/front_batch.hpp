// Factors the pivot columns of a forest of fronts, and computes the fronts' update matrices, in one
// launch or a few launches on NVIDIA's fp64 tensor cores.
// Kernel: kernels/fronts/front_batch.cl.
//
//   FrontBatch batch(programs, params, BatchOrder::kTickets);
//   FrontBatchPlan plan = batch.upload(queue, input, threads);  // once
//   batch.factor(queue, plan, operands);                        // many times; only enqueues
//
// Each front is cut into tiles.  A work-group computes one tile at a time: it assembles A's entries
// and the children's update matrices, subtracts products of the columns to the left, and factors or
// solves.
//
// BatchOrder::kTickets takes one launch, and a second launch for the top of the forest where the
// top has too few tiles to keep the usual work-groups busy.  Work-groups wait for tiles with lower
// tickets, so the device must have the capability `forward_progress`: work-groups that wait do not
// keep work-groups with lower tickets from running.  BatchOrder::kLevels takes one launch for each
// level of tiles, and no work-group waits.  Both orders need the capabilities `mma_m16n8k16`
// (tensor core products of doubles) and `async_copy` (asynchronous copies from global to local
// memory).  Results are bitwise equal in all runs and for both orders.
#pragma once

#include <string>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"
#include "gpu_kernels/runtime/device_batch.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The register limit of a kernel, and the number of its work-groups that run at once.
struct FrontBatchWorkGroups {
  Index registers = 0;  // Maximum number of registers of a work-item.  0: the compiler's choice.
  Index per_unit = 2;   // Number of work-groups that run on a compute unit at once.
};

/// Shape of the tiles, shape of the loop that computes products of tiles
/// (kernels/dense/tensor_product.cl), and work-groups of each launch.
struct FrontBatchParams {
  Index tile_k = 8;  // Columns of a k-tile, 1 to 64; a multiple of mma_k.
  Index stages = 4;  // K-tiles in local memory, 3 to 8: one is multiplied, the others are copied.
  Index mma_k = 8;   // Columns that one tensor core instruction multiplies: 4, 8 or 16.
  Index cached = 1;  // 1: copies to local memory use the first-level cache.  0: they bypass it.

  // Rows of panel and update tiles, 64 or 128, in batches that do not have tall tiles.
  Index tile_rows = 64;
  // Work-groups of launches that have no work-groups of their own below.  168 registers, fewer than
  // the compiler's choice, let three work-groups run at once and hide each other's latencies.
  FrontBatchWorkGroups usual = {168, 3};
  // FrontBatchOptions::top_share in per cent.  0: the top of the forest has no launch of its own.
  Index top_share = 100;
  FrontBatchWorkGroups top = {0, 2};  // Work-groups of the launch for the top of the forest.
  // Tall tiles: kTickets uses tiles of 128 rows, which read fewer operands, in batches that on
  // average keep at least this number of work-groups busy for each compute unit.  0: never.
  Index tall_from = 15;
  FrontBatchWorkGroups tall = {0, 2};  // Work-groups of launches with tall tiles.

  /// Returns the bytes of local memory of a work-group, for tiles of `rows` rows.
  std::uint64_t local_bytes(Index rows) const;
  /// Returns whether all parameters are in the kernel's range.
  bool valid() const;
  /// Returns the compiler options that set the kernel's macros and register limit.
  /// @param rows    rows of the tiles.
  /// @param groups  `usual`, `top` or `tall`.
  std::string build_options(Index rows, const FrontBatchWorkGroups& groups) const;
};

/// One batch, ready for factor(): the FrontBatchLists in device memory, and the workspace.
struct FrontBatchPlan {
  DeviceBatch<BatchFront, BatchTile> batch;  // The fronts, and FrontBatchLists::tiles.
  DeviceBuffer<BatchEntry> entries;          // FrontBatchLists::entries.
  DeviceBuffer<BatchPiece> pieces;           // FrontBatchLists::pieces.
  // FrontBatchLists::num_counters counters of progress, then one ticket counter for each of the two
  // launches.
  DeviceBuffer<Index> counters;
  DeviceBuffer<double> own_factors;  // Memory of `factors`.  Empty: the caller owns the memory.
  DeviceView<double> factors;        // The workspace, which holds factored diagonal blocks.
  std::vector<Index> level_begin;    // FrontBatchLists::level_begin.
  Index top_begin = 0;               // FrontBatchLists::top_begin.
  Index done = 0;                    // FrontBatchLists::done.
  bool is_tall = false;              // FrontBatchLists::is_tall.
};

/// What factor() reads and writes.
struct FrontBatchOperands {
  DeviceView<const Index> relind;   // Relative indices of all children: FrontBatchInput::relind.
  DeviceView<const double> values;  // Values of A.  May be empty when all fronts are `filled`.
  DeviceView<double> panels;        // Buffer that BatchFront::panel is an offset into.
  DeviceView<double> updates;       // Buffer of the update matrices of fronts and children.
  // First failed pivot of each front.  Indexed by front.  The caller must set all `column` to kNone
  // before factor(), which writes only the elements of fronts in which a pivot fails.
  DeviceView<BatchStatus> status;
};

/// The kernels that factor batches of fronts.
///
/// Not thread-safe, const functions included.  All commands of one object go to one in-order queue
/// at a time: finish one queue before using another.
class FrontBatch {
 public:
  /// Builds the kernels.  When tall tiles need more local memory than the device has, sets
  /// params().tall_from to 0.  Throws InvalidArgument for parameters that are not valid(), and
  /// BuildError.
  FrontBatch(ProgramCache& programs, const FrontBatchParams& params, BatchOrder order);

  /// Makes the lists of a batch for this device, order and parameters: see make_front_batch().
  /// @param threads  number of host threads that make the lists.
  /// Throws InvalidArgument for input that make_front_batch() rejects.
  FrontBatchLists lists(const FrontBatchInput& input, int threads) const;
  /// Uploads fronts and lists, and returns when they are on the device.
  /// @param fronts     input.fronts of the call of lists() that made the lists.
  /// @param workspace  lists.factors_size entries or more, which factor() overwrites.  The memory
  ///                   must outlive the plan; the caller may use it between calls of factor().
  ///                   When it has fewer entries, the plan allocates a workspace of its own.
  FrontBatchPlan upload(Queue& queue, std::span<const BatchFront> fronts,
                        const FrontBatchLists& lists, DeviceView<double> workspace = {}) const;
  /// Makes the lists with `threads` host threads, and uploads them.  The plan allocates its own
  /// workspace.  Throws InvalidArgument for input that make_front_batch() rejects.
  FrontBatchPlan upload(Queue& queue, const FrontBatchInput& input, int threads) const {
    const FrontBatchLists made = lists(input, threads);
    return upload(queue, input.fronts, made);
  }
  /// Returns the bytes of device memory that upload() allocates, without the workspace.
  static Offset bytes(std::span<const BatchFront> fronts, const FrontBatchLists& lists);

  /// Enqueues the factorization of all fronts of the plan.
  /// Throws InvalidArgument when operands.status does not have one element for each front.
  void factor(Queue& queue, const FrontBatchPlan& plan, const FrontBatchOperands& operands) const;

  const FrontBatchParams& params() const { return params_; }

 private:
  FrontBatchParams params_;
  BatchOrder order_;
  // Built for params_.usual, params_.top and params_.tall.
  Kernel kernel_, top_kernel_, tall_kernel_;
  Offset compute_units_ = 1;
};

}  // namespace clchol::gpu
