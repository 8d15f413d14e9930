#include "solver/cli/plot/png.hpp"

#include <zlib.h>

#include <new>
#include <string_view>

#include "base/assert.hpp"

namespace clchol::cli {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::uint32_t crc_of(std::string_view bytes) {
  const auto* const data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32(0, data, static_cast<uInt>(bytes.size())));
}

/// @return a chunk of the PNG format: length, type, data, and checksum of type and data.
std::string chunk(std::string_view type, std::string_view data) {
  std::string checked(type);
  checked += data;
  return big_endian(static_cast<std::uint32_t>(data.size())) + checked +
         big_endian(crc_of(checked));
}

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  const int code =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  if (code != Z_OK) throw std::bad_alloc();  // Other errors are impossible: the buffer suffices.
  packed.resize(size);
  return packed;
}

}  // namespace

std::string png_bytes(const IndexedImage& image) {
  const auto width = static_cast<std::size_t>(image.width);
  const auto height = static_cast<std::size_t>(image.height);
  CLCHOL_ASSERT(image.pixels.size() == width * height);
  // 8 bits per pixel, colour type palette, deflate, standard filters, not interlaced.
  constexpr char kForm[] = {8, 3, 0, 0, 0};
  std::string header = big_endian(static_cast<std::uint32_t>(width)) +
                       big_endian(static_cast<std::uint32_t>(height)) +
                       std::string(kForm, sizeof kForm);
  std::string palette;
  for (const Rgb& colour : image.palette) palette.append(colour.begin(), colour.end());
  std::string rows;
  rows.reserve((width + 1) * height);
  for (std::size_t y = 0; y < height; ++y) {
    rows += '\0';  // This row has no filter.
    rows.append(image.pixels.begin() + static_cast<std::ptrdiff_t>(y * width),
                image.pixels.begin() + static_cast<std::ptrdiff_t>((y + 1) * width));
  }
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("PLTE", palette) +
         chunk("IDAT", deflated(rows)) + chunk("IEND", "");
}

}  // namespace clchol::cli
