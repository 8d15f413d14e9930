// Factors the pivot columns of a batch, which is a forest of fronts, and computes the fronts'
// update matrices, in one launch or a few launches on NVIDIA's fp64 tensor cores.
// Kernel: kernels/fronts/front_batch.cl.
//
//   FrontBatch batch(programs, params, BatchOrder::kTickets);
//   FrontBatchPlan plan = batch.upload(queue, input, threads);  // once
//   batch.factor(queue, plan, operands);                        // many times; only enqueues
//
// Each front is cut into tiles.  A work-group computes one tile at a time: it adds up A's entries
// and the children's update matrices in the tile, and subtracts products of the front's columns to
// the left of the tile.  The last step depends on the kind of tile: a diagonal tile is factored; a
// panel tile is solved for, with the factored diagonal tile above it; an update tile is stored.
//
// BatchOrder::kTickets: work-groups draw tickets, which are numbers from a counter in device
// memory.  A ticket is the index of a tile in the list of tiles.  A work-group waits for the tiles
// with lower tickets that its own tile depends on.  Therefore the device must have the capability
// `forward_progress`: work-groups that wait do not keep work-groups with lower tickets from
// running.  Either one launch computes all fronts; or a first launch computes most fronts, and a
// second launch computes the top of the forest.  The top is the fronts near the roots.  They have
// few tiles that can be computed at the same time, so the second launch runs fewer work-groups at
// once, each with more registers.
//
// BatchOrder::kLevels: there is one launch for each dependency level of tiles, and no work-group
// waits.
//
// Both orders need the capabilities `mma_m16n8k16` (tensor core products of doubles) and
// `async_copy` (asynchronous copies from global to local memory).  Results are bitwise equal in all
// runs and for both orders.
#pragma once

#include <string>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/packed_lists.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The register limit with which a kernel is compiled, and the number of its work-groups that run
/// at once on a compute unit because of this limit.
struct FrontBatchWorkGroups {
  Index registers = 0;  // Maximum number of registers of a work-item.  0: the compiler's choice.
  Index per_unit = 2;   // Number of work-groups that run on a compute unit at once.
};

/// Sizes of tiles, parameters of the loop that computes products of tiles
/// (kernels/dense/tensor_product.cl), and work-groups of each launch.  A k-tile is the columns of
/// both operands of a product that one step of the loop multiplies.
struct FrontBatchParams {
  Index tile_k = 8;  // Columns of a k-tile.  Must be a multiple of the member mma_k, up to 64.
  // Number of k-tiles in local memory, 3 to 8.  One k-tile is multiplied while all other k-tiles
  // are copied from global memory.
  Index stages = 4;
  // Number of columns of both operands that one tensor core instruction multiplies: 4, 8 or 16.
  Index mma_k = 8;
  Index cached = 1;  // 1: copies to local memory use the first-level cache.  0: copies bypass it.

  // Rows of panel and update tiles, 64 or 128, in batches without tall tiles (see tall_from).
  Index tile_rows = 64;
  // Work-groups of every launch that is neither the launch for the top of the forest nor a launch
  // with tall tiles.  The compiler would choose more than 168 registers; with 168, three
  // work-groups run on a compute unit at once and hide each other's latencies.
  FrontBatchWorkGroups usual = {168, 3};
  // kTickets: the top of the forest is the largest set of fronts, from the roots down, with
  //   (sum of the predicted times of its tiles) / (number of work-groups that run at once)
  //       <= top_share / 100 * (predicted time of the critical path through its tiles).
  // Here the number of work-groups is compute units * usual.per_unit.  0: the top has no launch of
  // its own.
  Index top_share = 100;
  FrontBatchWorkGroups top = {0, 2};  // Work-groups of the launch for the top of the forest.
  // kTickets: a batch gets tall tiles, which have 128 rows and read fewer operands, when
  //   (sum of the predicted times of all tiles) / (predicted time of the critical path)
  //       >= tall_from * (number of compute units).
  // The left-hand side is the number of work-groups that an unlimited device would keep busy on
  // average.  0: no batch gets tall tiles.
  Index tall_from = 15;
  FrontBatchWorkGroups tall = {0, 2};  // Work-groups of launches with tall tiles.

  /// Returns the bytes of local memory of a work-group, for tiles of `rows` rows.
  std::uint64_t local_bytes(Index rows) const;
  /// Returns whether all parameters are in the ranges that the kernel supports.
  bool valid() const;
  /// Returns the compiler options that set the kernel's macros and register limit.
  /// @param rows    rows of the tiles.
  /// @param groups  the member `usual`, `top` or `tall`.
  std::string build_options(Index rows, const FrontBatchWorkGroups& groups) const;
};

/// One batch, ready for factor(): where its lists lie in a room, a range of device memory
/// (packed_lists.hpp), and a workspace in which the kernels keep factored diagonal blocks.
struct FrontBatchPlan {
  PackedList<BatchFront> fronts;   // Copy of the fronts.
  PackedList<BatchTile> tiles;     // Copy of FrontBatchLists::tiles.
  PackedList<BatchEntry> entries;  // Copy of FrontBatchLists::entries.
  PackedList<BatchPiece> pieces;   // Copy of FrontBatchLists::pieces.
  // FrontBatchLists::num_counters counters of progress, then the ticket counter of the first
  // launch, then the ticket counter of the launch for the top of the forest.  The kernels write
  // the counters.
  PackedList<Index> counters;
  // Memory of the room and of the workspace, if upload() has allocated them; otherwise empty.
  DeviceBuffer<std::byte> own_room;
  DeviceBuffer<double> own_factors;
  DeviceView<std::byte> room;  // The room.  Must have the lists when factor() is called.
  // The workspace, for factored diagonal blocks: FrontBatchLists::factors_size entries.  factor()
  // overwrites the workspace; between calls of factor(), the caller may use it for other data.
  DeviceView<double> factors;
  // BatchOrder::kLevels: index in `tiles` of the first tile of each dependency level; the last
  // element is the number of tiles.  BatchOrder::kTickets: empty.
  std::vector<Index> level_begin;
  // Index in `tiles` of the first tile of the launch for the top of the forest.  Equal to the
  // number of tiles if there is no such launch.
  Index top_begin = 0;
  // FrontBatchLists::done: the value that factor() gives all counters of progress before a launch
  // with kTickets.
  Index done = 0;
  bool is_tall = false;  // Whether panel and update tiles are tall: 128 rows.
};

/// What factor() reads and writes.
struct FrontBatchOperands {
  DeviceView<const Index> relind;  // Relative indices of all children: FrontBatchInput::relind.
  // Values of A.  FrontBatchInput::entry_source has indices into this view.  May be empty when all
  // fronts have BatchFront::filled = 1 (the panel holds A's entries before the launch).
  DeviceView<const double> values;
  DeviceView<double> panels;  // Buffer of panels, which begin at the offsets BatchFront::panel.
  // Buffer of update matrices, which begin at the offsets BatchFront::update and
  // BatchChild::update.
  DeviceView<double> updates;
  // First failed pivot of each front.  Indexed by front.  Before factor(), the caller must set
  // PivotStatus::column of all elements to kNone.  factor() writes only the elements of fronts in
  // which a pivot fails.
  DeviceView<BatchStatus> status;
};

/// The kernels that factor batches of fronts.
///
/// Not thread-safe, const functions included; but several threads may call lists() at the same
/// time.  All commands of one object go to one in-order queue at a time: finish one queue before
/// using another.
class FrontBatch {
 public:
  /// Builds the kernels.  When tall tiles need more local memory than the device has, sets
  /// params().tall_from to 0, so that no batch gets tall tiles.  Throws InvalidArgument for
  /// parameters that are not valid(), and BuildError when the device's compiler refuses a kernel.
  FrontBatch(ProgramCache& programs, const FrontBatchParams& params, BatchOrder order);

  /// Makes the lists of a batch by make_front_batch(), for the order and the parameters that were
  /// passed to the constructor and for the device's number of compute units.  Also sets those
  /// members of the fronts in input.fronts that the caller does not set (FrontBatchInput::fronts).
  /// @param threads  number of host threads that make the lists.
  /// Throws InvalidArgument for input that make_front_batch() rejects.
  FrontBatchLists lists(const FrontBatchInput& input, int threads) const;
  /// Adds the lists of a batch to the layout of a room.  Before factor(), the caller must set the
  /// members `room` and `factors` of the returned plan.
  /// @param fronts  the span input.fronts of the call lists(input, threads) that has returned
  ///                `lists`.  That call has set the fronts' members.
  /// @param lists   result of lists().
  static FrontBatchPlan lay_out(std::span<const BatchFront> fronts, const FrontBatchLists& lists,
                                PackedLayout& layout);
  /// Copies the lists to their places in an image of the room.
  /// @param fronts, lists  the arguments of the call of lay_out() that has returned `plan`.
  static void pack(std::span<const BatchFront> fronts, const FrontBatchLists& lists,
                   const FrontBatchPlan& plan, std::span<std::byte> image);
  /// Makes the lists with `threads` host threads, and uploads them to memory of the plan's own,
  /// which also has a workspace of its own.  Returns when the lists are on the device.
  /// Throws InvalidArgument for input that make_front_batch() rejects.
  FrontBatchPlan upload(Queue& queue, const FrontBatchInput& input, int threads) const;

  /// Enqueues the factorization of all fronts of the plan.
  /// Throws InvalidArgument when operands.status does not have one element for each front.
  void factor(Queue& queue, const FrontBatchPlan& plan, const FrontBatchOperands& operands) const;

  const FrontBatchParams& params() const { return params_; }

 private:
  FrontBatchParams params_;
  BatchOrder order_;
  // `kernel_`: kernel of launches that are neither for the top of the forest nor with tall tiles.
  // `top_kernel_`: kernel of the launch for the top.  Empty: there is no such launch.
  // `tall_kernel_`: kernel of launches with tall tiles.  Empty: there are no such launches.
  Kernel kernel_, top_kernel_, tall_kernel_;
  Offset compute_units_ = 1;  // Compute units of the device.
};

}  // namespace clchol::gpu
