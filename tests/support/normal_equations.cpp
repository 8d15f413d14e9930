#include "tests/support/normal_equations.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace clchol::test {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  /// A random number in [0, 1).
  double number() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }
  /// A random integer in [0, n).
  Index below(Index n) { return static_cast<Index>(number() * n); }
  std::vector<Index> rows(Index count, Index n) {
    std::vector<Index> result(count);
    for (Index& row : result) row = below(n);
    return result;
  }

 private:
  std::mt19937_64 generator_;
};

using Columns = std::vector<std::vector<Index>>;

/// Lower triangle of A A^T with a full diagonal, from the rows of A's columns.  A row may occur
/// more than once in a column.
CscPattern product(Index n, Columns columns) {
  Columns below(n);
  for (std::vector<Index>& column : columns) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    for (std::size_t a = 0; a < column.size(); ++a) {
      below[column[a]].insert(below[column[a]].end(), column.begin() + a + 1, column.end());
    }
  }
  CscPattern result;
  result.n = n;
  result.colptr.push_back(0);
  for (Index j = 0; j < n; ++j) {
    std::vector<Index>& rows = below[j];
    rows.push_back(j);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (const Index i : rows) result.rowind.push_back(i);
    result.colptr.push_back(static_cast<Offset>(result.rowind.size()));
    rows = {};
  }
  return result;
}

}  // namespace

CscPattern zero_one(const ZeroOne& shape, std::uint64_t seed) {
  Random random(seed);
  Columns columns;
  for (Index k = 0; k < shape.light; ++k) columns.push_back(random.rows(shape.entries, shape.rows));
  for (Index k = 0; k < shape.heavy; ++k) columns.push_back(random.rows(shape.size, shape.rows));
  return product(shape.rows, std::move(columns));
}

CscPattern set_cover(const SetCover& shape, std::uint64_t seed) {
  Random random(seed);
  Columns columns;
  for (Index k = 0; k < shape.sets; ++k) {
    const double size = 2 * std::pow(1 - random.number(), -1 / shape.exponent);
    const Index place = random.below(shape.rows);
    std::vector<Index> column(static_cast<Index>(std::min<double>(shape.most, size)));
    for (Index& row : column) {
      row = random.number() < shape.local ? (place + random.below(shape.window)) % shape.rows
                                          : random.below(shape.rows);
    }
    columns.push_back(std::move(column));
  }
  return product(shape.rows, std::move(columns));
}

CscPattern block_angular(const BlockAngular& shape, std::uint64_t seed) {
  Random random(seed);
  Columns columns;
  const Index blocks_end = shape.blocks * shape.rows;
  for (Index block = 0; block < shape.blocks; ++block) {
    for (Index k = 0; k < shape.columns; ++k) {
      std::vector<Index> column = random.rows(shape.entries, shape.rows);
      for (Index& row : column) row += block * shape.rows;
      if (random.number() < shape.coupled) {
        column.push_back(blocks_end + random.below(shape.linking));
      }
      columns.push_back(std::move(column));
    }
  }
  return product(blocks_end + shape.linking, std::move(columns));
}

CscPattern local_columns(const LocalColumns& shape, std::uint64_t seed) {
  Random random(seed);
  Index n = 1;
  for (int d = 0; d < shape.dimensions; ++d) n *= shape.side;
  Columns columns;
  for (Index k = 0; k < static_cast<Index>(shape.per_row * n); ++k) {
    const std::vector<Index> centre = random.rows(shape.dimensions, shape.side);
    std::vector<Index> column(shape.entries, 0);
    for (Index& row : column) {
      for (const Index at : centre) {
        const Index moved = at + random.below(2 * shape.radius + 1) - shape.radius;
        row = row * shape.side + std::clamp<Index>(moved, 0, shape.side - 1);
      }
    }
    columns.push_back(std::move(column));
  }
  for (Index k = 0; k < shape.heavy; ++k) columns.push_back(random.rows(shape.size, n));
  return product(n, std::move(columns));
}

std::vector<NormalEquations> thirty_normal_equations() {
  std::vector<NormalEquations> result;
  const auto add = [&](const char* kind, auto make, const auto& shapes) {
    std::uint64_t seed = 0;
    for (const auto& shape : shapes) {
      ++seed;
      result.push_back(
          {kind + std::to_string(seed), [make, shape, seed] { return make(shape, seed); }});
    }
  };
  add("zero_one", zero_one,
      std::vector<ZeroOne>{{5000, 15000, 3, 10, 200},
                           {10000, 20000, 3, 20, 200},
                           {20000, 30000, 3, 10, 300},
                           {40000, 44000, 3, 20, 200},
                           {8000, 20000, 2, 5, 500},
                           {15000, 30000, 2, 30, 100}});
  add("set_cover", set_cover,
      std::vector<SetCover>{{5000, 5000, 1.5, 400, 0, 1},
                            {10000, 10000, 2, 100, 0, 1},
                            {20000, 14000, 2, 100, 0, 1},
                            {12000, 12000, 1.5, 300, 0.9, 300},
                            {20000, 20000, 1.3, 300, 0.95, 600},
                            {40000, 20000, 1.5, 400, 0.8, 1000}});
  add("block_angular", block_angular,
      std::vector<BlockAngular>{{4, 1500, 3000, 3, 2000, 0.5},
                                {4, 2000, 6000, 3, 3000, 1},
                                {2, 3000, 9000, 3, 3000, 1},
                                {20, 400, 1200, 3, 400, 0.5},
                                {8, 2000, 5000, 3, 6000, 0.8},
                                {3, 5000, 10000, 3, 6000, 0.7},
                                {6, 3000, 9000, 3, 9000, 1},
                                {40, 800, 2000, 3, 3000, 0.5}});
  add("local_columns", local_columns,
      std::vector<LocalColumns>{{3, 20, 1.5, 4, 2, 5, 200},
                                {3, 22, 2, 8, 4, 0, 0},
                                {3, 32, 2, 6, 3, 10, 200},
                                {4, 10, 1.5, 6, 1, 10, 100},
                                {4, 12, 1.5, 5, 1, 0, 0},
                                {4, 13, 1.5, 4, 1, 20, 100},
                                {5, 7, 1.5, 4, 1, 0, 0},
                                {5, 8, 1.2, 4, 1, 10, 200},
                                {6, 5, 1.5, 3, 1, 0, 0},
                                {3, 25, 2, 8, 2, 20, 300}});
  return result;
}

}  // namespace clchol::test
