// Counts the entries of a sparse matrix in each cell of a raster, for the shades of a spy plot.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/csc.hpp"
#include "clchol/clchol.hpp"

namespace clchol::cli {

/// A square raster over an n x n matrix.  The cells have as equal sizes as whole rows allow.
class DensityGrid {
 public:
  /// Makes a raster of min(n, most_cells) cells per side.
  DensityGrid(Index n, Index most_cells)
      : n_(n), size_(std::min(n, most_cells)), counts_(std::size_t(size_) * size_) {}

  Index n() const { return n_; }
  Index size() const { return size_; }  ///< Number of cells per side.
  /// @return the cell of row or column i.
  Index cell_of(Index i) const { return static_cast<Index>(Offset{i} * size_ / n_); }
  /// @return the first row or column of a cell; n for cell = size().
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
  std::vector<Offset> counts_;  // Entries per cell, row-major.  Length size_ * size_.
};

/// Counts the entries of P A P', both triangles.  Cost O(nnz).
/// @param iperm  iperm[old] = new; empty: A as given.
DensityGrid matrix_density(const CscPatternView& lower, std::span<const Index> iperm,
                           Index most_cells);

/// Counts the entries of L, including the explicit zeros of amalgamation.  The rows of each front
/// are the union of the rows of its columns of A and of its children's update rows [Liu90].
/// Cost O(nnz(A) + rows of all fronts + cells that the fronts touch).
/// @param perm  perm[new] = old.
/// @param tree  the assembly tree of the permuted matrix.
DensityGrid factor_density(const CscPatternView& lower, std::span<const Index> perm,
                           const AssemblyTree& tree, Index most_cells);

/// @return the shade of a cell with `count` entries: 0 for an empty cell, otherwise 1 to `shades`,
///         by the logarithm of `count`; `shades` for a cell with `greatest` entries.
int shade_of(Offset count, Offset greatest, int shades);

}  // namespace clchol::cli
