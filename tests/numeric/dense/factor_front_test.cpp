#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>

#include "base/team.hpp"
#include "tests/numeric/dense/test_front.hpp"

namespace clchol::numeric::dense {
namespace {

using test::on_every_target;
using test::same_bits;
using test::Shape;
using test::TestFront;

/// Greatest ratio of an entry of | A - L L' - U | to its bound.
///
/// For Cholesky with any order of summation | A - L L' | <= gamma(k + 1) |L| |L'| entrywise, where
/// k is the number of columns [Higham, Theorem 10.3].  An update entry is one more term of the sum.
/// Divisions by reciprocals and by 1 / sqrt add a few roundings: k + 8.  The residual is computed
/// in double, so for T = double it has the same error once more: a factor of 2.
template <class T>
double worst_residual(const TestFront<T>& before, const TestFront<T>& after, bool accumulate) {
  const Index n = after.nrow;
  const double unit = 2 * (after.ncol + 8) * double{std::numeric_limits<T>::epsilon()};
  double worst = 0;
  std::vector<double> residual(n), bound(n);
  for (Index j = 0; j < n; ++j) {
    const bool in_panel = j < after.ncol;
    const Offset u = in_panel ? 0 : update_column_offset(after.nupd(), j - after.ncol);
    for (Index i = j; i < n; ++i) {
      if (in_panel) {
        residual[i] = before.panel[i + j * after.ldp];
        bound[i] = 0;
      } else {
        const double start = accumulate ? before.update[u + i - after.ncol] : T{0};
        residual[i] = start - after.update[u + i - after.ncol];
        bound[i] = std::abs(start) + std::abs(after.update[u + i - after.ncol]);
      }
    }
    for (Index k = 0; k <= std::min(j, after.ncol - 1); ++k) {
      const T* const column = &after.panel[k * after.ldp];
      const double factor = column[j];
      for (Index i = j; i < n; ++i) {
        residual[i] -= column[i] * factor;
        bound[i] += std::abs(column[i] * factor);
      }
    }
    for (Index i = j; i < n; ++i) {
      const double ratio = std::abs(residual[i]) / (unit * bound[i]);
      if (!(ratio <= worst)) worst = ratio;  // A NaN counts as worst.
    }
  }
  return worst;
}

/// Greatest relative error of the stored reciprocals of L(j,j), in units of roundoff.  Reciprocals
/// and diagonal entries are computed separately, each within a few roundings.
template <class T>
double worst_reciprocal(const TestFront<T>& front) {
  double worst = 0;
  for (Index j = 0; j < front.ncol; ++j) {
    const double error = std::abs(front.inv_diag[j] * front.panel[j + j * front.ldp] - T{1});
    if (!(error <= worst)) worst = error;
  }
  return worst / std::numeric_limits<T>::epsilon();
}

template <class T>
void expect_factored(Index ncol, Index nupd, Offset padding, bool accumulate) {
  SCOPED_TRACE(testing::Message() << "ncol " << ncol << " nupd " << nupd << " padding " << padding
                                  << " accumulate " << accumulate);
  TestFront<T> before(ncol + nupd, nupd, padding);
  if (accumulate) before.fill_update();
  TestFront<T> front = before;

  const PivotCheck<T> check = front.factor(accumulate);

  ASSERT_EQ(check.column, kNone);
  ASSERT_LE(worst_residual(before, front, accumulate), 1.0);
  ASSERT_LE(worst_reciprocal(front), 8.0);
  ASSERT_TRUE(front.padding_intact());
}

// Tile heights are 4 to 48 rows, widths 4 and 8 columns, block columns of the update 64.
constexpr Index kTileCols[] = {1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 23, 24, 25, 27, 47, 48, 49, 51};
constexpr Index kTileUpdates[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 25, 27, 49, 63, 64, 65, 129};

template <class T>
class FactorFront : public testing::Test {};
TYPED_TEST_SUITE(FactorFront, test::Scalars, test::ScalarNames);

TYPED_TEST(FactorFront, AgreesWithTheDefinitionAtTileEdges) {
  on_every_target([] {
    for (const Index ncol : kTileCols) {
      for (const Index nupd : kTileUpdates) {
        expect_factored<TypeParam>(ncol, nupd, (ncol + nupd) % 3, false);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

TYPED_TEST(FactorFront, AddsToTheUpdateMatrixAtTileEdges) {
  on_every_target([] {
    for (const Index ncol : kTileCols) {
      for (const Index nupd : kTileUpdates) {
        expect_factored<TypeParam>(ncol, nupd, (ncol * nupd) % 4, true);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

// Sizes around those from which the packed path is used (256 or 512 rows, 16 columns), and around
// its blocks of 192 columns.
constexpr Shape kLargeShapes[] = {{15, 241},  {16, 239},  {16, 240},  {17, 250},  {48, 270},
                                  {191, 65},  {192, 64},  {193, 130}, {255, 1},   {256, 0},
                                  {16, 495},  {16, 496},  {191, 330}, {192, 321}, {193, 319},
                                  {383, 165}, {384, 128}, {385, 129}, {511, 1},   {530, 191}};

TYPED_TEST(FactorFront, AgreesWithTheDefinitionAtBlockEdges) {
  on_every_target([] {
    for (const Shape shape : kLargeShapes) {
      expect_factored<TypeParam>(shape.ncol, shape.nupd, shape.nupd % 2, false);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TYPED_TEST(FactorFront, AddsToTheUpdateMatrixAtBlockEdges) {
  on_every_target([] {
    for (const Shape shape : {Shape{16, 500}, Shape{300, 261}, Shape{500, 67}}) {
      expect_factored<TypeParam>(shape.ncol, shape.nupd, 3, true);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TYPED_TEST(FactorFront, HasTheSameBitsForAnyNumberOfThreads) {
  on_every_target([] {
    const TestFront<TypeParam> before(1003, 403, 2);
    TestFront<TypeParam> alone = before;
    ASSERT_EQ(alone.factor(false).column, kNone);
    for (int threads = 1; threads <= 4; ++threads) {
      SCOPED_TRACE(threads);
      TestFront<TypeParam> team = before;
      run_in_team(threads, [&] { team.factor(false, {.team = true, .cancel = nullptr}); });

      ASSERT_TRUE(same_bits(alone, team));
      ASSERT_TRUE(team.padding_intact());
    }
  });
}

TEST(FactorFront, WorksAsATeamOutsideAnyTeam) {
  const TestFront<double> before(700, 300, 0);
  TestFront<double> alone = before, team = before;

  alone.factor(false);
  team.factor(false, {.team = true, .cancel = nullptr});

  EXPECT_TRUE(same_bits(alone, team));
}

TEST(FactorFront, WorksAsATeamInsideNestedTasks) {
  const TestFront<double> before(700, 300, 0);
  TestFront<double> alone = before, first = before, second = before;
  alone.factor(false);
  const Execution execution{.team = true, .cancel = nullptr};

  run_in_team(3, [&] {
    run_tasks(2, [&](Index k) { (k == 0 ? first : second).factor(false, execution); });
  });

  EXPECT_TRUE(same_bits(alone, first));
  EXPECT_TRUE(same_bits(alone, second));
}

TEST(FactorFront, ReturnsEarlyWhenCancelled) {
  const TestFront<double> before(800, 100, 0);
  TestFront<double> front = before;
  const std::atomic<bool> cancel{true};

  const PivotCheck<double> check = front.factor(false, {.team = false, .cancel = &cancel});

  EXPECT_EQ(check.column, kNone);
  EXPECT_EQ(front.panel[799], before.panel[799]);  // Rows below the first block are unchanged.
}

// Each column is told once, by ascending columns, when its entries have their final values.
TEST(FactorFront, TellsWhichColumnsAreFinal) {
  for (const auto& size : {std::pair{5, 9}, {20, 0}, {40, 700}, {600, 0}, {600, 300}}) {
    const Index ncol = size.first, nupd = size.second;
    SCOPED_TRACE(testing::Message() << ncol << " columns, order " << nupd);
    const TestFront<double> before(ncol + nupd, nupd, 0);
    TestFront<double> expected = before, front = before;
    expected.factor(false);
    Index told = 0;
    const std::function<void(Index, Index)> final = [&](Index begin, Index end) {
      EXPECT_EQ(begin, told);
      told = end;
      for (Index j = begin; j < end; ++j) {
        const auto at = [&](const TestFront<double>& f) { return &f.panel[j * f.ldp]; };
        EXPECT_TRUE(std::equal(at(front) + j, at(front) + ncol + nupd, at(expected) + j));
      }
    };

    front.factor(false, {.team = false, .cancel = nullptr, .final = &final});

    EXPECT_EQ(told, ncol);
  }
}

TEST(FactorFront, DoesNotTellColumnsFromABadPivotOn) {
  TestFront<double> front(900, 300, 0);
  front.panel[400 * (front.ldp + 1)] = -1;
  Index told = 0;
  const std::function<void(Index, Index)> final = [&](Index /*begin*/, Index end) { told = end; };

  EXPECT_EQ(front.factor(false, {.team = false, .cancel = nullptr, .final = &final}).column, 400);

  EXPECT_GT(told, 0);
  EXPECT_LE(told, 400);
}

/// A diagonal panel with one bad pivot: the reported value is exactly the given value.
template <class T>
void expect_bad_pivot(Index nrow, Index ncol, Index column, T pivot) {
  SCOPED_TRACE(testing::Message() << nrow << " x " << ncol << " column " << column << " pivot "
                                  << pivot);
  TestFront<T> front(nrow, nrow - ncol, 1);
  for (Index j = 0; j < ncol; ++j) {
    for (Index i = j; i < nrow; ++i) front.panel[i + j * front.ldp] = i == j ? T{3} : T{0};
  }
  front.panel[column + column * front.ldp] = pivot;
  // A second bad pivot after the first, which must not be reported.
  if (column + 1 < ncol) front.panel[(column + 1) * (front.ldp + 1)] = T{-7};

  const PivotCheck<T> check = front.factor(false);

  EXPECT_EQ(check.column, column);
  EXPECT_EQ(std::memcmp(&check.pivot, &pivot, sizeof(T)), 0);
  EXPECT_TRUE(front.padding_intact());
}

TYPED_TEST(FactorFront, ReportsTheFirstBadPivotAndItsValue) {
  using Limits = std::numeric_limits<TypeParam>;
  on_every_target([] {
    for (const Shape shape :
         {Shape{1, 0}, Shape{1, 4}, Shape{8, 1}, Shape{30, 9}, Shape{600, 50}}) {
      for (const Index column : {Index{0}, shape.ncol / 2, shape.ncol - 1}) {
        for (const TypeParam pivot :
             {TypeParam{0}, TypeParam{-0.0}, TypeParam{-2.5}, Limits::quiet_NaN(),
              Limits::infinity(), -Limits::infinity(), Limits::denorm_min()}) {
          expect_bad_pivot<TypeParam>(shape.ncol + shape.nupd, shape.ncol, column, pivot);
        }
      }
    }
  });
}

TYPED_TEST(FactorFront, AcceptsPivotsAtTheEndsOfTheRange) {
  using Limits = std::numeric_limits<TypeParam>;
  on_every_target([] {
    for (const TypeParam pivot : {Limits::min(), Limits::max()}) {
      TestFront<TypeParam> front(1, 0, 0);
      front.panel[0] = pivot;

      EXPECT_EQ(front.factor(false).column, kNone);
      const TypeParam root = std::sqrt(pivot);
      EXPECT_NEAR(front.panel[0] / root, 1, 4 * Limits::epsilon());
    }
  });
}

TYPED_TEST(FactorFront, KeepsDiagonalAndReciprocalTogetherAfterCancellation) {
  using Limits = std::numeric_limits<TypeParam>;
  on_every_target([] {
    int factored = 0;
    for (int k = -8; k <= 8; ++k) {
      for (const TypeParam b : {TypeParam{1}, TypeParam{0.7}, TypeParam{1.9}}) {
        TestFront<TypeParam> front(2, 0, 0);
        front.panel[0] = 3;
        front.panel[1] = b;
        // The second pivot is a few roundings.
        front.panel[3] = b * b / 3 * (1 + k * Limits::epsilon());
        if (front.factor(false).column != kNone) continue;

        ++factored;
        EXPECT_LE(worst_reciprocal(front), 8.0);
      }
    }
    EXPECT_GT(factored, 3);
  });
}

TYPED_TEST(FactorFront, ReportsAPivotMadeNegativeByEarlierColumns) {
  on_every_target([] {
    for (const Shape shape : {Shape{20, 5}, Shape{600, 20}}) {
      TestFront<TypeParam> front(shape.ncol + shape.nupd, shape.nupd, 0);
      const Index last = shape.ncol - 1;
      for (Index j = 0; j < shape.ncol; ++j) {
        for (Index i = j; i < front.nrow; ++i) front.panel[i + j * front.ldp] = i == j ? 4 : 0;
      }
      front.panel[last] = 6;  // Pivot 4 - 6 * 6 / 4.

      const PivotCheck<TypeParam> check = front.factor(false);

      EXPECT_EQ(check.column, last);
      EXPECT_EQ(check.pivot, TypeParam{-5});  // Exact, as 4 - (6 / 2)^2 or as 4 - 36 / 4.
    }
  });
}

}  // namespace
}  // namespace clchol::numeric::dense
