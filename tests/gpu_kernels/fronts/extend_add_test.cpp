#include "gpu_kernels/fronts/extend_add.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_kernels/reference/fronts.hpp"
#include "tests/gpu_kernels/fronts/front_forest.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Parameters with several tiles in each direction at the tests' sizes, and two columns at once.
constexpr ExtendAddParams kParams{.tile_rows = 16, .tile_columns = 8, .group = 32};

template <class T>
struct Parents {
  std::vector<T> panels, updates;
};

// Parents whose lower halves are 1; all other entries are NaN.
template <class T>
Parents<T> ones(const FrontForest& forest) {
  Parents<T> parents{nan_values<T>(forest.panel_entries), nan_values<T>(forest.update_entries)};
  for (const Front& front : forest.fronts) {
    for (Index j = 0; j < front.nrow; ++j) {
      for (Index i = j; i < front.nrow; ++i) {
        if (j < front.ncol) {
          parents.panels[front.panel + i + j * front.ldp] = 1;
        } else {
          const Offset column = update_column_offset(front.nrow - front.ncol, j - front.ncol);
          parents.updates[front.update + column + i - front.ncol] = 1;
        }
      }
    }
  }
  return parents;
}

template <class T>
class ExtendAddTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
  }

  Parents<T> on_host_from(const FrontForest& forest, const std::vector<Index>& listed) {
    Parents<T> parents = ones<T>(forest);
    const std::vector<T> from = child_updates<T>(forest, 4);
    reference::extend_add<T>(forest.lists(), listed,
                             {{}, {}, from, parents.panels, parents.updates, {}});
    return parents;
  }

  Parents<T> on_device_from(const FrontForest& forest, const std::vector<Index>& listed) {
    const ExtendAddLists lists = make_extend_add_lists(forest.lists(), listed, kParams);
    const Parents<T> parents = ones<T>(forest);
    const DeviceBuffer<T> panels = this->on_device(parents.panels);
    const DeviceBuffer<T> updates = this->on_device(parents.updates);
    ExtendAdd<T>(programs(), kParams)
        .run(queue(), FrontBuffers(queue(), forest.lists()), this->on_device(lists.tiles),
             this->on_device(lists.pieces), this->on_device(child_updates<T>(forest, 4)), panels,
             updates);
    return {this->on_host(panels), this->on_host(updates)};
  }

  // The kernel sums the children first and then adds the sum to the parent's entry; the reference
  // adds one child after another.  There are at most five additions with errors of eps / 2 of sums
  // below 6.
  void expect_twin(const FrontForest& forest, const std::vector<Index>& listed) {
    const Parents<T> expected = on_host_from(forest, listed);
    const Parents<T> actual = on_device_from(forest, listed);
    const double tolerance = 5 * std::numeric_limits<T>::epsilon();
    expect_close(actual.panels, expected.panels, tolerance);
    expect_close(actual.updates, expected.updates, tolerance);
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(ExtendAddTest, Reals);

// Orders around tiles and around block columns of update matrices.  Some children fill their
// parent, have one row, or reach only the panel or only the update matrix.
const std::vector<FrontSpec> kChildFronts{
    {1, 1, {1}}, {7, 3, {7, 0, 2}},       {15, 8, {15, 9}},     {16, 16, {4, 16}},
    {17, 9, {}}, {35, 5, {1, 35, 20, 3}}, {140, 11, {70, 140}}, {67, 1, {66, 1, 65}}};

TYPED_TEST(ExtendAddTest, AddsWhatItsTwinAdds) {
  const FrontForest forest = make_forest(kChildFronts, 31);
  this->expect_twin(forest, forest.all());
}

TYPED_TEST(ExtendAddTest, OtherFrontsAreLeftAlone) {
  const FrontForest forest = make_forest(kChildFronts, 32);
  this->expect_twin(forest, {6, 1});
  this->expect_twin(forest, {});
}

TYPED_TEST(ExtendAddTest, SameBitsAtEveryRun) {
  const FrontForest forest = make_forest(kChildFronts, 33);

  const Parents<TypeParam> first = this->on_device_from(forest, forest.all());
  const Parents<TypeParam> again = this->on_device_from(forest, forest.all());

  expect_same(again.panels, first.panels);
  expect_same(again.updates, first.updates);
}

TEST(ExtendAddLists, TileHasItsChildrensPartsInOrder) {
  // A front of 4 columns and 3 update rows.  One child has its last two rows, one has rows 0, 3, 5.
  Front front{};
  front.nrow = 7;
  front.ncol = 4;
  front.child_end = 2;
  const std::vector<Front> fronts{front};
  const std::vector<Child> children{{0, 0, 0, 2, 0}, {0, 0, 2, 3, 0}};
  const std::vector<Index> relind{5, 6, 0, 3, 5};

  const ExtendAddLists lists =
      make_extend_add_lists({fronts, children, relind, {}, {}, {}}, std::vector<Index>{0},
                            {.tile_rows = 8, .tile_columns = 8, .group = 8});

  ASSERT_EQ(lists.tiles.size(), 2);
  EXPECT_EQ(lists.tiles[0].num_columns, 4);  // The panel: the second child's first two columns.
  EXPECT_EQ(lists.tiles[1].column, 4);       // The update matrix: both children.
  EXPECT_EQ(lists.tiles[1].num_columns, 3);
  ASSERT_EQ(lists.pieces.size(), 3);
  EXPECT_EQ(lists.pieces[0].child, 1);
  EXPECT_EQ(lists.pieces[0].column_end, 2);
  EXPECT_EQ(lists.pieces[1].child, 0);
  EXPECT_EQ(lists.pieces[2].child, 1);
  EXPECT_EQ(lists.pieces[2].column_begin, 2);
  EXPECT_EQ(lists.pieces[2].row_end, 3);
}

TEST(ExtendAddLists, WrongTilesAreRefused) {
  EXPECT_THAT(message_of<InvalidArgument>([] {
                make_extend_add_lists(FrontLists{}, {},
                                      {.tile_rows = 48, .tile_columns = 8, .group = 64});
              }),
              HasSubstr("-DTILE_ROWS=48"));
  EXPECT_THAT(make_extend_add_lists(FrontLists{}, {}, {}).tiles, IsEmpty());
}

}  // namespace
}  // namespace clchol::gpu
