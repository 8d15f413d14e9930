#include "solver/cli/plot/density.hpp"

#include <cmath>
#include <numeric>

namespace clchol::cli {
namespace {

/// @return the strict lower triangle of P A P' by columns; the rows of a column are not sorted.
CscPattern permuted(const CscPatternView& lower, std::span<const Index> iperm) {
  CscPattern result{lower.n, std::vector<Offset>(std::size_t(lower.n) + 1), {}};
  const auto for_each_entry = [&](const auto& visit) {
    for (Index j = 0; j < lower.n; ++j) {
      for (const Index i : lower.below_diagonal(j)) {
        visit(std::max(iperm[i], iperm[j]), std::min(iperm[i], iperm[j]));
      }
    }
  };
  for_each_entry([&](Index, Index col) { ++result.colptr[col + 1]; });
  std::partial_sum(result.colptr.begin(), result.colptr.end(), result.colptr.begin());
  result.rowind.resize(static_cast<std::size_t>(result.colptr.back()));
  std::vector<Offset> next(result.colptr.begin(), result.colptr.end() - 1);
  for_each_entry([&](Index row, Index col) { result.rowind[next[col]++] = row; });
  return result;
}

/// Computes the update rows of the fronts, one front after another, in the order of elimination.
class FrontRows {
 public:
  FrontRows(const CscPattern& lower, const AssemblyTree& tree)
      : lower_(lower.view()),
        tree_(tree),
        front_of_row_(lower.n, kNone),
        updates_(tree.nrow.size()),
        last_child_(tree.nrow.size(), kNone),
        sibling_(tree.nrow.size(), kNone) {}

  /// @return the unsorted update rows of front s, valid until the next call.  Must be called for
  ///         s = 0, 1, ... in order.
  std::span<const Index> update_rows(Index s) {
    std::vector<Index>& rows = updates_[s];
    const Index end = tree_.super_ptr[s + 1];
    const auto take = [&](std::span<const Index> from) {
      for (const Index row : from) {
        if (row < end || front_of_row_[row] == s) continue;
        front_of_row_[row] = s;
        rows.push_back(row);
      }
    };
    for (Index j = tree_.super_ptr[s]; j < end; ++j) take(lower_.column(j));
    for (Index c = last_child_[s]; c != kNone; c = sibling_[c]) {
      take(updates_[c]);
      updates_[c] = {};  // Only the parent reads the update rows of c.
    }
    if (const Index parent = tree_.super_parent[s]; parent != kNone) {
      sibling_[s] = last_child_[parent];
      last_child_[parent] = s;
    }
    return rows;
  }

 private:
  CscPatternView lower_;
  const AssemblyTree& tree_;
  std::vector<Index> front_of_row_;  // Last front that has the row, or kNone.  Length n.
  // Update rows of each front; emptied once the parent has read them.  Length nsuper.
  std::vector<std::vector<Index>> updates_;
  // Linked lists of each front's children so far; kNone ends a list.  Length nsuper each.
  std::vector<Index> last_child_, sibling_;
};

/// Adds the entries of the fronts' panels to a raster, cell by cell.
class PanelCells {
 public:
  explicit PanelCells(DensityGrid& grid) : grid_(grid), in_cell_(grid.size()) {}

  /// Adds columns [begin, end) of L, whose rows are [begin, end) and `update_rows`.
  void add(Index begin, Index end, std::span<const Index> update_rows) {
    count_cells(update_rows);
    for (Index cell = grid_.cell_of(begin); cell <= grid_.cell_of(end - 1); ++cell) {
      const Offset columns = overlap(cell, begin, end);
      for (const Index row_cell : touched_)
        grid_.at(row_cell, cell) += columns * in_cell_[row_cell];
      // The panel's diagonal triangle.
      grid_.at(cell, cell) += columns * (columns + 1) / 2;
      for (Index below = cell + 1; below <= grid_.cell_of(end - 1); ++below) {
        grid_.at(below, cell) += columns * overlap(below, begin, end);
      }
    }
    for (const Index cell : touched_) in_cell_[cell] = 0;
    touched_.clear();
  }

 private:
  void count_cells(std::span<const Index> rows) {
    for (const Index row : rows) {
      const Index cell = grid_.cell_of(row);
      if (in_cell_[cell]++ == 0) touched_.push_back(cell);
    }
  }

  /// @return the number of columns of [begin, end) in a cell.
  Offset overlap(Index cell, Index begin, Index end) const {
    return std::min(end, grid_.begin_of(cell + 1)) - std::max(begin, grid_.begin_of(cell));
  }

  DensityGrid& grid_;
  std::vector<Offset> in_cell_;  // Number of the front's update rows per cell.  Length size().
  std::vector<Index> touched_;   // Cells with at least one update row of the front.
};

}  // namespace

Offset DensityGrid::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), Offset{0});
}

Offset DensityGrid::greatest() const {
  return counts_.empty() ? 0 : *std::max_element(counts_.begin(), counts_.end());
}

DensityGrid matrix_density(const CscPatternView& lower, std::span<const Index> iperm,
                           Index most_cells) {
  DensityGrid grid(lower.n, most_cells);
  std::vector<Index> cell(lower.n);
  for (Index i = 0; i < lower.n; ++i) cell[i] = grid.cell_of(iperm.empty() ? i : iperm[i]);
  for (Index j = 0; j < lower.n; ++j) {
    for (const Index i : lower.column(j)) {
      ++grid.at(cell[i], cell[j]);
      if (i != j) ++grid.at(cell[j], cell[i]);
    }
  }
  return grid;
}

DensityGrid factor_density(const CscPatternView& lower, std::span<const Index> perm,
                           const AssemblyTree& tree, Index most_cells) {
  std::vector<Index> iperm(perm.size());
  for (Index k = 0; k < lower.n; ++k) iperm[perm[k]] = k;
  const CscPattern pattern = permuted(lower, iperm);
  DensityGrid grid(lower.n, most_cells);
  FrontRows rows(pattern, tree);
  PanelCells cells(grid);
  for (Index s = 0; s < static_cast<Index>(tree.nrow.size()); ++s) {
    cells.add(tree.super_ptr[s], tree.super_ptr[s + 1], rows.update_rows(s));
  }
  return grid;
}

int shade_of(Offset count, Offset greatest, int shades) {
  if (count <= 0) return 0;
  if (count >= greatest) return shades;
  const double share =
      std::log(static_cast<double>(count)) / std::log(static_cast<double>(greatest));
  return 1 + static_cast<int>(share * (shades - 1));
}

}  // namespace clchol::cli
