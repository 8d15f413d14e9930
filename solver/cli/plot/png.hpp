// Writes images with a palette as PNG files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace clchol::cli {

using Rgb = std::array<std::uint8_t, 3>;

struct IndexedImage {
  int width = 0, height = 0;
  std::vector<Rgb> palette;          // 1 to 256 colours.
  std::vector<std::uint8_t> pixels;  // Palette indices, row-major.  Length width * height.
};

/// @return the bytes of a PNG file (colour type 3, 8 bits).  Throws std::bad_alloc.
std::string png_bytes(const IndexedImage& image);

}  // namespace clchol::cli
