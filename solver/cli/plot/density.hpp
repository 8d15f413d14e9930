// How many entries of a sparse matrix lie in each cell of a raster: what a spy picture shades.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/csc.hpp"
#include "clchol/clchol.hpp"

namespace clchol::cli {

/// A square raster over an n x n matrix.  Cells are as even as whole rows allow.
class DensityGrid {
 public:
  /// min(n, most_cells) cells a side.
  DensityGrid(Index n, Index most_cells)
      : n_(n), size_(std::min(n, most_cells)), counts_(std::size_t(size_) * size_) {}

  Index n() const { return n_; }
  Index size() const { return size_; }  ///< Cells a side.
  /// The cell of row or column i.
  Index cell_of(Index i) const { return static_cast<Index>(Offset{i} * size_ / n_); }
  /// The first row or column of a cell; n for cell size().
  Index begin_of(Index cell) const {
    return static_cast<Index>((Offset{cell} * n_ + size_ - 1) / size_);
  }

  Offset& at(Index row_cell, Index col_cell) { return counts_[place(row_cell, col_cell)]; }
  Offset at(Index row_cell, Index col_cell) const { return counts_[place(row_cell, col_cell)]; }
  Offset total() const;
  Offset greatest() const;

 private:
  std::size_t place(Index row_cell, Index col_cell) const {
    return static_cast<std::size_t>(Offset{row_cell} * size_ + col_cell);
  }
  Index n_, size_;
  std::vector<Offset> counts_;  // By rows.
};

/// Both triangles of P A P'.  Cost O(nnz).
/// @param iperm  iperm[old] = new; empty: A as given.
DensityGrid matrix_density(const CscPatternView& lower, std::span<const Index> iperm,
                           Index most_cells);

/// The pattern of L, zeros stored by amalgamation included.  The rows of each front are the union
/// of its columns of A and of its children's update rows [Liu90].
/// Cost O(nnz(A) + rows of all fronts + cells that the fronts touch).
/// @param perm  perm[new] = old.
/// @param tree  the fronts of that order.
DensityGrid factor_density(const CscPatternView& lower, std::span<const Index> perm,
                           const AssemblyTree& tree, Index most_cells);

/// 0 for an empty cell, 1 to `shades` by the logarithm of its entries; the fullest have `shades`.
int shade_of(Offset count, Offset greatest, int shades);

}  // namespace clchol::cli
