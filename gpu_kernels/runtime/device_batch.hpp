// Two lists in device memory that describe the work of a kernel: a list of items, for example
// matrices, and a list of the tiles into which the work on the items is divided.
//
// The host makes the two lists once, for many launches.  A launch computes a range of the tiles,
// with one work-group for each tile.
#pragma once

#include <span>

#include "gpu_kernels/runtime/device_buffer.hpp"

namespace clchol::gpu {

/// Range [begin, end) of indices in a list of tiles: the tiles of one launch.
struct TileRange {
  Offset begin = 0;
  Offset end = 0;

  Offset count() const { return end - begin; }
};

/// A list of items and a list of tiles, in device memory.
/// @tparam Item  struct that describes an item, for example MatrixProduct.
/// @tparam Tile  struct that describes a tile and has indices into the list of items, for example
///               MatrixTile.
template <class Item, class Tile>
class DeviceBatch {
 public:
  DeviceBatch() = default;
  /// Allocates device memory and uploads the two lists.  Blocking.  Throws DeviceError.
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
