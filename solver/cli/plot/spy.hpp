// The spy picture: A as given, and beside it P A P' over the fill of L.
#pragma once

#include <string>
#include <vector>

#include "base/csc.hpp"
#include "clchol/clchol.hpp"

namespace clchol::cli {

struct SpyInput {
  std::string matrix;  // Its name.
  CscPatternView lower;
  std::vector<Index> permutation;  // permutation[new] = old.
  AssemblyTree tree;
  AnalysisReport report;
};

/// An SVG file.  Its size depends on the raster alone, of at most 400 x 400 cells.
std::string draw_spy(const SpyInput& input);

}  // namespace clchol::cli
