#include "gpu_kernels/fronts/front_batch.hpp"

#include <algorithm>
#include <utility>

namespace clchol::gpu {
namespace {

constexpr Offset kBatchWorkGroup = 128, kBatchWarps = 4;  // GROUP and WARPS of the kernel file.
constexpr Index kTallRows = 128;

// Counters of progress, and the ticket counters of two launches.
Offset num_counters(const FrontBatchLists& lists) { return Offset{lists.num_counters} + 2; }

}  // namespace

std::uint64_t FrontBatchParams::local_bytes(Index rows) const {
  // ROOM of front_batch_tile.cl: three uses take turns in the same local memory.
  const Offset k_tiles = Offset{stages} * tile_k * (rows + 4 + kBatchBlock + 4);
  const Offset children = Offset{rows + 2} * (kBatchBlock + kBatchWarps);
  constexpr Offset kSmall = 16, kWorkLd = 36;  // SMALL and WORK_LD of the kernel file.
  constexpr Offset kDiagonal =
      kSmall * (6 * kSmall + kBatchWarps * kWorkLd + 8);  // ROOM_FOR_DIAGONAL.
  constexpr std::uint64_t kOwn = 48;  // Bytes of the kernel's small local arrays.
  return static_cast<std::uint64_t>(std::max({k_tiles, children, kDiagonal})) * sizeof(double) +
         kOwn;
}

bool FrontBatchParams::valid() const {
  const bool loop = (mma_k == 4 || mma_k == 8 || mma_k == 16) && tile_k > 0 && tile_k <= 64 &&
                    tile_k % mma_k == 0 && stages >= 3 && stages <= 8 &&
                    (cached == 0 || cached == 1);
  const auto runs = [](const FrontBatchWorkGroups& groups) {
    return groups.registers >= 0 && groups.registers <= 255 && groups.per_unit > 0 &&
           groups.per_unit <= 16;
  };
  return (tile_rows == 64 || tile_rows == 128) && loop && runs(usual) && runs(top) && runs(tall) &&
         top_share >= 0 && tall_from >= 0;
}

std::string FrontBatchParams::build_options(Index rows, const FrontBatchWorkGroups& groups) const {
  std::string options = "-DTILE_M=" + std::to_string(rows) + " -DTILE_K=" + std::to_string(tile_k) +
                        " -DSTAGES=" + std::to_string(stages) +
                        " -DMMA_K=" + std::to_string(mma_k) +
                        " -DCACHED_COPIES=" + std::to_string(cached);
  if (groups.registers > 0) {
    options += " -cl-nv-maxrregcount=" + std::to_string(groups.registers);
  }
  return options;
}

FrontBatch::FrontBatch(ProgramCache& programs, const FrontBatchParams& params, BatchOrder order)
    : params_(params), order_(order) {
  if (!params.valid()) {
    throw InvalidArgument("front_batch: invalid " +
                          params.build_options(params.tile_rows, params.usual));
  }
  const auto kernel = [&](Index rows, const FrontBatchWorkGroups& groups, const char* name) {
    return programs.program("front_batch.cl", params.build_options(rows, groups)).kernel(name);
  };
  const bool tickets = order == BatchOrder::kTickets;
  kernel_ = kernel(params.tile_rows, params.usual, tickets ? "front_batch" : "front_batch_level");
  if (tickets && params.top_share > 0) {
    top_kernel_ = kernel(params.tile_rows, params.top, "front_batch");
  }
  if (params.local_bytes(kTallRows) > programs.context().static_local_bytes()) {
    params_.tall_from = 0;
  }
  if (tickets && params_.tall_from > 0) {
    tall_kernel_ = kernel(kTallRows, params.tall, "front_batch");
  }
  compute_units_ = programs.context().device().description.compute_units;
}

FrontBatchLists FrontBatch::lists(const FrontBatchInput& input, int threads) const {
  const auto units = static_cast<Index>(compute_units_);
  return make_front_batch(input, {.tile_rows = params_.tile_rows,
                                  .order = order_,
                                  .work_groups = units * params_.usual.per_unit,
                                  .top_share = 0.01 * params_.top_share,
                                  .top_work_groups = units * params_.top.per_unit,
                                  .tall_from = 1.0 * units * params_.tall_from,
                                  .tall_work_groups = units * params_.tall.per_unit,
                                  .threads = threads});
}

FrontBatchPlan FrontBatch::lay_out(std::span<const BatchFront> fronts, const FrontBatchLists& lists,
                                   PackedLayout& layout) {
  FrontBatchPlan plan;
  plan.fronts = layout.add<BatchFront>(std::ssize(fronts));
  plan.tiles = layout.add<BatchTile>(std::ssize(lists.tiles));
  plan.entries = layout.add<BatchEntry>(std::ssize(lists.entries));
  plan.pieces = layout.add<BatchPiece>(std::ssize(lists.pieces));
  plan.counters = layout.add<Index>(num_counters(lists));
  plan.level_begin = lists.level_begin;
  plan.top_begin = lists.top_begin;
  plan.done = lists.done;
  plan.is_tall = lists.is_tall;
  return plan;
}

void FrontBatch::pack(std::span<const BatchFront> fronts, const FrontBatchLists& lists,
                      const FrontBatchPlan& plan, std::span<std::byte> image) {
  plan.fronts.pack(fronts, image);
  plan.tiles.pack(lists.tiles, image);
  plan.entries.pack(lists.entries, image);
  plan.pieces.pack(lists.pieces, image);
}

FrontBatchPlan FrontBatch::upload(Queue& queue, const FrontBatchInput& input, int threads) const {
  const FrontBatchLists made = lists(input, threads);
  PackedLayout layout;
  FrontBatchPlan plan = lay_out(input.fronts, made, layout);
  std::vector<std::byte> image(static_cast<std::size_t>(layout.bytes()));
  pack(input.fronts, made, plan, image);
  plan.own_room = uploaded<std::byte>(queue, image);
  plan.own_factors = {queue.context(), made.factors_size};
  plan.room = plan.own_room;
  plan.factors = plan.own_factors;
  return plan;
}

void FrontBatch::factor(Queue& queue, const FrontBatchPlan& plan,
                        const FrontBatchOperands& operands) const {
  if (operands.status.size != plan.fronts.count) {
    throw InvalidArgument("front_batch: status has " + std::to_string(operands.status.size) +
                          " entries for " + std::to_string(plan.fronts.count) + " fronts");
  }
  const DeviceView<const BatchFront> fronts = plan.fronts.in(plan.room);
  const DeviceView<const BatchTile> all_tiles = plan.tiles.in(plan.room);
  const DeviceView<const BatchEntry> entries = plan.entries.in(plan.room);
  const DeviceView<const BatchPiece> pieces = plan.pieces.in(plan.room);
  const DeviceView<Index> counters = plan.counters.in(plan.room);
  const auto run = [&](const Kernel& kernel, Offset groups, const auto&... tiles) {
    launch(queue, kernel, work_groups_of(kBatchWorkGroup, groups), tiles..., entries, pieces,
           operands.relind, operands.values, operands.panels, operands.updates, plan.factors,
           counters, operands.status);
  };
  if (order_ == BatchOrder::kLevels) {
    for (std::size_t l = 0; l + 1 < plan.level_begin.size(); ++l) {
      run(kernel_, plan.level_begin[l + 1] - plan.level_begin[l], plan.level_begin[l], fronts,
          all_tiles);
    }
    return;
  }
  const Offset progress = counters.size - 2;
  if (plan.done > 0) fill<Index>(queue, counters.part(0, progress), plan.done);
  const Offset zeros = plan.done > 0 ? progress : 0;
  fill<Index>(queue, counters.part(zeros, counters.size - zeros), 0);
  // Draws `count` tickets, for the tiles from `begin` on.
  const auto draw = [&](const Kernel& kernel, Offset begin, Offset count, Offset groups,
                        Offset ticket) {
    if (count == 0) return;
    run(kernel, std::min(count, compute_units_ * groups), static_cast<Index>(count),
        counters.part(counters.size - ticket, 1), fronts, all_tiles.part(begin, count));
  };
  if (plan.is_tall) {
    draw(tall_kernel_, 0, all_tiles.size, params_.tall.per_unit, 2);
    return;
  }
  draw(kernel_, 0, plan.top_begin, params_.usual.per_unit, 2);
  draw(top_kernel_, plan.top_begin, all_tiles.size - plan.top_begin, params_.top.per_unit, 1);
}

}  // namespace clchol::gpu
