// Lists the pieces that kernels/fronts/front_batch.cl assembles.  A piece is the block of a child's
// update matrix that is added to one tile of the parent front.  Relative indices ascend, so the
// child's update rows that are added to the tile's rows are one range, and likewise the columns.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "gpu_kernels/fronts/front_batch_tiles.hpp"

namespace clchol::gpu {

/// Counts the update rows of one child that are added above a given row of the parent.  Rows of the
/// parent are numbered within the parent front.
class ChildRows {
 public:
  /// @param rows         relative indices of the child, ascending; must outlive this object.
  /// @param origin, end  range of the parent's rows for which before() will be called.
  /// Cost O(number of relative indices + (end - origin) / 16).
  ChildRows(std::span<const Index> rows, Index origin, Index end);

  /// Returns the number of the child's relative indices that are less than `row`.
  /// Cost: at most 16 steps of a search.
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
  /// @param end  row of the front behind the tile's last row; may be greater than nrow.
  void append(const BatchTile& tile, Index end, UninitializedVector<BatchPiece>& pieces) const;

 private:
  struct Child {
    const BatchChild* of;  // The child that the row counts belong to.
    // Row counts for rows of panel tiles, and for rows of update tiles.
    ChildRows in_panel, in_update;
  };

  Index ncol_;
  std::vector<Child> children_;
};

}  // namespace clchol::gpu
