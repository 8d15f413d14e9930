#include "solver/cli/plot/colours.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace clchol::cli {

Rgb ColourScale::at(double share) const {
  const double t = std::clamp(share, 0.0, 1.0);
  Rgb colour{};
  for (std::size_t k = 0; k < colour.size(); ++k) {
    colour[k] = static_cast<std::uint8_t>(std::lround(light[k] + t * (dark[k] - light[k])));
  }
  return colour;
}

std::string hex_of(const Rgb& colour) {
  std::array<char, 8> text;
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", colour[0], colour[1], colour[2]);
  return text.data();
}

const char* text_colour_on(const Rgb& background) {
  // Luma by ITU-R BT.601.
  const double luma = 0.299 * background[0] + 0.587 * background[1] + 0.114 * background[2];
  return luma > 140 ? kInk : "#ffffff";
}

}  // namespace clchol::cli
