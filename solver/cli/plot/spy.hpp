// Draws the spy plot of `clchol plot`: a picture of the positions of the entries of A as given, and
// beside it a picture of P A P' drawn over the fill of L.
#pragma once

#include <string>
#include <vector>

#include "base/csc.hpp"
#include "clchol/clchol.hpp"

namespace clchol::cli {

/// What the spy plot shows.
struct SpyInput {
  std::string matrix;              // Name of the matrix.
  CscPatternView lower;            // Lower triangle of A.
  std::vector<Index> permutation;  // The permutation P: permutation[new] = old.
  AssemblyTree tree;               // Assembly tree of P A P'.
  AnalysisReport report;           // Report of the analysis, for the text below the pictures.
};

/// @return the content of an SVG file.  A picture is a raster (density.hpp) of at most 400 x 400
///         cells, so the size of the file does not grow with the matrix.
std::string draw_spy(const SpyInput& input);

}  // namespace clchol::cli
