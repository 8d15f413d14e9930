// The kernels of front_solve in the emulator.  Compiled once for each number of right-hand sides of
// a launch (RHS), with SUITE as the suite's name.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/gpu_kernels/emulated/ptx_emulator.hpp"
#include "tests/gpu_kernels/fronts/solve_forest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
namespace clchol::emulated {
namespace {
using gpu::CLCHOL_COUPLE_BEFORE;
using gpu::CLCHOL_COUPLE_BEHIND;
using gpu::CLCHOL_COUPLE_INSIDE;
using gpu::CLCHOL_SOLVE_BLOCK;
using gpu::CLCHOL_SOLVE_ROWS;
using gpu::SolveCoupling;
using gpu::SolveFront;
using gpu::SolveTicket;
using gpu::SolveWait;
namespace tiles {
#include "gpu_kernels/kernels/fronts/front_solve.cl"  // NOLINT(bugprone-suspicious-include)
static_assert(BLOCK == gpu::kSolveBlock && RHS <= gpu::kMostSolveSides);
}  // namespace tiles
namespace subtrees {
#include "gpu_kernels/kernels/fronts/subtree_solve.cl"  // NOLINT(bugprone-suspicious-include)
static_assert(MOST_COLUMNS == gpu::kMostSubtreeColumns);
}  // namespace subtrees
namespace couplings {
#include "gpu_kernels/kernels/fronts/couple_blocks.cl"  // NOLINT(bugprone-suspicious-include)
}  // namespace couplings
#pragma GCC diagnostic pop

using gpu::AlignedValues, gpu::FrontSolveLists, gpu::FrontSolveOptions, gpu::kSolveSizes;
using gpu::SolveFrontSize;

// A forest with functions that run the kernels, RHS right-hand sides at a time.
class Forest : public gpu::SolveForest {
 public:
  /// The first front's update vector is as those of other fronts, is kept after the forward solve,
  /// or is given before the forward solve; then the front has no columns.
  enum class First { kUsual, kKept, kGiven };

  Forest(const std::vector<SolveFrontSize>& sizes, Index nrhs, const FrontSolveOptions& options,
         First first = First::kUsual)
      : SolveForest(sizes, nrhs, 3),
        lists_(gpu::make_front_solve(input_with(first), options)),
        inverses_(inverses(lists_)),
        vectors_(lists_.sizes.vector_rows * RHS),
        partial_(Offset{lists_.sizes.num_slots} * kSlot),
        tagged_(at(Offset{lists_.sizes.tagged_rows} * 2 * RHS)) {}

  void forward(Launch launch) {
    for (Index first = 0; first < nrhs; first += RHS) {
      for (std::size_t g = 0; g + 1 < lists_.groups.size(); ++g) {
        run_subtrees(first, g, [&](auto... all) { subtrees::subtree_forward(all...); });
        const Index begin = lists_.groups[g].forward, end = lists_.groups[g + 1].forward;
        const auto draw = counters();
        run(launch, [&] {
          operands(first, g, [&](auto... all) {
            tiles::front_solve_forward(all..., end - begin, lists_.forward.data(), begin,
                                       counters_.data(), 0, draw, 0, tagged_.data(), 0, tag_);
          });
        });
      }
    }
  }
  void backward(Launch launch) {
    for (Index first = 0; first < nrhs; first += RHS) {
      for (std::size_t g = lists_.groups.size() - 1; g-- > 0;) {
        const Index begin = lists_.groups[g].backward, end = lists_.groups[g + 1].backward;
        const auto draw = counters();
        run(launch, [&] {
          operands(first, g, [&](auto... all) {
            tiles::front_solve_backward(all..., end - begin, lists_.backward.data(), begin,
                                        counters_.data(), 0, draw, 0, tagged_.data(), 0, tag_,
                                        partial_.data(), 0, lists_.waits.data(), 0);
          });
        });
        run_subtrees(first, g, [&](auto... all) { subtrees::subtree_backward(all...); });
      }
    }
  }
  const FrontSolveLists& lists() const { return lists_; }
  /// The first front's update vector, for RHS right-hand sides.
  std::span<double> first_vector() {
    const auto place = std::ranges::find(lists_.order, 0) - lists_.order.begin();
    const SolveFront& front = lists_.fronts[at(place)];
    return vectors_.span().subspan(at(front.vector * RHS),
                                   at(Offset{front.nrow - front.ncol} * RHS));
  }
  /// The inverted blocks and their couplings by the reference; inverses_coupled_by_kernel()
  /// computes the couplings by the kernel.
  std::span<const double> inverses_by_reference() { return inverses_.span(); }
  AlignedValues inverses_coupled_by_kernel() {
    AlignedValues values = inverses_;
    for (std::size_t g = 0; g + 1 < lists_.groups.size(); ++g) {
      const gpu::SolveGroup &group = lists_.groups[g], &next = lists_.groups[g + 1];
      for (Index p = group.front; p < next.front; ++p) {
        const SolveFront& front = lists_.fronts[at(p)];
        if (front.couplings < 0) continue;
        std::fill_n(&values[group.inverses + front.couplings], couplings_size(front), std::nan(""));
      }
      for (Index l = group.coupling; l < next.coupling; ++l) {
        const Index begin = lists_.coupling_ptr[at(l)], end = lists_.coupling_ptr[at(l + 1)];
        run({.work_groups = 2 * (end - begin), .items = GROUP}, [&] {
          couplings::couple_blocks(lists_.couplings.data(), begin, panels.data(), 0, values.data(),
                                   group.inverses);
        });
      }
    }
    return values;
  }

 private:
  static constexpr Offset kSlot = SLOT;

  static Offset couplings_size(const SolveFront& front) {
    constexpr Offset kEntries = Offset{gpu::kSolveBlock} * gpu::kSolveBlock;
    const Offset span = front.span, spans = (front.ncol + 64 * span - 1) / (64 * span);
    return (spans * span * (span - 1) / 2 + (spans - 1) * 2 * span * span) * kEntries;
  }

  gpu::FrontSolveInput input_with(First first) {
    gpu::SolveFrontInput& front = fronts.front();
    front.is_handed = first != First::kUsual;
    if (first == First::kGiven) {
      front.rows += front.ncol;
      front.nrow -= front.ncol;
      front.ncol = 0;
    }
    return input();
  }

  // Sets all counters to zero and begins a new tag.  Returns the ticket counter.
  int* counters() {
    ++tag_;
    counters_.assign(at(lists_.sizes.num_counters) + 1, 0);
    return &counters_.back();
  }
  template <class Call>
  void operands(Index first, std::size_t group, const Call& call) {
    call(nrhs, first, std::min<Index>(RHS, nrhs - first), lists_.fronts.data(), Offset{0},
         lists_.source_ptr.data(), Offset{0}, lists_.sources.data(), Offset{0}, rowind.data(),
         Offset{0}, panels.data(), Offset{0}, inverses_.data(), lists_.groups[group].inverses,
         x.data(), Offset{0}, vectors_.data(), Offset{0});
  }
  template <class Kernel>
  void run_subtrees(Index first, std::size_t group, const Kernel& kernel) {
    const Index begin = lists_.groups[group].subtree;
    const Index count = lists_.groups[group + 1].subtree - begin;
    if (count == 0) return;
    run({.work_groups = (count + 3) / 4, .items = GROUP, .alive = 1, .seed = 5}, [&] {
      operands(first, group, [&](auto... all) {
        kernel(all..., count, lists_.subtree_ptr.data(), Offset{begin});
      });
    });
  }

  FrontSolveLists lists_;
  AlignedValues inverses_, vectors_, partial_;
  std::vector<Offset> tagged_;
  Index tag_ = 0;
  std::vector<int> counters_;
};

constexpr int kItems = GROUP + 32 * (COPIERS + BRINGERS);
const Launch kOneGroup{.work_groups = 1, .items = kItems, .copies = Copies::kAtOnce};
const Launch kManyGroups{
    .work_groups = 6, .items = kItems, .alive = 5, .copies = Copies::kLate, .seed = 7};

// Most fronts in subtrees; all fronts in tiles with update rows in parts; small subtrees.
const FrontSolveOptions kMixed{}, kTiles{.subtree_columns = 0, .part_rows = 64},
    kFewRows{.subtree_rows = 20, .subtree_columns = 8, .part_rows = 128};

#if SPANS == 0  // Kernels with spans skip tests that do not concern spans.
std::vector<Index> side_counts() {
  if (RHS == 1) return {1, 2};
  return {1, 2, RHS, RHS + 1};
}

TEST(SUITE, ForwardIsTheReference) {
  for (const FrontSolveOptions& options : {kMixed, kTiles, kFewRows}) {
    for (const Index nrhs : side_counts()) {
      SCOPED_TRACE(testing::Message() << options.subtree_columns << " columns, nrhs " << nrhs);
      Forest forest(kSolveSizes, nrhs, options), expected = forest;

      forest.forward(nrhs == 1 ? kOneGroup : kManyGroups);
      expected.forward_by_reference();

      expect_close(forest, expected);
    }
  }
}

TEST(SUITE, BackwardIsTheReference) {
  for (const FrontSolveOptions& options : {kMixed, kTiles, kFewRows}) {
    for (const Index nrhs : side_counts()) {
      SCOPED_TRACE(testing::Message() << options.subtree_columns << " columns, nrhs " << nrhs);
      Forest forest(kSolveSizes, nrhs, options), expected = forest;

      forest.backward(nrhs == 1 ? kOneGroup : kManyGroups);
      expected.backward_by_reference();

      expect_close(forest, expected);
    }
  }
}
#endif

void expect_the_reference_both_ways(Forest forest) {
  Forest expected = forest;

  forest.forward(kManyGroups);
  expected.forward_by_reference();
  expect_close(forest, expected);

  forest.backward(kManyGroups);
  expected.backward_by_reference();
  expect_close(forest, expected);
}

// Long chains of diagonal blocks, and rows that wait for parts of fronts above.
TEST(SUITE, LongChainsAreTheReference) {
  expect_the_reference_both_ways(
      {{{40, 390, 1}, {70, 330, 3}, {30, 200, 3}, {420, 150, 4}, {200, 0}}, RHS, kTiles});
}

// Couplings are sums of 64 products whose magnitudes add up to less than 4.
TEST(SUITE, CouplingsAreTheReference) {
  for (const Index spanned : {0, 2, 4}) {
    SCOPED_TRACE(spanned);
    Forest forest({{129, 3, 1}, {420, 151, 2}, {256, 0}}, 1,
                  {.subtree_columns = 0,
                   .coupled_blocks = 2,
                   .spanned_blocks = spanned,
                   .span = spanned == 2 ? 3 : 2});

    AlignedValues coupled = forest.inverses_coupled_by_kernel();

    const auto expected = forest.inverses_by_reference();
    for (Offset k = 0; k < static_cast<Offset>(expected.size()); ++k) {
      const double value = expected[static_cast<std::size_t>(k)];
      if (std::isnan(value)) continue;  // No such coupling: the last span is short.
      ASSERT_NEAR(coupled[k], value, 64 * 4 * 2.3e-16) << k;
    }
  }
}

#if SPANS
// Diagonal blocks in spans: in fronts with just enough blocks and with more, whole spans and short
// last spans.  Every run has the same bits.
TEST(SUITE, SpansAreTheReference) {
  for (const Index span : {2, 3, 4}) {
    SCOPED_TRACE(span);
    FrontSolveOptions options = kTiles;
    options.coupled_blocks = 2;
    options.spanned_blocks = 3;
    options.span = span;
    const std::vector<SolveFrontSize> sizes = {{63, 40, 5},  {129, 130, 5}, {256, 64, 5},
                                               {270, 90, 5}, {590, 3, 5},   {450, 0}};
    Forest forest(sizes, RHS, options), again = forest;
    const auto is_wide = [&](const SolveFront& front) { return front.span == span; };
    const auto& fronts = forest.lists().fronts;
    ASSERT_EQ(std::count_if(fronts.begin(), fronts.end(), is_wide), 5);

    expect_the_reference_both_ways(forest);

    forest.forward(kManyGroups);
    forest.backward(kManyGroups);
    again.forward(kOneGroup);
    again.backward(kOneGroup);
    EXPECT_EQ(std::memcmp(forest.x.data(), again.x.data(), again.x.size() * sizeof(double)), 0);
  }
}
#endif

// Fronts with too few blocks for couplings, with just enough, and with more.
TEST(SUITE, CoupledOrNotIsTheReference) {
  for (const Index coupled : {2, 3, 100}) {
    FrontSolveOptions options = kTiles;
    options.coupled_blocks = coupled;
    expect_the_reference_both_ways(
        {{{63, 40, 4}, {65, 130, 4}, {129, 64, 4}, {192, 90, 4}, {260, 0}}, RHS, options});
  }
}

#if SPANS == 0
// A launch for each direction and group of fronts.
TEST(SUITE, GroupsAreTheReference) {
  for (const FrontSolveOptions& options : {kMixed, kTiles}) {
    expect_the_reference_both_ways({gpu::grouped_sizes(), RHS, options});
  }
}

// Tickets of fronts that wait for nothing and that no other front of the launch waits for: the
// warps of a work-group need not work on the same ticket.
TEST(SUITE, WarpsFallBehindFromTicketToTicket) {
  std::vector<SolveFrontSize> sizes;
  for (Index f = 0; f < 6; ++f) sizes.push_back({5, 150, 6 + f});
  for (Index f = 0; f < 6; ++f) sizes.push_back({70, 100, 12});
  sizes.push_back({128, 64, kNone, 1});
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    Forest forest(sizes, RHS, {.subtree_rows = 155, .subtrees = 1}), expected = forest;
    ASSERT_EQ(forest.lists().num_subtree_fronts, 6);
    forest.forward({.work_groups = 1, .items = kItems, .alive = 1, .seed = seed});
    expected.forward_by_reference();
    expect_close(forest, expected);
  }
}

// Another device hands over the first front's update vector: rows of other fronts have the same
// bits.
TEST(SUITE, HandedVectorsAreTheChilds) {
  const std::vector<SolveFrontSize> sizes = {{20, 100, 2}, {70, 60, 2}, {130, 40, 3}, {64, 0}};
  for (const FrontSolveOptions& options : {kMixed, kTiles}) {
    Forest whole(sizes, RHS, options, Forest::First::kKept), expected = whole;
    whole.forward(kManyGroups);
    expected.forward_by_reference();
    expect_close(whole, expected);

    Forest part(sizes, RHS, options, Forest::First::kGiven);
    EXPECT_TRUE(part.lists().sizes.has_handed);
    std::ranges::copy(whole.first_vector(), part.first_vector().begin());
    part.forward(kManyGroups);
    const std::size_t others = std::size_t{20} * RHS;  // Behind the first front's rows.
    EXPECT_EQ(std::memcmp(part.x.data() + others, whole.x.data() + others,
                          (whole.x.size() - others) * sizeof(double)),
              0);
    whole.backward(kManyGroups);
    part.backward(kManyGroups);
    EXPECT_EQ(std::memcmp(part.x.data() + others, whole.x.data() + others,
                          (whole.x.size() - others) * sizeof(double)),
              0);
  }
}

// The bits do not depend on the number of work-groups or on their order.
TEST(SUITE, SameBitsAtEveryRun) {
  Forest first(kSolveSizes, RHS, kTiles);
  first.forward(kOneGroup);
  first.backward(kOneGroup);
  for (const unsigned seed : {11U, 12U}) {
    Forest again(kSolveSizes, RHS, kTiles);
    Launch launch = kManyGroups;
    launch.seed = seed;

    again.forward(launch);
    again.backward(launch);

    EXPECT_EQ(std::memcmp(first.x.data(), again.x.data(), first.x.size() * sizeof(double)), 0);
  }
}

// A chain of single columns, and a front with as many children as it has rows.
TEST(SUITE, ChainsAndStars) {
  std::vector<SolveFrontSize> chain, star;
  for (Index f = 0; f < 40; ++f) chain.push_back({1, f < 39 ? 1 : 0, f < 39 ? f + 1 : kNone});
  for (Index f = 0; f < 70; ++f) star.push_back({1, 1 + f % 7, 70});
  star.push_back({66, 4});
  for (const auto& sizes : {chain, star}) {
    for (const FrontSolveOptions& options : {kMixed, kTiles}) {
      expect_the_reference_both_ways({sizes, 1, options});
    }
  }
}
#endif

}  // namespace
}  // namespace clchol::emulated
