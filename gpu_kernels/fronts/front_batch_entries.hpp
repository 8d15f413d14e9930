// Sorts A's entries in a block of columns of a front by the tiles of the block
// (front_batch_tiles.hpp).
#pragma once

#include <vector>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"

namespace clchol::gpu {

/// A block of columns [column, column + width) of a front, and the tiles of these columns.  The
/// tiles are numbered from 0 downwards.  Tile 0 begins at row `first_row` and has `first_rows`
/// rows; each tile below tile 0 has `tile_rows` rows.
struct ColumnBlock {
  Index column, width;
  Index first_row, first_rows, tile_rows;

  /// Returns the number of the tile that has a row of the front.
  Index tile_of_row(Index row) const {
    const Index below = row - first_row - first_rows;
    return below < 0 ? 0 : 1 + below / tile_rows;
  }
  /// Returns the first row of tile t.
  Index row_of_tile(Index t) const {
    return t == 0 ? first_row : first_row + first_rows + (t - 1) * tile_rows;
  }
};

/// A's entries in one block of columns of a front, sorted by tile.
class BlockEntries {
 public:
  /// Counts the entries of each tile.  The views in `in` must outlive the object.
  /// @param f  Index of the front in in.fronts.
  /// Throws InvalidArgument when an entry lies above the diagonal or below the front's last row.
  BlockEntries(const FrontBatchInput& in, Index f, const ColumnBlock& block);

  const ColumnBlock& block() const { return block_; }
  /// Writes the block's entries, tile by tile.
  /// @param entries  Address at which the block's first entry is written.
  void write(BatchEntry* entries) const;
  /// Gives the entries of the block's tile t to `tile`.
  /// @param first  Index in the batch's list of entries of the block's first entry.
  void give(Offset first, Index t, BatchTile& tile) const;

 private:
  const BatchFront& front() const;
  template <class F>
  void for_each(const F& f) const;

  const FrontBatchInput& in_;
  Index f_;
  ColumnBlock block_;
  Index first_;               // The block's first column in the permuted matrix.
  std::vector<Index> count_;  // Number of entries before each tile of the block, then of all.
};

}  // namespace clchol::gpu
