// The colours of the drawings of `clchol plot`: muted, and distinguishable in print and for the
// colour-blind.
#pragma once

#include <string>

#include "solver/cli/plot/png.hpp"

namespace clchol::cli {

constexpr char kInk[] = "#222222";     // Colour of text.
constexpr char kPencil[] = "#666666";  // Colour of axes and remarks.
constexpr char kGrid[] = "#dddddd";    // Colour of grid lines behind bars.
constexpr char kAccent[] = "#c8442c";  // Colour of highlighted parts.
// Colour of merged subtrees in a drawing of a tree.  In a timeline, colour of the bars whose names
// have no colour of their own.
constexpr Rgb kRest = {208, 208, 208};

/// A linear scale of colours, from `light` to `dark`.
struct ColourScale {
  Rgb light, dark;  // Colours at the two ends of the scale.

  /// @return the colour at a position on the scale.
  /// @param share  the position: 0 gives `light`, 1 gives `dark`.
  Rgb at(double share) const;
};

constexpr ColourScale kEntryScale = {{126, 166, 214}, {8, 38, 92}};  // Entries of A in a spy plot.
constexpr ColourScale kFillScale = {{252, 233, 205}, {240, 178, 107}};  // Fill of L in a spy plot.
constexpr ColourScale kFrontScale = {{226, 236, 240}, {22, 82, 108}};  // Rows of a front in a tree.

/// @return the colour in the notation of SVG, such as "#1a2b3c".
std::string hex_of(const Rgb& colour);

/// @return kInk or white, whichever is easier to read on `background`.
const char* text_colour_on(const Rgb& background);

}  // namespace clchol::cli
