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
    throw InvalidArgument("front_batch: front " + std::to_string(front) + " of the batch: " + what);
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

// Times on one H200, in us: of one block of pivot columns on the critical path, of an update tile,
// and of each of the products that it adds up.  Their ratios alone matter.
constexpr double kBlockTime = 14, kUpdateTime = 10, kColumnTime = 0.045;

// When a front's tiles may begin, and how long the way from there is.
struct Rank {
  Index level = 0;   // Of its first diagonal tile.
  double after = 0;  // From the end of its update to the end of all.
  double update = 0;

  double before_block(Index following) const { return after + update + kBlockTime * following; }
};

std::vector<Rank> ranks_of(std::span<const BatchFront> fronts, std::span<const Index> parents) {
  std::vector<Rank> ranks(fronts.size());
  const auto has_update = [&](std::size_t f) { return fronts[f].nrow > fronts[f].ncol; };
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    if (parents[f] == kNone) continue;
    Index& level = ranks[static_cast<std::size_t>(parents[f])].level;
    level = std::max(level, ranks[f].level + 2 * num_blocks(fronts[f].ncol) + has_update(f));
  }
  for (std::size_t f = fronts.size(); f-- > 0;) {
    if (has_update(f)) ranks[f].update = kUpdateTime + kColumnTime * fronts[f].ncol;
    if (parents[f] == kNone) continue;
    const auto parent = static_cast<std::size_t>(parents[f]);
    ranks[f].after = ranks[parent].before_block(num_blocks(fronts[parent].ncol));
  }
  return ranks;
}

// Makes the tiles of a batch, each with its children's pieces.
class Builder {
 public:
  Builder(std::span<BatchFront> fronts, std::span<const BatchChild> children,
          std::span<const Index> relind, Index tile_rows)
      : fronts_(fronts),
        relind_(relind),
        tile_rows_(tile_rows),
        children_(fronts.size()),
        parents_(fronts.size(), kNone) {
    for (const BatchChild& child : children) {
      check_child(child);
      children_[static_cast<std::size_t>(child.front)].push_back(&child);
      if (child.source != kNone) parents_[static_cast<std::size_t>(child.source)] = child.front;
    }
  }

  FrontBatchLists build(BatchOrder order) {
    const std::vector<Rank> ranks = ranks_of(fronts_, parents_);
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
      set_places(fronts_[f]);
      add_front(static_cast<Index>(f), ranks[f], order);
    }
    sort(order);
    return std::move(batch_);
  }

 private:
  void check_child(const BatchChild& child) const {
    if (child.front < 0 || static_cast<std::size_t>(child.front) >= fronts_.size()) {
      throw InvalidArgument("front_batch: a child of front " + std::to_string(child.front) +
                            "; the batch has " + std::to_string(fronts_.size()));
    }
    if (child.source != kNone && (child.source < 0 || child.source >= child.front)) {
      throw InvalidArgument("front_batch: a child of front " + std::to_string(child.front) +
                            " from front " + std::to_string(child.source) +
                            "; from an earlier one");
    }
  }

  void set_places(BatchFront& front) {
    front.progress = batch_.num_counters;
    front.arrivals = front.progress + num_blocks(front.nrow);
    front.factors = batch_.factors_size;
    batch_.num_counters = front.arrivals + 1;
    batch_.factors_size += num_blocks(front.ncol) * kBatchFactorSize;
  }

  // Tiles of a front with their keys: ascending keys are the batch's order.
  void add_front(Index f, const Rank& rank, BatchOrder order) {
    const auto key = [&](Index level, double time) {
      return order == BatchOrder::kLevels ? rank.level + level : -time;
    };
    BatchFront& front = fronts_[static_cast<std::size_t>(f)];
    const Index blocks = num_blocks(front.ncol);
    for (Index b = 0; b < blocks; ++b) {
      const Index c = b * kBatchBlock;
      const double time = rank.before_block(blocks - b);
      add(f, CLCHOL_DIAGONAL_TILE, c, c, key(2 * b, time));
      for (Index r = c + kBatchBlock; r < front.nrow; r += tile_rows_) {
        add(f, CLCHOL_PANEL_TILE, r, c, key(2 * b + 1, time));
      }
    }
    const Index num_updates = add_updates(f, key(2 * blocks, rank.before_block(0)));
    link(f, num_updates);
  }

  // Even rows and columns: where ncol is odd, one before the update's first.
  Index add_updates(Index f, double key) {
    const auto [nrow, ncol] = std::pair(fronts_[static_cast<std::size_t>(f)].nrow,
                                        fronts_[static_cast<std::size_t>(f)].ncol);
    if (nrow == ncol) return 0;
    const std::size_t before = batch_.tiles.size();
    for (Index r = ncol / 2 * 2; r < nrow; r += tile_rows_) {
      for (Index c = ncol / 2 * 2; c < std::min(r + tile_rows_, nrow); c += kBatchBlock) {
        add(f, CLCHOL_UPDATE_TILE, r, c, key);
      }
    }
    return static_cast<Index>(batch_.tiles.size() - before);
  }

  // The parent expects the update tiles of its children in the batch: these come before it.
  void link(Index f, Index num_updates) {
    BatchFront& front = fronts_[static_cast<std::size_t>(f)];
    front.parent = kNone;
    front.expected = 0;
    for (const BatchChild* child : children_[static_cast<std::size_t>(f)]) {
      if (child->source == kNone) continue;
      BatchFront& source = fronts_[static_cast<std::size_t>(child->source)];
      source.parent = front.arrivals;
      front.expected += num_updates_[static_cast<std::size_t>(child->source)];
    }
    num_updates_.push_back(num_updates);
  }

  void add(Index f, Index kind, Index row, Index column, double key) {
    const BatchFront& front = fronts_[static_cast<std::size_t>(f)];
    const bool update = kind == CLCHOL_UPDATE_TILE;
    const Index rows = kind == CLCHOL_DIAGONAL_TILE ? kBatchBlock : tile_rows_;
    const Index first = update ? std::max(column, front.ncol) : column;
    const Index last = update ? column + kBatchBlock : std::min(column + kBatchBlock, front.ncol);
    BatchTile tile{f, row, column, kind, static_cast<Index>(batch_.pieces.size()), 0};
    for (const BatchChild* child : children_[static_cast<std::size_t>(f)]) {
      add_piece(*child, row, row + rows, first, last);
    }
    tile.piece_end = static_cast<Index>(batch_.pieces.size());
    batch_.tiles.push_back(tile);
    keys_.push_back(key);
  }

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

  // By keys; among equal ones in the order in which tiles were made: diagonal tiles before those
  // that wait for them.
  void sort(BatchOrder order) {
    std::vector<Index> sorted(batch_.tiles.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto key = [&](Index t) { return keys_[static_cast<std::size_t>(t)]; };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](Index a, Index b) { return key(a) < key(b); });
    std::vector<BatchTile> tiles;
    tiles.reserve(sorted.size());
    for (const Index t : sorted) {
      const bool begins_level = tiles.empty() || key(t) > key(sorted[tiles.size() - 1]);
      if (order == BatchOrder::kLevels && begins_level) {
        batch_.level_begin.push_back(static_cast<Index>(tiles.size()));
      }
      tiles.push_back(batch_.tiles[static_cast<std::size_t>(t)]);
    }
    batch_.tiles = std::move(tiles);
    if (order == BatchOrder::kLevels) {
      batch_.level_begin.push_back(static_cast<Index>(batch_.tiles.size()));
    }
  }

  std::span<BatchFront> fronts_;
  std::span<const Index> relind_;
  Index tile_rows_;
  std::vector<std::vector<const BatchChild*>> children_;  // By front.
  std::vector<Index> parents_;                            // By front.
  std::vector<Index> num_updates_;                        // By front: update tiles.
  std::vector<double> keys_;                              // By tile.
  FrontBatchLists batch_;
};

}  // namespace

FrontBatchLists make_front_batch(std::span<BatchFront> fronts, std::span<const BatchChild> children,
                            std::span<const Index> relind, Index tile_rows, BatchOrder order) {
  if (tile_rows != 64 && tile_rows != 128) {
    throw InvalidArgument("front_batch: tiles of " + std::to_string(tile_rows) +
                          " rows; 64 or 128");
  }
  for (std::size_t f = 0; f < fronts.size(); ++f) check_front(fronts[f], f);
  return Builder(fronts, children, relind, tile_rows).build(order);
}

}  // namespace clchol::gpu
