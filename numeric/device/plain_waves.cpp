#include "numeric/device/plain_waves.hpp"

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
PlainWaves<T>::PlainWaves(gpu::ProgramCache& programs, const PlainWavesParams& params)
    : scatter_(programs),
      extend_add_(programs, params.extend_add),
      potrf_(programs, params.panel, params.gemms) {}

template <class T>
PlainWavesLists PlainWaves<T>::lists(const DevicePlan& plan, const DeviceGroup& group,
                                     const gpu::FrontLists& lists,
                                     std::span<const Offset> entry_ptr) const {
  PlainWavesLists made;
  made.scatter =
      gpu::make_scatter_tiles(plan.fronts, range(group.large_begin, group.end), entry_ptr);
  gpu::ExtendAddLists& assembly = made.assembly;
  for (std::size_t w = 0; w + 1 < group.large_waves.size(); ++w) {
    const Index begin = group.large_waves[w], end = group.large_waves[w + 1];
    gpu::ExtendAddLists more =
        gpu::make_extend_add_lists(lists, range(begin, end), extend_add_.params());
    const auto first_piece = static_cast<Index>(assembly.pieces.size());
    for (gpu::ExtendAddTile& tile : more.tiles) {
      tile.piece_begin += first_piece;
      tile.piece_end += first_piece;
    }
    // Tiles of panels come before tiles of update matrices.
    const auto updates = std::stable_partition(
        more.tiles.begin(), more.tiles.end(),
        [&](const gpu::ExtendAddTile& tile) { return tile.column < plan.fronts[tile.front].ncol; });
    const auto first_tile = static_cast<Offset>(assembly.tiles.size());
    const Offset border = first_tile + (updates - more.tiles.begin());
    made.waves.push_back(
        {.first_front = begin,
         .potrf = potrf_.plan(dense_fronts(plan, begin, end), gpu::FrontUpdate::kWrite),
         .panel_tiles = {first_tile, border},
         .update_tiles = {border, first_tile + static_cast<Offset>(more.tiles.size())}});
    assembly.tiles.insert(assembly.tiles.end(), more.tiles.begin(), more.tiles.end());
    assembly.pieces.insert(assembly.pieces.end(), more.pieces.begin(), more.pieces.end());
  }
  return made;
}

template <class T>
Offset PlainWaves<T>::bytes(const PlainWavesLists& lists) const {
  Offset sum = gpu::bytes_in(lists.scatter) + gpu::bytes_in(lists.assembly.tiles) +
               gpu::bytes_in(lists.assembly.pieces);
  for (const PlainWavesLists::Wave& wave : lists.waves) sum += potrf_.bytes(wave.potrf);
  return sum;
}

template <class T>
Offset PlainWaves<T>::workspace_entries(const PlainWavesLists& lists) const {
  Offset most = 0;
  for (const PlainWavesLists::Wave& wave : lists.waves) {
    const auto num_fronts = static_cast<Offset>(wave.potrf.fronts.size());
    most = std::max(most, potrf_.workspace_entries(num_fronts));
  }
  return most;
}

template <class T>
PlainWavesPlan<T> PlainWaves<T>::upload(gpu::Queue& queue, const PlainWavesLists& lists) {
  PlainWavesPlan<T> plan;
  if (const Offset entries = workspace_entries(lists); workspace_.size() < entries) {
    workspace_ = {};  // Frees the old memory before new memory is allocated.
    workspace_ = gpu::DeviceBuffer<T>(queue.context(), entries);
  }
  plan.scatter = gpu::uploaded<gpu::ScatterTile>(queue, lists.scatter);
  plan.assembly = {queue, lists.assembly.pieces, lists.assembly.tiles};
  for (const PlainWavesLists::Wave& wave : lists.waves) {
    plan.waves.push_back(
        {wave.first_front, potrf_.upload(queue, wave.potrf), wave.panel_tiles, wave.update_tiles});
  }
  return plan;
}

template <class T>
void PlainWaves<T>::factor(gpu::Queue& queue, const PlainWavesPlan<T>& plan,
                           const gpu::FrontViews& lists, const PlainWavesOperands<T>& operands) {
  const auto assemble = [&](const gpu::TileRange& tiles) {
    extend_add_.run(queue, lists, plan.assembly.tiles(tiles), plan.assembly.items(),
                    operands.updates, operands.panels, operands.updates);
  };
  scatter_.run(queue, lists, plan.scatter, operands.values, {}, operands.panels);
  for (const auto& wave : plan.waves) {
    assemble(wave.panel_tiles);
    potrf_.factor(queue, wave.potrf,
                  {operands.panels, operands.updates,
                   operands.status.part(wave.first_front, wave.potrf.num_fronts), workspace_});
    assemble(wave.update_tiles);
  }
}

template class PlainWaves<double>;
template class PlainWaves<float>;

}  // namespace clchol::numeric
