#include "gpu_kernels/fronts/front_batch_stages.hpp"

#include <algorithm>
#include <numeric>

#include "base/index_math.hpp"

namespace clchol::gpu {
namespace {

bool has_update(const BatchFront& front) {
  return front.nrow > front.ncol && front.panel_only == 0;
}

// Microseconds on one H200 with three work-groups on a compute unit.  Only ratios matter.  (Where
// nothing else runs, a chain takes two thirds of kDiagonalTime; such orders are no better.)
constexpr double kDiagonalTime = 14;  // From the end of one diagonal tile to the end of the next.
constexpr double kAssembleTime = 6;   // A tile's entries of A and of the children.
constexpr double kProductTime = 4;    // Product that updates 64 x 64 entries with 64 columns of L.
constexpr double kFactorTime = 8,     // A diagonal tile's factorization after its products.
    kSolveTime = 5,                   // A panel tile's solve after its products.
    kStoreTime = 2;                   // An update tile's store after its products.

// A front's position in the forest, in levels of tiles from the leaves and in time to the end.
struct Rank {
  Index level = 0;    // Level of the front's first diagonal tile.
  double after = 0;   // Time from the end of the front's update tiles to the end of all tiles.
  double update = 0;  // Time of an update tile.

  // Time to the end of all tiles from the begin of a diagonal tile.
  // @param following  number of diagonal tiles of the front from that one on.
  double before_block(Index following) const { return after + update + kDiagonalTime * following; }
};

std::vector<Rank> ranks_of(std::span<const BatchFront> fronts, std::span<const Index> parents) {
  std::vector<Rank> ranks(fronts.size());
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    if (parents[f] == kNone) continue;
    Index& level = ranks[at(parents[f])].level;
    level = std::max(level,
                     ranks[f].level + 2 * num_batch_blocks(fronts[f].ncol) + has_update(fronts[f]));
  }
  for (std::size_t f = fronts.size(); f-- > 0;) {
    if (has_update(fronts[f])) {
      ranks[f].update =
          kAssembleTime + kStoreTime + kProductTime * num_batch_blocks(fronts[f].ncol);
    }
    if (parents[f] == kNone) continue;
    const std::size_t parent = at(parents[f]);
    ranks[f].after = ranks[parent].before_block(num_batch_blocks(fronts[parent].ncol));
  }
  return ranks;
}

class StageBuilder {
 public:
  StageBuilder(std::span<const BatchFront> fronts, std::span<const Index> parents, Index tile_rows,
               const BatchColumns& columns)
      : fronts_(fronts), parents_(parents), tile_rows_(tile_rows), columns_(columns) {}

  BatchStages build() {
    const std::vector<Rank> ranks = ranks_of(fronts_, parents_);
    made_.front_ptr.push_back(0);
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
      add_front(static_cast<Index>(f), ranks[f]);
      made_.front_ptr.push_back(static_cast<Index>(made_.stages.size()));
    }
    link();
    return std::move(made_);
  }

 private:
  // The diagonal tile after whose end tiles of column block b, or of the update (b = number of
  // blocks), may begin without waiting: they multiply by block 0 first, and a block becomes final
  // every kDiagonalTime.
  static Index early_block(Index b) {
    return static_cast<Index>(b * (1 - kProductTime / kDiagonalTime));
  }

  /// Lets a stage's tiles begin after stage `diagonal`; kNone: at once, because that diagonal tile
  /// was factored before the launch.
  void begin_early(Index s, Index diagonal) {
    stage(s).early = diagonal;
    stage(s).early_at_once = diagonal == kNone;
  }

  // Adds a stage and returns its number; kNone: it would have no tiles.
  // @param products  products of 64 columns in each tile.
  // @param tail      time of a tile after its products.
  Index add(const BatchStage& shape, double priority, double products, double tail) {
    BatchStage added = shape;
    TileStage& stage = added.stage;
    stage.first_tile = next_tile_;
    stage.num_tiles = count_tiles(added);
    next_tile_ += stage.num_tiles;
    if (stage.num_tiles == 0) return kNone;
    stage.priority = priority;
    stage.tail = tail;
    stage.duration = kAssembleTime + kProductTime * products + tail;
    made_.stages.push_back(added);
    return static_cast<Index>(made_.stages.size()) - 1;
  }
  Index count_tiles(const BatchStage& of) const {
    const BatchFront& front = fronts_[at(of.front)];
    Index tiles = 0;
    if (of.kind == CLCHOL_UPDATE_TILE) {
      for_each_band(front, of, tile_rows_,
                    [&](const UpdateBand& band) { tiles += band.num_tiles(); });
    } else {
      for_each_tile(front, of, tile_rows_, [&](Index, Index) { ++tiles; });
    }
    return tiles;
  }
  TileStage& stage(Index s) { return made_.stages[at(s)].stage; }

  void add_front(Index f, const Rank& rank) {
    const Index blocks = num_batch_blocks(fronts_[at(f)].ncol);
    std::vector<Index> diagonals;  // Stage of each diagonal tile; kNone: not in columns_.
    Index previous = kNone;        // The stage that the next stage waits for.
    for (Index b = 0; b < blocks; ++b) {
      const double priority = rank.before_block(blocks - b);
      const Index level = rank.level + 2 * b, column = b * kBatchBlock;
      if (!columns_.has(column)) {
        diagonals.push_back(kNone);
        continue;
      }
      const Index diagonal =
          add({{}, level, f, CLCHOL_DIAGONAL_TILE, column}, priority, b, kFactorTime);
      diagonals.push_back(diagonal);
      stage(diagonal).after = previous;
      if (b > 0) begin_early(diagonal, diagonals[at(early_block(b))]);
      previous = diagonal;
      const Index panels =
          add({{}, level + 1, f, CLCHOL_PANEL_TILE, column}, priority - kFactorTime, b, kSolveTime);
      if (panels == kNone) continue;
      stage(panels).after = diagonal;
      begin_early(panels, diagonals[at(early_block(b))]);
      stage(panels).early_at_begin = b == 0;
      previous = panels;
    }
    add_updates(f, rank, diagonals, previous);
  }

  void add_updates(Index f, const Rank& rank, const std::vector<Index>& diagonals, Index after) {
    const BatchFront& front = fronts_[at(f)];
    // Tiles begin at even rows and columns: where ncol is odd, at the column before the update's
    // first one.
    const Index first = std::max(front.ncol / 2 * 2, columns_.begin);
    if (!has_update(front) || first >= columns_.end) return;
    const Index blocks = num_batch_blocks(front.ncol);
    const Index updates = add({{},
                               rank.level + 2 * blocks,
                               f,
                               CLCHOL_UPDATE_TILE,
                               first,
                               std::min(front.nrow, columns_.end)},
                              rank.before_block(0), static_cast<double>(blocks), kStoreTime);
    stage(updates).after = after;
    stage(updates).after_all = true;
    begin_early(updates, diagonals[at(std::min(early_block(blocks), blocks - 1))]);
  }

  // Makes the first stage of each front wait for the update tiles of the front's children.
  void link() {
    for (BatchStage& updates : made_.stages) {
      const Index parent = parents_[at(updates.front)];
      if (updates.kind != CLCHOL_UPDATE_TILE || parent == kNone) continue;
      updates.stage.parent = made_.front_ptr[at(parent)];
      ++stage(updates.stage.parent).num_children;
    }
  }

  std::span<const BatchFront> fronts_;
  std::span<const Index> parents_;
  Index tile_rows_;
  BatchColumns columns_;
  Index next_tile_ = 0;
  BatchStages made_;
};

// ---- Order

TileOrder order_by_levels(const std::vector<BatchStage>& stages) {
  std::vector<Index> sorted(stages.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto level = [&](Index s) { return stages[at(s)].level; };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](Index a, Index b) { return level(a) < level(b); });
  TileOrder order;
  Index last_level = kNone;
  for (const Index s : sorted) {
    const TileStage& stage = stages[at(s)].stage;
    if (level(s) != last_level) order.level_begin.push_back(static_cast<Index>(order.tiles.size()));
    last_level = level(s);
    for (Index t = 0; t < stage.num_tiles; ++t) order.tiles.push_back(stage.first_tile + t);
  }
  order.top_begin = static_cast<Index>(order.tiles.size());
  order.level_begin.push_back(order.top_begin);
  return order;
}

// Time from the begin of a front's first tile to the end of all tiles.
double priority_of_front(const BatchStages& all, Index f) {
  return all.of_front(f).front().stage.priority;
}

// The largest priority of a front's first tile in the top of the forest, which
// FrontBatchOptions::top_share defines.
double top_priority(const BatchStages& all, const FrontBatchOptions& options) {
  std::vector<std::pair<double, double>> fronts;  // Priority, and sum of the tiles' durations.
  for (Index f = 0; f + 1 < static_cast<Index>(all.front_ptr.size()); ++f) {
    double work = 0;
    for (const BatchStage& of : all.of_front(f)) work += of.stage.num_tiles * of.stage.duration;
    fronts.emplace_back(priority_of_front(all, f), work);
  }
  std::sort(fronts.begin(), fronts.end());
  double work = 0, top = 0;
  for (const auto& [priority, of] : fronts) {
    work += of;
    if (work <= options.top_share * priority * options.work_groups) top = priority;
  }
  return top;
}

// Orders the tiles of the stages whose is_top is `part`, for `groups` work-groups.  Stages of the
// other part count as done.  @param is_top  1: the stage belongs to the top.  Indexed by stage.
std::vector<Index> schedule(const std::vector<BatchStage>& all, const std::vector<char>& is_top,
                            char part, Index groups) {
  std::vector<Index> place(all.size(), kNone);  // Index of each stage in `stages`.
  std::vector<TileStage> stages;
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (is_top[s] != part) continue;
    place[s] = static_cast<Index>(stages.size());
    stages.push_back(all[s].stage);
    stages.back().num_children = 0;
  }
  const auto renumber = [&](Index& s) {
    if (s != kNone) s = place[at(s)];
  };
  for (TileStage& stage : stages) {
    renumber(stage.after);
    renumber(stage.early);
    renumber(stage.parent);
    if (stage.parent != kNone) ++stages[at(stage.parent)].num_children;
  }
  return list_schedule(stages, groups);
}

TileOrder order_by_tickets(const BatchStages& all, const FrontBatchOptions& options) {
  const double top = top_priority(all, options);
  std::vector<char> is_top;
  is_top.reserve(all.stages.size());
  for (const BatchStage& stage : all.stages) {
    is_top.push_back(priority_of_front(all, stage.front) <= top);
  }
  TileOrder order;
  order.tiles = schedule(all.stages, is_top, 0, options.work_groups);
  order.top_begin = static_cast<Index>(order.tiles.size());
  const std::vector<Index> last = schedule(all.stages, is_top, 1, options.top_work_groups);
  order.tiles.insert(order.tiles.end(), last.begin(), last.end());
  return order;
}

}  // namespace

Index BatchStages::num_tiles() const {
  if (stages.empty()) return 0;
  return stages.back().stage.first_tile + stages.back().stage.num_tiles;
}

double average_parallelism(std::span<const BatchFront> fronts, std::span<const Index> parents) {
  const std::vector<Rank> ranks = ranks_of(fronts, parents);
  double work = 0, longest = 0;
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const Index rows = num_batch_blocks(fronts[f].nrow), blocks = num_batch_blocks(fronts[f].ncol);
    longest = std::max(longest, ranks[f].before_block(blocks));
    const Index update_blocks = has_update(fronts[f]) ? rows - blocks : 0;
    const double updates = 0.5 * update_blocks * (update_blocks + 1);
    work += updates * (kAssembleTime + kProductTime * blocks + kStoreTime);
    for (Index b = 0; b < blocks; ++b) {
      const double sum = kAssembleTime + kProductTime * b;
      work += sum + kFactorTime + (rows - b - 1) * (sum + kSolveTime);
    }
  }
  return longest > 0 ? work / longest : 0;
}

BatchStages make_stages(std::span<const BatchFront> fronts, std::span<const Index> parents,
                        Index tile_rows, const BatchColumns& columns) {
  return StageBuilder(fronts, parents, tile_rows, columns).build();
}

TileOrder order_tiles(const BatchStages& stages, const FrontBatchOptions& options) {
  return options.order == BatchOrder::kLevels ? order_by_levels(stages.stages)
                                              : order_by_tickets(stages, options);
}

}  // namespace clchol::gpu
