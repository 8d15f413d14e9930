// Patterns of A A^T for random linear programs: lower triangles in CSC, rows ascending.
//
// The graphs have separators, but large ones; their coarse graphs are nearly complete.  The
// patterns depend on the arguments alone, not on the C++ standard library.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/csc.hpp"

namespace clchol::test {

/// A 0-1 matrix: `light` columns of `entries` random rows, and `heavy` columns of `size` random
/// rows.
struct ZeroOne {
  Index rows, light, entries, heavy, size;
};
CscPattern zero_one(const ZeroOne& shape, std::uint64_t seed);

/// A set cover problem.  A column has 2 (1 - u)^(-1 / exponent) rows, u random in [0, 1), and at
/// most `most`.  A share `local` of them lies in a window of `window` rows, which wraps around at
/// the last row; the others lie anywhere.
struct SetCover {
  Index rows, sets;
  double exponent;
  Index most;
  double local;
  Index window;
};
CscPattern set_cover(const SetCover& shape, std::uint64_t seed);

/// `blocks` blocks of `rows` rows and `columns` columns.  A column has `entries` rows of its block
/// and, with probability `coupled`, one of the `linking` rows, which follow the blocks.
struct BlockAngular {
  Index blocks, rows, columns, entries, linking;
  double coupled;
};
CscPattern block_angular(const BlockAngular& shape, std::uint64_t seed);

/// Rows are the points of a grid of side^dimensions points.  There are `per_row` columns per row,
/// each with `entries` points of a box with 2 radius + 1 points on a side, and `heavy` columns of
/// `size` random rows.
struct LocalColumns {
  int dimensions;
  Index side;
  double per_row;
  Index entries, radius, heavy, size;
};
CscPattern local_columns(const LocalColumns& shape, std::uint64_t seed);

struct NormalEquations {
  std::string name;
  std::function<CscPattern()> make;
};

/// Thirty patterns with 5000 to 40000 rows.
std::vector<NormalEquations> thirty_normal_equations();

}  // namespace clchol::test
