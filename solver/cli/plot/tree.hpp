// The drawing of an assembly tree.
#pragma once

#include <string>

#include "clchol/clchol.hpp"

namespace clchol::cli {

struct TreeInput {
  std::string matrix;  // Its name.
  AssemblyTree tree;
  AnalysisReport report;
};

/// An SVG file of at most 500 rectangles: areas are flops, colours rows of fronts.
std::string draw_tree(const TreeInput& input);

}  // namespace clchol::cli
