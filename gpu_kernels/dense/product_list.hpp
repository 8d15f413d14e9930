// Products of matrices and the tiles that cover them: what kernels/dense/gemm.cl is given.
//
//   ProductList list({.m = 128, .n = 128});
//   list.append(product_of(...));
//   const ProductBatch batch(queue, list.products(), list.tiles());   // once
//   gemm.run(queue, batch, operands);                                 // as often as wanted
#pragma once

#include <vector>

#include "gpu_kernels/dense/dense_args.hpp"
#include "gpu_kernels/runtime/device_batch.hpp"

namespace clchol::gpu {

/// Rows and columns of C that a work-group computes, and in which order.
struct TileShape {
  Index m = 0;
  Index n = 0;
  Index strip = 8;  // Tile columns that are gone down together.
  // Where m = n and the product has CLCHOL_SAME: four tiles on the diagonal that follow each other,
  // of which a quarter each lies above it, go to three work-groups.  The first three tiles have one
  // each, which computes a quarter of the fourth in place of its own upper one: the upper left, the
  // lower left, the lower right.  Such a tile has its own row and the fourth's column.
  bool joins_diagonals = false;
};

using ProductBatch = DeviceBatch<MatrixProduct, MatrixTile>;

/// On the host.  The order of tiles, and so of work-groups, lets groups that run at once share rows
/// of A and B in the device's cache: strips of a few tile columns, top down.
class ProductList {
 public:
  explicit ProductList(TileShape shape) : shape_(shape) {}

  /// Adds a product and its tiles; tiles without an entry to write are left out.
  /// Throws InvalidArgument for a negative size or position, a leading dimension that is too small,
  /// an update matrix that is not square and lower, and CLCHOL_SAME where A and B differ.
  void append(const MatrixProduct& product);

  const std::vector<MatrixProduct>& products() const { return products_; }
  const std::vector<MatrixTile>& tiles() const { return tiles_; }
  Offset num_tiles() const { return static_cast<Offset>(tiles_.size()); }

 private:
  TileShape shape_;
  std::vector<MatrixProduct> products_;
  std::vector<MatrixTile> tiles_;
};

/// Tiles that append() would add.
Offset num_tiles(const MatrixProduct& product, TileShape shape);

/// Entries that views of A, B and C must have for these products: one past the last that is used.
struct ProductExtent {
  Offset a = 0;
  Offset b = 0;
  Offset c = 0;
};
ProductExtent extent_of(const std::vector<MatrixProduct>& products);

}  // namespace clchol::gpu
