#include "gpu_kernels/dense/tensor_gemm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gpu_kernels/dense/products.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr Index kEven = 2;  // Divides offsets and leading dimensions of A and B.

constexpr TensorParams k64{};
constexpr TensorParams k64EightWarps{.warps_n = 4, .stages = 4};
constexpr TensorParams k128x64{.tile_m = 128, .warps_m = 4, .mma_k = 8, .registers = 128};
constexpr TensorParams k128{
    .tile_m = 128, .tile_n = 128, .warps_n = 4, .tile_k = 16, .stages = 3, .mma_k = 16};
constexpr TensorParams kShapes[] = {k64, k64EightWarps, k128x64, k128};

// Runs on devices that have the kernel's instructions.
class TensorGemmTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    const Capabilities capabilities = probe_capabilities(programs(), queue());
    const Capability& able = tensor_cores(capabilities);
    if (!able.present) GTEST_SKIP() << "no fp64 tensor cores: " << able.reason;
    context().set_static_local_bytes(capabilities.static_local_bytes);
  }

  std::vector<double> run(TensorGemm& gemm, Products<double>& products, TileSlices slices = {},
                          const std::vector<PivotStatus<double>>& status = {}) {
    ProductList list(gemm.tile());
    for (const MatrixProduct& p : products.list) list.append(p);
    const ProductBatch batch(queue(), list.products(), list.tiles());
    const auto a = on_device(products.a.values()), b = on_device(products.b.values());
    const auto c = on_device(products.c.values());
    const auto fronts = on_device(status);
    const ProductOperands<double> operands{a, b, c, fronts};
    check_extent(tensor_extent_of(list.products()), operands);
    gemm.run(queue(), batch, operands, slices);
    return on_host(c);
  }
};

Products<double> tensor_products_around(const TensorParams& params) {
  Products<double> products(kEven);
  const Index k_tile = params.tile_k;
  const Index depths[] = {
      0, 1, k_tile - 1, k_tile, k_tile + 1, 2 * k_tile + 3, params.stages * k_tile + 2};
  int count = 0;
  for (const Index m : sizes_around(params.tile_m)) {
    for (const Index n : sizes_around(params.tile_n)) {
      products.append(m, n, depths[count % std::size(depths)], count % 2 == 0 ? CLCHOL_SUBTRACT : 0,
                      count % 3);
      ++count;
    }
  }
  return products;
}

Products<double> lower_halves(const TensorParams& params) {
  Products<double> products(kEven);
  const Index tile = params.tile_n;
  int count = 0;
  for (const Index n : {1, tile - 1, tile, tile + 1, 2 * tile + 3, 6 * tile}) {
    const Index form = count % 2 == 0 ? CLCHOL_SUBTRACT : 0, k = 16 * (count % 3) + count;
    products.append(n + count % 4 * 5, n, k, form | CLCHOL_LOWER, count % 3);
    products.append_update(n, k, form);
    products.append_update(n, k, CLCHOL_SUBTRACT - form);
    ++count;
  }
  return products;
}

// Products where B is A: of one tile, and with three, four and nine tiles on the diagonal.
Products<double> same_operands(const TensorParams& params) {
  Products<double> products(kEven);
  const Index tile = params.tile_n;
  for (const Index n : {tile - 1, 3 * tile, 3 * tile + 5, 9 * tile - 3}) {
    products.append(n, n, 33, CLCHOL_SUBTRACT | CLCHOL_LOWER, 1);
    products.append_update(n, 20, 0);
  }
  products.make_same();
  return products;
}

TEST_F(TensorGemmTest, EveryShapeAgreesWithTheTwin) {
  for (const TensorParams& params : kShapes) {
    SCOPED_TRACE(params.build_options());
    TensorGemm gemm(programs(), params);
    for (Products<double> products :
         {tensor_products_around(params), lower_halves(params), same_operands(params)}) {
      const std::vector<double> expected = products.expected();
      for (const TileSlices slices : {TileSlices{0, 1}, TileSlices{0, 3}, TileSlices{7, 3}}) {
        SCOPED_TRACE(slices.slices);
        SCOPED_TRACE(slices.whole);
        expect_near(run(gemm, products, slices), expected, products.tolerance());
      }
    }
  }
}

TEST_F(TensorGemmTest, SlicesGiveTheSameBitsAtEveryRun) {
  Products<double> products(kEven);
  products.append(700, 650, 500, CLCHOL_SUBTRACT, 0);
  TensorGemm gemm(programs(), k64);
  const TileSlices slices{100, 4};  // 100 of the 121 tiles are whole.
  const std::vector<double> first = run(gemm, products, slices);

  expect_near(first, products.expected(), products.tolerance());
  for (int repetition = 0; repetition < 20; ++repetition) {
    EXPECT_TRUE(same_bits(run(gemm, products, slices), first));
  }
}

TEST_F(TensorGemmTest, ProductsOfFailedFrontsAreLeftOut) {
  Products<double> products(kEven);
  for (const Index front : {0, 1, 2}) {
    products.append(20, 10, 40, CLCHOL_SUBTRACT, 1);
    products.list.back().front = front;
    products.list.back().pivots = 8;
  }
  const std::vector<PivotStatus<double>> status{{7, 0, -1}, {8, 0, -1}, {kNone, 0, 0}};
  std::vector<double> expected = products.c.values();
  for (const std::size_t p : {1, 2}) {
    reference::gemm<double>(products.list[p], products.a.values(), products.b.values(), expected);
  }
  TensorGemm gemm(programs(), k64);
  for (const Index slices : {1, 2}) {
    expect_near(run(gemm, products, {0, slices}, status), expected, products.tolerance());
  }
}

// ---- On the host

MatrixProduct product(Index order, Index k, Index form) {
  return {.a = 0,
          .lda = order,
          .b = 0,
          .ldb = order,
          .c = 0,
          .ldc = order,
          .m = order,
          .n = order,
          .k = k,
          .form = form,
          .front = kNone,
          .pivots = 0};
}

TEST(TensorObstacle, OddPositionsAndLeadingDimensionsAreNamed) {
  const auto obstacle = [](auto change) {
    MatrixProduct p = product(8, 4, 0);
    change(p);
    return tensor_obstacle(p);
  };
  EXPECT_THAT(obstacle([](MatrixProduct& p) { p.c = p.ldc = 9; }), IsEmpty());
  EXPECT_EQ(obstacle([](MatrixProduct& p) { p.a = 3; }), "A's position is odd: 3");
  EXPECT_EQ(obstacle([](MatrixProduct& p) { p.b = 5; }), "B's position is odd: 5");
  EXPECT_EQ(obstacle([](MatrixProduct& p) { p.lda = 9; }), "lda is odd: 9");
  EXPECT_EQ(obstacle([](MatrixProduct& p) { p.ldb = 11; }), "ldb is odd: 11");
}

TEST(TensorExtent, TakesPairsOfRowsOfAAndB) {
  MatrixProduct p = product(5, 3, 0);
  p.lda = 6, p.ldb = 8;

  const ProductExtent extent = tensor_extent_of({p});

  EXPECT_EQ(extent.a, 18);
  EXPECT_EQ(extent.b, 22);
  EXPECT_EQ(extent.c, 25);
}

TEST(TensorCores, WhatIsAbsentSaysWhy) {
  Capabilities capabilities;
  capabilities.async_copy = {true, ""};
  capabilities.mma_m16n8k16 = {false, "no such instruction"};
  EXPECT_EQ(tensor_cores(capabilities).reason, "no such instruction");
  capabilities.mma_m16n8k16 = {true, ""};
  EXPECT_TRUE(tensor_cores(capabilities).present);
  capabilities.async_copy = {false, "no copies"};
  EXPECT_EQ(tensor_cores(capabilities).reason, "no copies");
}

TEST(TensorParams, ShapesAreValidAndFitTheDevicesTheyAreFor) {
  for (const TensorParams& params : kShapes) {
    EXPECT_TRUE(params.valid()) << params.build_options();
    EXPECT_TRUE(fits(params, {1024, 227 << 10}));
    EXPECT_FALSE(fits(params, {64, 227 << 10}));
    EXPECT_FALSE(fits(params, {1024, 16 << 10}));
  }
  EXPECT_EQ(k128.local_bytes(8), 3U * 16 * (132 + 132) * 8 + 16);
}

TEST(TensorParams, WhatDoesNotDivideIsInvalid) {
  const auto is_valid = [](auto change) {
    TensorParams params{.tile_k = 16, .stages = 3, .mma_k = 16};
    change(params);
    return params.valid();
  };
  EXPECT_TRUE(is_valid([](TensorParams&) {}));
  EXPECT_FALSE(is_valid([](TensorParams& p) { p.tile_m = 48; }));
  EXPECT_FALSE(is_valid([](TensorParams& p) { p.warps_m = 0; }));
  EXPECT_FALSE(is_valid([](TensorParams& p) { p.mma_k = 6; }));
  EXPECT_FALSE(is_valid([](TensorParams& p) { p.tile_k = 24; }));
  EXPECT_FALSE(is_valid([](TensorParams& p) { p.stages = 2; }));
  EXPECT_FALSE(is_valid([](TensorParams& p) { p.warps_m = 4; }));  // One step per k-tile.
  EXPECT_FALSE(is_valid([](TensorParams& p) {                      // 512 work-items.
    p.tile_m = p.tile_n = 128;
    p.warps_m = p.warps_n = 4;
  }));
  EXPECT_FALSE(is_valid([](TensorParams& p) { p.cached_copies = 2; }));
  EXPECT_FALSE(is_valid([](TensorParams& p) { p.tile_columns = 0; }));
  EXPECT_FALSE(is_valid([](TensorParams& p) { p.slice_k = -1; }));
  // 512 work-items copy 16 columns of 64 rows at once.
  EXPECT_FALSE(is_valid([](TensorParams& p) { p.warps_n = 8, p.tile_n = 256, p.tile_k = 8; }));
}

TEST(TensorParams, SlicesFillTheDeviceWithoutBecomingShort) {
  const TensorParams uncut{};
  EXPECT_EQ(uncut.slices(1, 10'000, 132).slices, 1);
  const TensorParams params{.resident = 3, .slice_k = 128};  // 396 work-groups at once.
  EXPECT_EQ(params.slices(136, 512, 132).slices, 2);         // 272 work-groups.
  EXPECT_EQ(params.slices(256, 512, 132).slices, 3);         // 768 work-groups: 2/3 of the time.
  EXPECT_EQ(params.slices(396, 512, 132).slices, 1);
  EXPECT_EQ(params.slices(10, 512, 132).slices, 4);  // As many as k allows.
  EXPECT_EQ(params.slices(10, 127, 132).slices, 1);
  EXPECT_EQ(params.slices(0, 512, 132).slices, 1);
}

TEST(TensorParams, OnlyTheLastTilesAreCut) {
  const TensorParams params{.resident = 3, .slice_k = 128};
  const TileSlices third = params.slices(528, 2048, 132);  // 132 tiles remain.
  EXPECT_EQ(third.whole, 396);
  EXPECT_EQ(third.slices, 3);
  const TileSlices fifth = params.slices(1024, 2048, 132);  // 232 tiles remain: 3 rounds of fifths.
  EXPECT_EQ(fifth.whole, 792);
  EXPECT_EQ(fifth.slices, 5);
  EXPECT_EQ(params.slices(1188, 2048, 132).slices, 1);
}

TEST(TensorParams, RowsAreChosenBySize) {
  const Tuning tuning("NVIDIA H200", "");
  const WorkGroupLimits limits{1024, 227 << 10};
  const auto params = [&](Index order, Index k, Index form) {
    return tensor_params(tuning, product(order, k, form), limits);
  };
  EXPECT_EQ(params(16384, 16384, 0).tile_m, 128);
  EXPECT_EQ(params(16384, 256, 0).tile_m, 64);  // Short k.
  EXPECT_EQ(params(4096, 4096, 0).tile_m, 128);
  EXPECT_EQ(params(4096, 64, 0).tile_m, 64);
  EXPECT_EQ(params(4096, 4096, CLCHOL_LOWER).tile_m, 128);
  EXPECT_EQ(params(2048, 2048, 0).tile_n, 128);
  EXPECT_EQ(params(2048, 2048, CLCHOL_LOWER).tile_n, 128);  // One work-group per unit.
  EXPECT_EQ(params(1536, 2048, CLCHOL_LOWER).tile_n, 64);   // Few tiles.
  EXPECT_EQ(params(1000, 512, CLCHOL_LOWER).tile_n, 32);    // Very few tiles.
  EXPECT_EQ(params(1000, 512, 0).tile_n, 64);
  EXPECT_EQ(params(4000, 256, CLCHOL_LOWER).streamed_c, 1);
  EXPECT_EQ(params(1000, 256, CLCHOL_LOWER).streamed_c, 0);  // C fits in the cache.
  EXPECT_EQ(tensor_params(tuning, product(16384, 16384, 0), {1024, 64 << 10}).tile_n, 64);
}

TEST(TensorGemm, InvalidShapesAreRefused) {
  const std::optional<Device> device = test_device();
  if (!device) GTEST_SKIP() << "no OpenCL device on this machine";
  const Context context(*device);
  ProgramCache programs(context, "");
  EXPECT_THAT(message_of<InvalidArgument>([&] { TensorGemm(programs, {.tile_m = 40}); }),
              HasSubstr("-DTILE_M=40"));
}

}  // namespace
}  // namespace clchol::gpu
