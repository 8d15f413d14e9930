#include "gpu_kernels/dense/product_list.hpp"

#include <algorithm>
#include <string>

#include "base/types.hpp"
#include "base/update_layout.hpp"

namespace clchol::gpu {
namespace {

void require_of_product(bool holds, const char* what, Offset value) {
  if (!holds) throw InvalidArgument(std::string("product: ") + what + std::to_string(value));
}

void check_product(const MatrixProduct& p) {
  require_of_product(p.m >= 0, "m >= 0, but m = ", p.m);
  require_of_product(p.n >= 0, "n >= 0, but n = ", p.n);
  require_of_product(p.k >= 0, "k >= 0, but k = ", p.k);
  require_of_product(std::min({p.a, p.b, p.c}) >= 0, "positions >= 0, but one is ",
                     std::min({p.a, p.b, p.c}));
  require_of_product(p.lda >= p.m, "lda >= m, but lda = ", p.lda);
  require_of_product(p.ldb >= p.n, "ldb >= n, but ldb = ", p.ldb);
  if ((p.form & CLCHOL_UPDATE) != 0) {
    require_of_product((p.form & CLCHOL_LOWER) != 0,
                       "an update matrix is lower, but form = ", p.form);
    require_of_product(p.m == p.n, "an update matrix is square, but n - m = ", Offset{p.n} - p.m);
  } else {
    require_of_product(p.ldc >= p.m, "ldc >= m, but ldc = ", p.ldc);
  }
  if ((p.form & CLCHOL_SAME) != 0) {
    require_of_product((p.form & CLCHOL_LOWER) != 0,
                       "B is A in lower ones alone, but form = ", p.form);
    require_of_product(p.m == p.n, "B is A, but n - m = ", Offset{p.n} - p.m);
    require_of_product(p.a == p.b, "B is A, but lies elsewhere by ", p.b - p.a);
    require_of_product(p.lda == p.ldb, "B is A, but ldb - lda = ", p.ldb - p.lda);
  }
}

Index tiles_of(Index size, Index tile) { return size / tile + (size % tile > 0 ? 1 : 0); }

// Calls visit(row, column) for each tile that has an entry to write, in the list's order, with the
// row and column of its MatrixTile.
template <class Visit>
void for_each_tile(const MatrixProduct& p, TileShape shape, const Visit& visit) {
  const Index rows = tiles_of(p.m, shape.m), columns = tiles_of(p.n, shape.n);
  const bool joins = shape.joins_diagonals && shape.m == shape.n && (p.form & CLCHOL_SAME) != 0;
  const Index num_joined = joins ? rows / 4 * 4 : 0;  // Tiles on the diagonal, whole fours.
  for (Index first = 0; first < columns; first += shape.tile_columns) {
    const Index last = std::min(first + shape.tile_columns, columns);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = first; j < last; ++j) {
        const Offset last_row = std::min((Offset{i} + 1) * shape.m, Offset{p.m}) - 1;
        if ((p.form & CLCHOL_LOWER) != 0 && last_row < Offset{j} * shape.n) break;
        if (i == j && i < num_joined) {
          const Index fourth = i / 4 * 4 + 3;
          if (i < fourth) visit(i * shape.m, fourth * shape.n);
        } else {
          visit(i * shape.m, j * shape.n);
        }
      }
    }
  }
}

// Returns the position past the last entry of a column-major matrix, or 0 for an empty matrix.
Offset end_of_matrix(Offset begin, Offset ld, Index rows, Index columns) {
  return rows == 0 || columns == 0 ? 0 : begin + (columns - 1) * ld + rows;
}

}  // namespace

void ProductList::append(const MatrixProduct& product) {
  check_product(product);
  const auto place = static_cast<Index>(products_.size());
  products_.push_back(product);
  for_each_tile(product, shape_, [&](Index row, Index column) {
    tiles_.push_back({.matrix = place, .row = row, .column = column});
  });
}

Offset num_tiles(const MatrixProduct& product, TileShape shape) {
  Offset count = 0;
  for_each_tile(product, shape, [&](Index, Index) { ++count; });
  return count;
}

ProductExtent extent_of(const std::vector<MatrixProduct>& products) {
  ProductExtent extent;
  for (const MatrixProduct& p : products) {
    extent.a = std::max(extent.a, end_of_matrix(p.a, p.lda, p.m, p.k));
    extent.b = std::max(extent.b, end_of_matrix(p.b, p.ldb, p.n, p.k));
    extent.c =
        std::max(extent.c, (p.form & CLCHOL_UPDATE) != 0 ? p.c + update_size(p.m)
                                                         : end_of_matrix(p.c, p.ldc, p.m, p.n));
  }
  return extent;
}

}  // namespace clchol::gpu
