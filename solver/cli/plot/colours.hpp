// The colours of drawings: quiet, told apart in print and by the colour-blind.
#pragma once

#include <string>

#include "solver/cli/plot/png.hpp"

namespace clchol::cli {

constexpr char kInk[] = "#222222";      // Text.
constexpr char kPencil[] = "#666666";   // Axes, remarks.
constexpr char kGrid[] = "#dddddd";     // Lines behind bars.
constexpr char kAccent[] = "#c8442c";   // What is to be found at once.
constexpr Rgb kRest = {208, 208, 208};  // What is merged or not told apart.

/// From the lightest to the darkest of a scale, both in [0, 255]^3.
struct ColourScale {
  Rgb light, dark;

  /// @param share  in [0, 1], 1 the darkest.
  Rgb at(double share) const;
};

constexpr ColourScale kEntryScale = {{126, 166, 214}, {8, 38, 92}};
constexpr ColourScale kFillScale = {{252, 233, 205}, {240, 178, 107}};
constexpr ColourScale kFrontScale = {{226, 236, 240}, {22, 82, 108}};

/// "#1a2b3c".
std::string hex_of(const Rgb& colour);

/// Ink or white, whichever is read better on the colour.
const char* text_colour_on(const Rgb& background);

}  // namespace clchol::cli
