// Images of few colours as PNG files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace clchol::cli {

using Rgb = std::array<std::uint8_t, 3>;

struct IndexedImage {
  int width = 0, height = 0;
  std::vector<Rgb> palette;          // Of 1 to 256 colours.
  std::vector<std::uint8_t> pixels;  // Positions in the palette, by rows.  Length width * height.
};

/// A PNG file's bytes (colour type 3, 8 bits).  Throws std::bad_alloc.
std::string png_bytes(const IndexedImage& image);

}  // namespace clchol::cli
