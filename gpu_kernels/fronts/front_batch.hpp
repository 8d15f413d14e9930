// Partial factorization of a forest of fronts in one launch, on NVIDIA's fp64 tensor cores:
// kernels/fronts/front_batch.cl.
//
//   FrontBatch batch(programs, params, BatchOrder::kTickets);
//   FrontBatchPlan plan = batch.upload(queue, input);   // once
//   batch.factor(queue, plan, operands);         // as often as wanted: enqueues, waits for nothing
//
// BatchOrder::kTickets is one launch, and one more for the top of the forest where that pays, in
// which work-groups wait for tiles with lower tickets: for devices with the capability
// `forward_progress`.  BatchOrder::kLevels is one launch for each level of tiles.  Both need
// `mma_m16n8k16` and `async_copy`.  Same bits at every run, and in both.
#pragma once

#include <string>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"
#include "gpu_kernels/runtime/device_batch.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Work-groups of a launch.
struct FrontBatchWorkGroups {
  Index registers = 0;  // Most of a work-item; 0: the compiler's choice.
  Index per_unit = 2;   // Run on a compute unit at once.
};

/// Shape of the tiles and of the loop of products (kernels/dense/tensor_product.cl), and who
/// computes them.
struct FrontBatchParams {
  Index tile_k = 8;  // Columns of a k-tile in local memory.
  Index stages = 4;  // K-tiles in flight or in use.
  Index mma_k = 8;   // Depth of the instruction: 4, 8 or 16.
  Index cached = 1;  // 1: copies go through the first cache.

  // Rows of panel and update tiles, 64 or 128.  More work-groups than suit the compiler hide what
  // they wait for.
  Index tile_rows = 64;
  FrontBatchWorkGroups usual = {168, 3};
  // The top of the forest, where there are not so many tiles: FrontBatchOptions::top_share in per
  // cent, and who computes it.
  Index top_share = 100;
  FrontBatchWorkGroups top = {0, 2};
  // Batches that keep so many work-groups on a compute unit busy on average have tiles of 128 rows,
  // which read less.  0: none.
  Index tall_from = 15;
  FrontBatchWorkGroups tall = {0, 2};

  /// With tiles of so many rows.
  std::uint64_t local_bytes(Index rows) const;
  bool valid() const;
  /// The only place that writes these options.
  std::string build_options(Index rows, const FrontBatchWorkGroups& groups) const;
};

/// The lists of a batch on the device, and its workspace.
struct FrontBatchPlan {
  DeviceBatch<BatchFront, BatchTile> batch;
  DeviceBuffer<BatchEntry> entries;
  DeviceBuffer<BatchPiece> pieces;
  DeviceBuffer<Index> counters;      // Of progress, and at the end two tickets.
  DeviceBuffer<double> own_factors;  // Where the caller has no workspace.
  DeviceView<double> factors;
  std::vector<Index> level_begin;
  Index top_begin = 0;
  Index done = 0;  // Blocks of 16 columns that are there before.
  bool is_tall = false;
};

struct FrontBatchOperands {
  DeviceView<const Index> relind;   // Of all children: FrontBatchInput::relind.
  DeviceView<const double> values;  // A's entries; not used where all fronts are filled.
  DeviceView<double> panels;
  DeviceView<double> updates;      // Of all fronts and children.
  DeviceView<BatchStatus> status;  // One for each front; column = -1 before.
};

/// For one thread and one queue at a time.
class FrontBatch {
 public:
  /// Throws InvalidArgument for parameters that are not valid(), BuildError.
  FrontBatch(ProgramCache& programs, const FrontBatchParams& params, BatchOrder order);

  /// Makes the lists, by so many threads.  Throws as make_front_batch().
  FrontBatchLists lists(const FrontBatchInput& input, int threads) const;
  /// Uploads the lists that were made of these fronts; blocking.
  /// @param workspace  lists.factors_size values, written by factor(): others may write there
  ///                   between calls.  Empty: the plan has its own.
  FrontBatchPlan upload(Queue& queue, std::span<const BatchFront> fronts,
                        const FrontBatchLists& lists, DeviceView<double> workspace = {}) const;
  /// Both.
  FrontBatchPlan upload(Queue& queue, const FrontBatchInput& input, int threads) const {
    const FrontBatchLists made = lists(input, threads);
    return upload(queue, input.fronts, made);
  }
  /// What the second takes of the device's memory beside the workspace.
  static Offset bytes(std::span<const BatchFront> fronts, const FrontBatchLists& lists);

  /// Enqueues all.  Throws InvalidArgument when status has another size than the list of fronts.
  void factor(Queue& queue, const FrontBatchPlan& plan, const FrontBatchOperands& operands) const;

  const FrontBatchParams& params() const { return params_; }

 private:
  FrontBatchParams params_;
  BatchOrder order_;
  Kernel kernel_, top_kernel_, tall_kernel_;
  Offset compute_units_ = 1;
};

}  // namespace clchol::gpu
