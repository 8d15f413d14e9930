// Lists the pieces that kernels/fronts/front_batch.cl assembles.  A piece is the block of a child's
// update matrix that is added to one tile of the parent front.  Relative indices ascend, so the
// child's update rows that are added to the tile's rows are one range, and likewise the columns.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "gpu_kernels/fronts/front_batch_tiles.hpp"

namespace clchol::gpu {

/// Counts the update rows of one child that are added to rows of the parent above a given row.  The
/// parent's rows are numbered within the parent front.
class ChildRows {
 public:
  /// @param rows    relative indices of the child, ascending; must outlive this object.
  /// @param origin  least row of the parent for which before() will be called.
  /// @param end     number of rows of the parent, greater than all relative indices.
  /// Cost O(number of relative indices + (end - origin) / 16).
  ChildRows(std::span<const Index> rows, Index origin, Index end);

  /// Returns the number of the child's relative indices that are less than `row`, which must be at
  /// least `origin`.  Cost: at most 16 steps of a linear search.
  Index before(Index row) const;

 private:
  static constexpr Index kStep = 16;

  std::span<const Index> rows_;
  Index origin_;
  // Number of relative indices that are less than origin_ + k * kStep.  Indexed by k.  The last
  // element is the number of all relative indices.
  std::vector<Index> before_;
};

/// Makes the pieces of one front's tiles.
class FrontPieces {
 public:
  /// @param children  children of the front, in the order in which they are added.
  /// @param relind    FrontBatchInput::relind, relative indices of all children of the batch.  The
  ///                  memory of `relind` and of the children must outlive this object.
  FrontPieces(const BatchFront& front, std::span<const BatchChild* const> children,
              std::span<const Index> relind);

  /// Appends the pieces of a tile of the front, in the order of the children.
  /// @param end  first row of the front below the tile; may be greater than nrow.
  void append(const BatchTile& tile, Index end, UninitializedVector<BatchPiece>& pieces) const;

 private:
  struct Child {
    const BatchChild* of;  // The child whose relative indices are counted.
    // Counts for diagonal and panel tiles, from row 0 of the front on; counts for update tiles,
    // from row ncol on, rounded down to an even row.
    ChildRows in_panel, in_update;
  };

  Index ncol_;
  std::vector<Child> children_;
};

}  // namespace clchol::gpu
