// Small batches of fronts, for tests of their lists.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"

namespace clchol::gpu {

inline BatchFront front(Index nrow, Index ncol) {
  return {0, (nrow + 1) / 2 * 2, 0, 0, nrow, ncol, 0, 0, 0, 0, 1, 0};
}

inline FrontBatchLists lists_of(std::span<BatchFront> fronts, std::span<const BatchChild> children,
                                std::span<const Index> relind, Index tile_rows, BatchOrder order) {
  FrontBatchInput input;
  input.fronts = fronts;
  input.children = children;
  input.relind = relind;
  return make_front_batch(input, {.tile_rows = tile_rows, .order = order, .work_groups = 4});
}

inline std::vector<BatchFront> some_fronts() {
  return {front(64, 64), front(300, 130), front(301, 131),
          front(1, 1),   front(129, 1),   front(67, 66)};
}

/// Rows of a tile that does not reach the front's last row.
inline Index rows_of(const BatchTile& tile, Index tile_rows) {
  return tile.kind == CLCHOL_DIAGONAL_TILE ? kBatchBlock : tile_rows;
}

/// Fronts 0 -> 2 <- 1, 2 -> 3.  A child's update rows are the parent's first rows.
struct SmallForest {
  std::vector<BatchFront> fronts{front(200, 64), front(140, 130), front(300, 100), front(200, 200)};
  std::vector<Index> relind;
  std::vector<BatchChild> children;

  SmallForest() : relind(200) {
    std::iota(relind.begin(), relind.end(), 0);
    children = {{2, 136, 0, 0, 0}, {2, 10, 0, 0, 1}, {3, 200, 0, 0, 2}, {3, 5, 0, 0, kNone}};
  }
};

}  // namespace clchol::gpu
