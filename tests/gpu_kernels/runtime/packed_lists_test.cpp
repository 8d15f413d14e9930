#include "gpu_kernels/runtime/packed_lists.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using Five = std::array<std::int64_t, 5>;  // 40 bytes, as a tile of a batch.

struct Lists {
  PackedLayout layout;
  PackedList<Index> indices = layout.add<Index>(3);  // Bytes [0, 12).
  PackedList<Five> tiles = layout.add<Five>(2);      // Bytes [40, 120).
  PackedList<std::int64_t> none = layout.add<std::int64_t>(0);
  PackedList<double> values = layout.add<double>(2);  // Bytes [120, 136).
};

TEST(PackedLists, ListsBeginAtMultiplesOfTheirElements) {
  const Lists lists;
  EXPECT_EQ(lists.indices.begin, 0);
  EXPECT_EQ(lists.tiles.begin, 40);
  EXPECT_EQ(lists.values.begin, 120);
  EXPECT_EQ(lists.layout.bytes(), 136);
}

TEST(PackedLists, WrongSizesAreRefused) {
  const Lists lists;
  std::vector<std::byte> image(136), shorter(130);
  const std::vector<double> one{1}, two{1, 2};
  EXPECT_THROW(lists.values.pack(one, image), InvalidArgument);
  EXPECT_THROW(lists.values.pack(two, shorter), InvalidArgument);
  const DeviceView<std::byte> odd{nullptr, 40, 400}, small{nullptr, 320, 130};
  EXPECT_THROW(lists.values.in(odd), InvalidArgument);
  EXPECT_THROW(lists.values.in(small), InvalidArgument);
}

using PackedListsOnDevice = OpenClTest;

// The room begins behind the beginning of its buffer.
TEST_F(PackedListsOnDevice, ArriveWhole) {
  const Lists lists;
  const std::vector<Index> indices{5, -6, 7};
  const std::vector<Five> tiles{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
  const std::vector<double> values{0.5, -2};
  std::vector<std::byte> image(static_cast<std::size_t>(lists.layout.bytes()));
  lists.indices.pack(indices, image);
  lists.tiles.pack(tiles, image);
  lists.none.pack({}, image);
  lists.values.pack(values, image);
  const DeviceBuffer<std::byte> buffer(context(), 2 * kRoomAlignment);
  const DeviceView<std::byte> room = buffer.part(kRoomAlignment, lists.layout.bytes());
  upload<std::byte>(queue(), image, room);
  EXPECT_EQ(on_host<Index>(lists.indices.in(room)), indices);
  EXPECT_EQ(on_host<Five>(lists.tiles.in(room)), tiles);
  EXPECT_EQ(on_host<double>(lists.values.in(room)), values);
}

}  // namespace
}  // namespace clchol::gpu
