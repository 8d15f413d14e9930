#include "gpu_kernels/fronts/front_solve_tiles.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "base/team.hpp"
#include "gpu_kernels/fronts/front_solve_checks.hpp"
#include "gpu_kernels/fronts/front_solve_subtrees.hpp"

namespace clchol::gpu {
namespace {

constexpr Index kBlock = kSolveBlock;
constexpr Offset kBlockEntries = Offset{kBlock} * kBlock;

std::size_t at(Offset i) { return static_cast<std::size_t>(i); }
Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }
/// Blocks of a span of a front that has its blocks coupled.
Index span_of(Index blocks, const FrontSolveOptions& options) {
  return options.spanned_blocks > 0 && blocks >= options.spanned_blocks ? options.span : 1;
}
Index num_blocks(const SolveFrontInput& front) { return ceil_div(front.ncol, kBlock); }
Index nupd(const SolveFrontInput& front) { return front.nrow - front.ncol; }
/// Tiles of update rows begin at an even row.
Index first_update_row(const SolveFrontInput& front) { return front.ncol / 2 * 2; }

// Times in us; their ratios alone matter.
constexpr double kChainTime = 2;  // From one diagonal block to the next.
constexpr double kTileTime = 4;   // What a tile takes besides.
constexpr double kStepTime = 1;   // Of 64 x 64 entries.

class Builder {
 public:
  Builder(const FrontSolveInput& input, const FrontSolveOptions& options)
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
  // A ticket and how long the way to the end is that begins with it.
  struct Ranked {
    double way;
    SolveTicket ticket;
  };

  const SolveFrontInput& given(Index place) const {
    return in_.fronts[at(lists_.order[at(place)])];
  }
  Index num_fronts() const { return static_cast<Index>(in_.fronts.size()); }
  /// The parent's place, when both are in tiles of one group.
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
    // Fronts in tiles come behind the last subtree, by groups.
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

  /// Fronts come by groups.
  Offset first_inverse(Index group) {
    for (; groups_begun_ <= group; ++groups_begun_) {
      lists_.groups[at(groups_begun_)].inverses = lists_.sizes.inverse_entries;
    }
    return lists_.groups[at(group)].inverses;
  }

  /// Whether others than its group read or write the front's update vector.
  bool is_read_later(const SolveFrontInput& front) const {
    return front.is_handed ||
           (front.parent != kNone && in_.fronts[at(front.parent)].group != front.group);
  }

  /// Update vectors that the group itself reads lie where those of the group before lay; behind
  /// them all others, one after another.
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
    first_inverse(num_groups_);
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

  // Group by group, launch by launch: inside of spans those next to the diagonal first.
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

  /// A front without update rows, or whose update vector comes from elsewhere, has none.
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

  /// The later rows are those of later pivot columns, which are solved before.
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

  /// Counts, then lists, in the order of the children; fronts side by side.
  void list_sources() {
    if (lists_.sizes.vector_rows > std::numeric_limits<Index>::max()) {
      throw InvalidArgument("front_solve: " + std::to_string(lists_.sizes.vector_rows) +
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

  /// take(row of rowind, row of the update vectors that is added there), which throws nothing; one
  /// thread takes all of a row.
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

  /// Parents come before their children here.
  void list_forward() {
    std::vector<Ranked> ranked;
    std::vector<double> way(in_.fronts.size(), 0);  // From the begin of each front to the end.
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

  void list_backward() {
    std::vector<Ranked> ranked;
    std::vector<double> below(in_.fronts.size(), 0);  // From the end of each front to the end.
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

  /// Tickets of a diagonal block's columns; returns the longest way that begins with one of them.
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
    // The last rows can go first: their x is final first.
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

  /// By groups, the longest way first; counts each group's in `begin`.
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
  Index groups_begun_ = 0;    // The first group whose inverted blocks have no place yet.
  std::vector<Index> place_;  // The place in the lists of each front of the input.
  std::vector<Index> child_ptr_, children_;  // Of each front of the input.
  FrontSolveLists lists_;
};

}  // namespace

Offset front_solve_inverses(Index ncol, const FrontSolveOptions& options) {
  const Index blocks = ceil_div(ncol, kBlock);
  if (blocks < options.coupled_blocks) return blocks * kBlockEntries;
  const Offset span = span_of(blocks, options), spans = ceil_div(blocks, static_cast<Index>(span));
  // A span has its blocks below the diagonal; two neighbours have 2 span^2 blocks between them.
  const Offset couplings = spans * (span * (span - 1) / 2) + (spans - 1) * 2 * span * span;
  return (blocks + couplings) * kBlockEntries;
}

FrontSolveLists make_front_solve(const FrontSolveInput& input, const FrontSolveOptions& options) {
  check_front_solve(input, options);
  return Builder(input, options).build();
}

}  // namespace clchol::gpu
