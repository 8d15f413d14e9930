// Computes the Cholesky factor L of one dense matrix A of order n on NVIDIA's fp64 tensor cores.
//
//   TensorPotrf potrf(programs, tensor_potrf_params(tuning, limits), order);
//   const TensorPotrfPlan plan = potrf.upload(queue, n, ld);  // once
//   potrf.factor(queue, plan, a);                             // many times; only enqueues
//   potrf.failure(queue, plan);                // waits, and returns the first failed pivot
//
// A matrix of small order is factored by kernels/fronts/front_batch.cl alone.  A larger matrix is
// cut into wide blocks, which are ranges of columns [c, d).  For each wide block, from left to
// right, with rows r = [c, n) and columns w = [c, d), and all columns k = [0, c) to the left:
//
//   A(r, w) := A(r, w) - L(r, k) L(w, k)'       kernels/dense/tensor_gemm.cl
//   L(r, w) := Cholesky factor of A(r, w)       kernels/fronts/front_batch.cl
//
// In this product, each entry of A(r, w) is reduced by a sum of c terms; tensor_gemm.cl is fast
// when sums have many terms.  Each entry of A is written at most twice, for any number of wide
// blocks.
//
// front_batch.cl could compute the products too, but makes worse use of the caches.  The
// work-groups of tensor_gemm.cl have larger tiles, and at any time multiply the same columns of L,
// so they find these columns in the caches.  The work-groups of front_batch.cl multiply different
// columns at a time; when the matrix is larger than the caches, they read operands from device
// memory.  Such reads cost power, and a device at its power limit loses a tenth of its rate.
//
// The device must have the capabilities that FrontBatch needs.  Results are bitwise reproducible.
#pragma once

#include <vector>

#include "gpu_kernels/dense/tensor_gemm.hpp"
#include "gpu_kernels/fronts/front_batch.hpp"

namespace clchol::gpu {

/// Number of columns of the wide blocks, and parameters of the two kernels.
struct TensorPotrfParams {
  // Parameters of front_batch.cl, which factors wide blocks.  The default has no tall tiles,
  // because tiles of 128 rows are not faster here.
  FrontBatchParams columns{.tall_from = 0};
  TensorParams products{};   // Parameters of tensor_gemm.cl.
  Index block = 2048;        // Number of columns of a wide block, a multiple of 64.
  Index blocks_from = 8192;  // Least order of a matrix that is cut into several wide blocks.

  /// Returns whether `block` is a positive multiple of 64 and `blocks_from` is at least 0.
  bool valid() const;
};

/// Returns the default parameters, except that the member `products` comes from the tuning data.
/// @param limits  the device's limits on a work-group.  With the member `products` of the result, a
///                work-group is within these limits.
TensorPotrfParams tensor_potrf_params(const Tuning& tuning, const WorkGroupLimits& limits);

/// One wide block: columns of a matrix that are updated and factored together.
struct WideBlock {
  Index begin = 0;  // First column of the block, numbered in A.
  // The product A(r, w) := A(r, w) - L(r, k) L(w, k)' of the head of this file, which is computed
  // before the block is factored.  In the first block there is no product, and before.m is 0.
  MatrixProduct before{};
  // The block's columns, rows `begin` to n - 1, as a front.  The front has `filled` = 1 (its panel
  // holds the entries before the launch) and `panel_only` = 1 (no update matrix is computed).
  BatchFront columns{};
};

/// Cuts a matrix into wide blocks.  When n < params.blocks_from, the matrix is one wide block.  The
/// offsets in the result are counted from entry (0, 0) of the matrix.
/// @param n   order of the matrix.
/// @param ld  leading dimension of the matrix.
/// Throws InvalidArgument for parameters that are not valid(), n < 1, ld < n, or an odd ld.
std::vector<WideBlock> wide_blocks(Index n, Offset ld, const TensorPotrfParams& params);

/// Lists and workspace in device memory for matrices of one order and one leading dimension.
struct TensorPotrfPlan {
  /// Lists and workspace of one wide block.
  struct Block {
    Index begin = 0;      // WideBlock::begin, the first column of the block.
    ProductBatch before;  // Device copy of the product WideBlock::before; empty in the first block.
    // Which tiles of the product several work-groups share; each computes some terms of the sums.
    TileSlices slices;
    FrontBatchPlan columns;  // Plan for the factorization of WideBlock::columns.
  };
  std::vector<Block> blocks;  // All wide blocks, from left to right.
  // Number of entries of memory that factor() accesses: from entry (0, 0) of A to the last entry
  // that is read, both included.
  Offset size = 0;
  // First failed pivot of each wide block.  `column` is numbered within the block.
  DeviceBuffer<BatchStatus> status;
};

/// Factors dense matrices.
///
/// Not thread-safe, const functions included.  All commands of one object go to one in-order queue
/// at a time: finish one queue before using another.
class TensorPotrf {
 public:
  /// Builds the kernels.
  /// @param order  how front_batch.cl orders the tiles of a wide block.  kTickets: one launch or
  ///               two, in which work-groups wait for each other, so the device must have the
  ///               capability `forward_progress`.  kLevels: one launch for each dependency level of
  ///               tiles.
  /// Throws InvalidArgument for parameters that are not valid(), and BuildError when the device's
  /// compiler refuses a kernel.
  TensorPotrf(ProgramCache& programs, const TensorPotrfParams& params, BatchOrder order);

  /// Makes and uploads the lists for matrices of order n with leading dimension ld.  Returns when
  /// the lists are on the device.  Throws InvalidArgument for n < 1, ld < n, or an odd ld.
  TensorPotrfPlan upload(Queue& queue, Index n, Offset ld) const;

  /// Enqueues the factorization of A, which overwrites A with L on and below the diagonal.
  ///
  /// The factorization also reads memory that does not affect L: entries above the diagonal, up to
  /// 64 columns to the right of it; and, for odd n, the padding row below the last row of A.  (The
  /// leading dimension is even, so each column has an entry of padding when n is odd.)
  /// @param a  memory of A.  The first entry of the view is entry (0, 0) of A.
  /// Throws InvalidArgument when `a` has fewer than plan.size entries or an odd offset in its
  /// buffer.
  void factor(Queue& queue, const TensorPotrfPlan& plan, DeviceView<double> a);

  /// Waits for the queue's commands, and returns the first failed pivot of the last factorization
  /// that used `plan`.  A pivot fails when it is not a positive, normal, finite number.  `column`
  /// of the result is the pivot's column number in A; column `column` of L and all later columns
  /// are invalid.  `column` = kNone: no pivot failed.
  static BatchStatus failure(Queue& queue, const TensorPotrfPlan& plan);

  const TensorPotrfParams& params() const { return params_; }

 private:
  TensorPotrfParams params_;
  FrontBatch columns_;
  TensorGemm products_;
  Index compute_units_ = 1;
};

}  // namespace clchol::gpu
