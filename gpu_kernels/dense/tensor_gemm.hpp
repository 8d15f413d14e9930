// Products of dense matrices on NVIDIA's fp64 tensor cores, many in one launch:
//
//   C := C - A * B'     or     C := -A * B'
//
// Kernel: kernels/dense/tensor_gemm.cl.  TensorGemm computes the products that Gemm<double>
// computes, from lists of the same type, if the device and the product permit:
//
//   if (tensor_cores(capabilities).present && tensor_obstacle(product).empty()) ...
//
// Several work-groups can share a tile of C: each multiplies a slice of the columns of A and B
// (TileSlices).  The order of each sum depends on sizes and parameters alone, so results are
// bitwise reproducible.
// The error of C(i, j) is at most
//
//   (k + slices) eps (|C(i, j)| + sum_p |A(i, p) B(j, p)|)
//
// where A and B have k columns, and |C(i, j)| is the value before a subtraction, or 0 for -A * B'.
#pragma once

#include "gpu_kernels/dense/gemm.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"

namespace clchol::gpu {

/// Returns whether a device can run the kernel: member `present` of the result is true if it can,
/// otherwise member `reason` says why not.  The kernel needs the capabilities async_copy and
/// mma_m16n8k16.
const Capability& tensor_cores(const Capabilities& capabilities);

/// Returns why the kernel cannot compute this product, or an empty text when it can.  It can when
/// the offsets and the leading dimensions of A and B are even.
std::string tensor_obstacle(const MatrixProduct& product);

/// Returns the parameters of the first suitable row for gemm in the tuning data, or the default
/// parameters when there is no suitable row.  The row's variant must be "tensor_lower" for products
/// with CLCHOL_LOWER, and "tensor" for other products.  Its parameters must be valid() and fit the
/// limits.  C must have at least least_tiles tiles, and A and B at least least_k columns.
TensorParams tensor_params(const Tuning& tuning, const MatrixProduct& product,
                           const WorkGroupLimits& limits);

/// Computes products of dense matrices on tensor cores.  Not thread-safe.  Launches of one object
/// share a workspace for slices, so they must go to one in-order queue at a time: finish a queue
/// before using another one.
class TensorGemm {
 public:
  /// Builds the kernel.  Throws InvalidArgument for parameters that are not valid(), and BuildError
  /// when the device's compiler refuses the kernel.
  TensorGemm(ProgramCache& programs, const TensorParams& params);

  /// Enqueues a launch that computes a range of the batch's tiles of C, and returns.
  /// @param batch     products and tiles of a ProductList with this object's tile().  All products
  ///                  must have an empty tensor_obstacle().
  /// @param operands  views of at least tensor_extent_of() entries.  The caller must check them,
  ///                  once per batch, with check_extent(); run() does not.
  /// @param slices    how work-groups share the tiles of the range.  Each slice of a tile needs
  ///                  tile().m * tile().n entries of workspace, which run() allocates.
  /// Throws InvalidArgument when slices.slices < 1, and when slices.whole is negative or greater
  /// than tiles.count().
  void run(Queue& queue, const ProductBatch& batch, const TileRange& tiles,
           const ProductOperands<double>& operands, TileSlices slices = {});
  void run(Queue& queue, const ProductBatch& batch, const ProductOperands<double>& operands,
           TileSlices slices = {}) {
    run(queue, batch, batch.all(), operands, slices);
  }

  TileShape tile() const {
    return {params_.tile_m, params_.tile_n, params_.tile_columns, params_.joins_diagonals()};
  }
  const TensorParams& params() const { return params_; }

 private:
  // Enlarges the workspace if it is too small for `slices` slices of each of `sliced_tiles` tiles.
  void reserve(Queue& queue, Offset sliced_tiles, Index slices);

  TensorParams params_;
  Kernel gemm_;
  DeviceBuffer<double> partials_;  // Each slice's part of the sum, for each tile that has slices.
  // Number of slices that have stored their parts, for each tile that has slices.  All numbers are
  // 0 before and after a launch.
  DeviceBuffer<Index> arrivals_;
};

/// Returns extent_of(products), with the entries of A and of B rounded up to even numbers, because
/// the kernel copies pairs of rows.
ProductExtent tensor_extent_of(const std::vector<MatrixProduct>& products);

}  // namespace clchol::gpu
