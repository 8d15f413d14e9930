#include "gpu_kernels/fronts/front_solve_tiles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>
#include <tuple>

#include "tests/gpu_kernels/fronts/solve_forest.hpp"

namespace clchol::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::size_t at(Offset i) { return static_cast<std::size_t>(i); }
Index num_blocks(const SolveFront& front) { return (front.ncol + 63) / 64; }

FrontSolveLists lists_of(const SolveForest& forest, const FrontSolveOptions& options) {
  return make_front_solve(forest.input(), options);
}

/// The group of a front that is solved by tiles.
Index group_of(const FrontSolveLists& lists, Index place) {
  Index group = 0;
  while (lists.groups[at(group + 1)].front <= place) ++group;
  return group;
}

/// A random forest: parents come later than their children, and have enough rows.
std::vector<SolveFrontSize> any_sizes() {
  const Index count = *rc::gen::inRange<Index>(1, 30);
  std::vector<SolveFrontSize> sizes(at(count));
  for (Index f = count - 1; f >= 0; --f) {
    SolveFrontSize& size = sizes[at(f)];
    const Index parent = *rc::gen::inRange<Index>(f + 1, count + 2);
    size.parent = parent < count ? parent : kNone;
    const Index last_group = parent < count ? sizes[at(parent)].group : 2;
    size.group = *rc::gen::inRange<Index>(std::max(last_group - 1, 0), last_group + 1);
    const Index most = parent < count ? sizes[at(parent)].ncol + sizes[at(parent)].nupd : 200;
    size.nupd = *rc::gen::inRange<Index>(0, most + 1);
    size.ncol = *rc::gen::weightedOneOf<Index>(
        {{3, rc::gen::inRange<Index>(1, 40)}, {1, rc::gen::inRange<Index>(1, 300)}});
  }
  return sizes;
}
FrontSolveOptions any_options() {
  FrontSolveOptions options;
  options.subtree_rows = *rc::gen::inRange<Index>(0, 130);
  options.subtree_columns = *rc::gen::inRange<Index>(0, kMostSubtreeColumns + 1);
  options.part_rows = 64 * *rc::gen::inRange<Index>(1, 4);
  options.coupled_blocks = *rc::gen::inRange<Index>(2, 6);
  options.spanned_blocks = *rc::gen::inRange<Index>(0, 6);
  options.span = *rc::gen::inRange<Index>(1, 5);
  return options;
}

// ---- Rows and blocks are in one ticket

/// Times that a list of tickets has each update row of each front, block by block.
using Cover = std::vector<std::vector<Index>>;
Cover empty_cover(const FrontSolveLists& lists) {
  Cover cover;
  for (const SolveFront& f : lists.fronts) cover.emplace_back(at(Offset{f.nrow} * num_blocks(f)));
  return cover;
}

// A forward ticket multiplies rows with all columns before their diagonal block, or with all
// columns.
RC_GTEST_PROP(FrontSolveTiles, ForwardHasEveryRowOnce, ()) {
  const FrontSolveLists lists = lists_of(SolveForest(any_sizes(), 1), any_options());

  std::vector<std::vector<Index>> rows;
  for (const SolveFront& f : lists.fronts) rows.emplace_back(at(f.nrow), 0);
  for (const SolveTicket& ticket : lists.forward) {
    const SolveFront& f = lists.fronts[at(ticket.front)];
    const bool is_block = ticket.form == CLCHOL_SOLVE_BLOCK;
    RC_ASSERT(ticket.row % 2 == 0 && ticket.row_end - ticket.row <= kSolveBlock);
    if (is_block) {
      RC_ASSERT(ticket.row == ticket.block * kSolveBlock && ticket.row_end <= f.ncol);
    }
    for (Index i = is_block ? ticket.row : std::max(ticket.row, f.ncol); i < ticket.row_end; ++i) {
      ++rows[at(ticket.front)][at(i)];
    }
  }
  for (Index p = 0; p < static_cast<Index>(lists.fronts.size()); ++p) {
    const Index times = p < lists.num_subtree_fronts ? 0 : 1;
    for (const Index row : rows[at(p)]) RC_ASSERT(row == times);
  }
}

RC_GTEST_PROP(FrontSolveTiles, BackwardHasEveryBlockAndItsUpdateRowsOnce, ()) {
  const FrontSolveOptions options = any_options();
  const FrontSolveLists lists = lists_of(SolveForest(any_sizes(), 1), options);

  Cover cover = empty_cover(lists), blocks = empty_cover(lists);
  std::vector<Index> slots(at(lists.sizes.num_slots), 0);
  for (const SolveTicket& ticket : lists.backward) {
    const SolveFront& f = lists.fronts[at(ticket.front)];
    RC_ASSERT(ticket.row % 2 == 0 && ticket.row_end - ticket.row <= options.part_rows);
    for (Index i = std::max(ticket.row, f.ncol); i < ticket.row_end; ++i) {
      ++cover[at(ticket.front)][at(Offset{ticket.block} * f.nrow + i)];
    }
    if (ticket.form == CLCHOL_SOLVE_BLOCK) {
      ++blocks[at(ticket.front)][at(ticket.block)];
    } else {
      ++slots[at(ticket.slot_begin)];
    }
  }
  for (Index p = 0; p < static_cast<Index>(lists.fronts.size()); ++p) {
    const SolveFront& f = lists.fronts[at(p)];
    const Index times = p < lists.num_subtree_fronts ? 0 : 1;
    for (Index b = 0; b < num_blocks(f); ++b) {
      RC_ASSERT(blocks[at(p)][at(b)] == times);
      for (Index i = f.ncol; i < f.nrow; ++i) {
        RC_ASSERT(cover[at(p)][at(Offset{b} * f.nrow + i)] == times);
      }
    }
  }
  for (const Index slot : slots) RC_ASSERT(slot == 1);
}

// ---- Tickets wait for lower tickets only

RC_GTEST_PROP(FrontSolveTiles, ForwardTicketsDependOnLowerOnes, ()) {
  const FrontSolveLists lists = lists_of(SolveForest(any_sizes(), 1), any_options());

  std::vector<Index> counters(at(lists.sizes.num_counters), 0);
  for (const SolveTicket& ticket : lists.forward) {
    const SolveFront& f = lists.fronts[at(ticket.front)];
    const bool is_block = ticket.form == CLCHOL_SOLVE_BLOCK;
    RC_ASSERT(counters[at(f.progress + 1)] == f.expected);
    RC_ASSERT(counters[at(f.progress)] >= (is_block ? ticket.block : num_blocks(f)));
    if (is_block) {
      counters[at(f.progress)] = ticket.block + 1;
    } else if (f.parent != kNone) {
      ++counters[at(f.parent + 1)];
    }
  }
  for (const SolveFront& f : lists.fronts) {
    if (f.progress != kNone) RC_ASSERT(counters[at(f.progress)] == num_blocks(f));
  }
}

RC_GTEST_PROP(FrontSolveTiles, BackwardTicketsDependOnLowerOnes, ()) {
  const FrontSolveLists lists = lists_of(SolveForest(any_sizes(), 1), any_options());

  std::vector<Index> counters(at(lists.sizes.num_counters), 0);
  for (const SolveTicket& ticket : lists.backward) {
    const SolveFront& f = lists.fronts[at(ticket.front)];
    const Index first_row = f.ncol / 2 * 2;
    for (Index row = ticket.row; row < ticket.row_end; row += kSolveBlock) {
      const SolveWait& wait = lists.waits[at(f.waits + (row - first_row) / kSolveBlock)];
      if (wait.counter != kNone) RC_ASSERT(counters[at(wait.counter)] >= wait.solved);
    }
    if (ticket.form == CLCHOL_SOLVE_ROWS) {
      ++counters[at(ticket.counter)];
      continue;
    }
    const Index slots = ticket.slot_end - ticket.slot_begin,
                behind = num_blocks(f) - 1 - ticket.block;
    if (slots > 0) RC_ASSERT(counters[at(ticket.counter)] == slots);
    RC_ASSERT(counters[at(f.progress)] >= behind);
    counters[at(f.progress)] = behind + 1;
  }
}

// The rows that a backward step reads are final after its wait.  Each is a root's update row, was
// solved in an earlier launch, or is a pivot row of the front that the step waits for or of a front
// above that front.
RC_GTEST_PROP(FrontSolveTiles, StepsWaitForTheirRows, ()) {
  const SolveForest forest(any_sizes(), 1);
  const FrontSolveLists lists = lists_of(forest, any_options());

  // The front and block that solve each row of x.
  std::vector<std::pair<Index, Index>> solved_by(at(forest.n), {kNone, 0});
  std::vector<Index> place_of_counter(at(lists.sizes.num_counters), kNone);
  for (Index p = 0; p < static_cast<Index>(lists.fronts.size()); ++p) {
    const SolveFront& f = lists.fronts[at(p)];
    for (Index i = 0; i < f.ncol; ++i) solved_by[at(f.first_column + i)] = {p, i / kSolveBlock};
    if (f.progress != kNone) place_of_counter[at(f.progress)] = p;
  }
  const auto input_of = [&](Index place) { return lists.order[at(place)]; };
  for (Index p = lists.num_subtree_fronts; p < static_cast<Index>(lists.fronts.size()); ++p) {
    const SolveFront& f = lists.fronts[at(p)];
    const Index group = forest.fronts[at(input_of(p))].group;
    for (Index row = f.ncol; row < f.nrow; ++row) {
      const SolveWait& wait = lists.waits[at(f.waits + (row - f.ncol / 2 * 2) / kSolveBlock)];
      const auto [by, block] = solved_by[at(forest.rowind[at(f.rows + row)])];
      if (by == kNone || forest.fronts[at(input_of(by))].group != group) continue;
      RC_ASSERT(wait.counter != kNone);
      const Index watched = place_of_counter[at(wait.counter)];
      // Later pivot columns are solved first.
      RC_ASSERT(input_of(by) >= input_of(watched));
      if (by == watched) RC_ASSERT(wait.solved >= num_blocks(lists.fronts[at(by)]) - block);
    }
  }
}

RC_GTEST_PROP(FrontSolveTiles, GroupsAreRangesOfAllLists, ()) {
  const SolveForest forest(any_sizes(), 1);
  const FrontSolveLists lists = lists_of(forest, any_options());

  const auto group_of = [&](Index place) {
    return forest.fronts[at(lists.order[at(place)])].group;
  };
  const SolveGroup& end = lists.groups.back();
  RC_ASSERT(at(end.subtree) + 1 == lists.subtree_ptr.size());
  RC_ASSERT(at(end.front) == lists.fronts.size());
  RC_ASSERT(at(end.forward) == lists.forward.size());
  RC_ASSERT(at(end.backward) == lists.backward.size());
  RC_ASSERT(lists.groups.front().front == lists.num_subtree_fronts);
  for (std::size_t g = 0; g + 1 < lists.groups.size(); ++g) {
    const SolveGroup &first = lists.groups[g], &last = lists.groups[g + 1];
    const auto group = static_cast<Index>(g);
    for (Index p = lists.subtree_ptr[at(first.subtree)]; p < lists.subtree_ptr[at(last.subtree)];
         ++p) {
      RC_ASSERT(group_of(p) == group);
    }
    for (Index p = first.front; p < last.front; ++p) RC_ASSERT(group_of(p) == group);
    for (Index t = first.forward; t < last.forward; ++t) {
      RC_ASSERT(group_of(lists.forward[at(t)].front) == group);
    }
    for (Index t = first.backward; t < last.backward; ++t) {
      RC_ASSERT(group_of(lists.backward[at(t)].front) == group);
    }
  }
}

// ---- Subtrees and sources

RC_GTEST_PROP(FrontSolveTiles, SubtreesAreWholeAndSmall, ()) {
  const SolveForest forest(any_sizes(), 1);
  const FrontSolveOptions options = any_options();

  const FrontSolveLists lists = lists_of(forest, options);

  std::vector<Index> place(forest.fronts.size(), kNone), subtree(forest.fronts.size(), kNone);
  for (std::size_t p = 0; p < lists.order.size(); ++p) {
    RC_ASSERT(place[at(lists.order[p])] == kNone);
    place[at(lists.order[p])] = static_cast<Index>(p);
  }
  RC_ASSERT(lists.order.size() == forest.fronts.size());
  RC_ASSERT(lists.subtree_ptr.back() == lists.num_subtree_fronts);
  for (std::size_t s = 0; s + 1 < lists.subtree_ptr.size(); ++s) {
    for (Index p = lists.subtree_ptr[s]; p < lists.subtree_ptr[s + 1]; ++p) {
      subtree[at(lists.order[at(p)])] = static_cast<Index>(s);
    }
  }
  for (std::size_t f = 0; f < forest.fronts.size(); ++f) {
    const SolveFrontInput& front = forest.fronts[f];
    if (subtree[f] != kNone) {
      RC_ASSERT(front.nrow <= options.subtree_rows && front.ncol <= options.subtree_columns);
    }
    if (front.parent == kNone) continue;
    RC_ASSERT(place[f] < place[at(front.parent)]);
    const Index above = subtree[at(front.parent)];
    RC_ASSERT(above == kNone || above == subtree[f]);
  }
}

RC_GTEST_PROP(FrontSolveTiles, SourcesAreWhatChildrenAdd, ()) {
  const SolveForest forest(any_sizes(), 1);

  const FrontSolveLists lists = lists_of(forest, any_options());

  std::vector<std::vector<Index>> expected(forest.rowind.size());
  std::vector<Offset> vector(forest.fronts.size());
  for (std::size_t p = 0; p < lists.fronts.size(); ++p) {
    vector[at(lists.order[p])] = lists.fronts[p].vector;
  }
  for (std::size_t f = 0; f < forest.fronts.size(); ++f) {
    const SolveFrontInput& child = forest.fronts[f];
    for (Index k = 0; child.parent != kNone && k < child.nrow - child.ncol; ++k) {
      const Offset row = forest.fronts[at(child.parent)].rows + forest.relind[at(child.relind + k)];
      expected[at(row)].push_back(static_cast<Index>(vector[f]) + k);
    }
  }
  RC_ASSERT(lists.source_ptr.size() == forest.rowind.size() + 1);
  for (std::size_t row = 0; row < expected.size(); ++row) {
    const std::vector<Index> got(lists.sources.begin() + lists.source_ptr[row],
                                 lists.sources.begin() + lists.source_ptr[row + 1]);
    RC_ASSERT(got == expected[row]);
  }
}

// Fronts with enough blocks have couplings at offsets of their own, and each coupling is computed
// after the couplings that it is made of.
RC_GTEST_PROP(FrontSolveTiles, BlocksOfLongFrontsAreCoupled, ()) {
  const SolveForest forest(any_sizes(), 1);
  const FrontSolveOptions options = any_options();
  const FrontSolveLists lists = lists_of(forest, options);

  constexpr Offset kEntries = Offset{kSolveBlock} * kSolveBlock;
  std::vector<Index> taken(at(lists.sizes.inverse_entries / kEntries), 0);
  std::size_t expected = 0;
  for (Index p = lists.num_subtree_fronts; p < static_cast<Index>(lists.fronts.size()); ++p) {
    const SolveFront& f = lists.fronts[at(p)];
    const Index blocks = num_blocks(f), spans = (blocks + f.span - 1) / f.span;
    const Offset begin = lists.groups[at(group_of(lists, p))].inverses;
    for (Index b = 0; b < blocks; ++b) ++taken[at((begin + f.inverses) / kEntries + b)];
    RC_ASSERT((f.couplings >= 0) == (blocks >= options.coupled_blocks));
    const bool is_spanned =
        f.couplings >= 0 && options.spanned_blocks > 0 && blocks >= options.spanned_blocks;
    RC_ASSERT(f.span == (is_spanned ? options.span : 1));
    if (f.couplings < 0) continue;
    const Index room = spans * (f.span * (f.span - 1) / 2) + (spans - 1) * 2 * f.span * f.span;
    for (Index k = 0; k < room; ++k) ++taken[at((begin + f.couplings) / kEntries + k)];
    for (Index b = 0; b < blocks; ++b) {
      expected += at(b % f.span) + (b >= f.span ? 2 * at(f.span) : 0);
    }
  }
  RC_ASSERT(expected == lists.couplings.size());
  for (const Index times : taken) RC_ASSERT(times == 1);

  // Launch that computes each coupling inside a span, by (front's panel, row, column).
  std::map<std::tuple<Offset, Index, Index>, std::size_t> launch;
  for (std::size_t l = 0; l + 1 < lists.coupling_ptr.size(); ++l) {
    for (Index c = lists.coupling_ptr[l]; c < lists.coupling_ptr[l + 1]; ++c) {
      const SolveCoupling& k = lists.couplings[at(c)];
      const Index of_row = k.row / k.span, of_column = k.column / k.span;
      RC_ASSERT(k.row > k.column && of_row - of_column == (k.kind == CLCHOL_COUPLE_INSIDE ? 0 : 1));
      if (k.kind == CLCHOL_COUPLE_INSIDE) launch[{k.panel, k.row, k.column}] = l;
    }
  }
  for (std::size_t l = 0; l + 1 < lists.coupling_ptr.size(); ++l) {
    for (Index c = lists.coupling_ptr[l]; c < lists.coupling_ptr[l + 1]; ++c) {
      const SolveCoupling& k = lists.couplings[at(c)];
      const auto is_made = [&](Index i, Index j) {
        return i == j || launch.at({k.panel, i, j}) < l;
      };
      const Index begin = k.row / k.span * k.span, end = (k.column / k.span + 1) * k.span;
      if (k.kind == CLCHOL_COUPLE_BEFORE) {
        for (Index t = begin; t <= k.row; ++t) RC_ASSERT(is_made(k.row, t));
      } else {
        const Index last = k.kind == CLCHOL_COUPLE_INSIDE ? k.row : end;
        for (Index t = k.column; t < last; ++t) RC_ASSERT(is_made(t, k.column));
      }
    }
  }
  RC_ASSERT(lists.groups.front().coupling == 0);
  RC_ASSERT(at(lists.groups.back().coupling) + 1 == lists.coupling_ptr.size());
  RC_ASSERT(at(lists.coupling_ptr.back()) == lists.couplings.size());
}

// ---- By hand

// 65 pivot columns and 66 update rows: the last pivot row begins the first tile of update rows.
TEST(FrontSolveTiles, TicketsOfOneFront) {
  const SolveForest forest({{65, 66}}, 1);

  const FrontSolveLists lists = lists_of(forest, {.part_rows = 64});

  ASSERT_EQ(lists.forward.size(), 4U);
  const auto rows = [](const SolveTicket& t) {
    return std::vector<Index>{t.form, t.row, t.row_end};
  };
  EXPECT_THAT(rows(lists.forward[0]), ElementsAre(CLCHOL_SOLVE_BLOCK, 0, 64));
  EXPECT_THAT(rows(lists.forward[1]), ElementsAre(CLCHOL_SOLVE_BLOCK, 64, 65));
  EXPECT_THAT(rows(lists.forward[2]), ElementsAre(CLCHOL_SOLVE_ROWS, 64, 128));
  EXPECT_THAT(rows(lists.forward[3]), ElementsAre(CLCHOL_SOLVE_ROWS, 128, 131));
  // Two parts for each of two blocks; the last block needs its parts first.
  ASSERT_EQ(lists.backward.size(), 6U);
  EXPECT_EQ(lists.sizes.num_slots, 4);
  EXPECT_EQ(lists.sizes.num_counters, 2 + 2);
  EXPECT_THAT(rows(lists.backward[0]), ElementsAre(CLCHOL_SOLVE_ROWS, 128, 131));
  EXPECT_EQ(lists.backward[0].block, 1);
  EXPECT_EQ(lists.backward.back().block, 0);
  EXPECT_EQ(lists.backward.back().form, CLCHOL_SOLVE_BLOCK);
}

// A front whose update vector is handed over has no tickets, and its parent waits only for the
// other child.  Vectors that are handed over overlap with no other vectors.
TEST(FrontSolveTiles, HandedFronts) {
  SolveForest forest({{20, 100, 2}, {70, 60, 2}, {130, 40}}, 1);
  SolveFrontInput& given = forest.fronts[0];
  given.rows += given.ncol;
  given.nrow -= given.ncol;
  given.ncol = 0;
  given.is_handed = forest.fronts[2].is_handed = true;

  const FrontSolveLists lists = lists_of(forest, {});

  EXPECT_TRUE(lists.sizes.has_handed);
  const auto place_of = [&](Index front) {
    return static_cast<Index>(std::ranges::find(lists.order, front) - lists.order.begin());
  };
  for (const auto* tickets : {&lists.forward, &lists.backward}) {
    for (const SolveTicket& ticket : *tickets) EXPECT_NE(ticket.front, place_of(0));
  }
  // Rows 70 to 129 of the other child are in one tile of 64.
  EXPECT_EQ(lists.fronts[at(place_of(2))].expected, 1);
  const auto vector_of = [&](Index front) { return lists.fronts[at(place_of(front))].vector; };
  EXPECT_GE(vector_of(0), vector_of(1) + 60);
  EXPECT_GE(vector_of(2), vector_of(0) + 100);
  EXPECT_EQ(lists.sizes.vector_rows, 60 + 100 + 40);
}

TEST(FrontSolveTiles, WrongInputIsNamed) {
  const auto message = [](auto change) {
    SolveForest forest({{3, 2, 1}, {4, 0}}, 1);
    FrontSolveOptions options;
    change(forest, options);
    try {
      lists_of(forest, options);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using F = SolveForest&;
  using O = FrontSolveOptions&;
  EXPECT_EQ(message([](F, O) {}), "accepted");
  EXPECT_THAT(message([](F f, O) { f.fronts[0].ncol = 0; }), HasSubstr("1 <= ncol <= nrow"));
  EXPECT_THAT(message([](F f, O) { f.fronts[0].is_handed = true, f.fronts[0].ncol = 0; }),
              HasSubstr("relative indices"));
  EXPECT_THAT(message([](F f, O) { f.fronts[0].ldp = 5; }), HasSubstr("leading dimension 5"));
  EXPECT_THAT(message([](F f, O) { f.fronts[1].panel = 17; }), HasSubstr("front 1: panel at 17"));
  EXPECT_THAT(message([](F f, O) { f.fronts[1].rows = 6; }), HasSubstr("rows at 6 of 9"));
  EXPECT_THAT(message([](F f, O) { f.fronts[0].parent = 0; }), HasSubstr("parent 0"));
  EXPECT_THAT(message([](F f, O) { f.fronts[0].parent = 2; }), HasSubstr("parent 2"));
  EXPECT_THAT(message([](F f, O) { f.relind[1] = 4; }), HasSubstr("relative index 4 of 4"));
  EXPECT_THAT(message([](F f, O) { f.relind.pop_back(); }),
              HasSubstr("relative indices at 0 of 1"));
  EXPECT_THAT(message([](F, O o) { o.subtree_columns = 33; }), HasSubstr("33 columns"));
  EXPECT_THAT(message([](F, O o) { o.part_rows = 100; }), HasSubstr("parts of 100 rows"));
  EXPECT_THAT(message([](F, O o) { o.subtrees = 0; }), HasSubstr("0 subtrees"));
  EXPECT_THAT(message([](F, O o) { o.coupled_blocks = 1; }), HasSubstr("1 coupled blocks"));
  EXPECT_THAT(message([](F, O o) { o.span = 9; }), HasSubstr("spans of 9 blocks"));
  EXPECT_THAT(message([](F, O o) { o.spanned_blocks = -1; }), HasSubstr("fronts of -1"));
}

}  // namespace
}  // namespace clchol::gpu
