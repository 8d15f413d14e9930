// Computes the Cholesky factor of one dense matrix A of order n on NVIDIA's fp64 tensor cores.
//
//   TensorPotrf potrf(programs, tensor_potrf_params(tuning, limits), order);
//   const TensorPotrfPlan plan = potrf.upload(queue, n, ld);  // once
//   potrf.factor(queue, plan, a);                             // many times; only enqueues
//   potrf.failure(queue, plan);                               // waits; first failed pivot
//
// Matrices of small order are factored by kernels/fronts/front_batch.cl alone.  Larger matrices are
// factored left-looking in wide blocks of columns [c, d).  With c: for the rows from c on,
//
//   A(c:, c..d) := A(c:, c..d) - L(c:, 0..c) L(c..d, 0..c)'     kernels/dense/tensor_gemm.cl
//   L(c:, c..d) := factor of A(c:, c..d)                        kernels/fronts/front_batch.cl
//
// The sums of such a product have c terms; products with long sums are fast.  Each entry of A is
// written at most twice, however many wide blocks the matrix has.
//
// The products are computed by tensor_gemm.cl and not by front_batch.cl for the sake of the caches.
// The work-groups of tensor_gemm.cl have larger tiles, and multiply the same columns at the same
// time, so they find the columns in the caches.  The work-groups of front_batch.cl multiply
// different columns at a time; where the matrix is larger than the caches, they read operands from
// device memory.  Such reads cost power, and a device at its power limit loses a tenth of its rate.
//
// The device must have the capabilities that FrontBatch needs.  Results are bitwise reproducible.
#pragma once

#include <vector>

#include "gpu_kernels/dense/tensor_gemm.hpp"
#include "gpu_kernels/fronts/front_batch.hpp"

namespace clchol::gpu {

/// Width of the wide blocks, and parameters of the two kernels.
struct TensorPotrfParams {
  // Parameters of front_batch.cl, without tall tiles: tiles of 128 rows are not faster here.
  FrontBatchParams columns{.tall_from = 0};
  TensorParams products{};   // Parameters of tensor_gemm.cl.
  Index block = 2048;        // Columns of a wide block, a multiple of 64.
  Index blocks_from = 8192;  // Smallest order of a matrix that is cut into wide blocks.

  /// Returns whether `block` is a positive multiple of 64 and `blocks_from` is at least 0.
  bool valid() const;
};

/// Returns the default parameters, except that `products` comes from the tuning data.
/// @param limits  what the device allows for a work-group.
TensorPotrfParams tensor_potrf_params(const Tuning& tuning, const WorkGroupLimits& limits);

/// One wide block: columns of a matrix that are updated and factored together.
struct WideBlock {
  Index begin = 0;  // First column.
  // Product with the columns left of the block, which is computed before the block is factored.
  // m = 0 in the first block, which has no such product.
  MatrixProduct before{};
  // The block's columns on and below the diagonal as a front, which is `filled` and `panel_only`.
  BatchFront columns{};
};

/// Cuts a matrix, whose entry (0, 0) is at offset 0 of its buffer, into wide blocks.  A matrix of
/// an order below params.blocks_from is one wide block.
/// @param n   order.
/// @param ld  leading dimension.
/// Throws InvalidArgument for parameters that are not valid(), n < 1, ld < n, or an odd ld.
std::vector<WideBlock> wide_blocks(Index n, Offset ld, const TensorPotrfParams& params);

/// Lists and workspace in device memory for matrices of one order and one leading dimension.
struct TensorPotrfPlan {
  /// One wide block.
  struct Block {
    Index begin = 0;         // First column.
    ProductBatch before;     // WideBlock::before; empty in the first block.
    TileSlices slices;       // Says which tiles of `before` several work-groups share.
    FrontBatchPlan columns;  // Lists for the factorization of WideBlock::columns.
  };
  std::vector<Block> blocks;  // All wide blocks, columns ascending.
  Offset size = 0;  // Entries from entry (0, 0) to the last entry that is read, both included.
  // First failed pivot of each wide block, with `column` counted within the block.
  DeviceBuffer<BatchStatus> status;
};

/// The kernels that factor dense matrices.
///
/// Not thread-safe, const functions included.  All commands of one object go to one in-order queue
/// at a time: finish one queue before using another.
class TensorPotrf {
 public:
  /// Builds the kernels.  Throws InvalidArgument for parameters that are not valid(), and
  /// BuildError.
  TensorPotrf(ProgramCache& programs, const TensorPotrfParams& params, BatchOrder order);

  /// Makes and uploads the lists for matrices of order n with leading dimension ld.  Returns when
  /// the lists are on the device.  Throws InvalidArgument for n < 1, ld < n, or an odd ld.
  TensorPotrfPlan upload(Queue& queue, Index n, Offset ld) const;

  /// Enqueues the factorization of A, which overwrites A with L on and below the diagonal.  Two
  /// kinds of other entries are read but do not affect L: entries above the diagonal within 64
  /// columns of it, and, for odd n, row n.
  /// @param a  the matrix: entry (0, 0) is the first entry of the view.
  /// Throws InvalidArgument when `a` has fewer than plan.size entries or an odd offset in its
  /// buffer.
  void factor(Queue& queue, const TensorPotrfPlan& plan, DeviceView<double> a);

  /// Waits for the queue's commands, and returns the first failed pivot of the plan's last
  /// factorization.  A pivot fails when it is not a positive, normal, finite number.  `column` is
  /// the pivot's column in A; columns of L from there on are invalid.  `column` = kNone: no pivot
  /// failed.
  static BatchStatus failure(Queue& queue, const TensorPotrfPlan& plan);

  const TensorPotrfParams& params() const { return params_; }

 private:
  TensorPotrfParams params_;
  FrontBatch columns_;
  TensorGemm products_;
  Index compute_units_ = 1;
};

}  // namespace clchol::gpu
