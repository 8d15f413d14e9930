// The colours of drawings: muted, and distinguishable in print and for the colour-blind.
#pragma once

#include <string>

#include "solver/cli/plot/png.hpp"

namespace clchol::cli {

constexpr char kInk[] = "#222222";      // Colour of text.
constexpr char kPencil[] = "#666666";   // Colour of axes and remarks.
constexpr char kGrid[] = "#dddddd";     // Colour of grid lines behind bars.
constexpr char kAccent[] = "#c8442c";   // Colour of highlighted parts.
constexpr Rgb kRest = {208, 208, 208};  // Colour of merged fronts and of other names.

/// A linear scale of colours.
struct ColourScale {
  Rgb light, dark;

  /// @param share  position on the scale: 0 gives `light`, 1 gives `dark`.
  Rgb at(double share) const;
};

constexpr ColourScale kEntryScale = {{126, 166, 214}, {8, 38, 92}};
constexpr ColourScale kFillScale = {{252, 233, 205}, {240, 178, 107}};
constexpr ColourScale kFrontScale = {{226, 236, 240}, {22, 82, 108}};

/// @return the colour as SVG writes it, such as "#1a2b3c".
std::string hex_of(const Rgb& colour);

/// @return kInk or white, whichever is easier to read on `background`.
const char* text_colour_on(const Rgb& background);

}  // namespace clchol::cli
