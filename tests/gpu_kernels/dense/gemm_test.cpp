#include "gpu_kernels/dense/gemm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/gpu_kernels/dense/products.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;

// Small tiles, so that many tiles are cheap; all parameters differ.
constexpr GemmParams kSmallTiles{.tile_m = 16,
                                 .tile_n = 4,
                                 .tile_k = 2,
                                 .item_m = 4,
                                 .item_n = 2,
                                 .warp_m = 2,
                                 .warp_n = 2,
                                 .vector = 2,
                                 .fragments = 2,
                                 .buffers = 2};

// Small tiles with vectors of four floats.
constexpr GemmParams kSmallFloatTiles{.tile_m = 16,
                                      .tile_n = 8,
                                      .tile_k = 2,
                                      .item_m = 4,
                                      .item_n = 4,
                                      .warp_m = 2,
                                      .warp_n = 2,
                                      .vector = 4,
                                      .fragments = 1,
                                      .buffers = 2};

template <class T>
class GemmTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    if (sizeof(T) == 8 && !device().description.fp64) GTEST_SKIP() << "the device has no fp64";
  }

  std::vector<T> run(Gemm<T>& gemm, Products<T>& products,
                     const std::vector<PivotStatus<T>>& status = {}) {
    ProductList list(gemm.tile());
    for (const MatrixProduct& p : products.list) list.append(p);
    const ProductBatch batch(queue(), list.products(), list.tiles());
    const auto a = this->on_device(products.a.values()), b = this->on_device(products.b.values());
    const auto c = this->on_device(products.c.values());
    const auto fronts = this->on_device(status);
    const ProductOperands<T> operands{a, b, c, fronts};
    check_extent(extent_of(list.products()), operands);
    gemm.run(queue(), batch, operands);
    return this->on_host(c);
  }
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(GemmTest, Reals);

// Products with every combination of sizes around the tile's, in both forms, with and without
// padding.
template <class T>
Products<T> around(const GemmParams& tile) {
  Products<T> products;
  int count = 0;
  for (const Index m : sizes_around(tile.tile_m)) {
    for (const Index n : sizes_around(tile.tile_n)) {
      for (const Index k : {0, 1, tile.tile_k, tile.tile_k + 1, 2 * tile.tile_k + 3}) {
        products.append(m, n, k, count % 2 == 0 ? CLCHOL_SUBTRACT : 0, count % 5);
        ++count;
      }
    }
  }
  return products;
}

// The variants hardly depend on the type.  Tests in double cover all variants, tests in float those
// that depend on the width of vectors.
using GemmDoubleTest = GemmTest<double>;
TEST_F(GemmDoubleTest, EveryVariantAgreesWithTheTwinAtTileEdges) {
  Products<double> products = around<double>(kSmallTiles);
  const std::vector<double> expected = products.expected();
  for (const GemmVariant variant : kGemmVariants) {
    SCOPED_TRACE(name_of(variant));
    Gemm<double> gemm(programs(), kSmallTiles, variant);

    const std::vector<double> actual = run(gemm, products);

    expect_near(actual, expected, products.tolerance());
  }
}

using GemmFloatTest = GemmTest<float>;
TEST_F(GemmFloatTest, VectorsOfFourAgreeWithTheTwinAtTileEdges) {
  Products<float> products = around<float>(kSmallFloatTiles);
  const std::vector<float> expected = products.expected();
  for (const GemmVariant variant : {GemmVariant::kVector, GemmVariant::kAll}) {
    SCOPED_TRACE(name_of(variant));
    Gemm<float> gemm(programs(), kSmallFloatTiles, variant);
    ASSERT_EQ(gemm.params().vector, 4);

    const std::vector<float> actual = run(gemm, products);

    expect_near(actual, expected, products.tolerance());
  }
}

TYPED_TEST(GemmTest, LowerFormsLeaveTheUpperPartAlone) {
  using T = TypeParam;
  Products<T> products;
  int count = 0;
  for (const Index n : {1, 7, 8, 9, 15, 16, 17, 35, 64, 65, 131}) {
    for (const Index k : {0, 3, 9}) {
      const Index form = count % 2 == 0 ? CLCHOL_SUBTRACT : 0;
      products.append(n + count % 4 * 5, n, k, form | CLCHOL_LOWER, count % 3);
      products.append_update(n, k, form);
      ++count;
    }
  }
  Gemm<T> gemm(this->programs(), kSmallTiles);

  const std::vector<T> actual = this->run(gemm, products);

  expect_near(actual, products.expected(), products.tolerance());
}

// Only in double, because these kernels compile slowly.
TEST_F(GemmDoubleTest, DefaultTilesAgreeWithTheTwin) {
  using T = double;
  const WorkGroupLimits limits{this->device().description.max_work_group_size,
                               this->device().description.local_memory_bytes};
  Gemm<T> gemm(this->programs(), gemm_params<T>(Tuning("", ""), "plain", limits));
  Products<T> products;
  products.append(131, 67, 35, CLCHOL_SUBTRACT, 1);
  products.append(128, 64, 32, 0, 0);
  products.append(200, 130, 17, CLCHOL_SUBTRACT | CLCHOL_LOWER, 2);
  products.append_update(195, 40, 0);

  const std::vector<T> actual = this->run(gemm, products);

  expect_near(actual, products.expected(), products.tolerance());
}

TYPED_TEST(GemmTest, SameBitsAtEveryRun) {
  using T = TypeParam;
  Products<T> products = around<T>(kSmallTiles);
  Gemm<T> gemm(this->programs(), kSmallTiles);

  const std::vector<T> first = this->run(gemm, products);

  EXPECT_TRUE(same_bits(this->run(gemm, products), first));
}

TYPED_TEST(GemmTest, ProductsOfFailedFrontsAreLeftOut) {
  using T = TypeParam;
  Products<T> products;
  for (const Index front : {0, 1, 2}) {
    products.append(20, 10, 6, CLCHOL_SUBTRACT, 1);
    products.list.back().front = front;
    products.list.back().pivots = 8;
  }
  // The product's front has failed before, will fail at a later column, or has not failed.
  const std::vector<PivotStatus<T>> status{{7, 0, T{-1}}, {8, 0, T{-1}}, {kNone, 0, T{0}}};
  std::vector<T> expected = products.c.values();
  for (const int p : {1, 2}) {
    reference::gemm<T>(products.list[p], products.a.values(), products.b.values(), expected);
  }
  Gemm<T> gemm(this->programs(), kSmallTiles);

  const std::vector<T> actual = this->run(gemm, products, status);

  expect_near(actual, expected, products.tolerance());
}

TYPED_TEST(GemmTest, ViewsThatAreTooSmallAreRefused) {
  using T = TypeParam;
  Products<T> products;
  products.append(5, 4, 3, 0, 0);
  const ProductExtent extent = extent_of(products.list);
  const DeviceBuffer<T> small(this->context(), 14), right(this->context(), 20);

  EXPECT_THAT(message_of<InvalidArgument>([&] {
                check_extent<T>(extent, {small, right, right, {}});
              }),
              HasSubstr("A has 14 entries, at least 15 are used"));
  EXPECT_NO_THROW(check_extent<T>(extent, {right, right, right, {}}));
}

TYPED_TEST(GemmTest, InvalidTilesAreRefused) {
  GemmParams params = kSmallTiles;
  params.item_m = 3;

  EXPECT_THAT(message_of<InvalidArgument>([&] { Gemm<TypeParam>(this->programs(), params); }),
              HasSubstr("-DITEM_M=3"));
}

MatrixProduct square(Index n, Index form) {
  return {.a = 0,
          .lda = n,
          .b = 0,
          .ldb = n,
          .c = 0,
          .ldc = n,
          .m = n,
          .n = n,
          .k = n,
          .form = form,
          .front = kNone,
          .pivots = 0};
}

TEST(ProductList, TilesCoverEveryEntryOnceAndNothingAboveTheDiagonal) {
  for (const TileShape shape : {TileShape{4, 4}, TileShape{8, 2}, TileShape{2, 8}}) {
    for (const Index form : {0, CLCHOL_LOWER}) {
      for (const Index n : {0, 1, 7, 8, 9, 80}) {
        SCOPED_TRACE(std::to_string(n) + " form " + std::to_string(form));
        ProductList list(shape);
        list.append(square(n, form));

        std::map<std::pair<Index, Index>, int> covered;
        for (const MatrixTile& tile : list.tiles()) {
          for (Index i = tile.row; i < std::min(tile.row + shape.m, n); ++i) {
            for (Index j = tile.column; j < std::min(tile.column + shape.n, n); ++j) {
              ++covered[{i, j}];
            }
          }
          EXPECT_TRUE(form == 0 || std::min(tile.row + shape.m, n) > tile.column);
        }

        EXPECT_EQ(num_tiles(square(n, form), shape), list.num_tiles());
        for (Index j = 0; j < n; ++j) {
          for (Index i = form == 0 ? 0 : j; i < n; ++i) {
            ASSERT_EQ((covered[{i, j}]), 1) << i << ", " << j;
          }
        }
      }
    }
  }
}

// Where B is A, three work-groups compute four tiles on the diagonal: six work-groups the first
// eight such tiles.
TEST(ProductList, FourTilesOnTheDiagonalGoToThreeWhereBIsA) {
  const TileShape shape{.m = 4, .n = 4, .joins_diagonals = true};
  const auto tiles_at = [&](Index form) {
    ProductList list(shape);
    list.append(square(9 * 4 - 1, form));
    EXPECT_EQ(num_tiles(square(9 * 4 - 1, form), shape), list.num_tiles());
    std::set<std::pair<Index, Index>> at;
    for (const MatrixTile& tile : list.tiles()) at.insert({tile.row / 4, tile.column / 4});
    EXPECT_EQ(static_cast<Offset>(at.size()), list.num_tiles());
    return at;
  };
  std::set<std::pair<Index, Index>> expected = tiles_at(CLCHOL_LOWER);
  for (const Index i : {0, 1, 2, 3, 4, 5, 6, 7}) expected.erase({i, i});
  for (const Index i : {0, 1, 2}) expected.insert({i, 3});
  for (const Index i : {4, 5, 6}) expected.insert({i, 7});

  EXPECT_EQ(tiles_at(CLCHOL_LOWER | CLCHOL_SAME), expected);
}

TEST(ProductList, BadSizesAreRefusedByName) {
  const auto refusal = [](auto change) {
    MatrixProduct p = square(5, CLCHOL_LOWER);
    change(p);
    return message_of<InvalidArgument>([&] { ProductList({4, 4}).append(p); });
  };
  EXPECT_THAT(refusal([](MatrixProduct& p) { p.m = -1; }), HasSubstr("m >= 0, but m = -1"));
  EXPECT_THAT(refusal([](MatrixProduct& p) { p.n = -2; }), HasSubstr("n >= 0, but n = -2"));
  EXPECT_THAT(refusal([](MatrixProduct& p) { p.k = -3; }), HasSubstr("k >= 0, but k = -3"));
  EXPECT_THAT(refusal([](MatrixProduct& p) { p.c = -4; }), HasSubstr("but one is -4"));
  EXPECT_THAT(refusal([](MatrixProduct& p) { p.lda = 4; }), HasSubstr("lda >= m, but lda = 4"));
  EXPECT_THAT(refusal([](MatrixProduct& p) { p.ldb = 4; }), HasSubstr("ldb >= n, but ldb = 4"));
  EXPECT_THAT(refusal([](MatrixProduct& p) { p.ldc = 4; }), HasSubstr("ldc >= m, but ldc = 4"));
  EXPECT_THAT(refusal([](MatrixProduct& p) { p.form = CLCHOL_UPDATE; }),
              HasSubstr("an update matrix is lower"));
  EXPECT_THAT(refusal([](MatrixProduct& p) {
                p.form |= CLCHOL_UPDATE;
                p.n = 4;
              }),
              HasSubstr("an update matrix is square"));
  EXPECT_THAT(refusal([](MatrixProduct& p) { p.form = CLCHOL_SAME; }),
              HasSubstr("in lower ones alone"));
  EXPECT_THAT(refusal([](MatrixProduct& p) {
                p.form |= CLCHOL_SAME;
                p.b = 8;
              }),
              HasSubstr("B is A, but lies elsewhere by 8"));
  EXPECT_THAT(refusal([](MatrixProduct& p) {
                p.form |= CLCHOL_SAME;
                p.ldb = p.lda + 2;
              }),
              HasSubstr("B is A, but ldb - lda = 2"));
  EXPECT_THAT(refusal([](MatrixProduct& p) {
                p.form |= CLCHOL_SAME;
                p.n = 4;
              }),
              HasSubstr("B is A, but n - m = -1"));
}

TEST(ProductList, ExtentsBeyond32BitsAreExact) {
  MatrixProduct p = square(100'000, 0);
  p.ldc = 3'000'000'000;
  EXPECT_EQ(extent_of({p}).a, 10'000'000'000);
  EXPECT_EQ(extent_of({p}).c, 99'999 * Offset{3'000'000'000} + 100'000);
}

TEST(GemmReference, SmallCaseByHand) {
  // A = [1 3; 2 4], B = [5 7; 6 8]:  A * B' = [26 30; 38 44]
  const std::vector<double> a{1, 2, 3, 4}, b{5, 6, 7, 8};
  std::vector<double> c{1, 1, 1, 1};
  reference::gemm<double>(square(2, CLCHOL_SUBTRACT), a, b, c);
  EXPECT_THAT(c, testing::ElementsAre(-25, -37, -29, -43));
  reference::gemm<double>(square(2, CLCHOL_LOWER), a, b, c);
  EXPECT_THAT(c, testing::ElementsAre(-26, -38, -29, -44));
}

TEST(GemmVariant, LadderTakesTechniquesAway) {
  const GemmParams local = variant_params(GemmVariant::kLocal, GemmParams{}, 8);
  EXPECT_EQ(local.item_m * local.item_n, 1);
  for (const GemmVariant variant : kGemmVariants) {
    for (const std::size_t bytes : {4, 8}) {
      SCOPED_TRACE(name_of(variant));
      const GemmParams params = variant_params(variant, GemmParams{}, bytes);
      EXPECT_TRUE(params.valid());
      EXPECT_LE(params.work_group_size(), GemmParams{}.work_group_size());
      EXPECT_LE(params.local_bytes(bytes), GemmParams{}.local_bytes(bytes));
    }
  }
}

}  // namespace
}  // namespace clchol::gpu
