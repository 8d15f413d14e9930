// Products on fp64 tensor cores: kernels/dense/tensor_gemm.cl.  What Gemm<double> computes, from
// the same lists, on devices and for products that have what the kernel needs:
//
//   if (tensor_cores(capabilities).present && tensor_obstacle(product).empty()) ...
//
// Every entry is added up in an order that sizes and parameters alone decide: the same bits at
// every run.  Error of an entry: at most (k + slices) eps
// (|c| + sum_k |a b|).  Nothing waits.
#pragma once

#include "gpu_kernels/dense/gemm.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"

namespace clchol::gpu {

/// Whether the device runs the kernel, and if not, why.
const Capability& tensor_cores(const Capabilities& capabilities);

/// Why the kernel cannot take this product: A and B have even positions and leading dimensions.
/// Empty: it can.
std::string tensor_obstacle(const MatrixProduct& product);

/// Of the rows of variant "tensor", or "tensor_lower" for CLCHOL_LOWER, the first that fits and has
/// least_tiles and least_k no larger than the product has; the defaults where there is none.
TensorParams tensor_params(const Tuning& tuning, const MatrixProduct& product,
                           const WorkGroupLimits& limits);

/// Kernel and workspace for one thread and one queue at a time.
class TensorGemm {
 public:
  /// Throws InvalidArgument for invalid parameters, BuildError.
  TensorGemm(ProgramCache& programs, const TensorParams& params);

  /// Enqueues tiles of the batch, which was made for this tile() of products without obstacle.  The
  /// operands have at least tensor_extent_of() entries, which the caller has checked once.
  /// @param slices  of these tiles; every slice takes workspace: tile.m * tile.n values.
  void run(Queue& queue, const ProductBatch& batch, const TileRange& tiles,
           const ProductOperands<double>& operands, TileSlices slices = {});
  void run(Queue& queue, const ProductBatch& batch, const ProductOperands<double>& operands,
           TileSlices slices = {}) {
    run(queue, batch, batch.all(), operands, slices);
  }

  TileShape tile() const {
    return {params_.tile_m, params_.tile_n, params_.strip, params_.joins_diagonals()};
  }
  const TensorParams& params() const { return params_; }

 private:
  void reserve(Queue& queue, Offset sliced_tiles, Index slices);

  TensorParams params_;
  Kernel gemm_;
  DeviceBuffer<double> partials_;
  DeviceBuffer<Index> arrivals_;  // Zero before and after every launch.
};

/// extent_of() with what the kernel reads besides: copies take pairs of rows.
ProductExtent tensor_extent_of(const std::vector<MatrixProduct>& products);

}  // namespace clchol::gpu
