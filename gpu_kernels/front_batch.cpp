#include "gpu_kernels/front_batch.hpp"

#include <algorithm>

namespace clchol::gpu {
namespace {

constexpr Offset kGroup = 128;  // GROUP of the kernel file.

}  // namespace

std::uint64_t FrontBatchParams::local_bytes() const {
  const Offset slabs = Offset{stages} * slab_k * (tile_rows + kBatchBlock);
  const Offset children = Offset{tile_rows + 2} * kBatchBlock;
  return static_cast<std::uint64_t>(std::max(slabs, children)) * sizeof(double);
}

bool FrontBatchParams::valid() const {
  const bool steps = (mma_k == 4 || mma_k == 8 || mma_k == 16) && slab_k > 0 && slab_k <= 64 &&
                     slab_k % (2 * mma_k) == 0;
  return (tile_rows == 64 || tile_rows == 128) && steps && stages >= 3 && stages <= 8 &&
         (cached == 0 || cached == 1) && registers >= 0 && registers <= 255 &&
         groups_per_unit > 0 && groups_per_unit <= 16;
}

std::string FrontBatchParams::build_options() const {
  std::string options =
      "-DTILE_M=" + std::to_string(tile_rows) + " -DSLAB_K=" + std::to_string(slab_k) +
      " -DSTAGES=" + std::to_string(stages) + " -DMMA_K=" + std::to_string(mma_k) +
      " -DCACHED_COPIES=" + std::to_string(cached);
  if (registers > 0) options += " -cl-nv-maxrregcount=" + std::to_string(registers);
  return options;
}

FrontBatch::FrontBatch(ProgramCache& programs, const FrontBatchParams& params, BatchOrder order)
    : params_(params), order_(order) {
  if (!params.valid()) throw InvalidArgument("front_batch: invalid " + params.build_options());
  const bool tickets = order == BatchOrder::kTickets;
  kernel_ = programs.program("front_batch.cl", params.build_options())
                .kernel(tickets ? "front_batch" : "front_batch_level");
  compute_units_ = programs.context().device().description.compute_units;
}

FrontBatchPlan FrontBatch::upload(Queue& queue, const FrontBatchInput& input) const {
  const auto groups = static_cast<Index>(compute_units_) * params_.groups_per_unit;
  FrontBatchLists lists =
      make_front_batch(input, {.tile_rows = params_.tile_rows, .order = order_, .groups = groups});
  FrontBatchPlan plan{{queue, {input.fronts.begin(), input.fronts.end()}, lists.tiles},
                      {queue.context(), static_cast<Offset>(lists.entries.size())},
                      {queue.context(), static_cast<Offset>(lists.pieces.size())},
                      {queue.context(), static_cast<Offset>(lists.maps.size())},
                      {queue.context(), Offset{lists.num_counters} + 1},
                      {queue.context(), lists.factors_size},
                      std::move(lists.level_begin)};
  gpu::upload<BatchEntry>(queue, lists.entries, plan.entries);
  gpu::upload<BatchPiece>(queue, lists.pieces, plan.pieces);
  gpu::upload<unsigned char>(queue, lists.maps, plan.maps);
  return plan;
}

void FrontBatch::factor(Queue& queue, const FrontBatchPlan& plan,
                        const FrontBatchOperands& operands) const {
  if (operands.status.size != plan.batch.items().size) {
    throw InvalidArgument("front_batch: status has " + std::to_string(operands.status.size) +
                          " entries for " + std::to_string(plan.batch.items().size) + " fronts");
  }
  const Offset num_tiles = plan.batch.tiles().size;
  const auto run = [&](Offset groups, const auto&... first) {
    launch(queue, kernel_, groups_of(kGroup, groups), first..., plan.batch.items(),
           plan.batch.tiles(), plan.entries.view(), plan.pieces.view(), plan.maps.view(),
           operands.values, operands.panels, operands.updates, plan.factors.view(),
           plan.counters.view(), operands.status);
  };
  if (order_ == BatchOrder::kLevels) {
    for (std::size_t l = 0; l + 1 < plan.level_begin.size(); ++l) {
      run(plan.level_begin[l + 1] - plan.level_begin[l], plan.level_begin[l]);
    }
    return;
  }
  fill<Index>(queue, plan.counters, 0);
  run(std::min(num_tiles, compute_units_ * params_.groups_per_unit), static_cast<Index>(num_tiles),
      plan.counters.part(plan.counters.size() - 1, 1));
}

}  // namespace clchol::gpu
