// The product of one tile in the emulator.  Compiled once for each set of tile parameters, with the
// set's name as SUITE.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/gpu_kernels/emulated/ptx_emulator.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
namespace clchol::emulated {
namespace {
#include "gpu_kernels/kernels/dense/tensor_product.cl"  // NOLINT(bugprone-suspicious-include)
#pragma GCC diagnostic pop

// Values of a work-group's tile, by rows and columns.
struct Tile {
  std::vector<double> at = std::vector<double>(std::size_t{TILE_M} * TILE_N);
  double& operator()(int i, int j) { return at[static_cast<std::size_t>(i + j * TILE_M)]; }
};

// A column-major matrix rows x depth with an even leading dimension.  Padding is NaN.
struct Operand {
  int rows, depth, ld;
  std::vector<double2> storage;  // Aligned to 16 bytes.

  Operand(int num_rows, int num_columns, std::mt19937& random)
      : rows(num_rows),
        depth(num_columns),
        ld((num_rows + 3) / 2 * 2),
        storage(static_cast<std::size_t>(ld / 2 * depth + 1), {std::nan(""), std::nan("")}) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int k = 0; k < depth; ++k) {
      for (int i = 0; i < rows; ++i) data()[i + k * ld] = uniform(random);
    }
  }
  double* data() { return &storage.front().x; }
  double operator()(int i, int k) { return data()[i + k * ld]; }
};

// Copies the work-item's entries to the tile (`store`) or from the tile.
void exchange_tile(Accumulators& acc, Tile& tile, bool store) {
  for (int i = 0; i < ROW_BLOCKS; ++i) {
    for (int j = 0; j < COLUMN_BLOCKS; ++j) {
      for (int e = 0; e < 4; ++e) {
        double& entry = tile(own_row() + 16 * i + e / 2, own_column() + column_of(j, e));
        (store ? entry : acc.at[i][j][e]) = store ? acc.at[i][j][e] : entry;
      }
    }
  }
}

// Compares tile += A * B' by the kernel, for a random tile, with plain sums.
void compare(int rows_a, int rows_b, int depth, Copies copies) {
  SCOPED_TRACE(testing::Message() << "A has " << rows_a << " rows, B " << rows_b << ", " << depth
                                  << " columns, copies "
                                  << (copies == Copies::kLate ? "late" : "at once"));
  std::mt19937 random(static_cast<unsigned>(rows_a + 7 * depth));
  Operand A(rows_a, depth, random), B(rows_b, depth, random);
  Tile before, after;
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& entry : before.at) entry = uniform(random);

  run({.work_groups = 1, .items = GROUP, .copies = copies, .seed = 4}, [&] {
    LOCAL_ARRAY(double, k_tiles, K_TILES_SIZE);
    Accumulators acc{};
    exchange_tile(acc, before, false);
    // Two calls: the k-tiles must be free again when the function returns.
    multiply_tile(&acc, k_tiles, A.data(), A.ld, rows_a, B.data(), B.ld, rows_b, depth);
    multiply_tile(&acc, k_tiles, A.data(), A.ld, rows_a, B.data(), B.ld, rows_b, 1);
    exchange_tile(acc, after, true);
  });

  // Sums of depth + 2 terms below 1, in another order.
  const double bound = (depth + 2) * (depth + 2) * std::numeric_limits<double>::epsilon();
  for (int j = 0; j < std::min(rows_b, TILE_N); ++j) {
    for (int i = 0; i < std::min(rows_a, TILE_M); ++i) {
      double expected = before(i, j) + A(i, 0) * B(j, 0);
      for (int k = 0; k < depth; ++k) expected += A(i, k) * B(j, k);
      ASSERT_NEAR(after(i, j), expected, bound) << i << ", " << j;
    }
  }
}

TEST(SUITE, AddsTheProductWhateverTheSizes) {
  for (const Copies copies : {Copies::kLate, Copies::kAtOnce}) {
    compare(TILE_M, TILE_N, TILE_K, copies);
    compare(TILE_M + 5, TILE_N + 3, 5 * TILE_K + 3, copies);
    compare(TILE_M - 1, TILE_N - 1, STAGES * TILE_K - 1, copies);
    compare(1, 1, 1, copies);
    compare(17, 33, TILE_K + 1, copies);
  }
}

}  // namespace
}  // namespace clchol::emulated
