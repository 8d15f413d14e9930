// Lists the pieces of kernels/fronts/front_batch.cl: the block of a child's update matrix that is
// added to a tile of its parent.  Relative indices ascend, so the rows and the columns of the
// update matrix that fall into a tile are ranges.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "gpu_kernels/fronts/front_batch_tiles.hpp"

namespace clchol::gpu {

/// Finds, for a row of the parent, the first of a child's update rows at or after that row.
class ChildRows {
 public:
  /// @param rows         relative indices of the child; must outlive this object.
  /// @param origin, end  before() will be called for rows of [origin, end).
  /// Cost O(rows + (end - origin) / 16).
  ChildRows(std::span<const Index> rows, Index origin, Index end);

  /// Number of the child's update rows before row `row` of the parent.  Takes at most 16 steps.
  Index before(Index row) const;

 private:
  static constexpr Index kStep = 16;

  std::span<const Index> rows_;
  Index origin_;
  // before_[k]: number of update rows before row origin_ + k * kStep of the parent; then of all.
  std::vector<Index> before_;
};

/// Lists the pieces of all children of one front.
class FrontPieces {
 public:
  /// @param children  the front's children, in the order in which they are added.
  /// @param relind    relative indices of all children of the batch.
  FrontPieces(const BatchFront& front, std::span<const BatchChild* const> children,
              std::span<const Index> relind);

  /// Appends a tile's pieces, in the order of the children.
  /// @param end  end of the tile's rows in the front.
  void append(const BatchTile& tile, Index end, UninitializedVector<BatchPiece>& pieces) const;

 private:
  struct Child {
    const BatchChild* of;           // The child's update matrix.
    ChildRows in_panel, in_update;  // For tiles of the panel, and for tiles of the update matrix.
  };

  Index ncol_;
  std::vector<Child> children_;
};

}  // namespace clchol::gpu
