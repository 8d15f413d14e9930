// Lists of products of matrices and of the tiles that cover them: the input of
// kernels/dense/gemm.cl and kernels/dense/tensor_gemm.cl.
//
//   ProductList list({.m = 128, .n = 128});
//   list.append(product_of(...));
//   const ProductBatch batch(queue, list.products(), list.tiles());   // once
//   gemm.run(queue, batch, operands);                                 // any number of times
#pragma once

#include <vector>

#include "gpu_kernels/dense/dense_args.hpp"
#include "gpu_kernels/runtime/device_batch.hpp"

namespace clchol::gpu {

/// Tiles of C, of which a work-group computes one, and their order.
struct TileShape {
  Index m = 0;             // Rows of a tile.
  Index n = 0;             // Columns of a tile.
  Index tile_columns = 8;  // Columns of tiles that are listed together, row by row from the top.
  // Whether three work-groups compute four consecutive tiles on the diagonal, when m = n and the
  // product has CLCHOL_SAME.  The upper right quarter of such a tile lies above the diagonal.  In
  // its place the work-groups of tiles 0, 1 and 2 compute the upper left, lower left and lower
  // right quarters of tile 3.  Their MatrixTile has the tile's own row and the column of tile 3.
  bool joins_diagonals = false;
};

using ProductBatch = DeviceBatch<MatrixProduct, MatrixTile>;

/// Products and their tiles, in host memory.  Tiles are listed in strips of a few columns of tiles,
/// row by row from the top, so that work-groups that run at once share rows of A and B in the
/// device's cache.
class ProductList {
 public:
  explicit ProductList(TileShape shape) : shape_(shape) {}

  /// Appends a product, and its tiles that have an entry to write.
  /// Throws InvalidArgument for a negative size or position, for a leading dimension that is too
  /// small, for an update matrix that is not square and lower, and for CLCHOL_SAME where A and B
  /// differ.
  void append(const MatrixProduct& product);

  const std::vector<MatrixProduct>& products() const { return products_; }
  const std::vector<MatrixTile>& tiles() const { return tiles_; }
  Offset num_tiles() const { return static_cast<Offset>(tiles_.size()); }

 private:
  TileShape shape_;
  std::vector<MatrixProduct> products_;
  std::vector<MatrixTile> tiles_;
};

/// Returns the number of tiles that append() would append.
Offset num_tiles(const MatrixProduct& product, TileShape shape);

/// Entries that the views of A, B and C must have: one past the last entry that products use.
struct ProductExtent {
  Offset a = 0;
  Offset b = 0;
  Offset c = 0;
};
ProductExtent extent_of(const std::vector<MatrixProduct>& products);

}  // namespace clchol::gpu
