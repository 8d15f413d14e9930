// Draws an assembly tree.
#pragma once

#include <string>

#include "clchol/clchol.hpp"

namespace clchol::cli {

struct TreeInput {
  std::string matrix;  // Name of the matrix.
  AssemblyTree tree;
  AnalysisReport report;
};

/// @return an SVG file of at most 500 rectangles.  The area of a rectangle shows the flops of its
///         front, the colour shows the number of rows.
std::string draw_tree(const TreeInput& input);

}  // namespace clchol::cli
