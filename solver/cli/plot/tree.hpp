// Draws the assembly tree of a matrix for `clchol plot`, as rectangles that tree_layout.hpp places.
#pragma once

#include <string>

#include "clchol/clchol.hpp"

namespace clchol::cli {

/// What the drawing shows.
struct TreeInput {
  std::string matrix;     // Name of the matrix.
  AssemblyTree tree;      // The tree.
  AnalysisReport report;  // Report of the analysis, for the text of the drawing.
};

/// @return the content of an SVG file with at most 500 rectangles.  A rectangle is a front, or the
///         merged subtrees of several siblings.  Its area is in proportion to the flops.  The
///         colour of a front shows its number of rows; merged subtrees are grey.
std::string draw_tree(const TreeInput& input);

}  // namespace clchol::cli
