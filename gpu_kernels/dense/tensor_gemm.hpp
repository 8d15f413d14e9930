// Products of dense matrices on NVIDIA's fp64 tensor cores, many in one launch:
//
//   C := C - A * B'     or     C := -A * B'
//
// Kernel: kernels/dense/tensor_gemm.cl.  TensorGemm computes the products of a ProductList, as
// Gemm<double> does (gemm.hpp), but only on a suitable device and for suitable products:
//
//   if (tensor_cores(capabilities).present && tensor_obstacle(product).empty()) ...
//
// There are whole tiles and sliced tiles of C (TileSlices, gpu_kernels/devices/tuning.hpp).  One
// work-group computes a whole tile.  Several work-groups compute a sliced tile: each work-group
// multiplies a range (slice) of the columns of A and B, and the work-group that ends last adds up
// the results of all slices.  The order of additions depends on sizes and parameters alone, so
// results are the same bits in every run.
// The error of entry (i, j) of the result is at most
//
//   (k + slices) eps (|C0(i, j)| + sum_p |A(i, p) B(j, p)|)
//
// where k is the number of columns of A and of B, `slices` is the number of slices of the tile (1
// for a whole tile), C0 is C before the launch for C - A * B', C0 = 0 for -A * B', and eps is
// numeric_limits<double>::epsilon().
#pragma once

#include "gpu_kernels/dense/gemm.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"

namespace clchol::gpu {

/// Returns whether a device can run the kernel, which needs the capabilities async_copy
/// (asynchronous copy from global to local memory) and mma_m16n8k16 (products on tensor cores).
/// Member `present` of the result is true if the device has both.  Otherwise member `reason` says
/// why one of them is absent.
const Capability& tensor_cores(const Capabilities& capabilities);

/// Returns an empty text when the kernel can compute `product`, that is, when the offsets and the
/// leading dimensions of A and B are even.  Otherwise returns a text that says which number is odd.
std::string tensor_obstacle(const MatrixProduct& product);

/// Returns the parameters of the first row of the tuning data that suits the product, or the
/// default parameters of TensorParams when no row suits the product.  A row suits the product if
///   - its kernel is "gemm" and its precision "double",
///   - its variant is "tensor_lower" for a product with CLCHOL_LOWER, "tensor" for another product,
///   - its parameters are valid(), and a work-group is within `limits`,
///   - the number of tiles of C is at least least_tiles of the row,
///   - the number of columns of A and B is at least least_k of the row.
TensorParams tensor_params(const Tuning& tuning, const MatrixProduct& product,
                           const WorkGroupLimits& limits);

/// Computes products of dense matrices on tensor cores.  Not thread-safe.  Launches of one object
/// share a workspace for slices, so they must go to one in-order queue at a time: finish one queue
/// before using another.
class TensorGemm {
 public:
  /// Builds the kernel.  Throws InvalidArgument for parameters that are not valid(), and BuildError
  /// when the device's compiler refuses the kernel.
  TensorGemm(ProgramCache& programs, const TensorParams& params);

  /// Enqueues one launch that computes a range of the batch's list of tiles, and returns.  The
  /// overload without `tiles` computes all tiles of the batch.
  /// @param batch     device copy of a list that was made as ProductList(tile()).
  ///                  tensor_obstacle() must be empty for all products of the list.
  /// @param tiles     range of indices into the batch's list of tiles.
  /// @param operands  device memory of the matrices.  run() does not check the sizes of the views:
  ///                  the caller calls check_extent(tensor_extent_of(products), operands) once per
  ///                  batch.
  /// @param slices    division into whole and sliced tiles.  The first slices.whole tiles of the
  ///                  range are whole tiles.  When slices.slices = 1, all tiles are whole, and
  ///                  slices.whole is ignored.  run() allocates workspace: tile().m * tile().n
  ///                  entries for each slice of each sliced tile.
  /// Throws InvalidArgument when slices.slices < 1.  If slices.slices > 1, also throws
  /// InvalidArgument when slices.whole is negative or greater than the number of tiles.
  void run(Queue& queue, const ProductBatch& batch, const TileRange& tiles,
           const ProductOperands<double>& operands, TileSlices slices = {});
  void run(Queue& queue, const ProductBatch& batch, const ProductOperands<double>& operands,
           TileSlices slices = {}) {
    run(queue, batch, batch.all(), operands, slices);
  }

  /// Returns the shape of the tiles that the kernel computes.
  TileShape tile() const {
    return {params_.tile_m, params_.tile_n, params_.tile_columns, params_.joins_diagonals()};
  }
  /// Returns the parameters of the kernel.
  const TensorParams& params() const { return params_; }

 private:
  // Enlarges the workspace if it is too small for `slices` slices of each of `sliced_tiles` tiles.
  void reserve(Queue& queue, Offset sliced_tiles, Index slices);

  TensorParams params_;
  Kernel gemm_;
  // Workspace: for each slice of each sliced tile, the product of the slice's columns of A and B.
  DeviceBuffer<double> partials_;
  // Number of slices that have stored their sums, for each sliced tile.  All numbers are 0 before
  // and after a launch.
  DeviceBuffer<Index> arrivals_;
};

/// Returns the minimum sizes, in entries, of the views of TensorGemm::run() for these products.
/// They are the sizes extent_of(products), except that the sizes for A and for B are rounded up to
/// even numbers, because the kernel reads pairs of rows.
ProductExtent tensor_extent_of(const std::vector<MatrixProduct>& products);

}  // namespace clchol::gpu
