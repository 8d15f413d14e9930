// What the children of a front add to its tiles: the pieces of kernels/fronts/front_batch.cl.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "gpu_kernels/fronts/front_batch_tiles.hpp"

namespace clchol::gpu {

/// A child's rows in its parent, and the first of them at or after any row of the parent.
class ChildRows {
 public:
  /// Looked up for rows from `origin` on, below `end`.  Cost O(rows + (end - origin) / 16).
  ChildRows(std::span<const Index> rows, Index origin, Index end);

  /// Number of the child's rows before `row`.  A few steps at most.
  Index before(Index row) const;

 private:
  static constexpr Index kStep = 16;

  std::span<const Index> rows_;
  Index origin_;
  std::vector<Index> before_;  // Every kStep rows of the parent.
};

/// All children of one front.
class FrontPieces {
 public:
  /// @param relind  of all children.
  FrontPieces(const BatchFront& front, std::span<const BatchChild* const> children,
              std::span<const Index> relind);

  /// Appends the children's parts of a tile, in the children's order.
  /// @param end  of its rows.
  void append(const BatchTile& tile, Index end, UninitializedVector<BatchPiece>& pieces) const;

 private:
  struct Child {
    const BatchChild* of;
    ChildRows in_panel, in_update;
  };

  Index ncol_;
  std::vector<Child> children_;
};

}  // namespace clchol::gpu
