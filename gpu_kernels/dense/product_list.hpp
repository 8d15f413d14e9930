// Lists of matrix products C := C - A * B' or C := -A * B', and of the tiles that cover each C.
// Gemm and TensorGemm compute the products of such lists (kernels/dense/gemm.cl,
// kernels/dense/tensor_gemm.cl).
//
// Bits of MatrixProduct::form:
//
//   CLCHOL_SUBTRACT   C := C - A * B'; without this bit, C := -A * B'
//   CLCHOL_LOWER      only the entries C(i, j) with i >= j are computed
//   CLCHOL_SAME       B is A
//   CLCHOL_UPDATE     C is stored in the update layout (base/update_layout.hpp)
//
// Example:
//
//   ProductList list({.m = 128, .n = 128});   // tiles of 128 x 128 entries
//   list.append({.a = ..., .lda = ..., ...});
//   const ProductBatch batch(queue, list.products(), list.tiles());   // once
//   gemm.run(queue, batch, operands);                                 // any number of times
#pragma once

#include <vector>

#include "gpu_kernels/dense/dense_args.hpp"
#include "gpu_kernels/runtime/device_batch.hpp"

namespace clchol::gpu {

/// Shape of the tiles into which C is cut, and their order in the list.  A work-group computes one
/// tile.
struct TileShape {
  Index m = 0;  // Rows of a tile.
  Index n = 0;  // Columns of a tile.
  // Width, in tiles, of the bands into which C is cut.  The list has the bands from left to right.
  // Within a band it has the tiles row by row, from the top to the bottom.
  Index tile_columns = 8;
  // Whether three work-groups, instead of four, compute four consecutive diagonal tiles 0, 1, 2, 3.
  // Applies to square tiles (m = n) of products with CLCHOL_SAME.  The upper right quarter of a
  // diagonal tile lies above the diagonal of C and need not be computed.  Instead of this quarter,
  // the work-group of tile 0 computes the upper left quarter of tile 3, the work-group of tile 1
  // the lower left quarter, and the work-group of tile 2 the lower right quarter.  The MatrixTile
  // of each of the three work-groups has the row of tile 0, 1 or 2 and the column of tile 3.
  bool joins_diagonals = false;
};

using ProductBatch = DeviceBatch<MatrixProduct, MatrixTile>;

/// Products and their tiles, in host memory.  The order of the tiles (TileShape::tile_columns) lets
/// work-groups that run at the same time read the same rows of A and B, which are then in the
/// device's cache.
class ProductList {
 public:
  explicit ProductList(TileShape shape) : shape_(shape) {}

  /// Appends a product, and those tiles of C in which the product writes at least one entry.
  /// Throws InvalidArgument for a negative size or offset, for a leading dimension that is too
  /// small, for CLCHOL_UPDATE unless C is square and the product has CLCHOL_LOWER, and for
  /// CLCHOL_SAME unless A and B are the same matrix and the product has CLCHOL_LOWER.
  void append(const MatrixProduct& product);

  const std::vector<MatrixProduct>& products() const { return products_; }
  const std::vector<MatrixTile>& tiles() const { return tiles_; }
  Offset num_tiles() const { return static_cast<Offset>(tiles_.size()); }

 private:
  TileShape shape_;
  std::vector<MatrixProduct> products_;
  std::vector<MatrixTile> tiles_;
};

/// Returns the number of tiles that ProductList(shape).append(product) appends.
Offset num_tiles(const MatrixProduct& product, TileShape shape);

/// Minimum sizes, in entries, of the three views (ProductOperands) that hold the matrices of a list
/// of products.
struct ProductExtent {
  Offset a = 0;  // Entries of the view of all matrices A.
  Offset b = 0;  // Entries of the view of all matrices B.
  Offset c = 0;  // Entries of the view of all matrices C.
};
/// Returns the minimum sizes of the views for these products.
ProductExtent extent_of(const std::vector<MatrixProduct>& products);

}  // namespace clchol::gpu
