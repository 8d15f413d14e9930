#include "gpu_kernels/dense/potrf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/update_layout.hpp"
#include "gpu_kernels/reference/gemm.hpp"
#include "gpu_kernels/reference/potrf.hpp"
#include "tests/gpu_kernels/dense/dense_support.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;

// Small blocks and tiles; few_tiles is such that both lists of updates are in use.
constexpr PanelParams kSmallPanel{.block = 16, .rows = 8, .few_tiles = 12};
constexpr GemmParams kPanelTiles{.tile_m = 16,
                                 .tile_n = 8,
                                 .tile_k = 4,
                                 .item_m = 2,
                                 .item_n = 2,
                                 .warp_m = 2,
                                 .warp_n = 2,
                                 .vector = 2,
                                 .fragments = 1,
                                 .buffers = 2};
constexpr GemmParams kSmallPanelTiles{.tile_m = 8,
                                      .tile_n = 8,
                                      .tile_k = 4,
                                      .item_m = 1,
                                      .item_n = 1,
                                      .warp_m = 1,
                                      .warp_n = 1,
                                      .vector = 1,
                                      .fragments = 1,
                                      .buffers = 1};

// Fronts of random positive definite matrices: their lower triangles; all other entries are NaN.
template <class T>
struct Fronts {
  std::vector<DenseFront> list;
  TestBuffer<T> panels{5};
  std::vector<T> updates;

  // Diagonally dominant: entries are of order 1 / nrow.
  Place append(Index nrow, Index ncol, Index padding, bool packed_update = true) {
    const Place place = panels.append(nrow, ncol, padding, true);
    for (Index j = 0; j < ncol; ++j) {
      for (Index i = j; i < nrow; ++i) panels.at(place, i, j) /= static_cast<T>(nrow);
      panels.at(place, j, j) += T{2};
    }
    const Index nupd = nrow - ncol;
    DenseFront front{.panel = {.panel = place.at, .ld = place.ld, .nrow = nrow, .ncol = ncol},
                     .update = static_cast<Offset>(updates.size()) + padding,
                     .ldu = packed_update ? 0 : nupd + padding};
    const Offset size = packed_update ? update_size(nupd) : front.ldu * nupd;
    updates.resize(static_cast<std::size_t>(front.update + size),
                   std::numeric_limits<T>::quiet_NaN());
    list.push_back(front);
    return place;
  }
  void fill_updates(T value) { std::fill(updates.begin(), updates.end(), value); }
};

template <class T>
struct Factored {
  std::vector<T> panels, updates;
  std::vector<PivotStatus<T>> status;
};

// The result of the reference on the host.
template <class T>
Factored<T> expected(Fronts<T>& fronts, FrontUpdate update) {
  Factored<T> result{fronts.panels.values(), fronts.updates, {}};
  for (const DenseFront& front : fronts.list) {
    const FrontPanel& p = front.panel;
    result.status.push_back(reference::factor_panel<T>(p, result.panels));
    if (update == FrontUpdate::kNone) continue;
    const Index form = CLCHOL_LOWER | (update == FrontUpdate::kSubtract ? CLCHOL_SUBTRACT : 0) |
                       (front.ldu == 0 ? CLCHOL_UPDATE : 0);
    const Index nupd = p.nrow - p.ncol;
    reference::gemm<T>({.a = p.panel + p.ncol,
                        .lda = p.ld,
                        .b = p.panel + p.ncol,
                        .ldb = p.ld,
                        .c = front.update,
                        .ldc = front.ldu,
                        .m = nupd,
                        .n = nupd,
                        .k = p.ncol,
                        .form = form,
                        .front = kNone,
                        .pivots = 0},
                       result.panels, result.panels, result.updates);
  }
  return result;
}

template <class T>
class PotrfTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
  }

  Potrf<T> small_potrf() { return {programs(), kSmallPanel, {kPanelTiles, kSmallPanelTiles}}; }

  DeviceBuffer<T> workspace(const Potrf<T>& potrf, Offset num_fronts) {
    return {context(), potrf.workspace_entries(num_fronts)};
  }
  Factored<T> run(Potrf<T>& potrf, Fronts<T>& fronts, FrontUpdate update) {
    const PotrfPlan<T> plan = potrf.upload(queue(), potrf.plan(fronts.list, update));
    const auto panels = this->on_device(fronts.panels.values());
    const auto updates = this->on_device(fronts.updates);
    const DeviceBuffer<PivotStatus<T>> status(context(), static_cast<Offset>(fronts.list.size()));
    const auto blocks = workspace(potrf, static_cast<Offset>(fronts.list.size()));
    potrf.factor(queue(), plan, {panels, updates, status, blocks});
    return {this->on_host(panels), this->on_host(updates), this->on_host(status)};
  }
  static double tolerance(Index ncol) {
    // Entries of L and of updates are at most 2; sums have ncol terms, with fma or without.
    return 8 * (ncol + 2.0) * std::numeric_limits<T>::epsilon();
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(PotrfTest, Reals);

template <class T>
Fronts<T> fronts_around(const PanelParams& params) {
  Fronts<T> fronts;
  int count = 0;
  for (const Index ncol : sizes_around(params.block)) {
    for (const Index nupd :
         {0, 1, params.rows - 1, params.rows, params.rows + 1, 2 * params.rows + 3}) {
      fronts.append(ncol + nupd, ncol, count % 4, count % 3 != 0);
      ++count;
    }
  }
  fronts.append(100, 6 * params.block - 3, 1);
  fronts.append(3, 0, 0);  // Nothing to factor.
  return fronts;
}

TYPED_TEST(PotrfTest, BatchOfAllSizesAgreesWithTheTwin) {
  using T = TypeParam;
  Potrf<T> potrf = this->small_potrf();
  for (const FrontUpdate update :
       {FrontUpdate::kNone, FrontUpdate::kWrite, FrontUpdate::kSubtract}) {
    SCOPED_TRACE(static_cast<int>(update));
    Fronts<T> fronts = fronts_around<T>(kSmallPanel);
    // Updates that are overwritten begin as NaN; entries that must not be written stay NaN.
    if (update == FrontUpdate::kSubtract) fronts.fill_updates(T{1});
    const Factored<T> right = expected(fronts, update);

    const Factored<T> actual = this->run(potrf, fronts, update);

    expect_near(actual.panels, right.panels, this->tolerance(93));
    expect_near(actual.updates, right.updates, this->tolerance(93));
    for (const PivotStatus<T>& status : actual.status) EXPECT_EQ(status.column, kNone);
  }
}

TYPED_TEST(PotrfTest, SameBitsAtEveryRunAndAloneAsInABatch) {
  using T = TypeParam;
  Potrf<T> potrf = this->small_potrf();
  Fronts<T> fronts = fronts_around<T>(kSmallPanel);
  const Factored<T> first = this->run(potrf, fronts, FrontUpdate::kWrite);

  const Factored<T> second = this->run(potrf, fronts, FrontUpdate::kWrite);
  EXPECT_TRUE(same_bits(first.panels, second.panels));
  EXPECT_TRUE(same_bits(first.updates, second.updates));

  Fronts<T> alone = fronts;
  alone.list = {fronts.list[27]};
  const std::vector<T> panels = this->run(potrf, alone, FrontUpdate::kNone).panels;
  const FrontPanel& p = alone.list[0].panel;
  for (Index j = 0; j < p.ncol; ++j) {
    for (Index i = j; i < p.nrow; ++i) {
      const auto at = static_cast<std::size_t>(p.panel + i + j * p.ld);
      ASSERT_EQ(panels[at], first.panels[at]) << i << ", " << j;
    }
  }
}

TYPED_TEST(PotrfTest, FailingPivotIsReportedAndOtherFrontsAreRight) {
  using T = TypeParam;
  Potrf<T> potrf = this->small_potrf();
  const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  for (const Index column : {0, 7, 8, 15, 16, 20, 31, 32, 49}) {
    for (const T diagonal : {T{-3}, T{0}, nan, inf}) {
      SCOPED_TRACE(std::to_string(column) + ", diagonal " + std::to_string(diagonal));
      Fronts<T> fronts;
      fronts.append(60, 50, 1);
      const Place bad = fronts.append(61, 50, 0);
      fronts.append(40, 33, 2);
      fronts.panels.at(bad, column, column) = diagonal;
      Fronts<T> good = fronts;
      const Factored<T> right = expected(good, FrontUpdate::kWrite);

      const Factored<T> actual = this->run(potrf, fronts, FrontUpdate::kWrite);

      EXPECT_EQ(actual.status[0].column, kNone);
      EXPECT_EQ(actual.status[2].column, kNone);
      EXPECT_EQ(actual.status[1].column, column);
      if (std::isfinite(diagonal)) {
        EXPECT_NEAR(actual.status[1].value, right.status[1].value, this->tolerance(50));
      } else {
        EXPECT_FALSE(std::isfinite(actual.status[1].value));
      }
      // The other fronts are factored, and the failing front's blocks before the failing one.
      const Index kept = column / kSmallPanel.block * kSmallPanel.block;
      for (const auto& [front, ncol] : {std::pair{0, Index{50}}, {1, kept}, {2, Index{33}}}) {
        const FrontPanel& p = fronts.list[static_cast<std::size_t>(front)].panel;
        for (Index j = 0; j < ncol; ++j) {
          for (Index i = j; i < p.nrow; ++i) {
            const auto at = static_cast<std::size_t>(p.panel + i + j * p.ld);
            ASSERT_NEAR(actual.panels[at], right.panels[at], this->tolerance(50));
          }
        }
      }
      // The failing front's update is unchanged; no number has become NaN or infinite.
      for (Offset p = fronts.list[1].update; p < fronts.list[1].update + update_size(11); ++p) {
        ASSERT_TRUE(std::isnan(actual.updates[static_cast<std::size_t>(p)]));
      }
      for (std::size_t p = 0; p < actual.panels.size(); ++p) {
        ASSERT_TRUE(!std::isfinite(fronts.panels.values()[p]) || std::isfinite(actual.panels[p]));
      }
    }
  }
}

TYPED_TEST(PotrfTest, PlanServesNewValuesAfterAFailure) {
  using T = TypeParam;
  Potrf<T> potrf = this->small_potrf();
  Fronts<T> fronts;
  const Place place = fronts.append(20, 20, 0);
  const Factored<T> right = expected(fronts, FrontUpdate::kNone);
  const std::vector<T> good = fronts.panels.values();
  const PotrfPlan<T> plan =
      potrf.upload(this->queue(), potrf.plan(fronts.list, FrontUpdate::kNone));
  const DeviceBuffer<PivotStatus<T>> status(this->context(), 1);
  fronts.panels.at(place, 3, 3) = T{-1};
  const auto panels = this->on_device(fronts.panels.values());
  const auto blocks = this->workspace(potrf, 1);

  potrf.factor(this->queue(), plan, {panels, {}, status, blocks});
  EXPECT_EQ(this->on_host(status).front().column, 3);
  upload<T>(this->queue(), good, panels);
  potrf.factor(this->queue(), plan, {panels, {}, status, blocks});

  EXPECT_EQ(this->on_host(status).front().column, kNone);
  expect_near(this->on_host(panels), right.panels, this->tolerance(20));
}

TYPED_TEST(PotrfTest, ViewsThatAreTooSmallAreRefused) {
  using T = TypeParam;
  Potrf<T> potrf = this->small_potrf();
  Fronts<T> fronts;
  fronts.append(5, 3, 0);
  const PotrfPlan<T> plan =
      potrf.upload(this->queue(), potrf.plan(fronts.list, FrontUpdate::kWrite));
  const DeviceBuffer<T> few(this->context(), 14), enough(this->context(), 16);
  const DeviceBuffer<PivotStatus<T>> status(this->context(), 1);
  const auto blocks = this->workspace(potrf, 1);

  const auto refusal = [&](const PotrfOperands<T>& operands) {
    return message_of<InvalidArgument>([&] { potrf.factor(this->queue(), plan, operands); });
  };
  EXPECT_THAT(refusal({few, enough, status, blocks}),
              HasSubstr("panels has 14 entries, the plan uses 15"));
  EXPECT_THAT(refusal({enough, few, status, blocks}),
              HasSubstr("updates has 14 entries, the plan uses 16"));
  EXPECT_THAT(refusal({enough, enough, {}, blocks}),
              HasSubstr("status has 0 entries, the plan uses 1"));
  EXPECT_THAT(refusal({enough, enough, status, few}),
              HasSubstr("workspace has 14 entries, the plan uses "));
  EXPECT_EQ(refusal({enough, enough, status, blocks}), "none");
}

using PotrfDoubleTest = PotrfTest<double>;
TEST_F(PotrfDoubleTest, BlocksOf64AgreeWithTheTwin) {
  Potrf<double> potrf(programs(), PanelParams{}, {kPanelTiles, kSmallPanelTiles});
  Fronts<double> fronts;
  for (const Index ncol : {63, 64, 65, 150}) fronts.append(ncol + 70, ncol, 1);
  const Factored<double> right = expected(fronts, FrontUpdate::kWrite);

  const Factored<double> actual = run(potrf, fronts, FrontUpdate::kWrite);

  expect_near(actual.panels, right.panels, tolerance(150));
  expect_near(actual.updates, right.updates, tolerance(150));
}

TEST(PotrfPlan, UpdatesFollowTheBinaryRecursion) {
  const std::vector<DenseFront> fronts{{.panel = {.panel = 0, .ld = 80, .nrow = 80, .ncol = 75}}};

  const PotrfLists lists = plan_potrf(fronts, FrontUpdate::kWrite,
                                      {{.block = 10, .rows = 10, .few_tiles = 0}, {8, 8}, {}});

  // First column, columns and depth of the products after blocks 1, 2, ...; the update comes last.
  const std::vector<std::array<Index, 3>> expected{{10, 10, 10}, {20, 20, 20}, {30, 10, 10},
                                                   {40, 35, 40}, {50, 10, 10}, {60, 15, 20},
                                                   {70, 5, 10},  {5, 5, 75}};
  ASSERT_EQ(lists.large.products().size(), expected.size());
  for (std::size_t p = 0; p < expected.size(); ++p) {
    const MatrixProduct& product = lists.large.products()[p];
    EXPECT_EQ(p == 7 ? product.m : product.pivots, expected[p][0]);
    EXPECT_EQ(product.n, expected[p][1]);
    EXPECT_EQ(product.k, expected[p][2]);
  }
  EXPECT_EQ(lists.steps.size(), 9U);  // The last step puts back the last block.
  EXPECT_EQ(lists.num_entries, 74 * 80 + 80);
}

TEST(PotrfPlan, BadSizesAreRefusedByName) {
  const auto refusal = [](const DenseFront& front) {
    const std::vector<DenseFront> fronts{{.panel = {0, 1, 1, 1}}, front};
    return message_of<InvalidArgument>([&] {
      plan_potrf(fronts, FrontUpdate::kWrite, {PanelParams{}, {8, 8}, {8, 8}});
    });
  };
  EXPECT_THAT(refusal({.panel = {0, 5, 5, -1}}), HasSubstr("front 1: ncol >= 0, but ncol = -1"));
  EXPECT_THAT(refusal({.panel = {0, 5, 4, 5}}), HasSubstr("nrow >= ncol, but nrow - ncol = -1"));
  EXPECT_THAT(refusal({.panel = {0, 3, 4, 4}}), HasSubstr("ld >= nrow, but ld = 3"));
  EXPECT_THAT(refusal({.panel = {-1, 4, 4, 4}}), HasSubstr("panel = -1"));
  EXPECT_THAT(refusal({.panel = {0, 9, 9, 4}, .update = 0, .ldu = 4}),
              HasSubstr("ldu >= nupd or 0, but ldu = 4"));
}

TEST(PotrfReference, SmallCaseByHand) {
  // [4; 2 10; 6 9 x]: L = [2; 1 3; 3 2].
  std::vector<double> a{4, 2, 6, 0, 10, 9};
  EXPECT_EQ(reference::factor_panel<double>({0, 3, 3, 2}, a).column, -1);
  EXPECT_THAT(a, testing::ElementsAre(2, 1, 3, 0, 3, 2));
  std::vector<double> bad{4, 2, 0, 1};
  const PivotStatus<double> status = reference::factor_panel<double>({0, 2, 2, 2}, bad);
  EXPECT_EQ(status.column, 1);
  EXPECT_EQ(status.value, 0);
}

}  // namespace
}  // namespace clchol::gpu
