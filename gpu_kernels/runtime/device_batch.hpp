// A list of matrices or fronts and the list of tiles that covers them, in device memory.
//
// The host makes both lists once.  A launch takes a range of tiles, one for each work-group.
#pragma once

#include <span>

#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// Tiles [begin, end) of a list, for one launch.
struct TileRange {
  Offset begin = 0;
  Offset end = 0;

  Offset count() const { return end - begin; }
};

template <class Item, class Tile>
class DeviceBatch {
 public:
  DeviceBatch() = default;
  /// Uploads both lists.  Blocking.
  DeviceBatch(Queue& queue, std::span<const Item> items, std::span<const Tile> tiles)
      : items_(uploaded(queue, items)), tiles_(uploaded(queue, tiles)) {}

  DeviceView<const Item> items() const { return items_.view(); }
  DeviceView<const Tile> tiles() const { return tiles_.view(); }
  DeviceView<const Tile> tiles(const TileRange& range) const {
    return tiles().part(range.begin, range.count());
  }
  TileRange all() const { return {0, tiles_.size()}; }

 private:
  DeviceBuffer<Item> items_;
  DeviceBuffer<Tile> tiles_;
};

}  // namespace clchol::gpu
