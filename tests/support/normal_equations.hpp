// Patterns of A A^T for random linear programs: lower triangles in CSC, rows ascending.
//
// What they have in common: separators are large but there are some, and coarse graphs are nearly
// complete.  The patterns depend on the arguments alone, not on the library of the compiler.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/csc.hpp"

namespace clchol::test {

/// A 0-1 matrix: `light` columns of `entries` random rows, and `heavy` columns of `size`.
struct ZeroOne {
  Index rows, light, entries, heavy, size;
};
CscPattern zero_one(const ZeroOne& shape, std::uint64_t seed);

/// A set cover: columns of 2 (1 - u)^(-1 / exponent) rows, u random, at most `most`.  A share
/// `local` of a column's rows lies in a window of rows, on a ring; the others lie anywhere.
struct SetCover {
  Index rows, sets;
  double exponent;
  Index most;
  double local;
  Index window;
};
CscPattern set_cover(const SetCover& shape, std::uint64_t seed);

/// Blocks of rows, each with its own columns of `entries` rows.  A column also has one of the
/// `linking` rows, the last ones, with probability `coupled`.
struct BlockAngular {
  Index blocks, rows, columns, entries, linking;
  double coupled;
};
CscPattern block_angular(const BlockAngular& shape, std::uint64_t seed);

/// Rows are the points of a grid of side^dimensions; a row has `per_row` columns in the mean, each
/// of `entries` points of a box of 2 radius + 1 points a side; and `heavy` columns of `size` rows.
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

/// Thirty of them, of 5000 to 40000 rows.
std::vector<NormalEquations> thirty_normal_equations();

}  // namespace clchol::test
