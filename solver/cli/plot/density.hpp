// Counts the entries of a sparse matrix in each cell of a raster, for the shades of a spy plot.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/csc.hpp"
#include "clchol/clchol.hpp"

namespace clchol::cli {

/// A square raster over an n x n matrix.  Each cell covers a range of rows and a range of columns,
/// and has a count.  The ranges differ by at most one row or column.
class DensityGrid {
 public:
  /// Makes a raster of min(n, most_cells) cells in each direction.  All counts are 0.
  DensityGrid(Index n, Index most_cells)
      : n_(n), size_(std::min(n, most_cells)), counts_(std::size_t(size_) * size_) {}

  Index n() const { return n_; }
  Index size() const { return size_; }  ///< Number of cells in each direction.
  /// @return the number, 0 to size() - 1, of the cells that contain row (or column) i.
  Index cell_of(Index i) const { return static_cast<Index>(Offset{i} * size_ / n_); }
  /// @return the first row (or column) of the cells with number `cell`.  For cell = size(): n.
  Index begin_of(Index cell) const {
    return static_cast<Index>((Offset{cell} * n_ + size_ - 1) / size_);
  }

  /// The count of a cell.
  Offset& at(Index row_cell, Index col_cell) { return counts_[place(row_cell, col_cell)]; }
  Offset at(Index row_cell, Index col_cell) const { return counts_[place(row_cell, col_cell)]; }
  Offset total() const;     ///< Sum of all counts.
  Offset greatest() const;  ///< Greatest count.

 private:
  std::size_t place(Index row_cell, Index col_cell) const {
    return static_cast<std::size_t>(Offset{row_cell} * size_ + col_cell);
  }
  Index n_, size_;
  std::vector<Offset> counts_;  // Entries per cell, row-major.  Length size_ * size_.
};

/// Counts the entries of P A P' in each cell, in both triangles.  Cost O(nnz).
/// @param lower       lower triangle of A.
/// @param iperm       the permutation P: iperm[old] = new.  Empty: P is the identity.
/// @param most_cells  as in the constructor of DensityGrid.
DensityGrid matrix_density(const CscPatternView& lower, std::span<const Index> iperm,
                           Index most_cells);

/// Counts the entries of L in each cell, including the explicit zeros of amalgamation.
/// Method: the rows of each front are the union of the rows of the front's columns of P A P' and of
/// the update rows of the front's children [Liu90].
/// Cost O(nnz(A) + rows of all fronts + cells that the fronts touch).
/// @param lower       lower triangle of A.
/// @param perm        the permutation P: perm[new] = old.
/// @param tree        the assembly tree of P A P'.
/// @param most_cells  as in the constructor of DensityGrid.
DensityGrid factor_density(const CscPatternView& lower, std::span<const Index> perm,
                           const AssemblyTree& tree, Index most_cells);

/// @return the number of the shade of a cell with `count` entries: 0 for an empty cell; otherwise 1
///         (one entry) to `shades` (`greatest` entries), linear in the logarithm of `count`.
int shade_of(Offset count, Offset greatest, int shades);

}  // namespace clchol::cli
