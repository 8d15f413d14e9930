#include "gpu_kernels/fronts/small_front.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_kernels/reference/fronts.hpp"
#include "tests/gpu_kernels/fronts/front_forest.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Fronts with orders around steps of 8 and tiles of 4, with and without updates and children.
std::vector<FrontSpec> specs_up_to(Index rows) {
  std::vector<FrontSpec> specs{{1, 1}, {2, 1, {1}}};
  for (const Index nrow : {7, 8, 9, 15, 16, 17, 19, 31, 32, 33, 35, 63, 64, 65, 67, 95, 96}) {
    if (nrow > rows) break;
    specs.push_back({nrow, nrow, {}, 1.0});
    specs.push_back({nrow, 1, {nrow, 1}});
    specs.push_back({nrow, nrow / 2, {nrow / 3, nrow, 2, nrow / 2}});
    specs.push_back({nrow, nrow - 1, {}});
  }
  return specs;
}

template <class T>
struct FrontResults {
  std::vector<T> panels, updates;
  std::vector<PivotStatus<T>> status;
};

template <class T>
class SmallFrontTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
  }

  FrontResults<T> fresh(const FrontForest& forest) {
    return {nan_values<T>(forest.panel_entries), nan_values<T>(forest.update_entries),
            std::vector<PivotStatus<T>>(forest.fronts.size(), {kNone, 0, 7})};
  }

  FrontResults<T> on_host_from(const FrontForest& forest, const std::vector<T>& values,
                               const std::vector<T>& scale) {
    FrontResults<T> results = fresh(forest);
    const std::vector<T> from = child_updates<T>(forest, 2);
    reference::small_front<T>(
        forest.lists(), forest.all(),
        {values, scale, from, results.panels, results.updates, results.status});
    return results;
  }

  FrontResults<T> on_device_from(const SmallFrontParams& params, const FrontForest& forest,
                                 const std::vector<T>& values, const std::vector<T>& scale,
                                 const std::vector<Index>& listed) {
    SmallFront<T> small_front(programs(), params);
    const FrontBuffers lists(queue(), forest.lists());
    FrontResults<T> results = fresh(forest);
    // No data begins at the begin of its buffer.
    const DeviceBuffer<T> a = shifted(values, 3), d = shifted(scale, 1);
    const DeviceBuffer<T> from = shifted(child_updates<T>(forest, 2), 2);
    const DeviceBuffer<T> panels = shifted(results.panels, 5);
    const DeviceBuffer<T> updates = shifted(results.updates, 1);
    const DeviceBuffer<PivotStatus<T>> status = this->on_device(results.status);

    small_front.run(queue(), lists, this->on_device(listed),
                    {behind(a, 3), scale.empty() ? DeviceView<T>{} : behind(d, 1), behind(from, 2),
                     behind(panels, 5), behind(updates, 1), status});

    FrontResults<T> got{this->template on_host<T>(DeviceView<const T>(behind(panels, 5))),
                        this->template on_host<T>(DeviceView<const T>(behind(updates, 1))),
                        this->on_host(status)};
    if (params.form != SmallFrontForm::kPlain) forget_filled(forest, got.panels, got.updates);
    return got;
  }

  void expect_twins(const SmallFrontParams& params, const FrontForest& forest,
                    const std::vector<T>& values, const std::vector<T>& scale) {
    const FrontResults<T> expected = on_host_from(forest, values, scale);
    const FrontResults<T> actual = on_device_from(params, forest, values, scale, forest.all());

    // An entry is a sum of at most nrow products of entries of L, which are below 1 after the
    // division.  rsqrt has an error of up to 2 units in the last place, and so has each factor.
    const double eps = std::numeric_limits<T>::epsilon();
    expect_close(actual.panels, expected.panels, 4 * params.rows * eps);
    expect_close(actual.updates, expected.updates, 4 * params.rows * eps);
    for (std::size_t f = 0; f < forest.fronts.size(); ++f) {
      EXPECT_EQ(actual.status[f].column, expected.status[f].column) << f;
      EXPECT_NEAR(actual.status[f].value, expected.status[f].value,
                  4 * params.rows * eps * std::abs(expected.status[f].value))
          << f;
    }
  }

 private:
  DeviceBuffer<T> shifted(const std::vector<T>& values, Offset by) {
    std::vector<T> all = nan_values<T>(by);
    all.insert(all.end(), values.begin(), values.end());
    return this->on_device(all);
  }
  static DeviceView<T> behind(const DeviceBuffer<T>& buffer, Offset by) {
    return buffer.part(by, buffer.size() - by);
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(SmallFrontTest, Reals);

// Several fronts per work-group; one front per work-group, with fewer work-items than rows.
constexpr SmallFrontParams kSeveral{.rows = 32, .items = 16, .fronts = 3};
constexpr SmallFrontParams kLarge{.rows = 96, .items = 64, .fronts = 1};

TYPED_TEST(SmallFrontTest, AgreesWithItsTwinWithSeveralFrontsOfAGroup) {
  const FrontForest forest = make_forest(specs_up_to(32), 11);
  this->expect_twins(kSeveral, forest, entry_values<TypeParam>(forest, 1), {});
}

TYPED_TEST(SmallFrontTest, AgreesWithItsTwinWithOneFrontOfAGroup) {
  const FrontForest forest = make_forest(specs_up_to(96), 12);
  this->expect_twins(kLarge, forest, entry_values<TypeParam>(forest, 1), {});
}

TYPED_TEST(SmallFrontTest, ScalesAsItsTwin) {
  const FrontForest forest = make_forest({{20, 9, {12}}, {32, 32}, {5, 3, {5, 5}}}, 13);
  this->expect_twins(kSeveral, forest, entry_values<TypeParam>(forest, 1),
                     power_scale<TypeParam>(forest.n, 4));
}

TYPED_TEST(SmallFrontTest, FirstBadPivotIsNamedAndTheRestIsFinite) {
  using T = TypeParam;
  const FrontForest forest = make_forest(std::vector<FrontSpec>(8, {21, 18, {9}}), 14);
  const T bad[] = {-3,
                   0,
                   -T{1} / 8,
                   std::numeric_limits<T>::quiet_NaN(),
                   -std::numeric_limits<T>::infinity(),
                   std::numeric_limits<T>::denorm_min(),
                   -1};
  const Index columns[] = {0, 7, 8, 9, 15, 16, 17};
  std::vector<T> values = entry_values<T>(forest, 1);
  // Each front gets one bad diagonal entry.  Earlier columns and children change its pivot; the
  // reference on the host gives the expected failing column.
  for (std::size_t k = 0; k < std::size(bad); ++k) {
    const Front& front = forest.fronts[k];
    for (Offset e = front.entry_begin; e < front.entry_end; ++e) {
      if (forest.entry_place[e] == columns[k] * (front.ldp + 1)) {
        values[forest.entry_source[e]] = std::isnan(bad[k]) ? bad[k] : bad[k] * 1000;
      }
    }
  }

  const FrontResults<T> results = this->on_device_from(kSeveral, forest, values, {}, forest.all());

  const FrontResults<T> expected = this->on_host_from(forest, values, {});
  for (std::size_t k = 0; k < std::size(bad); ++k) {
    SCOPED_TRACE(k);
    const Front& front = forest.fronts[k];
    EXPECT_EQ(results.status[k].column, expected.status[k].column);
    if (bad[k] <= -1) {
      EXPECT_EQ(results.status[k].column, columns[k]);
    }
    for (Index j = 0; j < front.ncol; ++j) {
      for (Index i = j; i < front.nrow; ++i) {
        const T value = results.panels[front.panel + i + j * front.ldp];
        EXPECT_TRUE(std::isfinite(value));
        if (j >= results.status[k].column) {
          EXPECT_EQ(value, T(i == j));
        }
      }
    }
  }
  EXPECT_EQ(results.status[7].column, kNone);
}

TYPED_TEST(SmallFrontTest, OnlyListedFrontsAreTouched) {
  using T = TypeParam;
  const FrontForest forest = make_forest(std::vector<FrontSpec>(5, {9, 4, {3}}), 15);
  const std::vector<T> values = entry_values<T>(forest, 1);

  const FrontResults<T> some = this->on_device_from(kSeveral, forest, values, {}, {3, 1, 0, 4});
  const FrontResults<T> none = this->on_device_from(kSeveral, forest, values, {}, {});

  const FrontResults<T> expected = this->on_host_from(forest, values, {});
  for (const Index f : {0, 1, 2, 3, 4}) {
    const Offset diagonal = forest.fronts[f].panel;
    EXPECT_EQ(std::isnan(some.panels[diagonal]), f == 2) << f;
    EXPECT_EQ(some.status[f].value, f == 2 ? T{7} : T{0}) << f;
  }
  expect_same(none.panels, nan_values<T>(forest.panel_entries));
}

TYPED_TEST(SmallFrontTest, SameBitsAtEveryRun) {
  using T = TypeParam;
  const FrontForest forest = make_forest(std::vector<FrontSpec>(20, {31, 13, {9, 20, 31}}), 16);
  const std::vector<T> values = entry_values<T>(forest, 1);

  const FrontResults<T> first = this->on_device_from(kSeveral, forest, values, {}, forest.all());

  for (int run = 0; run < 2; ++run) {
    const FrontResults<T> again = this->on_device_from(kSeveral, forest, values, {}, forest.all());
    expect_same(again.panels, first.panels);
    expect_same(again.updates, first.updates);
  }
}

TYPED_TEST(SmallFrontTest, WrongArgumentsAreRefused) {
  using T = TypeParam;
  SmallFront<T> small_front(this->programs(), kSeveral);
  const FrontForest forest = make_forest({{3, 2}}, 17);
  const FrontBuffers lists(this->queue(), forest.lists());

  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { small_front.run(this->queue(), lists, DeviceView<const Index>{}, {}); }),
              HasSubstr("status has 0 entries for 1 fronts"));
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { SmallFront<T>(this->programs(), {.rows = 33, .items = 8, .fronts = 1}); }),
              HasSubstr("-DROWS=33"));
}

// The kernels for devices with warps and tensor cores.
class SmallFrontFormsTest : public SmallFrontTest<double> {
 protected:
  void SetUp() override {
    SmallFrontTest<double>::SetUp();
    if (IsSkipped()) return;
    const Capabilities capabilities = probe_capabilities(programs(), queue());
    context().set_static_local_bytes(capabilities.static_local_bytes);
    for (const SmallFrontParams& params : small_front_classes(capabilities, Tuning{}, 8)) {
      if (params.form != SmallFrontForm::kPlain) classes_.push_back(params);
    }
    if (classes_.empty()) GTEST_SKIP() << "no warps: " << capabilities.warp_shuffle.reason;
  }
  std::vector<SmallFrontParams> classes_;
};

TEST_F(SmallFrontFormsTest, AgreeWithTheirTwin) {
  for (const SmallFrontParams& params : classes_) {
    SCOPED_TRACE(params.rows);
    const FrontForest forest = make_forest(specs_up_to(params.rows), 11);
    expect_twins(params, forest, entry_values<double>(forest, 1), {});
    expect_twins(params, forest, entry_values<double>(forest, 1), power_scale<double>(forest.n, 4));
  }
}

TEST_F(SmallFrontFormsTest, NameTheFirstBadPivot) {
  for (const SmallFrontParams& params : classes_) {
    SCOPED_TRACE(params.rows);
    const FrontForest forest =
        make_forest(std::vector<FrontSpec>(20, {params.rows, params.rows - 3, {5}}), 12);
    std::vector<double> values = entry_values<double>(forest, 1);
    for (const Index f : {1, 2, 7, 19}) {
      const Front& front = forest.fronts[f];
      for (Offset e = front.entry_begin; e < front.entry_end; ++e) {
        if (forest.entry_place[e] == f % front.ncol * (front.ldp + 1)) {
          values[forest.entry_source[e]] = f == 7 ? std::nan("") : -1e5;
        }
      }
    }
    const FrontResults<double> results = on_device_from(params, forest, values, {}, forest.all());
    const FrontResults<double> expected = on_host_from(forest, values, {});
    const double bound = 4 * params.rows * std::numeric_limits<double>::epsilon();
    expect_close(results.panels, expected.panels, bound);
    expect_close(results.updates, expected.updates, bound);
    for (std::size_t f = 0; f < results.status.size(); ++f) {
      EXPECT_EQ(results.status[f].column, expected.status[f].column) << f;
    }
  }
}

TEST_F(SmallFrontFormsTest, GiveTheSameBitsAtEveryRun) {
  for (const SmallFrontParams& params : classes_) {
    SCOPED_TRACE(params.rows);
    const Index n = params.rows;
    const FrontForest forest =
        make_forest(std::vector<FrontSpec>(300, {n, n / 2 - 1, {n, n / 2, n - 1}}), 16);
    const std::vector<double> values = entry_values<double>(forest, 1);
    const FrontResults<double> first = on_device_from(params, forest, values, {}, forest.all());
    for (int run = 0; run < 3; ++run) {
      const FrontResults<double> again = on_device_from(params, forest, values, {}, forest.all());
      expect_same(again.panels, first.panels);
      expect_same(again.updates, first.updates);
    }
  }
}

TEST(SmallFrontClasses, FormsAreThoseThatTheDeviceCanDo) {
  const auto rows_of = [](const Capabilities& capabilities, std::size_t value_bytes) {
    std::vector<Index> rows;
    for (const auto& params : small_front_classes(capabilities, Tuning{}, value_bytes)) {
      EXPECT_TRUE(params.valid());
      rows.push_back(params.form == SmallFrontForm::kPlain ? -params.rows : params.rows);
    }
    return rows;
  };
  Capabilities capabilities;
  capabilities.max_work_group_size = 1024;
  capabilities.static_local_bytes = 227 << 10;
  EXPECT_THAT(rows_of(capabilities, 8), ElementsAre(-16, -32, -64, -96, -128));
  capabilities.fp64 = capabilities.inline_ptx = capabilities.warp_shuffle = {true, ""};
  EXPECT_THAT(rows_of(capabilities, 8), ElementsAre(8, 16, -32, -64, -96, -128));
  capabilities.mma_m16n8k16 = {true, ""};
  EXPECT_THAT(rows_of(capabilities, 8), ElementsAre(8, 16, 32, 40, 48, 64, 96, 128));
  EXPECT_THAT(rows_of(capabilities, 4), ElementsAre(-16, -32, -64, -96, -128));
  capabilities.static_local_bytes = 48 << 10;
  EXPECT_THAT(rows_of(capabilities, 8), ElementsAre(8, 16, 32, 40, 48, 64, 96));
}

TEST(SmallFrontClasses, ShapesOfFormsAreChecked) {
  using enum SmallFrontForm;
  EXPECT_TRUE((SmallFrontParams{.form = kRows, .rows = 8, .items = 8, .fronts = 4}.valid()));
  EXPECT_FALSE((SmallFrontParams{.form = kRows, .rows = 8, .items = 8, .fronts = 3}.valid()));
  EXPECT_TRUE((SmallFrontParams{.form = kRows, .rows = 40, .items = 32, .wide = 16}.valid()));
  EXPECT_FALSE((SmallFrontParams{.form = kRows, .rows = 40, .items = 32, .wide = 32}.valid()));
  EXPECT_FALSE((SmallFrontParams{.form = kRows, .rows = 16, .items = 16, .wide = 8}.valid()));
  EXPECT_FALSE((SmallFrontParams{.form = kRows, .rows = 40, .items = 40, .fronts = 4}.valid()));
  EXPECT_FALSE((SmallFrontParams{.form = kRows, .rows = 72, .items = 32, .fronts = 4}.valid()));
  EXPECT_FALSE((SmallFrontParams{.form = kTiles, .rows = 64, .items = 32, .fronts = 1}.valid()));
  EXPECT_FALSE((SmallFrontParams{.form = kTiles, .rows = 64, .items = 64, .fronts = 8}.valid()));
}

TEST(SmallFrontClasses, AreThoseThatTheDeviceHasRoomFor) {
  const auto rows_of = [](const std::vector<SmallFrontParams>& classes) {
    std::vector<Index> rows;
    for (const SmallFrontParams& params : classes) rows.push_back(params.rows);
    return rows;
  };
  // 96 rows of doubles take 39936 bytes, 128 rows 69632.
  EXPECT_THAT(rows_of(small_front_classes(1024, 49152, 8)), ElementsAre(16, 32, 64, 96));
  EXPECT_THAT(rows_of(small_front_classes(1024, 69632, 8)), ElementsAre(16, 32, 64, 96, 128));
  EXPECT_THAT(rows_of(small_front_classes(1024, 49152, 4)), ElementsAre(16, 32, 64, 96, 128));
  for (const SmallFrontParams& params : small_front_classes(24, 49152, 8)) {
    EXPECT_TRUE(params.valid());
    EXPECT_LE(params.work_group_size(), 24);
  }
}

TEST(SmallFrontClasses, FrontsGoToTheSmallestThatHolds) {
  std::vector<Front> fronts(6);
  for (const Index f : {0, 1, 2, 3, 4, 5}) fronts[f].nrow = 7 + f;
  const std::vector<SmallFrontParams> classes{{.rows = 8}, {.rows = 10}};

  const auto lists = size_classes(fronts, std::vector<Index>{5, 3, 1, 0, 2}, classes);

  EXPECT_THAT(lists, ElementsAre(ElementsAre(1, 0), ElementsAre(3, 2), ElementsAre(5)));
}

TEST(SmallFrontClasses, OfFewFrontsJoinTheNextThatHasAny) {
  EXPECT_THAT(joined_classes({1, 0, 2, 1}, 2), ElementsAre(2, 2, 2, 3));
  // The second class has enough fronts together with those of the first.
  EXPECT_THAT(joined_classes({1, 1, 5}, 2), ElementsAre(1, 1, 2));
  // All classes are joined to the last.
  EXPECT_THAT(joined_classes({1, 1, 1}, 5), ElementsAre(2, 2, 2));
  EXPECT_THAT(joined_classes({7, 1, 0}, 5), ElementsAre(0, 1, 2));
  EXPECT_THAT(joined_classes({}, 5), ElementsAre());
}

// Classes for 8 and 16 rows, three that compute the same bits, and one of another kernel.
const std::vector<SmallFrontParams> kFastClasses{
    {.form = SmallFrontForm::kRows, .rows = 8, .items = 8, .fronts = 16, .wide = 8},
    {.form = SmallFrontForm::kRows, .rows = 16, .items = 16, .fronts = 8, .wide = 16},
    {.form = SmallFrontForm::kRows, .rows = 32, .items = 16, .fronts = 4, .wide = 8},
    {.form = SmallFrontForm::kRows, .rows = 40, .items = 32, .fronts = 4, .wide = 8},
    {.form = SmallFrontForm::kRows, .rows = 48, .items = 32, .fronts = 2, .wide = 8},
    {.form = SmallFrontForm::kTiles, .rows = 64, .items = 64, .fronts = 2}};

TEST(SmallFrontClasses, HaveTheSameBitsInEqualBlocks) {
  EXPECT_TRUE(kFastClasses[2].has_bits_of(kFastClasses[4]));
  EXPECT_FALSE(kFastClasses[0].has_bits_of(kFastClasses[2]));  // A part of a warp.
  EXPECT_FALSE(kFastClasses[4].has_bits_of(kFastClasses[5]));
  SmallFrontParams wide = kFastClasses[3];
  wide.wide = 16;
  EXPECT_FALSE(kFastClasses[2].has_bits_of(wide));
  EXPECT_FALSE(SmallFrontParams{}.has_bits_of({}));
}

TEST(SmallFrontClasses, OfOtherBitsAreJoinedByTheFrontsOfAllTheirBits) {
  // Few fronts: 8 and 16 rows join the first class of the bits of 32 to 48 rows.
  EXPECT_THAT(joined_by_bits({1, 1, 9, 1, 1, 20}, kFastClasses, 3), ElementsAre(2, 2, 2, 3, 4, 5));
  // All three together are enough.
  EXPECT_THAT(joined_by_bits({4, 3, 1, 1, 1, 9}, kFastClasses, 3), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(joined_by_bits({4, 5, 1, 0, 1, 9}, kFastClasses, 3), ElementsAre(0, 1, 5, 5, 5, 5));
  // More than `least`, but few of all.
  EXPECT_THAT(joined_by_bits({200, 40, 6000, 9, 1, 900}, kFastClasses, 3),
              ElementsAre(0, 2, 2, 3, 4, 5));
  EXPECT_THAT(joined_by_bits({}, {}, 3), ElementsAre());
}

TEST(SmallFrontClasses, OfTheSameBitsAreJoinedWithEachOther) {
  EXPECT_THAT(joined_of_same_bits({1, 1, 1, 1, 5, 9}, kFastClasses, 3),
              ElementsAre(0, 1, 4, 4, 4, 5));
  EXPECT_THAT(joined_of_same_bits({1, 1, 2, 1, 1, 9}, kFastClasses, 3),
              ElementsAre(0, 1, 3, 3, 4, 5));
  EXPECT_THAT(joined_of_same_bits({1, 1, 2, 0, 0, 9}, kFastClasses, 3),
              ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(joined_of_same_bits({}, {}, 3), ElementsAre());
}

TEST(FrontsReference, FactorsAFrontByHand) {
  // A = [4; 2 10] with a child that adds 1 to the corner, then one update row.
  Front front{};
  front.ldp = 3;
  front.nrow = 3;
  front.ncol = 2;
  front.child_end = 1;
  front.entry_end = 4;
  const std::vector<Front> fronts{front};
  const std::vector<Child> children{{0, 0, 0, 2, 0}};
  const std::vector<Index> relind{1, 2}, rowind{0, 1, 2}, place{0, 1, 4, 5};
  const std::vector<std::uint32_t> source{3, 2, 1, 0};
  const std::vector<double> values{3, 9, 2, 4};  // A(2,1), A(1,1), A(1,0), A(0,0).
  std::vector<double> child(update_size(2), 0.0), panel(6, 0.0), update(8, 0.0);
  child[0] = 1;   // (0,0): front's (1,1)
  child[1] = 6;   // (1,0): front's (2,1)
  child[9] = 11;  // (1,1): front's (2,2)
  std::vector<PivotStatus<double>> status(1);

  reference::small_front<double>({fronts, children, relind, rowind, source, place},
                                 std::vector<Index>{0}, {values, {}, child, panel, update, status});

  // L = [2; 1 3; 0 3], U = 11 - 9.
  EXPECT_THAT(panel, ElementsAre(2, 1, 0, 0, 3, 3));
  EXPECT_EQ(update[0], 2);
  EXPECT_EQ(status[0].column, kNone);
}

TEST(Fronts, PlacesOfLargePanelsCountFromTheirBaseColumns) {
  constexpr Offset kTall = Offset{1} << 30;  // A base has one column of such a panel.
  EXPECT_EQ(columns_of_base(kTall), 1);
  EXPECT_EQ(base_column(kTall, 5), 5);
  EXPECT_EQ(base_column(1 << 20, 2047), 2047 / 2047 * 2047);
  EXPECT_EQ(base_column(1 << 20, 2046), 0);
  EXPECT_EQ(base_column(1000, 40000), 0);
}

}  // namespace
}  // namespace clchol::gpu
