#include "gpu_kernels/fronts/scatter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_kernels/reference/fronts.hpp"
#include "tests/gpu_kernels/fronts/front_forest.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

template <class T>
class ScatterTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
  }

  // Expects exactly the reference's result, in every entry of the buffer.
  void expect_twin(const FrontForest& forest, const std::vector<Index>& listed,
                   const std::vector<T>& scale, Offset entries_of_tile) {
    const std::vector<T> values = entry_values<T>(forest, 3);
    std::vector<T> expected = nan_values<T>(forest.panel_entries);
    const std::vector<ScatterTile> tiles =
        make_scatter_tiles(forest.fronts, listed, forest.entry_ptr, entries_of_tile);
    const DeviceBuffer<T> panels = this->on_device(expected);

    reference::scatter<T>(forest.lists(), listed, {values, scale, {}, expected, {}, {}});
    Scatter<T>(programs())
        .run(queue(), FrontBuffers(queue(), forest.lists()), this->on_device(tiles),
             this->on_device(values), this->on_device(scale), panels);

    expect_same(this->on_host(panels), expected);
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(ScatterTest, Reals);

const std::vector<FrontSpec> kScatteredFronts{
    {1, 1}, {127, 40, {}, 0.05}, {128, 128, {}, 1.0}, {129, 3}, {259, 100, {}, 0.0}};

TYPED_TEST(ScatterTest, WritesWhatItsTwinWrites) {
  const FrontForest forest = make_forest(kScatteredFronts, 21);
  // Tiles of one column, of several columns, and of a whole front.
  for (const Offset entries : {1, 1000, 1'000'000}) {
    SCOPED_TRACE(entries);
    this->expect_twin(forest, forest.all(), {}, entries);
  }
}

TYPED_TEST(ScatterTest, ScalesExactly) {
  const FrontForest forest = make_forest(kScatteredFronts, 22);
  this->expect_twin(forest, forest.all(), power_scale<TypeParam>(forest.n, 5), 1000);
}

TYPED_TEST(ScatterTest, OtherFrontsAreLeftAlone) {
  const FrontForest forest = make_forest(kScatteredFronts, 23);
  this->expect_twin(forest, {3, 1}, {}, 500);
  this->expect_twin(forest, {}, {}, 500);
}

TEST(ScatterTiles, CoverTheColumnsInOrder) {
  std::vector<Front> fronts(2);
  fronts[0].nrow = fronts[0].ncol = 5;
  fronts[0].ldp = 5;
  fronts[0].entry_end = 10;
  fronts[1].nrow = 9;
  fronts[1].ldp = Offset{1} << 30;  // One column for each base.
  fronts[1].ncol = 2;
  fronts[1].first_column = 5;
  // The front's entries come after other entries.
  fronts[1].entry_begin = 30;
  fronts[1].entry_end = 37;
  const std::vector<Offset> entry_ptr{0, 2, 4, 6, 8, 10, 13, 17};

  const auto tiles = make_scatter_tiles(fronts, std::vector<Index>{0, 1}, entry_ptr, 10);

  std::vector<std::vector<Offset>> got;
  for (const ScatterTile& t : tiles) {
    got.push_back(
        {t.front, t.first_column, t.end_column, t.base_column, t.entry_begin, t.entry_end});
  }
  const std::vector<std::vector<Offset>> expected{{0, 0, 2, 0, 0, 4},
                                                  {0, 2, 4, 0, 4, 8},
                                                  {0, 4, 5, 0, 8, 10},
                                                  {1, 0, 1, 0, 30, 33},
                                                  {1, 1, 2, 1, 33, 37}};
  EXPECT_EQ(got, expected);
}

}  // namespace
}  // namespace clchol::gpu
