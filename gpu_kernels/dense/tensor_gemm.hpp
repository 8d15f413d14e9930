// Products of dense matrices on NVIDIA's fp64 tensor cores, many in one launch.
// Kernel: kernels/dense/tensor_gemm.cl.
//
// Computes the products of Gemm<double> from equal lists, on devices that have the needed
// capabilities, and for products whose A and B are suitably aligned:
//
//   if (tensor_cores(capabilities).present && tensor_obstacle(product).empty()) ...
//
// The order of each sum depends on sizes and parameters alone, so results are bitwise reproducible.
// Error of an entry: at most (k + slices) eps (|c| + sum_k |a b|).  run() only enqueues.
#pragma once

#include "gpu_kernels/dense/gemm.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"

namespace clchol::gpu {

/// Returns a capability that the kernel needs and the device lacks, or else a present one.
const Capability& tensor_cores(const Capabilities& capabilities);

/// Returns why the kernel cannot compute this product, or an empty text when it can.  The positions
/// and leading dimensions of A and B must be even.
std::string tensor_obstacle(const MatrixProduct& product);

/// Returns the parameters of the first suitable row of variant "tensor", or "tensor_lower" for
/// products with CLCHOL_LOWER, or else the default parameters.  A row is suitable when it fits the
/// limits and the product has at least the row's least_tiles and least_k.
TensorParams tensor_params(const Tuning& tuning, const MatrixProduct& product,
                           const WorkGroupLimits& limits);

/// The kernel and its workspace, for one thread and one queue at a time.
class TensorGemm {
 public:
  /// Builds the kernel.  Throws InvalidArgument for invalid parameters, and BuildError.
  TensorGemm(ProgramCache& programs, const TensorParams& params);

  /// Enqueues the products of a range of the batch's tiles.
  /// @param batch     must have been made for tile(), of products without tensor_obstacle().
  /// @param operands  must have tensor_extent_of() entries, which the caller has checked once.
  /// @param slices    of these tiles.  Each slice takes tile.m * tile.n entries of workspace.
  /// Throws InvalidArgument for fewer than 1 slice, or more whole tiles than tiles.
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
  void reserve(Queue& queue, Offset sliced_tiles, Index slices);

  TensorParams params_;
  Kernel gemm_;
  DeviceBuffer<double> partials_;  // Tile of C of each slice of each sliced tile.
  DeviceBuffer<Index> arrivals_;   // Arrived slices of each tile.  Zero before and after a launch.
};

/// Returns extent_of(), rounded up to even numbers for A and B: the kernel copies pairs of rows.
ProductExtent tensor_extent_of(const std::vector<MatrixProduct>& products);

}  // namespace clchol::gpu
