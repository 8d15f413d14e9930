// Draws the spy plot: A as given, and beside it P A P' over the fill of L.
#pragma once

#include <string>
#include <vector>

#include "base/csc.hpp"
#include "clchol/clchol.hpp"

namespace clchol::cli {

struct SpyInput {
  std::string matrix;              // Name of the matrix.
  CscPatternView lower;            // Lower triangle of A.
  std::vector<Index> permutation;  // permutation[new] = old.
  AssemblyTree tree;
  AnalysisReport report;
};

/// @return an SVG file.  Its size depends only on the raster, which has at most 400 x 400 cells.
std::string draw_spy(const SpyInput& input);

}  // namespace clchol::cli
