#include "numeric/plain_waves.hpp"

#include <algorithm>
#include <numeric>

namespace clchol::numeric {
namespace {

std::vector<Index> range(Index begin, Index end) {
  std::vector<Index> listed(static_cast<std::size_t>(end - begin));
  std::iota(listed.begin(), listed.end(), begin);
  return listed;
}

std::vector<gpu::DenseFront> dense_fronts(const DevicePlan& plan, Index begin, Index end) {
  std::vector<gpu::DenseFront> fronts;
  for (Index f = begin; f < end; ++f) {
    const gpu::Front& front = plan.fronts[f];
    fronts.push_back({{front.panel, front.ldp, front.nrow, front.ncol}, front.update, 0});
  }
  return fronts;
}

}  // namespace

template <class T>
PlainWaves<T>::PlainWaves(gpu::ProgramCache& programs, gpu::Queue& queue, const DevicePlan& plan,
                          const gpu::FrontLists& lists, std::span<const Offset> entry_ptr,
                          const PlainWavesParams& params)
    : scatter_(programs),
      extend_add_(programs, params.extend_add),
      potrf_(programs, params.panel, params.gemms) {
  const std::vector<Index> all = range(plan.num_small, static_cast<Index>(plan.fronts.size()));
  const std::vector<gpu::ScatterTile> scatter =
      gpu::make_scatter_tiles(plan.fronts, all, entry_ptr);
  scatter_tiles_ =
      gpu::DeviceBuffer<gpu::ScatterTile>(queue.context(), static_cast<Offset>(scatter.size()));
  gpu::upload<gpu::ScatterTile>(queue, scatter, scatter_tiles_);

  gpu::ExtendAddLists assembly;
  for (std::size_t w = 0; w + 1 < plan.large_waves.size(); ++w) {
    const Index begin = plan.large_waves[w], end = plan.large_waves[w + 1];
    gpu::ExtendAddLists more =
        gpu::make_extend_add_lists(lists, range(begin, end), params.extend_add);
    const auto first_piece = static_cast<Index>(assembly.pieces.size());
    for (gpu::ExtendAddTile& tile : more.tiles) {
      tile.piece_begin += first_piece;
      tile.piece_end += first_piece;
    }
    // Tiles of panels first.
    const auto updates = std::stable_partition(
        more.tiles.begin(), more.tiles.end(),
        [&](const gpu::ExtendAddTile& tile) { return tile.column < plan.fronts[tile.front].ncol; });
    const auto first_tile = static_cast<Offset>(assembly.tiles.size());
    const Offset border = first_tile + (updates - more.tiles.begin());
    waves_.push_back(
        {.first_front = begin,
         .potrf = potrf_.upload(
             queue, potrf_.plan(dense_fronts(plan, begin, end), gpu::FrontUpdate::kWrite)),
         .panel_tiles = {first_tile, border},
         .update_tiles = {border, first_tile + static_cast<Offset>(more.tiles.size())}});
    assembly.tiles.insert(assembly.tiles.end(), more.tiles.begin(), more.tiles.end());
    assembly.pieces.insert(assembly.pieces.end(), more.pieces.begin(), more.pieces.end());
  }
  assembly_ = {queue, assembly.pieces, assembly.tiles};
}

template <class T>
void PlainWaves<T>::factor(gpu::Queue& queue, const gpu::FrontBuffers& lists,
                           const PlainWavesOperands<T>& operands) {
  const auto assemble = [&](const gpu::TileRange& tiles) {
    extend_add_.run(queue, lists, assembly_.tiles(tiles), assembly_.items(), operands.updates,
                    operands.panels, operands.updates);
  };
  scatter_.run(queue, lists, scatter_tiles_, operands.values, {}, operands.panels);
  for (const Wave& wave : waves_) {
    assemble(wave.panel_tiles);
    potrf_.factor(queue, wave.potrf,
                  {operands.panels, operands.updates,
                   operands.status.part(wave.first_front, wave.potrf.num_fronts)});
    assemble(wave.update_tiles);
  }
}

template class PlainWaves<double>;
template class PlainWaves<float>;

}  // namespace clchol::numeric
