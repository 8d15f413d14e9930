#include "gpu_kernels/front_batch_tiles.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/update_layout.hpp"

namespace clchol::gpu {
namespace {

static_assert(kBatchBlock == kUpdateBlock);

Index num_blocks(Index rows) { return (rows + kBatchBlock - 1) / kBatchBlock; }

void require(bool holds, std::size_t front, const std::string& what) {
  if (!holds) {
    throw InvalidArgument("front_batch: front " + std::to_string(front) + " of the wave: " + what);
  }
}

void check_front(const BatchFront& front, std::size_t f) {
  require(front.ncol >= 1 && front.nrow >= front.ncol, f,
          std::to_string(front.nrow) + " rows and " + std::to_string(front.ncol) +
              " pivot columns; 1 <= ncol <= nrow");
  require(front.ldp >= front.nrow && front.ldp % 2 == 0, f,
          "leading dimension " + std::to_string(front.ldp) + "; even, at least " +
              std::to_string(front.nrow));
  require(front.panel >= 0 && front.panel % 2 == 0, f,
          "panel at " + std::to_string(front.panel) + "; an even position");
  require(front.update >= 0 && front.update % 8 == 0, f,
          "update at " + std::to_string(front.update) + "; a multiple of 8");
}

// Appends tiles to a batch, each with its children's pieces.
class Builder {
 public:
  Builder(std::span<const BatchFront> fronts, std::span<const BatchChild> children,
          std::span<const Index> relind, FrontBatch& batch)
      : fronts_(fronts), relind_(relind), batch_(batch), children_(fronts.size()) {
    for (const BatchChild& child : children) {
      if (child.front < 0 || static_cast<std::size_t>(child.front) >= fronts.size()) {
        throw InvalidArgument("front_batch: a child of front " + std::to_string(child.front) +
                              "; the wave has " + std::to_string(fronts.size()));
      }
      children_[static_cast<std::size_t>(child.front)].push_back(&child);
    }
  }

  // Rows [row, row + rows) and the columns of [column, column + kBatchBlock) that the tile keeps.
  void add(Index front, Index kind, Index row, Index column, Index rows) {
    const BatchFront& f = fronts_[static_cast<std::size_t>(front)];
    const bool update = kind == CLCHOL_UPDATE_TILE;
    const Index first = update ? std::max(column, f.ncol) : column;
    const Index last = update ? column + kBatchBlock : std::min(column + kBatchBlock, f.ncol);
    BatchTile tile{front, row, column, kind, static_cast<Index>(batch_.pieces.size()), 0};
    for (const BatchChild* child : children_[static_cast<std::size_t>(front)]) {
      add_piece(*child, row, row + rows, first, last);
    }
    tile.piece_end = static_cast<Index>(batch_.pieces.size());
    batch_.tiles.push_back(tile);
  }

  void end_level() {
    const auto tiles = static_cast<Index>(batch_.tiles.size());
    if (batch_.level_begin.back() < tiles) batch_.level_begin.push_back(tiles);
  }

 private:
  void add_piece(const BatchChild& child, Index row, Index row_end, Index column,
                 Index column_end) {
    const auto rows = relind_.subspan(static_cast<std::size_t>(child.relind),
                                      static_cast<std::size_t>(child.nupd));
    const auto place = [&](Index x) {
      return static_cast<Index>(std::lower_bound(rows.begin(), rows.end(), x) - rows.begin());
    };
    const Index i = place(row), i_end = place(row_end);
    const Index j = place(column), j_end = place(column_end);
    if (i >= i_end || j >= j_end || i_end <= j) return;  // The last: all above the diagonal.
    const Index block = j / kUpdateBlock;
    BatchPiece piece{};
    piece.from = child.update + update_column_offset(child.nupd, j) + i;
    piece.rows = child.relind + i;
    piece.columns = child.relind + j;
    piece.ld = static_cast<Index>(update_ld(child.nupd, block));
    piece.num_rows = i_end - i;
    piece.num_columns = j_end - j;
    piece.first_columns = std::min(piece.num_columns, (block + 1) * kUpdateBlock - j);
    piece.diagonal = j - i;
    batch_.pieces.push_back(piece);
  }

  std::span<const BatchFront> fronts_;
  std::span<const Index> relind_;
  FrontBatch& batch_;
  std::vector<std::vector<const BatchChild*>> children_;  // By front.
};

// Calls body(front, block) for all fronts whose block is the `following`-th from the last.
template <class Body>
void for_each_block(std::span<const BatchFront> fronts, const std::vector<Index>& order,
                    Index following, const Body& body) {
  for (const Index f : order) {
    const Index block = num_blocks(fronts[static_cast<std::size_t>(f)].ncol) - following;
    if (block >= 0) body(f, block * kBatchBlock);
  }
}

}  // namespace

FrontBatch make_front_batch(std::span<BatchFront> fronts, std::span<const BatchChild> children,
                            std::span<const Index> relind, Index tile_rows) {
  if (tile_rows != 64 && tile_rows != 128) {
    throw InvalidArgument("front_batch: tiles of " + std::to_string(tile_rows) +
                          " rows; 64 or 128");
  }
  FrontBatch batch;
  batch.level_begin.push_back(0);
  Index most_blocks = 0;
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    check_front(fronts[f], f);
    fronts[f].progress = batch.num_counters;
    fronts[f].factors = batch.factors_size;
    batch.num_counters += num_blocks(fronts[f].nrow);
    batch.factors_size += num_blocks(fronts[f].ncol) * kBatchFactorSize;
    most_blocks = std::max(most_blocks, num_blocks(fronts[f].ncol));
  }
  Builder builder(fronts, children, relind, batch);
  std::vector<Index> order(fronts.size());
  std::iota(order.begin(), order.end(), 0);

  for (Index following = most_blocks; following > 0; --following) {
    for_each_block(fronts, order, following, [&](Index f, Index c) {
      builder.add(f, CLCHOL_DIAGONAL_TILE, c, c, kBatchBlock);
    });
    builder.end_level();
    for_each_block(fronts, order, following, [&](Index f, Index c) {
      for (Index r = c + kBatchBlock; r < fronts[static_cast<std::size_t>(f)].nrow;
           r += tile_rows) {
        builder.add(f, CLCHOL_PANEL_TILE, r, c, tile_rows);
      }
    });
    builder.end_level();
  }

  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return fronts[static_cast<std::size_t>(a)].ncol > fronts[static_cast<std::size_t>(b)].ncol;
  });
  for (const Index f : order) {
    const auto [nrow, ncol] = std::pair(fronts[static_cast<std::size_t>(f)].nrow,
                                        fronts[static_cast<std::size_t>(f)].ncol);
    if (nrow == ncol) continue;
    // Even rows and columns: where ncol is odd, one before the update's first.
    const Index begin = ncol / 2 * 2;
    for (Index r = begin; r < nrow; r += tile_rows) {
      for (Index c = begin; c < std::min(r + tile_rows, nrow); c += kBatchBlock) {
        builder.add(f, CLCHOL_UPDATE_TILE, r, c, tile_rows);
      }
    }
  }
  builder.end_level();
  return batch;
}

}  // namespace clchol::gpu
