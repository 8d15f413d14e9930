// The kernel tensor_gemm in the emulator.  Compiled once for each set of tile parameters, with the
// set's name as SUITE.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "gpu_kernels/dense/product_list.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "tests/gpu_kernels/dense/products.hpp"
#include "tests/gpu_kernels/emulated/ptx_emulator.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
namespace clchol::emulated {
namespace {
using gpu::MatrixProduct;
using gpu::MatrixTile;
using PivotStatus = gpu::PivotStatus<double>;
#include "gpu_kernels/kernels/dense/tensor_gemm.cl"  // NOLINT(bugprone-suspicious-include)
#pragma GCC diagnostic pop

using Products = gpu::Products<double>;
constexpr bool kJoinsDiagonals = TILE_M == TILE_N && WARPS_M % 2 == 0 && WARPS_N % 2 == 0;
constexpr Index kEven = 2;  // Divides offsets and leading dimensions of A and B.

// Returns C of all products.  Checks that the counters of arrivals are zero again.
std::vector<double> result(Products& products, Launch launch, gpu::TileSlices slices,
                           const std::vector<PivotStatus>& status = {}) {
  gpu::ProductList list({TILE_M, TILE_N, 3, kJoinsDiagonals});
  for (const MatrixProduct& p : products.list) list.append(p);
  std::vector<double> c = products.c.values();
  const auto whole = static_cast<Index>(slices.slices == 1 ? list.num_tiles() : slices.whole);
  launch.work_groups = whole + (static_cast<Index>(list.num_tiles()) - whole) * slices.slices;
  launch.items = GROUP;
  std::vector<double2> partials(static_cast<std::size_t>(launch.work_groups) * TILE_M * TILE_N / 2);
  std::vector<int> arrivals(list.tiles().size());
  run(launch, [&] {
    tensor_gemm(list.tiles().data(), 0, list.products().data(), 0, products.a.values().data(), 0,
                products.b.values().data(), 0, c.data(), 0, status.data(), 0, whole, slices.slices,
                &partials.data()->x, arrivals.data());
  });
  EXPECT_THAT(arrivals, testing::Each(0));
  return c;
}

// Products with every pair m, n of sizes around the tile's, and with every k around the k-tile's.
Products around_the_tile() {
  Products products(kEven);
  const Index depths[] = {
      0, 1, TILE_K - 1, TILE_K, TILE_K + 1, 2 * TILE_K + 3, STAGES * TILE_K + 2};
  int count = 0;
  for (const Index m : gpu::sizes_around(TILE_M)) {
    for (const Index n : gpu::sizes_around(TILE_N)) {
      products.append(m, n, depths[count % std::size(depths)], count % 2 == 0 ? CLCHOL_SUBTRACT : 0,
                      count % 3);
      ++count;
    }
  }
  return products;
}

// Products that compute lower halves, in both layouts, and of matrices with more rows than columns.
Products lower_halves() {
  Products products(kEven);
  int count = 0;
  for (const Index n : {1, TILE_N - 1, TILE_N, TILE_N + 1, 2 * TILE_M + 3}) {
    const Index form = count % 2 == 0 ? CLCHOL_SUBTRACT : 0, k = TILE_K * (count % 3) + count;
    products.append(n + count % 4 * 5, n, k, form | CLCHOL_LOWER, count % 3);
    products.append_update(n, k, form);
    products.append_update(n, k, CLCHOL_SUBTRACT - form);
    ++count;
  }
  return products;
}

TEST(SUITE, AgreesWithTheTwinAtTileEdges) {
  Products products = around_the_tile();
  for (const Copies copies : {Copies::kLate, Copies::kAtOnce}) {
    gpu::expect_near(result(products, {.copies = copies, .seed = 2}, {}), products.expected(),
                     products.tolerance());
  }
}

TEST(SUITE, LowerFormsLeaveTheUpperPartAlone) {
  Products products = lower_halves();

  gpu::expect_near(result(products, {}, {}), products.expected(), products.tolerance());
}

// Products with three tiles on the diagonal, with four of which the last is partial, and with more.
TEST(SUITE, FourTilesOnTheDiagonalAreJoinedWhereBIsA) {
  Products products(kEven);
  products.append(3 * TILE_M, 3 * TILE_M, TILE_K + 1, CLCHOL_SUBTRACT | CLCHOL_LOWER, 1);
  products.append(4 * TILE_M, 4 * TILE_M, TILE_K, CLCHOL_LOWER, 0);
  products.append(3 * TILE_M + 7, 3 * TILE_M + 7, 3 * TILE_K, CLCHOL_SUBTRACT | CLCHOL_LOWER, 1);
  products.append_update(5 * TILE_M - 3, 2, CLCHOL_SUBTRACT);
  products.make_same();
  const std::vector<double> expected = products.expected();

  gpu::expect_near(result(products, {}, {}), expected, products.tolerance());
  gpu::expect_near(result(products, {.seed = 3}, {5, 2}), expected, products.tolerance());
}

TEST(SUITE, SlicesAddUpWhateverTheirNumber) {
  Products products(kEven);
  products.append(TILE_M + 1, TILE_N, 5 * TILE_K + 3, CLCHOL_SUBTRACT, 0);
  products.append(TILE_M - 1, TILE_N + 2, TILE_K + 1, 0, 1);
  products.append_update(TILE_N + 1, 3 * TILE_K, 0);
  products.append(3, 5, 0, CLCHOL_SUBTRACT, 0);
  const std::vector<double> expected = products.expected();
  for (const Index slices : {2, 3, 6, 9}) {
    SCOPED_TRACE(slices);
    gpu::expect_near(result(products, {.seed = 3}, {0, slices}), expected, products.tolerance());
    gpu::expect_near(result(products, {.seed = 3}, {3, slices}), expected, products.tolerance());
  }
}

TEST(SUITE, SlicesAddUpToTheSameBitsInWhateverOrderTheyArrive) {
  Products products(kEven);
  products.append(TILE_M, TILE_N, 6 * TILE_K, CLCHOL_SUBTRACT, 0);
  const std::vector<double> first = result(products, {.alive = 1}, {0, 3});
  for (const unsigned seed : {1, 2, 3, 4}) {
    EXPECT_TRUE(gpu::same_bits(result(products, {.alive = 3, .seed = seed}, {0, 3}), first))
        << seed;
  }
}

TEST(SUITE, ProductsOfFailedFrontsAreLeftOut) {
  for (const Index slices : {1, 2}) {
    Products products(kEven);
    for (const Index front : {0, 1, 2}) {
      products.append(20, 10, 2 * TILE_K, CLCHOL_SUBTRACT, 1);
      products.list.back().front = front;
      products.list.back().pivots = 8;
    }
    // The product's front has failed before, will fail at a later column, or has not failed.
    const std::vector<PivotStatus> status{{7, 0, -1}, {8, 0, -1}, {-1, 0, 0}};
    std::vector<double> expected = products.c.values();
    for (const std::size_t p : {1, 2}) {
      gpu::reference::gemm<double>(products.list[p], products.a.values(), products.b.values(),
                                   expected);
    }

    gpu::expect_near(result(products, {}, {0, slices}, status), expected, products.tolerance());
  }
}

}  // namespace
}  // namespace clchol::emulated
