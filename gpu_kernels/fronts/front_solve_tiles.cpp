#include "gpu_kernels/fronts/front_solve_tiles.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "base/index_math.hpp"
#include "base/team.hpp"
#include "gpu_kernels/fronts/front_solve_checks.hpp"
#include "gpu_kernels/fronts/front_solve_subtrees.hpp"

namespace clchol::gpu {
namespace {

constexpr Index kBlock = kSolveBlock;
constexpr Offset kBlockEntries = Offset{kBlock} * kBlock;

/// Diagonal blocks of a span, in a front of `blocks` coupled blocks.
Index span_of(Index blocks, const FrontSolveOptions& options) {
  return options.spanned_blocks > 0 && blocks >= options.spanned_blocks ? options.span : 1;
}
Index num_blocks(const SolveFrontInput& front) { return ceil_div(front.ncol, kBlock); }
/// First row of the first tile of update rows: tiles begin at even rows.
Index first_update_row(const SolveFrontInput& front) { return front.ncol / 2 * 2; }

// Times in microseconds; only their ratios matter.
constexpr double kChainTime = 2;  // From the solution of one diagonal block to that of the next.
constexpr double kTileTime = 4;   // A tile's time without its products.
constexpr double kStepTime = 1;   // Product with a block of 64 x 64 entries.

class SolveBuilder {
 public:
  SolveBuilder(const FrontSolveInput& input, const FrontSolveOptions& options)
      : in_(input), options_(options), place_(input.fronts.size()) {}

  FrontSolveLists build() {
    for (const SolveFrontInput& front : in_.fronts) {
      num_groups_ = std::max(num_groups_, front.group + 1);
    }
    lists_.groups.resize(at(num_groups_) + 1);
    lists_.sizes.num_groups = num_groups_;
    order_fronts(find_subtrees(in_.fronts, options_));
    place_fronts();
    list_couplings();
    list_waits();
    list_sources();
    list_forward();
    list_backward();
    return std::move(lists_);
  }

 private:
  // A ticket, and the time from its begin to the end of the group's solve.
  struct Ranked {
    double way;
    SolveTicket ticket;
  };

  // The input of a front.  @param place  index of the front in lists_.fronts.
  const SolveFrontInput& given(Index place) const {
    return in_.fronts[at(lists_.order[at(place)])];
  }
  Index num_fronts() const { return static_cast<Index>(in_.fronts.size()); }
  /// Index in lists_.fronts of a front's parent, when both are in tiles of one group; else kNone.
  Index tiled_parent(Index place) const {
    const SolveFrontInput& front = given(place);
    if (place < lists_.num_subtree_fronts || front.parent == kNone) return kNone;
    return front.group == in_.fronts[at(front.parent)].group ? place_[at(front.parent)] : kNone;
  }

  void order_fronts(const Subtrees& subtrees) {
    std::vector<Index> sorted(subtrees.time.size()), rank(subtrees.time.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto key = [&](Index s) {
      return std::pair(subtrees.group[at(s)], -subtrees.time[at(s)]);
    };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](Index a, Index b) { return key(a) < key(b); });
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      rank[at(sorted[k])] = static_cast<Index>(k);
      ++lists_.groups[at(subtrees.group[at(sorted[k])]) + 1].subtree;
    }
    // Sort key of a front: the position of its subtree, or, behind all subtrees, its group.
    const auto class_of = [&](Index f) {
      const Index subtree = subtrees.of_front[at(f)];
      return subtree == kNone ? sorted.size() + at(in_.fronts[at(f)].group) : at(rank[at(subtree)]);
    };
    std::vector<Index> next(sorted.size() + lists_.groups.size() + 1, 0);
    for (Index f = 0; f < num_fronts(); ++f) ++next[class_of(f) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    const auto tiled = next.begin() + static_cast<std::ptrdiff_t>(sorted.size());
    lists_.subtree_ptr.assign(next.begin(), tiled + 1);
    lists_.num_subtree_fronts = lists_.subtree_ptr.back();
    for (std::size_t g = 0; g < lists_.groups.size(); ++g) {
      if (g > 0) lists_.groups[g].subtree += lists_.groups[g - 1].subtree;
      lists_.groups[g].front = tiled[static_cast<std::ptrdiff_t>(g)];
    }
    lists_.order.resize(in_.fronts.size());
    for (Index f = 0; f < num_fronts(); ++f) {
      const Index place = next[class_of(f)]++;
      lists_.order[at(place)] = f;
      place_[at(f)] = place;
    }
  }

  /// Position of a group's first inverse entry.  Must be called for fronts in the order of groups.
  Offset first_inverse(Index group) {
    for (; groups_begun_ <= group; ++groups_begun_) {
      lists_.groups[at(groups_begun_)].inverses = lists_.sizes.inverse_entries;
    }
    return lists_.groups[at(group)].inverses;
  }

  /// Whether another group, or another share, reads or writes the front's update vector.
  bool is_read_later(const SolveFrontInput& front) const {
    return front.is_handed ||
           (front.parent != kNone && in_.fronts[at(front.parent)].group != front.group);
  }

  /// Returns the first row of each front's update vector.  Update vectors that only their own group
  /// reads overwrite those of the group before.  All others lie behind, in rows of their own.
  std::vector<Offset> place_vectors() {
    std::vector<Offset> inner(at(num_groups_), 0), vector;
    for (const SolveFrontInput& front : in_.fronts) {
      if (!is_read_later(front)) inner[at(front.group)] += nupd(front);
    }
    Offset outer = inner.empty() ? 0 : *std::max_element(inner.begin(), inner.end());
    std::fill(inner.begin(), inner.end(), 0);
    for (Index p = 0; p < num_fronts(); ++p) {
      const SolveFrontInput& front = given(p);
      Offset& next = is_read_later(front) ? outer : inner[at(front.group)];
      vector.push_back(next);
      next += nupd(front);
    }
    lists_.sizes.vector_rows = outer;
    return vector;
  }

  void place_fronts() {
    const std::vector<Offset> vector = place_vectors();
    for (Index p = 0; p < num_fronts(); ++p) {
      const SolveFrontInput& from = given(p);
      const bool tiled = p >= lists_.num_subtree_fronts;
      lists_.sizes.has_handed |= from.is_handed;
      SolveFront front{from.panel, from.ldp,  0,
                       -1,         from.rows, vector[at(p)],
                       from.nrow,  from.ncol, from.first_column,
                       kNone,      0,         kNone,
                       0,          0,         1,
                       0};
      if (tiled) {
        front.progress = 2 * (p - lists_.num_subtree_fronts);
        front.inverses = lists_.sizes.inverse_entries - first_inverse(from.group);
        lists_.sizes.inverse_entries += front_solve_inverses(from.ncol, options_);
        front.solved = lists_.sizes.tagged_rows;
        lists_.sizes.tagged_rows += from.ncol;
        lists_.sizes.num_counters += 2;
        if (num_blocks(from) >= options_.coupled_blocks) {
          front.couplings = front.inverses + num_blocks(from) * kBlockEntries;
          choose_span(front);
        }
      }
      lists_.fronts.push_back(front);
    }
    first_inverse(num_groups_);  // The ends.
    for (Index p = lists_.num_subtree_fronts; p < num_fronts(); ++p) {
      const Index parent = tiled_parent(p);
      if (parent == kNone || num_update_tiles(given(p)) == 0) continue;
      lists_.fronts[at(p)].parent = lists_.fronts[at(parent)].progress;
      lists_.fronts[at(parent)].expected += num_update_tiles(given(p));
    }
  }

  void choose_span(SolveFront& front) {
    front.span = span_of(ceil_div(front.ncol, kBlock), options_);
    if (front.span == 1) return;
    lists_.sizes.has_spans = true;
    front.sums = lists_.sizes.tagged_rows;
    lists_.sizes.tagged_rows += front.ncol;
  }

  // Lists the couplings, group by group and launch by launch.  Blocks inside spans need blocks
  // nearer to the diagonal, so each distance has a launch.  Couplings of neighbouring spans need
  // all of these, and have the last launch.
  void list_couplings() {
    lists_.coupling_ptr.push_back(0);
    for (std::size_t g = 0; g + 1 < lists_.groups.size(); ++g) {
      lists_.groups[g].coupling = static_cast<Index>(lists_.coupling_ptr.size()) - 1;
      for (Index distance = 1; distance <= options_.span; ++distance) {
        for (Index p = lists_.groups[g].front; p < lists_.groups[g + 1].front; ++p) {
          if (lists_.fronts[at(p)].couplings < 0) continue;
          distance < options_.span ? couple_inside(lists_.fronts[at(p)], distance)
                                   : couple_neighbours(lists_.fronts[at(p)]);
        }
        const auto end = static_cast<Index>(lists_.couplings.size());
        if (end > lists_.coupling_ptr.back()) lists_.coupling_ptr.push_back(end);
      }
    }
    lists_.groups.back().coupling = static_cast<Index>(lists_.coupling_ptr.size()) - 1;
  }
  void couple(const SolveFront& front, Index kind, Index row, Index column) {
    lists_.couplings.push_back({front.panel, front.ldp, front.inverses, front.couplings, front.ncol,
                                front.span, kind, row, column, 0});
  }
  void couple_inside(const SolveFront& front, Index distance) {
    for (Index row = distance; row < ceil_div(front.ncol, kBlock); ++row) {
      if (row % front.span >= distance) couple(front, CLCHOL_COUPLE_INSIDE, row, row - distance);
    }
  }
  void couple_neighbours(const SolveFront& front) {
    for (Index row = front.span; row < ceil_div(front.ncol, kBlock); ++row) {
      const Index before = (row / front.span - 1) * front.span;
      for (Index column = before; column < before + front.span; ++column) {
        couple(front, CLCHOL_COUPLE_BEFORE, row, column);
        couple(front, CLCHOL_COUPLE_BEHIND, row, column);
      }
    }
  }

  /// Number of tiles that compute a front's update vector.  0: the front has no update rows, or
  /// another share computes its update vector.
  static Index num_update_tiles(const SolveFrontInput& front) {
    if (nupd(front) == 0 || front.ncol == 0) return 0;
    return ceil_div(front.nrow - first_update_row(front), kBlock);
  }

  void list_waits() {
    for (Index p = lists_.num_subtree_fronts; p < num_fronts(); ++p) {
      const SolveFrontInput& front = given(p);
      lists_.fronts[at(p)].waits = static_cast<Index>(lists_.waits.size());
      if (num_update_tiles(front) == 0) continue;
      for (Index row = first_update_row(front); row < front.nrow; row += kBlock) {
        lists_.waits.push_back(wait_for_row(p, std::max(row, front.ncol)));
      }
    }
  }

  /// What the backward solve waits for before it reads x in a front's update rows from `row` on.
  /// Later rows are those of later pivot columns, which are solved earlier.
  SolveWait wait_for_row(Index place, Index row) const {
    const SolveFrontInput* front = &given(place);
    for (Index above = tiled_parent(place); above != kNone; above = tiled_parent(above)) {
      row = in_.relind[at(front->relind + row - front->ncol)];
      front = &given(above);
      if (row < front->ncol) {
        return {lists_.fronts[at(above)].progress, num_blocks(*front) - row / kBlock};
      }
    }
    return {kNone, 0};
  }

  /// Counts the sources of each row, then lists them in the order of the children.
  void list_sources() {
    // Fronts of several groups may share rows of the update vectors.  Each row is then several
    // sources.
    Offset num_sources = 0;
    for (const SolveFrontInput& front : in_.fronts) {
      if (front.parent != kNone) num_sources += nupd(front);
    }
    const Offset rows = std::max(lists_.sizes.vector_rows, num_sources);
    if (rows > std::numeric_limits<Index>::max()) {
      throw InvalidArgument("front_solve: " + std::to_string(rows) +
                            " update rows; less than 2^31");
    }
    list_children();
    std::vector<Index>& ptr = lists_.source_ptr;
    ptr.assign(at(in_.num_rows) + 2, 0);
    each_source([&](Offset row, Index /*source*/) { ++ptr[at(row) + 2]; });
    std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
    lists_.sources.resize(at(ptr.back()));
    each_source([&](Offset row, Index source) { lists_.sources[at(ptr[at(row) + 1]++)] = source; });
    ptr.pop_back();
  }

  void list_children() {
    child_ptr_.assign(in_.fronts.size() + 2, 0);
    for (const SolveFrontInput& front : in_.fronts) {
      if (front.parent != kNone) ++child_ptr_[at(front.parent) + 2];
    }
    std::partial_sum(child_ptr_.begin(), child_ptr_.end(), child_ptr_.begin());
    children_.resize(at(child_ptr_.back()));
    for (Index f = 0; f < num_fronts(); ++f) {
      const Index parent = in_.fronts[at(f)].parent;
      if (parent != kNone) children_[at(child_ptr_[at(parent) + 1]++)] = f;
    }
  }

  /// Calls take(row of rowind, row of the update vectors that is added to it) for all sources.  One
  /// thread makes all calls for a row.  take() must not throw.
  template <class Take>
  void each_source(const Take& take) const {
    parallel_for(num_fronts(), options_.threads, [&](Index f) {
      const SolveFrontInput& parent = in_.fronts[at(f)];
      for (Index c = child_ptr_[at(f)]; c < child_ptr_[at(f) + 1]; ++c) {
        const Index child = children_[at(c)];
        const SolveFrontInput& from = in_.fronts[at(child)];
        const Offset vector = lists_.fronts[at(place_[at(child)])].vector;
        for (Index k = 0; k < nupd(from); ++k) {
          take(parent.rows + in_.relind[at(from.relind + k)], static_cast<Index>(vector + k));
        }
      }
    });
  }

  // ---- Tickets

  /// Goes through parents before their children.
  void list_forward() {
    std::vector<Ranked> ranked;
    std::vector<double> way(in_.fronts.size(), 0);  // Time from each front's begin to the end.
    for (Index p = num_fronts() - 1; p >= lists_.num_subtree_fronts; --p) {
      const SolveFrontInput& front = given(p);
      const Index parent = tiled_parent(p), blocks = num_blocks(front);
      const double update = (parent == kNone ? 0 : way[at(parent)]) + kTileTime;
      const auto block_way = [&](Index b) { return update + kChainTime * (blocks - b); };
      way[at(p)] = block_way(0);
      for (Index b = 0; b < blocks; ++b) {
        const Index row = b * kBlock, end = std::min(row + kBlock, front.ncol);
        ranked.push_back({block_way(b), {p, CLCHOL_SOLVE_BLOCK, b, row, end, 0, 0, 0}});
      }
      if (num_update_tiles(front) == 0) continue;
      for (Index row = first_update_row(front); row < front.nrow; row += kBlock) {
        const Index end = std::min(row + kBlock, front.nrow);
        ranked.push_back({update, {p, CLCHOL_SOLVE_ROWS, 0, row, end, 0, 0, 0}});
      }
    }
    lists_.forward = in_order(ranked, &SolveGroup::forward);
  }

  /// Goes through children before their parents.
  void list_backward() {
    std::vector<Ranked> ranked;
    std::vector<double> below(in_.fronts.size(), 0);  // Time from each front's end to the end.
    for (Index p = lists_.num_subtree_fronts; p < num_fronts(); ++p) {
      double first = 0;
      for (Index b = num_blocks(given(p)) - 1; b >= 0; --b) {
        first = std::max(first, list_columns(p, b, below[at(p)], ranked));
      }
      const Index parent = tiled_parent(p);
      if (parent != kNone) below[at(parent)] = std::max(below[at(parent)], first);
    }
    lists_.backward = in_order(ranked, &SolveGroup::backward);
  }

  /// Appends the tickets for the columns of diagonal block b.  Returns the longest time from the
  /// begin of a ticket to the end.  @param below  time from the front's end to the end.
  double list_columns(Index p, Index b, double below, std::vector<Ranked>& ranked) {
    const SolveFrontInput& front = given(p);
    const double way = below + kChainTime * (b + 1);
    const Index begin = first_update_row(front);
    const Index end = nupd(front) == 0 ? begin : front.nrow;
    const Index part_rows = options_.part_rows;
    if (end - begin <= part_rows) {
      ranked.push_back({way, {p, CLCHOL_SOLVE_BLOCK, b, begin, end, 0, 0, 0}});
      return way;
    }
    const Index counter = lists_.sizes.num_counters++, first_slot = lists_.sizes.num_slots;
    const double part_way = way + kTileTime + kStepTime * ceil_div(part_rows, kBlock);
    // The last rows come first: x is final there first.
    for (Index row = begin + (end - begin - 1) / part_rows * part_rows; row >= begin;
         row -= part_rows) {
      const Index slot = lists_.sizes.num_slots++, part_end = std::min(row + part_rows, end);
      ranked.push_back(
          {part_way, {p, CLCHOL_SOLVE_ROWS, b, row, part_end, slot, slot + 1, counter}});
    }
    ranked.push_back(
        {way,
         {p, CLCHOL_SOLVE_BLOCK, b, begin, begin, first_slot, lists_.sizes.num_slots, counter}});
    return part_way;
  }

  /// Sorts tickets by group, then by time to the end, longest first.  Sets `begin` of all groups.
  std::vector<SolveTicket> in_order(std::vector<Ranked>& ranked, Index SolveGroup::*begin) {
    const auto group = [&](const Ranked& r) { return given(r.ticket.front).group; };
    const auto key = [&](const Ranked& r) { return std::pair(group(r), -r.way); };
    std::stable_sort(ranked.begin(), ranked.end(),
                     [&](const Ranked& a, const Ranked& b) { return key(a) < key(b); });
    std::vector<SolveTicket> tickets;
    tickets.reserve(ranked.size());
    for (const Ranked& r : ranked) {
      tickets.push_back(r.ticket);
      ++(lists_.groups[at(group(r)) + 1].*begin);
    }
    for (std::size_t g = 1; g < lists_.groups.size(); ++g) {
      lists_.groups[g].*begin += lists_.groups[g - 1].*begin;
    }
    return tickets;
  }

  FrontSolveInput in_;
  FrontSolveOptions options_;
  Index num_groups_ = 0;
  Index groups_begun_ = 0;    // The first group whose SolveGroup::inverses is not set yet.
  std::vector<Index> place_;  // Index in lists_.fronts of each front of the input.
  // Children of front f of the input: children_[child_ptr_[f]] .. children_[child_ptr_[f + 1] - 1].
  std::vector<Index> child_ptr_, children_;
  FrontSolveLists lists_;
};

}  // namespace

Offset front_solve_inverses(Index ncol, const FrontSolveOptions& options) {
  const Index blocks = ceil_div(ncol, kBlock);
  if (blocks < options.coupled_blocks) return blocks * kBlockEntries;
  const Offset span = span_of(blocks, options), spans = ceil_div(blocks, static_cast<Index>(span));
  // Couplings of a span: its blocks below the diagonal.  Couplings of two neighbouring spans: 2
  // span^2 blocks.
  const Offset couplings = spans * (span * (span - 1) / 2) + (spans - 1) * 2 * span * span;
  return (blocks + couplings) * kBlockEntries;
}

FrontSolveLists make_front_solve(const FrontSolveInput& input, const FrontSolveOptions& options) {
  check_front_solve(input, options);
  return SolveBuilder(input, options).build();
}

}  // namespace clchol::gpu
