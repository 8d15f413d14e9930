#include "gpu_kernels/front_batch_tiles.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/update_layout.hpp"
#include "gpu_kernels/list_schedule.hpp"

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

// Times on one H200 with three work-groups on a compute unit, in us; their ratios alone matter.
constexpr double kChainTime = 14;    // From one diagonal tile to the next.
constexpr double kAssembleTime = 6;  // Of a tile: A's and the children's entries.
constexpr double kProductTime = 4;   // Of 64 x 64 entries and 64 columns.
constexpr double kFactorTime = 8, kSolveTime = 5, kStoreTime = 2;  // What comes then.

// How long the way from a front's tiles to the end of all is, and how many levels of tiles come
// before it.
struct Rank {
  Index level = 0;   // Of its first diagonal tile.
  double after = 0;  // From the end of its update to the end of all.
  double update = 0;

  double before_block(Index following) const { return after + update + kChainTime * following; }
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
    if (has_update(f)) {
      ranks[f].update = kAssembleTime + kStoreTime + kProductTime * num_blocks(fronts[f].ncol);
    }
    if (parents[f] == kNone) continue;
    const auto parent = static_cast<std::size_t>(parents[f]);
    ranks[f].after = ranks[parent].before_block(num_blocks(fronts[parent].ncol));
  }
  return ranks;
}

// A stage and its level.
struct LevelStage {
  TileStage stage;
  Index level = 0;
};

// Makes the tiles of a batch, each with its entries and its children's pieces.
class Builder {
 public:
  Builder(const FrontBatchInput& input, const FrontBatchOptions& options)
      : in_(input),
        options_(options),
        children_(input.fronts.size()),
        parents_(input.fronts.size(), kNone),
        first_stage_(input.fronts.size(), kNone) {
    for (const BatchChild& child : input.children) {
      check_child(child);
      children_[static_cast<std::size_t>(child.front)].push_back(&child);
      if (child.source != kNone) parents_[static_cast<std::size_t>(child.source)] = child.front;
    }
  }

  FrontBatchLists build() {
    const std::vector<Rank> ranks = ranks_of(in_.fronts, parents_);
    for (std::size_t f = 0; f < in_.fronts.size(); ++f) {
      set_places(in_.fronts[f]);
      add_front(static_cast<Index>(f), ranks[f]);
    }
    if (options_.order == BatchOrder::kLevels) {
      sort_by_levels();
    } else {
      draw_tickets(top_priority(ranks));
    }
    return std::move(batch_);
  }

 private:
  void check_child(const BatchChild& child) const {
    if (child.front < 0 || static_cast<std::size_t>(child.front) >= in_.fronts.size()) {
      throw InvalidArgument("front_batch: a child of front " + std::to_string(child.front) +
                            "; the batch has " + std::to_string(in_.fronts.size()));
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

  // ---- Stages

  // A stage of the tiles that were added since `first_tile`.
  Index add_stage(Index first_tile, Index level, double priority, double products, double tail) {
    LevelStage added;
    added.level = level;
    TileStage& stage = added.stage;
    stage.first_tile = first_tile;
    stage.num_tiles = num_tiles() - first_tile;
    stage.priority = priority;
    stage.tail = tail;
    stage.duration = kAssembleTime + kProductTime * products + tail;
    stages_.push_back(added);
    return static_cast<Index>(stages_.size()) - 1;
  }
  TileStage& stage(Index s) { return stages_[static_cast<std::size_t>(s)].stage; }
  Index num_tiles() const { return static_cast<Index>(batch_.tiles.size()); }

  // Of a front's tiles in column block b, or of its update (b = blocks), which begin with the
  // products of block 0: at which diagonal tile's end they have to begin so as to wait for nothing,
  // when blocks take kChainTime each.
  static Index early_block(Index b) {
    return static_cast<Index>(b * (1 - kProductTime / kChainTime));
  }

  void add_front(Index f, const Rank& rank) {
    BatchFront& front = in_.fronts[static_cast<std::size_t>(f)];
    const Index blocks = num_blocks(front.ncol);
    std::vector<Index> diagonals;  // Stages.
    Index previous = kNone;        // The stage that the next one waits for.
    for (Index b = 0; b < blocks; ++b) {
      const Index c = b * kBatchBlock;
      const double priority = rank.before_block(blocks - b);
      Index first = num_tiles();
      const BlockEntries entries = entries_of(f, c);
      add_tile(f, CLCHOL_DIAGONAL_TILE, c, c, entries);
      const Index diagonal = add_stage(first, rank.level + 2 * b, priority, b, kFactorTime);
      diagonals.push_back(diagonal);
      stage(diagonal).after = previous;
      if (b > 0) stage(diagonal).early = diagonals[static_cast<std::size_t>(early_block(b))];
      previous = diagonal;
      first = num_tiles();
      for (Index r = c + kBatchBlock; r < front.nrow; r += options_.tile_rows) {
        add_tile(f, CLCHOL_PANEL_TILE, r, c, entries);
      }
      if (num_tiles() == first) continue;
      const Index panels =
          add_stage(first, rank.level + 2 * b + 1, priority - kFactorTime, b, kSolveTime);
      stage(panels).after = diagonal;
      stage(panels).early = diagonals[static_cast<std::size_t>(early_block(b))];
      stage(panels).early_at_begin = b == 0;
      previous = panels;
    }
    add_updates(f, rank, diagonals, previous);
  }

  // Even rows and columns: where ncol is odd, one before the update's first.
  void add_updates(Index f, const Rank& rank, const std::vector<Index>& diagonals, Index after) {
    BatchFront& front = in_.fronts[static_cast<std::size_t>(f)];
    const Index blocks = num_blocks(front.ncol), begin = front.ncol / 2 * 2;
    const Index first = num_tiles();
    first_stage_[static_cast<std::size_t>(f)] = diagonals.front();
    for (Index r = begin; r < front.nrow && front.nrow > front.ncol; r += options_.tile_rows) {
      for (Index c = begin; c < std::min(r + options_.tile_rows, front.nrow); c += kBatchBlock) {
        add_tile(f, CLCHOL_UPDATE_TILE, r, c, {});
      }
    }
    link(f, num_tiles() - first);
    if (num_tiles() == first) return;
    const Index updates = add_stage(first, rank.level + 2 * blocks, rank.before_block(0),
                                    static_cast<double>(blocks), kStoreTime);
    stage(updates).after = after;
    stage(updates).after_all = true;
    stage(updates).early =
        diagonals[static_cast<std::size_t>(std::min(early_block(blocks), blocks - 1))];
    update_stage_.back() = updates;
  }

  // The parent expects the update tiles of its children in the batch, which come before it.
  void link(Index f, Index num_updates) {
    BatchFront& front = in_.fronts[static_cast<std::size_t>(f)];
    front.parent = kNone;
    front.expected = 0;
    const Index first = first_stage_[static_cast<std::size_t>(f)];
    for (const BatchChild* child : children_[static_cast<std::size_t>(f)]) {
      if (child->source == kNone) continue;
      const auto source = static_cast<std::size_t>(child->source);
      in_.fronts[source].parent = front.arrivals;
      front.expected += num_updates_[source];
      if (update_stage_[source] == kNone) continue;
      stage(update_stage_[source]).parent = first;
      ++stage(first).num_children;
    }
    num_updates_.push_back(num_updates);
    update_stage_.push_back(kNone);
  }

  // ---- Tiles

  // A's entries in one block of columns of a front: those of the tile whose first row is r, tiles
  // counted from the diagonal tile on, are [begin[t], begin[t + 1]) of the batch's.
  struct BlockEntries {
    std::vector<Offset> begin;
  };

  // Which tile of a block of columns has a row: 0 is the diagonal tile.
  Index tile_of_row(Index row, Index column) const {
    const Index below = row - column - kBatchBlock;
    return below < 0 ? 0 : 1 + below / options_.tile_rows;
  }

  BlockEntries entries_of(Index f, Index column) {
    const BatchFront& front = in_.fronts[static_cast<std::size_t>(f)];
    if (front.filled != 0) return {};
    const Index width = std::min(kBatchBlock, front.ncol - column);
    const Index tiles = tile_of_row(front.nrow - 1, column) + 1;
    const auto first = static_cast<std::size_t>(in_.first_column[static_cast<std::size_t>(f)]) +
                       static_cast<std::size_t>(column);
    BlockEntries entries{std::vector<Offset>(static_cast<std::size_t>(tiles) + 1, 0)};
    const auto for_each = [&](const auto& body) {
      for (Index c = 0; c < width; ++c) {
        const auto at = first + static_cast<std::size_t>(c);
        for (Offset e = in_.entry_ptr[at]; e < in_.entry_ptr[at + 1]; ++e) {
          body(static_cast<std::size_t>(e), in_.entry_row[static_cast<std::size_t>(e)], c);
        }
      }
    };
    for_each([&](std::size_t, Index row, Index c) {
      if (row < column + c || row >= front.nrow) {
        throw InvalidArgument("front_batch: front " + std::to_string(f) + " has an entry in row " +
                              std::to_string(row) + ", column " + std::to_string(column + c));
      }
      ++entries.begin[static_cast<std::size_t>(tile_of_row(row, column)) + 1];
    });
    entries.begin[0] = static_cast<Offset>(batch_.entries.size());
    for (std::size_t t = 0; t + 1 < entries.begin.size(); ++t) {
      entries.begin[t + 1] += entries.begin[t];
    }
    batch_.entries.resize(static_cast<std::size_t>(entries.begin.back()));
    std::vector<Offset> next = entries.begin;
    for_each([&](std::size_t e, Index row, Index c) {
      const Index t = tile_of_row(row, column);
      const Index first_row = t == 0 ? column : column + kBatchBlock + (t - 1) * options_.tile_rows;
      batch_.entries[static_cast<std::size_t>(next[static_cast<std::size_t>(t)]++)] = {
          in_.entry_source[e], row - first_row + CLCHOL_PLACE_COLUMN * c};
    });
    return entries;
  }

  void add_tile(Index f, Index kind, Index row, Index column, const BlockEntries& entries) {
    const BatchFront& front = in_.fronts[static_cast<std::size_t>(f)];
    const bool update = kind == CLCHOL_UPDATE_TILE;
    const Index rows = kind == CLCHOL_DIAGONAL_TILE ? kBatchBlock : options_.tile_rows;
    BatchTile tile{};
    tile.front = f;
    tile.kind = kind;
    tile.row = row;
    tile.column = column;
    if (!entries.begin.empty()) {
      const auto t = static_cast<std::size_t>(tile_of_row(row, column));
      tile.entry_begin = entries.begin[t];
      tile.num_entries = static_cast<Index>(entries.begin[t + 1] - entries.begin[t]);
    }
    // Its rows and the columns that it keeps.
    const Index first = update ? std::max(column, front.ncol) : column;
    const Index last = update ? column + kBatchBlock : std::min(column + kBatchBlock, front.ncol);
    tile.piece_begin = static_cast<Index>(batch_.pieces.size());
    for (const BatchChild* child : children_[static_cast<std::size_t>(f)]) {
      add_piece(*child, tile, row + rows, first, last);
    }
    tile.piece_end = static_cast<Index>(batch_.pieces.size());
    batch_.tiles.push_back(tile);
  }

  void add_piece(const BatchChild& child, const BatchTile& tile, Index row_end, Index first,
                 Index last) {
    const auto rows = in_.relind.subspan(static_cast<std::size_t>(child.relind),
                                         static_cast<std::size_t>(child.nupd));
    const auto place = [&](Index x) {
      return static_cast<Index>(std::lower_bound(rows.begin(), rows.end(), x) - rows.begin());
    };
    const Index i = place(tile.row), i_end = place(row_end);
    const Index j = place(first), j_end = place(last);
    if (i >= i_end || j >= j_end || i_end <= j) return;  // The last: all above the diagonal.
    const Index block = j / kUpdateBlock;
    BatchPiece piece{};
    piece.from = child.update + update_column_offset(child.nupd, j) + i;
    piece.ld = static_cast<Index>(update_ld(child.nupd, block));
    piece.first_columns = std::min(j_end - j, (block + 1) * kUpdateBlock - j);
    piece.diagonal = j - i;
    for (Index w = 0; w <= 4; ++w) {
      const Index begin = std::clamp(place(tile.column + 16 * w), j, j_end);
      piece.begin[w] = static_cast<unsigned char>(w == 4 ? j_end - j : begin - j);
    }
    batch_.pieces.push_back(piece);
    add_map(rows.subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(i_end - i)),
            tile.row, options_.tile_rows);
    add_map(rows.subspan(static_cast<std::size_t>(j), static_cast<std::size_t>(j_end - j)),
            tile.column, kBatchBlock);
  }

  void add_map(std::span<const Index> rows, Index begin, Index length) {
    for (const Index row : rows) batch_.maps.push_back(static_cast<unsigned char>(row - begin));
    batch_.maps.insert(batch_.maps.end(), static_cast<std::size_t>(length) - rows.size(),
                       CLCHOL_NO_ROW);
  }

  // ---- Order

  void sort_by_levels() {
    std::vector<Index> sorted(stages_.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto level = [&](Index s) { return stages_[static_cast<std::size_t>(s)].level; };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](Index a, Index b) { return level(a) < level(b); });
    std::vector<Index> order;
    Index last_level = kNone;
    for (const Index s : sorted) {
      if (level(s) != last_level) batch_.level_begin.push_back(static_cast<Index>(order.size()));
      last_level = level(s);
      for (Index t = 0; t < stage(s).num_tiles; ++t) order.push_back(stage(s).first_tile + t);
    }
    batch_.level_begin.push_back(static_cast<Index>(order.size()));
    batch_.top_begin = num_tiles();
    take_order(order);
  }

  // Fronts whose first tile has at most this priority are the top.
  double top_priority(const std::vector<Rank>& ranks) const {
    std::vector<std::pair<double, double>> fronts;  // Priority and work.
    const auto of_front = [&](Index f) -> std::pair<double, double>& {
      return fronts[static_cast<std::size_t>(f)];
    };
    for (std::size_t f = 0; f < ranks.size(); ++f) {
      fronts.emplace_back(ranks[f].before_block(num_blocks(in_.fronts[f].ncol)), 0);
    }
    for (const LevelStage& stage : stages_) {
      const BatchTile& tile = batch_.tiles[static_cast<std::size_t>(stage.stage.first_tile)];
      of_front(tile.front).second += stage.stage.num_tiles * stage.stage.duration;
    }
    std::sort(fronts.begin(), fronts.end());
    double work = 0, top = 0;
    for (const auto& [priority, of] : fronts) {
      work += of;
      if (work <= options_.top_share * priority * options_.groups) top = priority;
    }
    return top;
  }

  void draw_tickets(double top_priority) {
    std::vector<char> is_top;
    for (const LevelStage& stage : stages_) {
      const BatchTile& tile = batch_.tiles[static_cast<std::size_t>(stage.stage.first_tile)];
      const Index first = first_stage_[static_cast<std::size_t>(tile.front)];
      is_top.push_back(stages_[static_cast<std::size_t>(first)].stage.priority <= top_priority);
    }
    std::vector<Index> order = schedule(is_top, 0, options_.groups);
    batch_.top_begin = static_cast<Index>(order.size());
    const std::vector<Index> top = schedule(is_top, 1, options_.top_groups);
    order.insert(order.end(), top.begin(), top.end());
    take_order(order);
  }

  // Of the stages in one part alone; what comes before that part is done.
  std::vector<Index> schedule(const std::vector<char>& is_top, char part, Index groups) const {
    std::vector<Index> place(stages_.size(), kNone);
    std::vector<TileStage> stages;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      if (is_top[s] != part) continue;
      place[s] = static_cast<Index>(stages.size());
      stages.push_back(stages_[s].stage);
      stages.back().num_children = 0;
    }
    const auto renumber = [&](Index& s) {
      if (s != kNone) s = place[static_cast<std::size_t>(s)];
    };
    for (TileStage& stage : stages) {
      renumber(stage.after);
      renumber(stage.early);
      renumber(stage.parent);
      if (stage.parent != kNone) ++stages[static_cast<std::size_t>(stage.parent)].num_children;
    }
    return list_schedule(stages, groups);
  }

  void take_order(const std::vector<Index>& order) {
    std::vector<BatchTile> tiles;
    tiles.reserve(order.size());
    for (const Index t : order) tiles.push_back(batch_.tiles[static_cast<std::size_t>(t)]);
    batch_.tiles = std::move(tiles);
  }

  FrontBatchInput in_;
  FrontBatchOptions options_;
  std::vector<std::vector<const BatchChild*>> children_;  // By front.
  std::vector<Index> parents_;                            // By front.
  std::vector<Index> first_stage_;                        // By front.
  std::vector<Index> num_updates_;                        // By front: update tiles.
  std::vector<Index> update_stage_;                       // By front.
  std::vector<LevelStage> stages_;
  FrontBatchLists batch_;
};

}  // namespace

FrontBatchLists make_front_batch(const FrontBatchInput& input, const FrontBatchOptions& options) {
  if (options.tile_rows != 64 && options.tile_rows != 128) {
    throw InvalidArgument("front_batch: tiles of " + std::to_string(options.tile_rows) +
                          " rows; 64 or 128");
  }
  for (std::size_t f = 0; f < input.fronts.size(); ++f) check_front(input.fronts[f], f);
  if (options.groups < 1 || options.top_groups < 1 || !(options.top_share >= 0)) {
    throw InvalidArgument("front_batch: " + std::to_string(options.groups) + " and " +
                          std::to_string(options.top_groups) +
                          " work-groups, at least 1 each; share of the top " +
                          std::to_string(options.top_share) + ", at least 0");
  }
  return Builder(input, options).build();
}

}  // namespace clchol::gpu
