// Cholesky factorization of one dense matrix on fp64 tensor cores.
//
//   TensorPotrf potrf(programs, tensor_potrf_params(tuning, limits), order);
//   const TensorPotrfPlan plan = potrf.upload(queue, n, ld);   // once
//   potrf.factor(queue, plan, a);             // as often as wanted: enqueues, waits for nothing
//   potrf.failure(queue, plan);               // ... and what came of it
//
// kernels/fronts/front_batch.cl alone up to some order.  Larger matrices are factored in wide
// blocks of columns c..d, left-looking: products with long k are the faster ones, and each entry of
// A is written twice at most, whatever the number of blocks.
//
//   A(c.., c..d) := A(c.., c..d) - L(c.., 0..c) L(c..d, 0..c)'
//   L(c.., c..d) by front_batch
//
// The products are by kernels/dense/tensor_gemm.cl, whose work-groups go through the same columns
// at the same time, so that they find them in the caches, and have larger tiles.  The tiles of
// front_batch each stand at another column; what they read comes from memory where a matrix is
// larger than the caches, which costs power, and a device at its limit of power a tenth of its
// rate.
//
// The capabilities of FrontBatch.  Same bits at every run.
#pragma once

#include <vector>

#include "gpu_kernels/dense/tensor_gemm.hpp"
#include "gpu_kernels/fronts/front_batch.hpp"

namespace clchol::gpu {

struct TensorPotrfParams {
  // Tiles of 64 rows, also in blocks that are large enough for those of 128, which are no faster
  // here.
  FrontBatchParams columns{.tall_from = 0};
  TensorParams products{};
  Index block = 2048;        // Columns of a wide block, a multiple of 64,
  Index blocks_from = 8192;  // in matrices of so large an order.

  bool valid() const;
};

/// The products' tiles as a device's tuning data has them.
TensorPotrfParams tensor_potrf_params(const Tuning& tuning, const WorkGroupLimits& limits);

/// A wide block of columns.
struct WideBlock {
  Index begin = 0;         // Its first column.
  MatrixProduct before{};  // What is to be done before it; no rows for the first block.
  BatchFront columns{};    // From the diagonal down: a panel alone.
};

/// Those of a matrix of order n >= 1 from position 0 on, leading dimension ld >= n and even.
/// Throws InvalidArgument.
std::vector<WideBlock> wide_blocks(Index n, Offset ld, const TensorPotrfParams& params);

/// The lists for a matrix on the device, and workspace.
struct TensorPotrfPlan {
  struct Block {
    Index begin = 0;
    ProductBatch before;
    TileSlices slices;  // Of these products.
    FrontBatchPlan columns;
  };
  std::vector<Block> blocks;
  Offset size = 0;                   // Entries of the matrix that are read.
  DeviceBuffer<BatchStatus> status;  // One for each block.
};

/// For one thread and one queue at a time.
class TensorPotrf {
 public:
  /// Throws InvalidArgument for parameters that are not valid(), BuildError.
  TensorPotrf(ProgramCache& programs, const TensorPotrfParams& params, BatchOrder order);

  /// As wide_blocks().  Blocking.
  TensorPotrfPlan upload(Queue& queue, Index n, Offset ld) const;

  /// Enqueues the factorization of A in place; its first entry is at an even position of the
  /// buffer.  On and below the diagonal A is read and L is written; above, entries within 64
  /// columns of the diagonal are read, and behind an odd last row the next one: they count for
  /// nothing.
  /// Throws InvalidArgument when the view is smaller than the plan's matrix, or at an odd position.
  void factor(Queue& queue, const TensorPotrfPlan& plan, DeviceView<double> a);

  /// The first pivot of the last factorization that was not positive and finite, column kNone
  /// where all were.  From its column on, L is no factor.  Blocking.
  static BatchStatus failure(Queue& queue, const TensorPotrfPlan& plan);

  const TensorPotrfParams& params() const { return params_; }

 private:
  TensorPotrfParams params_;
  FrontBatch columns_;
  TensorGemm products_;
  Index compute_units_ = 1;
};

}  // namespace clchol::gpu
