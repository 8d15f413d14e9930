#include "gpu_kernels/fronts/front_batch_tiles.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/index_math.hpp"
#include "base/number_text.hpp"
#include "base/team.hpp"
#include "gpu_kernels/fronts/front_batch_entries.hpp"
#include "gpu_kernels/fronts/front_batch_pieces.hpp"
#include "gpu_kernels/fronts/front_batch_stages.hpp"
#include "gpu_kernels/fronts/panel_checks.hpp"

namespace clchol::gpu {
namespace {

/// Blocks of 16 columns, the unit of progress, in a block of 64: BLOCK_COLUMNS of the kernel.
constexpr Index kBlockColumns = 4;

// ---- Checks

/// Throws InvalidArgument with the text of what() unless `holds`.
template <class What>
void require_in_batch(bool holds, std::size_t front, const What& what) {
  if (!holds) {
    throw InvalidArgument("front_batch: front " + std::to_string(front) +
                          " of the batch: " + what());
  }
}

void check_front(const BatchFront& front, std::size_t f, bool all_columns) {
  const auto fault = [&] { return fault_of_panel(front.nrow, front.ncol, front.ldp, front.panel); };
  require_in_batch(fault().empty(), f, fault);
  require_in_batch((front.update >= 0 || !all_columns) && front.update % 8 == 0, f, [&] {
    return "update at " + std::to_string(front.update) + "; a multiple of 8";
  });
}

void check_columns(const FrontBatchInput& input) {
  const auto [begin, end] = input.columns;
  const auto is_at_block = [&](Index column) {
    const Index update = input.fronts[0].ncol / 2 * 2, from = column < update ? 0 : update;
    return (column - from) % kBatchBlock == 0 || column >= input.fronts[0].nrow;
  };
  if (input.fronts.size() == 1 && begin >= 0 && begin < std::min(end, input.fronts[0].nrow) &&
      is_at_block(begin) && is_at_block(end)) {
    return;
  }
  throw InvalidArgument("front_batch: columns " + std::to_string(begin) + " to " +
                        std::to_string(end) + " of " + std::to_string(input.fronts.size()) +
                        " fronts; whole blocks of one");
}

void check_entry_columns(const FrontBatchInput& input) {
  if (!input.entry_columns.empty() && input.entry_columns.size() != input.fronts.size()) {
    throw InvalidArgument("front_batch: columns with entries of " +
                          std::to_string(input.entry_columns.size()) + " fronts; the batch has " +
                          std::to_string(input.fronts.size()));
  }
  for (std::size_t f = 0; f < input.entry_columns.size(); ++f) {
    const BatchFront& front = input.fronts[f];
    const Index columns = input.entry_columns[f];
    const bool holds = columns >= 0 && columns <= front.nrow &&
                       (columns <= front.ncol || front.ncol % kBatchBlock == 0);
    require_in_batch(holds, f, [&] {
      return "entries in " + std::to_string(columns) + " columns, " + std::to_string(front.ncol) +
             " of them pivot columns; blocks of 64";
    });
  }
}

void check_child(const BatchChild& child, std::span<const BatchFront> fronts) {
  if (child.front < 0 || at(child.front) >= fronts.size()) {
    throw InvalidArgument("front_batch: a child of front " + std::to_string(child.front) +
                          "; the batch has " + std::to_string(fronts.size()));
  }
  if (child.source != kNone && (child.source < 0 || child.source >= child.front)) {
    throw InvalidArgument("front_batch: a child of front " + std::to_string(child.front) +
                          " from front " + std::to_string(child.source) + "; from an earlier one");
  }
  if (child.source != kNone && fronts[at(child.source)].panel_only != 0) {
    throw InvalidArgument("front_batch: a child of front " + std::to_string(child.front) +
                          " from front " + std::to_string(child.source) +
                          ", whose update matrix is left to others");
  }
}

void check_options(const FrontBatchOptions& options) {
  if (options.tile_rows != 64 && options.tile_rows != 128) {
    throw InvalidArgument("front_batch: tiles of " + std::to_string(options.tile_rows) +
                          " rows; 64 or 128");
  }
  if (options.work_groups < 1 || options.top_work_groups < 1 || options.tall_work_groups < 1 ||
      !(options.top_share >= 0) || !(options.tall_from >= 0)) {
    throw InvalidArgument("front_batch: " + std::to_string(options.work_groups) + ", " +
                          std::to_string(options.top_work_groups) + " and " +
                          std::to_string(options.tall_work_groups) +
                          " work-groups, at least 1 each; share of the top " +
                          general_text(options.top_share, 6) + ", tall from " +
                          general_text(options.tall_from, 6) + ", at least 0");
  }
}

// ---- Tiles

// Makes the tiles of a batch, each with its entries and its children's pieces.  Tasks work on parts
// of about 2000 tiles, and write to disjoint elements of the lists.
class BatchBuilder {
 public:
  BatchBuilder(const FrontBatchInput& input, const FrontBatchOptions& options)
      : in_(input), options_(options), children_(input.fronts.size()) {
    for (const BatchChild& child : input.children) {
      children_[at(child.front)].push_back(&child);
    }
  }

  FrontBatchLists build() {
    place_fronts();
    const std::vector<Index> parents = link_parents();
    if (options_.order == BatchOrder::kTickets && options_.tall_from > 0 &&
        average_parallelism(in_.fronts, parents) >= options_.tall_from) {
      made_.is_tall = true;
      options_.tile_rows = 128;
      options_.work_groups = options_.tall_work_groups;
      options_.top_share = 0;
    }
    stages_ = make_stages(in_.fronts, parents, options_.tile_rows, in_.columns);
    expect_updates();
    order_ = order_tiles(stages_, options_);
    made_.top_begin = order_.top_begin;
    made_.level_begin = std::move(order_.level_begin);
    fill_tiles();
    return std::move(made_);
  }

 private:
  // A task's part of the tiles: tiles [first_tile, last_tile), which belong to stages [first_stage,
  // last_stage), and their pieces.
  struct Part {
    Index first_stage = 0, last_stage = 0;
    Index first_tile = 0, last_tile = 0;
    UninitializedVector<BatchPiece> pieces;

    bool has(Index tile) const { return tile >= first_tile && tile < last_tile; }
  };

  Index num_fronts() const { return static_cast<Index>(in_.fronts.size()); }

  void place_fronts() {
    Offset entries = 0;
    for (Index f = 0; f < num_fronts(); ++f) {
      BatchFront& front = in_.fronts[at(f)];
      front.progress = made_.num_counters;
      front.arrivals = front.progress + num_batch_blocks(front.nrow);
      // Pivot columns [begin, end) are computed; only their diagonal blocks are in the workspace.
      const Index begin = first_of_block(in_.columns.begin, front.ncol);
      const Index end = first_of_block(in_.columns.end, front.ncol);
      front.factors = made_.factors_size - begin / kBatchBlock * kBatchFactorSize;
      front.parent = kNone;
      front.expected = 0;
      made_.num_counters = front.arrivals + 1;
      made_.factors_size += num_batch_blocks(end - begin) * kBatchFactorSize;
      made_.done = num_batch_blocks(begin) * kBlockColumns;
      first_entry_.push_back(entries);
      if (front.filled != 0) continue;
      const Offset before = entries_before(f, entry_column(f, in_.columns.begin));
      first_entry_.back() -= before;
      entries += entries_before(f, entry_column(f, in_.columns.end)) - before;
    }
    made_.entries.resize(at(entries));
  }
  // The first pivot column at or after `column` at which a block begins; ncol: there is none.
  static Index first_of_block(Index column, Index ncol) {
    return column >= ncol ? ncol : std::min(num_batch_blocks(column) * kBatchBlock, ncol);
  }
  // Number of columns of front f to which A's entries are added.
  Index entry_columns(Index f) const {
    return in_.entry_columns.empty() ? in_.fronts[at(f)].ncol : in_.entry_columns[at(f)];
  }
  // The first column at or after `column` at which a block begins, among the columns to which A's
  // entries are added; entry_columns(f): there is none.
  Index entry_column(Index f, Index column) const {
    const Index ncol = in_.fronts[at(f)].ncol;
    return std::min(column < ncol ? first_of_block(column, ncol) : column, entry_columns(f));
  }
  // Number of A's entries in the columns of front f before `column`.
  Offset entries_before(Index f, Index column) const {
    const auto first = at(in_.first_column[at(f)]);
    return in_.entry_ptr[first + at(column)] - in_.entry_ptr[first];
  }

  std::vector<Index> link_parents() {
    std::vector<Index> parents(in_.fronts.size(), kNone);
    for (const BatchChild& child : in_.children) {
      if (child.source == kNone) continue;
      parents[at(child.source)] = child.front;
      in_.fronts[at(child.source)].parent = in_.fronts[at(child.front)].arrivals;
    }
    return parents;
  }

  // Counts for each parent the update tiles of its children in the batch.
  void expect_updates() {
    for (const BatchChild& child : in_.children) {
      if (child.source == kNone) continue;
      const BatchStage& last = stages_.of_front(child.source).back();
      if (last.kind == CLCHOL_UPDATE_TILE) {
        in_.fronts[at(child.front)].expected += last.stage.num_tiles;
      }
    }
  }

  void fill_tiles() {
    std::vector<Index> place(order_.tiles.size());  // Position of each tile in the order.
    for (std::size_t k = 0; k < place.size(); ++k)
      place[at(order_.tiles[k])] = static_cast<Index>(k);
    made_.tiles.resize(place.size());
    std::vector<Part> parts = divide();
    const auto num_parts = static_cast<Index>(parts.size());
    run_in_team(options_.threads, [&] {
      run_tasks(num_parts, [&](Index p) { fill(parts[at(p)], place); });
      std::vector<Index> begin{0};
      for (const Part& part : parts) {
        begin.push_back(begin.back() + static_cast<Index>(part.pieces.size()));
      }
      made_.pieces.resize(at(begin.back()));
      run_tasks(num_parts, [&](Index p) { join(parts[at(p)], begin[at(p)], place); });
    });
  }

  // Divides the tiles into parts of about equal size.  The tiles of a block of pivot columns, whose
  // entries of A are sorted together, stay in one part.  Those of an update may be divided.
  std::vector<Part> divide() const {
    constexpr Index kTiles = 2000;  // Tiles of a part: some 2 ms of one thread.
    std::vector<Part> parts(1);
    const auto end_part = [&](Index last_stage, Index last_tile) {
      parts.back().last_stage = last_stage;
      parts.back().last_tile = last_tile;
    };
    const auto begin_part = [&](Index first_stage, Index first_tile) {
      parts.emplace_back();
      parts.back().first_stage = first_stage;
      parts.back().first_tile = first_tile;
    };
    const auto num_stages = static_cast<Index>(stages_.stages.size());
    for (Index s = 0; s < num_stages; ++s) {
      const BatchStage& of = stages_.stages[at(s)];
      const Index first = of.stage.first_tile, last = first + of.stage.num_tiles;
      const auto next_part = [&] { return parts.back().first_tile + kTiles; };
      if (of.kind == CLCHOL_DIAGONAL_TILE && first >= next_part()) {
        end_part(s, first);
        begin_part(s, first);
      }
      while (of.kind == CLCHOL_UPDATE_TILE && last > next_part()) {
        const Index cut = std::max(first, next_part());
        end_part(cut > first ? s + 1 : s, cut);
        begin_part(s, cut);
      }
    }
    end_part(num_stages, stages_.num_tiles());
    return parts;
  }

  void fill(Part& part, const std::vector<Index>& place) {
    Index f = kNone;
    std::optional<FrontPieces> pieces;
    for (Index s = part.first_stage; s < part.last_stage; ++s) {
      const BatchStage& stage = stages_.stages[at(s)];
      if (stage.front != f) {
        f = stage.front;
        pieces.emplace(in_.fronts[at(f)], children_[at(f)], in_.relind);
      }
      add_stage(stage, *pieces, place, part);
    }
    for (Index s = part.first_stage; s < part.last_stage; ++s) {
      const BatchStage& stage = stages_.stages[at(s)];
      if (in_.fronts[at(stage.front)].filled != 0) continue;
      if (stage.kind == CLCHOL_DIAGONAL_TILE) add_entries(stage, place);
      if (stage.kind == CLCHOL_UPDATE_TILE) add_update_entries(stage, place, part);
    }
  }

  void add_stage(const BatchStage& stage, const FrontPieces& children,
                 const std::vector<Index>& place, Part& part) {
    const BatchFront& front = in_.fronts[at(stage.front)];
    const Index rows = stage.kind == CLCHOL_DIAGONAL_TILE ? kBatchBlock : options_.tile_rows;
    Index number = stage.stage.first_tile;
    const auto add = [&](Index row, Index column) {
      const Index own = number++;
      if (!part.has(own)) return;
      BatchTile tile{};
      tile.front = stage.front;
      tile.kind = stage.kind;
      tile.row = row;
      tile.column = column;
      tile.piece_begin = static_cast<Index>(part.pieces.size());
      children.append(tile, row + rows, part.pieces);
      tile.piece_end = static_cast<Index>(part.pieces.size());
      made_.tiles[at(place[at(own)])] = tile;
    };
    if (stage.kind != CLCHOL_UPDATE_TILE) {
      return for_each_tile(front, stage, options_.tile_rows, add);
    }
    for_each_band(front, stage, options_.tile_rows, [&](const UpdateBand& band) {
      const Index end = number + band.num_tiles();
      if (end > part.first_tile && number < part.last_tile) band.for_each_tile(add);
      number = end;
    });
  }

  Offset first_entry(Index f, Index column) const {
    return first_entry_[at(f)] + entries_before(f, column);
  }

  // Gives A's entries to a diagonal tile and to the panel tiles below it, which have the next
  // numbers.
  void add_entries(const BatchStage& stage, const std::vector<Index>& place) {
    const Index f = stage.front, column = stage.column;
    const Index width =
        std::min(kBatchBlock, std::min(in_.fronts[at(f)].ncol, entry_columns(f)) - column);
    if (width <= 0) return;
    const BlockEntries block(in_, f, {column, width, column, kBatchBlock, options_.tile_rows});
    const Offset first = first_entry(f, column);
    block.write(made_.entries.data() + first);
    const Index last = block.block().tile_of_row(in_.fronts[at(f)].nrow - 1);
    for (Index t = 0; t <= last; ++t) {
      block.give(first, t, made_.tiles[at(place[at(stage.stage.first_tile + t)])]);
    }
  }

  // Gives A's entries to the part's update tiles.  The part that has the first of the stage's tiles
  // also writes the entries.
  void add_update_entries(const BatchStage& stage, const std::vector<Index>& place,
                          const Part& part) {
    const Index f = stage.front, end = std::min(stage.end, entry_columns(f));
    std::vector<BlockEntries> blocks;  // The blocks of columns from stage.column on.
    for (Index c = stage.column; c < end && entry_columns(f) > in_.fronts[at(f)].ncol;
         c += kBatchBlock) {
      const Index rows = options_.tile_rows;
      const Index first_row = stage.column + (c - stage.column) / rows * rows;
      blocks.push_back(
          BlockEntries(in_, f, {c, std::min(kBatchBlock, end - c), first_row, rows, rows}));
      if (!part.has(stage.stage.first_tile)) continue;
      blocks.back().write(made_.entries.data() + first_entry(f, c));
    }
    if (blocks.empty()) return;
    Index number = stage.stage.first_tile;
    for_each_tile(in_.fronts[at(f)], stage, options_.tile_rows, [&](Index row, Index column) {
      const Index own = number++;
      const auto b = at((column - stage.column) / kBatchBlock);
      if (!part.has(own) || b >= blocks.size()) return;
      blocks[b].give(first_entry(f, column), blocks[b].block().tile_of_row(row),
                     made_.tiles[at(place[at(own)])]);
    });
  }

  // Copies a part's pieces to the batch's list, from index `begin` on, and adds `begin` to the
  // piece numbers of the part's tiles.
  void join(const Part& part, Index begin, const std::vector<Index>& place) {
    std::copy(part.pieces.begin(), part.pieces.end(), made_.pieces.begin() + begin);
    for (Index t = part.first_tile; t < part.last_tile; ++t) {
      BatchTile& tile = made_.tiles[at(place[at(t)])];
      tile.piece_begin += begin;
      tile.piece_end += begin;
    }
  }

  FrontBatchInput in_;
  FrontBatchOptions options_;
  std::vector<std::vector<const BatchChild*>> children_;  // Children of each front.
  // Index in made_.entries that the first entry of each front's column 0 has, or would have where
  // only later columns are computed.
  std::vector<Offset> first_entry_;
  BatchStages stages_;
  TileOrder order_;
  FrontBatchLists made_;
};

}  // namespace

FrontBatchLists make_front_batch(const FrontBatchInput& input, const FrontBatchOptions& options) {
  check_options(options);
  if (!input.columns.are_all()) check_columns(input);
  for (std::size_t f = 0; f < input.fronts.size(); ++f) {
    check_front(input.fronts[f], f, input.columns.are_all());
  }
  check_entry_columns(input);
  for (const BatchChild& child : input.children) check_child(child, input.fronts);
  return BatchBuilder(input, options).build();
}

}  // namespace clchol::gpu
