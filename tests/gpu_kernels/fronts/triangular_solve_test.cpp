#include "gpu_kernels/fronts/triangular_solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_kernels/reference/triangular_solve.hpp"
#include "tests/gpu_kernels/fronts/front_forest.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Index kSolveBlockOrder = 16;

// Fronts with orders around one and two blocks, with and without update rows and children.
const std::vector<FrontSpec> kSolvedFronts{{1, 1, {1}},       {15, 15, {}},     {16, 7, {16, 2}},
                                           {17, 16, {5, 17}}, {40, 17, {}},     {35, 35, {30, 35}},
                                           {90, 33, {60, 1}}, {70, 50, {70, 3}}};

struct Case {
  const char* name;
  Index nrhs;
  Index rhs;  // Right-hand sides of a work-group.
  Offset whole_entries;
};

/// A forest, values of L, and one buffer of vectors: those of fronts, then those of children.
template <class T>
struct SolveProblem {
  FrontForest forest;
  std::vector<T> panels, inverses, x, vectors;
};

template <class T>
SolveProblem<T> make_problem(Index nrhs) {
  SolveProblem<T> p{make_forest(kSolvedFronts, 41, kSolveBlockOrder), {}, {}, {}, {}};
  FrontForest& forest = p.forest;
  for (Child& child : forest.children) child.vector += forest.vector_rows;
  p.panels = nan_values<T>(forest.panel_entries);
  std::mt19937 random(42);
  std::uniform_real_distribution<T> uniform(-1, 1);
  for (const Front& front : forest.fronts) {
    for (Index j = 0; j < front.ncol; ++j) {
      for (Index i = j; i < front.nrow; ++i) {
        // Panels are diagonally dominant by columns, so that blocks are well conditioned.
        p.panels[front.panel + i + j * front.ldp] =
            i == j ? 2 + uniform(random) : uniform(random) / static_cast<T>(front.nrow);
      }
    }
  }
  p.inverses = nan_values<T>(forest.inverse_entries);
  reference::invert_diagonal_blocks<T>(forest.fronts, kSolveBlockOrder, p.panels, p.inverses);
  p.x = uniform_values<T>(Offset{forest.n} * nrhs, 43);
  p.vectors = nan_values<T>(forest.vector_rows * nrhs);
  const std::vector<T> of_children = uniform_values<T>(forest.child_rows * nrhs, 44);
  p.vectors.insert(p.vectors.end(), of_children.begin(), of_children.end());
  return p;
}

template <class T>
class TriangularSolveTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
  }

  static SolveCut cut(const Case& c) {
    return {.block = kSolveBlockOrder, .whole_entries = c.whole_entries, .tile_rows = 20};
  }

  void forward_on_device(const Case& c, SolveProblem<T>& p) {
    TriangularSolve<T> solve(programs(), {.block = kSolveBlockOrder, .rhs = c.rhs});
    const FrontBuffers lists(queue(), p.forest.lists());
    const DeviceBuffer<T> panels = this->on_device(p.panels),
                          inverses = this->on_device(p.inverses);
    const DeviceBuffer<T> x = this->on_device(p.x), vectors = this->on_device(p.vectors);
    const ForwardWave wave(queue(), make_forward_lists(p.forest.lists(), p.forest.all(), cut(c)));
    solve.forward(queue(), lists, wave, {c.nrhs, panels, inverses, x, vectors, {}});
    p.x = this->on_host(x);
    p.vectors = this->on_host(vectors);
  }

  // Each front is a wave of its own: its update rows may belong to later fronts that are not its
  // parents.
  void backward_on_device(const Case& c, SolveProblem<T>& p) {
    TriangularSolve<T> solve(programs(), {.block = kSolveBlockOrder, .rhs = c.rhs});
    const FrontBuffers lists(queue(), p.forest.lists());
    const DeviceBuffer<T> panels = this->on_device(p.panels),
                          inverses = this->on_device(p.inverses);
    const DeviceBuffer<T> x = this->on_device(p.x), vectors = this->on_device(p.vectors);
    for (Index f = static_cast<Index>(p.forest.fronts.size()) - 1; f >= 0; --f) {
      const BackwardWave wave(queue(),
                              make_backward_lists(p.forest.fronts, std::vector<Index>{f}, cut(c)));
      const DeviceBuffer<T> partial =
          this->on_device(nan_values<T>(wave.num_slots() * kSolveBlockOrder * c.nrhs));
      solve.backward(queue(), lists, wave, {c.nrhs, panels, inverses, x, vectors, partial});
    }
    p.x = this->on_host(x);
  }

  static std::vector<Index> reversed(std::vector<Index> wave) {
    std::ranges::reverse(wave);
    return wave;
  }

  // Inverses have errors of a few eps times the block's condition number, which is below 4.  Sums
  // have up to 90 terms whose magnitudes add up to less than 4.
  static constexpr double kTolerance = 64 * std::numeric_limits<T>::epsilon();

  // Update rows of the fronts' vectors, which parents read; all other rows are scratch.
  static std::vector<T> update_rows(const SolveProblem<T>& p, Index nrhs) {
    std::vector<T> rows;
    for (const Front& front : p.forest.fronts) {
      const auto begin = p.vectors.begin() + (front.vector + front.ncol) * nrhs;
      rows.insert(rows.end(), begin, begin + Offset{front.nrow - front.ncol} * nrhs);
    }
    return rows;
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(TriangularSolveTest, Reals);

// Right-hand sides: fewer than a work-group takes, or with a rest.  Fronts: whole, all cut, or
// mixed.
constexpr Case kCases[] = {{"one, mixed", 1, 2, 1000},
                           {"five, whole", 5, 2, 1 << 20},
                           {"five, cut", 5, 2, 0},
                           {"two, mixed", 2, 2, 1000}};

TYPED_TEST(TriangularSolveTest, ForwardAgreesWithSubstitution) {
  using T = TypeParam;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    SolveProblem<T> expected = make_problem<T>(c.nrhs), actual = expected;

    reference::forward_solve<T>(expected.forest.lists(), expected.forest.all(),
                                {c.nrhs, expected.panels, expected.x, expected.vectors});
    this->forward_on_device(c, actual);

    expect_close(actual.x, expected.x, this->kTolerance);
    expect_close(this->update_rows(actual, c.nrhs), this->update_rows(expected, c.nrhs),
                 this->kTolerance);
  }
}

TYPED_TEST(TriangularSolveTest, BackwardAgreesWithSubstitution) {
  using T = TypeParam;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    SolveProblem<T> expected = make_problem<T>(c.nrhs), actual = expected;

    reference::backward_solve<T>(expected.forest.lists(), this->reversed(expected.forest.all()),
                                 {c.nrhs, expected.panels, expected.x, expected.vectors});
    this->backward_on_device(c, actual);

    expect_close(actual.x, expected.x, this->kTolerance);
  }
}

using OneSideTest = TriangularSolveTest<float>;

TEST_F(OneSideTest, GroupsOfOneRightHandSide) {
  constexpr Case kOne{"one", 1, 1, 1000};
  SolveProblem<float> expected = make_problem<float>(1), actual = expected;

  const FrontLists lists = expected.forest.lists();
  reference::forward_solve<float>(lists, expected.forest.all(),
                                  {1, expected.panels, expected.x, expected.vectors});
  reference::backward_solve<float>(lists, reversed(expected.forest.all()),
                                   {1, expected.panels, expected.x, expected.vectors});
  forward_on_device(kOne, actual);
  backward_on_device(kOne, actual);

  // The errors of the forward solve grow by less than 4 in the backward solve.
  expect_close(actual.x, expected.x, 5 * kTolerance);
}

TYPED_TEST(TriangularSolveTest, SameBitsAtEveryRun) {
  using T = TypeParam;
  constexpr Case kCut{"cut", 5, 2, 1000};
  SolveProblem<T> first = make_problem<T>(5), again = first;

  for (SolveProblem<T>* p : {&first, &again}) {
    this->forward_on_device(kCut, *p);
    this->backward_on_device(kCut, *p);
  }

  expect_same(again.x, first.x);
  expect_same(again.vectors, first.vectors);
}

TYPED_TEST(TriangularSolveTest, WrongArgumentsAreRefused) {
  using T = TypeParam;
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { TriangularSolve<T>(this->programs(), {.block = 17, .rhs = 1}); }),
              HasSubstr("-DBLOCK=17"));
  TriangularSolve<T> solve(this->programs(), {.block = kSolveBlockOrder, .rhs = 2});
  const FrontForest forest = make_forest({{40, 20}}, 1, kSolveBlockOrder);
  const FrontBuffers lists(this->queue(), forest.lists());
  const BackwardWave wave(this->queue(),
                          make_backward_lists(forest.fronts, forest.all(),
                                              {.block = kSolveBlockOrder, .whole_entries = 0}));
  EXPECT_THAT(message_of<InvalidArgument>([&] { solve.backward(this->queue(), lists, wave, {}); }),
              HasSubstr("partial has 0 entries for 2 partial sums"));
}

TEST(SolveLists, StepsOfACutFront) {
  const FrontForest forest = make_forest({{70, 40, {}}}, 1, 32);
  const SolveCut cut{.block = 32, .whole_entries = 0, .tile_rows = 20};

  const ForwardLists forward = make_forward_lists(forest.lists(), forest.all(), cut);
  const BackwardLists backward = make_backward_lists(forest.fronts, forest.all(), cut);

  // Step 0 puts 4 tiles of 20 rows together; then 38 rows are below block 0, 30 below block 1.
  EXPECT_THAT(forward.step_ptr, ElementsAre(0, 4, 6, 8));
  EXPECT_EQ(forward.tiles[4].row_begin, 32);
  EXPECT_EQ(forward.tiles[4].form, CLCHOL_SOLVE_WRITE);
  EXPECT_EQ(forward.tiles[5].form, 0);
  EXPECT_EQ(forward.tiles[7].row_end, 70);
  // First 2 tiles of update rows for each of 2 blocks, and their 2 sums; then block 1 with target
  // 0; then block 0.
  EXPECT_EQ(backward.whole_end, 0);
  EXPECT_EQ(backward.partial_end, 4);
  EXPECT_EQ(backward.num_slots, 4);
  EXPECT_THAT(backward.step_ptr, ElementsAre(6, 7, 8));
  EXPECT_EQ(backward.tiles[6].block_begin, 1);
  EXPECT_EQ(backward.tiles[6].block_end, 0);
  EXPECT_EQ(backward.tiles[7].block_end, -1);
}

TEST(SolveReference, ByHand) {
  // L = [2; 1 4; 3 5], two pivot columns and one update row.
  Front front{};
  front.ldp = 3;
  front.nrow = 3;
  front.ncol = 2;
  const std::vector<Front> fronts{front};
  const std::vector<Index> rowind{0, 1, 2};
  const std::vector<double> panel{2, 1, 3, 0, 4, 5};
  std::vector<double> x{4, 10, 1}, w(3), inverse(4);
  const FrontLists lists{fronts, {}, {}, rowind, {}, {}};

  reference::forward_solve<double>(lists, std::vector<Index>{0}, {1, panel, x, w});
  EXPECT_THAT(x, ElementsAre(2, 2, 1));
  EXPECT_EQ(w[2], -3 * 2 - 5 * 2);

  reference::backward_solve<double>(lists, std::vector<Index>{0}, {1, panel, x, w});
  EXPECT_THAT(x, ElementsAre(-1.0 / 8, -3.0 / 4, 1));  // (2 - 5) / 4, (2 - 3 + 3/4) / 2

  reference::invert_diagonal_blocks<double>(fronts, 2, panel, inverse);
  EXPECT_THAT(inverse, ElementsAre(0.5, -1.0 / 8, 0, 0.25));
}

}  // namespace
}  // namespace clchol::gpu
