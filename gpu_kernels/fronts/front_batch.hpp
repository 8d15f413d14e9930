// Partial factorization of a forest of fronts in one launch, on NVIDIA's fp64 tensor cores.
// Kernel: kernels/fronts/front_batch.cl.
//
//   FrontBatch batch(programs, params, BatchOrder::kTickets);
//   FrontBatchPlan plan = batch.upload(queue, input, threads);  // once
//   batch.factor(queue, plan, operands);                        // many times; only enqueues
//
// BatchOrder::kTickets takes one launch, and a second one for the top of the forest where that
// pays.  Work-groups wait for tiles with lower tickets, so the device must have the capability
// `forward_progress`.  BatchOrder::kLevels takes one launch for each level of tiles, and no
// work-group waits.  Both orders need the capabilities `mma_m16n8k16` and `async_copy`.  Results
// are bitwise the same from run to run and for both orders.
#pragma once

#include <string>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"
#include "gpu_kernels/runtime/device_batch.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// How a kernel is built, and how many of its work-groups run at once.
struct FrontBatchWorkGroups {
  Index registers = 0;  // Registers of a work-item at most.  0: the compiler's choice.
  Index per_unit = 2;   // Work-groups that run on a compute unit at once.
};

/// Shape of the tiles and of the loop of products (kernels/dense/tensor_product.cl), and the
/// work-groups that compute them.
struct FrontBatchParams {
  Index tile_k = 8;  // Columns of a k-tile in local memory.
  Index stages = 4;  // K-tiles that are being copied or used at once, 3 to 8.
  Index mma_k = 8;   // Columns that one instruction multiplies: 4, 8 or 16.
  Index cached = 1;  // 1: copies go through the first-level cache.  0: they do not.

  // Rows of panel and update tiles, 64 or 128.
  Index tile_rows = 64;
  // 168 registers, fewer than the compiler's choice, let three work-groups hide their latencies.
  FrontBatchWorkGroups usual = {168, 3};
  // FrontBatchOptions::top_share in per cent.  The top of the forest has few tiles at a time.
  Index top_share = 100;
  FrontBatchWorkGroups top = {0, 2};  // Work-groups of the launch for the top.
  // Tiles have 128 rows, and so read less, in batches that keep on average this number of
  // work-groups for each compute unit busy.  0: never.
  Index tall_from = 15;
  FrontBatchWorkGroups tall = {0, 2};  // Work-groups for tiles of 128 rows.

  /// Bytes of local memory of a work-group, for tiles of `rows` rows.
  std::uint64_t local_bytes(Index rows) const;
  bool valid() const;
  /// The compiler options for tiles of `rows` rows.  No other function writes them.
  std::string build_options(Index rows, const FrontBatchWorkGroups& groups) const;
};

/// The lists of a batch in device memory, its workspace, and what launches need of FrontBatchLists.
struct FrontBatchPlan {
  DeviceBatch<BatchFront, BatchTile> batch;
  DeviceBuffer<BatchEntry> entries;
  DeviceBuffer<BatchPiece> pieces;
  DeviceBuffer<Index> counters;  // Counters of progress, then the ticket counters of two launches.
  DeviceBuffer<double> own_factors;  // The workspace, where the caller has given none.
  DeviceView<double> factors;        // The workspace: factored diagonal blocks.
  std::vector<Index> level_begin;    // FrontBatchLists::level_begin.
  Index top_begin = 0;               // FrontBatchLists::top_begin.
  Index done = 0;                    // FrontBatchLists::done.
  bool is_tall = false;              // FrontBatchLists::is_tall.
};

struct FrontBatchOperands {
  DeviceView<const Index> relind;   // Relative indices of all children: FrontBatchInput::relind.
  DeviceView<const double> values;  // A's entries; not read where all fronts are filled.
  DeviceView<double> panels;        // Panels of all fronts.
  DeviceView<double> updates;       // Update matrices of all fronts and of all children.
  DeviceView<BatchStatus> status;   // One for each front; the caller sets column = -1 before.
};

/// For one thread and one queue at a time.
class FrontBatch {
 public:
  /// Throws InvalidArgument for parameters that are not valid(), BuildError.
  FrontBatch(ProgramCache& programs, const FrontBatchParams& params, BatchOrder order);

  /// Makes the lists with `threads` threads.  Throws as make_front_batch().
  FrontBatchLists lists(const FrontBatchInput& input, int threads) const;
  /// Uploads lists that lists() made for these fronts; returns when they are on the device.
  /// @param workspace  at least lists.factors_size values, which factor() overwrites.  The caller
  ///                   may use them between calls.  Smaller: the plan allocates its own workspace.
  FrontBatchPlan upload(Queue& queue, std::span<const BatchFront> fronts,
                        const FrontBatchLists& lists, DeviceView<double> workspace = {}) const;
  /// Makes the lists with `threads` threads and uploads them.  The plan has its own workspace.
  FrontBatchPlan upload(Queue& queue, const FrontBatchInput& input, int threads) const {
    const FrontBatchLists made = lists(input, threads);
    return upload(queue, input.fronts, made);
  }
  /// Bytes of device memory that upload() allocates for these lists, without the workspace.
  static Offset bytes(std::span<const BatchFront> fronts, const FrontBatchLists& lists);

  /// Enqueues the factorization of all fronts.
  /// Throws InvalidArgument when the sizes of `status` and the list of fronts differ.
  void factor(Queue& queue, const FrontBatchPlan& plan, const FrontBatchOperands& operands) const;

  const FrontBatchParams& params() const { return params_; }

 private:
  FrontBatchParams params_;
  BatchOrder order_;
  Kernel kernel_, top_kernel_, tall_kernel_;  // Built for params_.usual, .top and .tall.
  Offset compute_units_ = 1;
};

}  // namespace clchol::gpu
