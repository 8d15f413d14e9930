// Fronts that are computed strip by strip.
#include <algorithm>
#include <functional>

#include "base/team.hpp"
#include "tests/numeric/dense/test_front.hpp"

namespace clchol::numeric::dense {
namespace {

using test::GuardedArray;
using test::on_every_target;
using test::same_bits;
using test::Shape;
using test::TestFront;

/// Computes a front in strips: every strip is in memory of its own, with guards around it.
template <class T>
class Strips {
 public:
  /// @param panel_blocks  number of blocks of columns in a strip of the panel.
  /// @param update_units  number of units of kStripUnit columns in a strip of the update matrix.
  Strips(const TestFront<T>& before, Index panel_blocks, Index update_units, bool team)
      : front_(before), execution_{.team = team, .cancel = nullptr} {
    for (Index j = 0; j < front_.ncol;) {
      const Index begin = j;
      for (Index k = 0; k < panel_blocks && j < front_.ncol; ++k) j = blocks_.end_of(j);
      factor(begin, j, before);
    }
    for (Index u = 0; u < front_.nupd(); u += update_units * kStripUnit) {
      update(u, std::min(u + update_units * kStripUnit, front_.nupd()));
    }
  }

  bool has_bits_of(const TestFront<T>& whole) const { return same_bits(front_, whole); }
  bool is_intact() const { return is_intact_; }

 private:
  /// Updates the columns [j0, j1) of `strip` by the earlier columns of the panel.
  void update_by_earlier(const FrontView<T>& strip, Index j0, Index j1) {
    for (Index k = 0; k < std::min(j0, front_.ncol); k = blocks_.end_of(k)) {
      update_strip(strip, j0, j1, front_.panel.data(), front_.ldp, k, blocks_.end_of(k),
                   front_.workspace.data(), execution_);
    }
  }

  void factor(Index j0, Index j1, const TestFront<T>& before) {
    const Index ld = front_.nrow - j0;
    GuardedArray<T> strip(Offset{ld} * (j1 - j0));
    for (Index j = j0; j < j1; ++j) {
      std::copy_n(&before.panel[j + j * before.ldp], front_.nrow - j,
                  &strip[(j - j0) * (Offset{ld} + 1)]);
    }
    FrontView<T> view = front_.view();
    view.panel = strip.data() - j0 * (Offset{ld} + 1);
    view.ldp = ld;
    view.update = nullptr;
    update_by_earlier(view, j0, j1);
    const PivotCheck<T> check =
        factor_strip(view, j0, j1, front_.inv_diag.data(), front_.workspace.data(), execution_);
    EXPECT_EQ(check.column, kNone);
    is_intact_ &= strip.guards_intact();
    for (Index j = j0; j < j1; ++j) {
      std::copy_n(&strip[(j - j0) * (Offset{ld} + 1)], front_.nrow - j,
                  &front_.panel[j + j * front_.ldp]);
    }
  }

  void update(Index u0, Index u1) {
    const Offset first = update_column_begin(front_.nupd(), u0);
    const Offset size = update_column_begin(front_.nupd(), u1) - first;
    GuardedArray<T> strip(size);
    FrontView<T> view = front_.view();
    view.panel = nullptr;
    view.update = strip.data() - first;
    update_by_earlier(view, front_.ncol + u0, front_.ncol + u1);
    is_intact_ &= strip.guards_intact();
    std::copy_n(strip.data(), size, &front_.update[first]);
  }

  TestFront<T> front_;
  const Execution execution_;
  const ColumnBlocks blocks_ = column_blocks<T>(front_.nrow, front_.ncol);
  bool is_intact_ = true;
};

template <class T>
class Strip : public testing::Test {};
TYPED_TEST_SUITE(Strip, test::Scalars, test::ScalarNames);

TYPED_TEST(Strip, HasTheBitsOfTheFront) {
  on_every_target([] {
    for (const Shape shape : {Shape{16, 560}, Shape{193, 400}, Shape{385, 300}, Shape{577, 0}}) {
      const TestFront<TypeParam> before(shape.ncol + shape.nupd, shape.nupd, 1);
      ASSERT_TRUE(can_have_strips<TypeParam>(before.nrow, before.ncol));
      TestFront<TypeParam> whole = before;
      ASSERT_EQ(whole.factor(false).column, kNone);
      for (const Index length : {1, 2}) {
        SCOPED_TRACE(testing::Message() << shape.ncol << " + " << shape.nupd << " columns, "
                                        << length << " blocks in a strip");
        const Strips<TypeParam> strips(before, length, 3 - length, false);
        ASSERT_TRUE(strips.has_bits_of(whole));
        ASSERT_TRUE(strips.is_intact());
      }
      run_in_team(3, [&] {
        const Strips<TypeParam> strips(before, 2, 1, true);
        ASSERT_TRUE(strips.has_bits_of(whole));
      });
    }
  });
}

TEST(StripPivot, IsAColumnOfTheFront) {
  TestFront<double> front(900, 300, 0);
  const ColumnBlocks blocks = column_blocks<double>(900, 600);
  const Index j0 = blocks.end_of(0), j1 = blocks.end_of(blocks.end_of(j0));
  front.panel[(j1 - 3) * (front.ldp + 1)] = -1e9;
  Index told = j0;
  const std::function<void(Index, Index)> final = [&](Index begin, Index end) {
    EXPECT_EQ(begin, told);
    told = end;
  };
  const PivotCheck<double> check =
      factor_strip(front.view(), j0, j1, front.inv_diag.data(), front.workspace.data(),
                   {.team = false, .cancel = nullptr, .final = &final});
  EXPECT_EQ(check.column, j1 - 3);
  EXPECT_EQ(told, blocks.end_of(j0));
}

}  // namespace
}  // namespace clchol::numeric::dense
