#include "base/row_entries.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace clchol {
namespace {

// Chunks of any length, of matrices with padded rows, are read and written back.
TEST(RowEntries, ChunksAreReadAndWrittenBack) {
  constexpr Index kRows = 37;
  for (const Index ncol : {1, 2, 5}) {
    const Index ld = ncol + 1;
    std::vector<int> matrix(std::size_t{kRows} * ld, -1);
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < ncol; ++j) matrix[i * ld + j] = i * ncol + j;
    }
    std::vector<int> copy(matrix.size(), -1);
    const auto row = [&](Index i) { return matrix.data() + Offset{i} * ld; };
    const auto row_of_copy = [&](Index i) { return copy.data() + Offset{i} * ld; };
    for (const int threads : {1, 4}) {
      for (const Offset length : {1, 7, 64, 1000}) {
        std::fill(copy.begin(), copy.end(), -1);
        for (Offset begin = 0; begin < Offset{kRows} * ncol; begin += length) {
          std::vector<int> chunk(std::min(length, Offset{kRows} * ncol - begin), -2);
          read_row_entries(row, ncol, begin, std::span(chunk), threads);
          std::vector<int> expected(chunk.size());
          std::iota(expected.begin(), expected.end(), static_cast<int>(begin));
          EXPECT_EQ(chunk, expected);
          write_row_entries(row_of_copy, ncol, begin, std::span<const int>(chunk), threads);
        }
        EXPECT_EQ(copy, matrix) << ncol << " columns, chunks of " << length;
      }
    }
  }
}

}  // namespace
}  // namespace clchol
