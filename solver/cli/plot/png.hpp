// Writes images with a palette as PNG files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace clchol::cli {

/// A colour: red, green and blue, each 0 to 255.
using Rgb = std::array<std::uint8_t, 3>;

/// An image of at most 256 colours.
struct IndexedImage {
  int width = 0, height = 0;  // Sizes in pixels.
  std::vector<Rgb> palette;   // The image's 1 to 256 colours.
  // Index in `palette` of each pixel, row by row from the top.  Length width * height.
  std::vector<std::uint8_t> pixels;
};

/// @return the bytes of a PNG file with a palette (PNG's colour type 3) and a byte for each pixel.
/// Throws std::bad_alloc.
std::string png_bytes(const IndexedImage& image);

}  // namespace clchol::cli
