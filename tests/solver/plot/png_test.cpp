// PNG files, decoded by chunks.
#include "solver/cli/plot/png.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <map>
#include <string_view>

namespace clchol::cli {
namespace {

std::uint32_t number_at(std::string_view bytes, std::size_t k) {
  std::uint32_t value = 0;
  for (std::size_t j = k; j < k + 4; ++j) value = value << 8 | static_cast<unsigned char>(bytes[j]);
  return value;
}

/// The data of a PNG file's chunks by their types; checks the checksums of the chunks.
std::map<std::string, std::string> chunks_of(std::string_view file) {
  EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::map<std::string, std::string> chunks;
  for (std::size_t k = 8; k < file.size();) {
    const std::size_t length = number_at(file, k);
    const std::string_view checked = file.substr(k + 4, length + 4);
    const auto* const data = reinterpret_cast<const Bytef*>(checked.data());
    EXPECT_EQ(number_at(file, k + 8 + length), crc32(0, data, static_cast<uInt>(checked.size())));
    chunks[std::string(checked.substr(0, 4))] = checked.substr(4);
    k += 12 + length;
  }
  return chunks;
}

std::string inflated(const std::string& packed, std::size_t size) {
  std::string bytes(size, '\0');
  uLongf length = size;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  EXPECT_EQ(length, size);
  return bytes;
}

TEST(Png, HoldsHeaderPaletteAndRows) {
  const IndexedImage image{3, 2, {{255, 255, 255}, {1, 2, 3}}, {0, 1, 0, 1, 1, 0}};

  const auto chunks = chunks_of(png_bytes(image));

  using namespace std::string_literals;
  EXPECT_EQ(chunks.at("IHDR"), "\0\0\0\3\0\0\0\2\10\3\0\0\0"s);
  EXPECT_EQ(chunks.at("PLTE"), "\xff\xff\xff\1\2\3");
  EXPECT_EQ(inflated(chunks.at("IDAT"), 8), "\0\0\1\0\0\1\1\0"s);
  EXPECT_EQ(chunks.at("IEND"), "");
}

}  // namespace
}  // namespace clchol::cli
