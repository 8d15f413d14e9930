// Several lists of different element types in one range of bytes, the room.  The host packs all
// lists into an image of the room, and one transfer uploads the image.
//
//   PackedLayout layout;
//   const auto fronts = layout.add<Front>(num_fronts);   // PackedList<Front>
//   const auto tiles = layout.add<Tile>(num_tiles);
//   std::vector<std::byte> image(layout.bytes());
//   fronts.pack(front_list, image);
//   tiles.pack(tile_list, image);
//   auto room = uploaded<std::byte>(queue, image);
//   launch(..., fronts.in(room), tiles.in(room));
//
// Kernels read an element at a multiple of its size, counted from the beginning of the buffer.
// Therefore the room must begin at a multiple of kRoomAlignment bytes of its buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// Bytes: a multiple of the size of each element type.
inline constexpr Offset kRoomAlignment = 320;

/// The place of one list in a room: `count` elements of type T from byte `begin` on, which is a
/// multiple of sizeof(T).
template <class T>
struct PackedList {
  static_assert(std::is_trivially_copyable_v<T> && kRoomAlignment % sizeof(T) == 0);

  Offset begin = 0, count = 0;

  /// Copies the elements to their place in an image of the room.  Throws InvalidArgument unless
  /// there are `count` elements and the image has room for them.
  void pack(std::span<const T> elements, std::span<std::byte> image) const {
    if (std::ssize(elements) != count) {
      throw InvalidArgument("packed lists: " + std::to_string(elements.size()) +
                            " elements for a list of " + std::to_string(count));
    }
    const auto bytes = std::as_bytes(elements);
    check_range(begin, static_cast<Offset>(bytes.size()), static_cast<Offset>(image.size()));
    std::ranges::copy(bytes, image.begin() + begin);
  }
  /// Returns the list in a room.  Throws InvalidArgument unless the room has all elements and
  /// begins at a multiple of kRoomAlignment.
  DeviceView<T> in(const DeviceView<std::byte>& room) const {
    constexpr auto kElement = static_cast<Offset>(sizeof(T));
    check_range(begin, count * kElement, room.size);
    if (room.offset % kRoomAlignment != 0) {
      throw InvalidArgument("packed lists: a room at byte " + std::to_string(room.offset));
    }
    return {room.buffer, (room.offset + begin) / kElement, count};
  }
};

/// Assigns places to lists, one after another.
class PackedLayout {
 public:
  /// Adds a list of `count` elements.
  template <class T>
  PackedList<T> add(Offset count) {
    constexpr auto kElement = static_cast<Offset>(sizeof(T));
    const Offset begin = (bytes_ + kElement - 1) / kElement * kElement;
    bytes_ = begin + count * kElement;
    return {begin, count};
  }
  /// Bytes of the room.
  Offset bytes() const { return bytes_; }

 private:
  Offset bytes_ = 0;
};

}  // namespace clchol::gpu
