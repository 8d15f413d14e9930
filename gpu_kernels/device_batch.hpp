// A list of matrices or fronts and the list of tiles that covers them, on a device.
//
// Made once by the host; a launch gives every work-group of a range of tiles its tile.
#pragma once

#include <vector>

#include "gpu_kernels/device_buffer.hpp"

namespace clchol::gpu {

/// Tiles [begin, end) of a list: what one launch takes.
struct TileRange {
  Offset begin = 0;
  Offset end = 0;

  Offset count() const { return end - begin; }
};

template <class Item, class Tile>
class DeviceBatch {
 public:
  DeviceBatch() = default;
  /// Uploads both lists; blocking.
  DeviceBatch(Queue& queue, const std::vector<Item>& items, const std::vector<Tile>& tiles)
      : items_(queue.context(), static_cast<Offset>(items.size())),
        tiles_(queue.context(), static_cast<Offset>(tiles.size())) {
    upload<Item>(queue, items, items_);
    upload<Tile>(queue, tiles, tiles_);
  }

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
