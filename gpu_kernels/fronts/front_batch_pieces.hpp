// Lists the pieces that kernels/fronts/front_batch.cl assembles.  A piece is the block of a child's
// update matrix that is added to one tile of the parent front.  Relative indices ascend.  Therefore
// the child's rows that are added to rows of the tile are one range [i, i_end), and the child's
// columns that are added to columns of the tile are one range [j, j_end).  ChildRows finds the ends
// of these ranges, and FrontPieces makes the pieces.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "gpu_kernels/fronts/front_batch_tiles.hpp"

namespace clchol::gpu {

/// Counts the update rows of one child that are added to rows of the parent above a given row.  The
/// parent's rows are numbered from 0 within the parent front.  For example, if the relative indices
/// are 2, 5, 6, then before(6) is 2.
class ChildRows {
 public:
  /// @param rows    relative indices of the child, ascending.  The memory must outlive this object.
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
  /// @param front     the front.
  /// @param children  children of the front, in the order in which they are added.
  /// @param relind    FrontBatchInput::relind, relative indices of all children of the batch.  The
  ///                  memory of `relind` and of the children must outlive this object.
  FrontPieces(const BatchFront& front, std::span<const BatchChild* const> children,
              std::span<const Index> relind);

  /// Appends the pieces of a tile of the front to `pieces`, in the order of the children.
  /// @param tile  the tile.  Its members kind, row and column are read.
  /// @param end   first row of the front below the tile; may be greater than nrow.
  void append(const BatchTile& tile, Index end, UninitializedVector<BatchPiece>& pieces) const;

 private:
  struct Child {
    const BatchChild* of;  // The child whose relative indices are counted.
    // `in_panel`: counts for diagonal and panel tiles.  Its `origin` is row 0 of the front.
    // `in_update`: counts for update tiles.  Its `origin` is row ncol, rounded down to an even row.
    ChildRows in_panel, in_update;
  };

  Index ncol_;
  std::vector<Child> children_;
};

}  // namespace clchol::gpu
