// Cholesky factorization of one dense matrix on fp64 tensor cores.
//
//   TensorPotrf potrf(programs, tensor_potrf_params(tuning, limits), order);
//   const TensorPotrfPlan plan = potrf.upload(queue, n, ld);  // once
//   potrf.factor(queue, plan, a);                             // many times; only enqueues
//   potrf.failure(queue, plan);                               // the first pivot that failed
//
// Matrices of small order are factored by kernels/fronts/front_batch.cl alone.  Larger matrices are
// factored in wide blocks of columns c..d, left-looking:
//
//   A(c.., c..d) := A(c.., c..d) - L(c.., 0..c) L(c..d, 0..c)'     tensor_gemm
//   L(c.., c..d) := factor of A(c.., c..d)                         front_batch
//
// Products with long k are the faster ones, and each entry of A is written at most twice, for any
// number of blocks.
//
// The work-groups of kernels/dense/tensor_gemm.cl have larger tiles than those of front_batch, and
// multiply the same columns at the same time, so that the columns are in the caches.  The tiles of
// front_batch are at different columns at a time.  Where the matrix is larger than the caches,
// their operands come from device memory.  That costs power, and a device at its power limit loses
// a tenth of its rate.
//
// The device must have the capabilities that FrontBatch needs.  Results are bitwise reproducible.
#pragma once

#include <vector>

#include "gpu_kernels/dense/tensor_gemm.hpp"
#include "gpu_kernels/fronts/front_batch.hpp"

namespace clchol::gpu {

struct TensorPotrfParams {
  // Parameters of front_batch.  Tiles always have 64 rows: tiles of 128 rows are no faster here.
  FrontBatchParams columns{.tall_from = 0};
  TensorParams products{};   // Parameters of tensor_gemm.
  Index block = 2048;        // Columns of a wide block, a multiple of 64.
  Index blocks_from = 8192;  // Least order of a matrix that is cut into wide blocks.

  bool valid() const;
};

/// The default parameters, with tiles of products from a device's tuning data.
TensorPotrfParams tensor_potrf_params(const Tuning& tuning, const WorkGroupLimits& limits);

/// A wide block of columns.
struct WideBlock {
  Index begin = 0;         // First column.
  MatrixProduct before{};  // The product that precedes its factorization.  m = 0: the first block.
  BatchFront columns{};    // The block from the diagonal down, as a front that is panel_only.
};

/// Cuts a matrix at position 0 of its buffer into wide blocks.
/// Throws InvalidArgument unless n >= 1, ld >= n and ld is even.
std::vector<WideBlock> wide_blocks(Index n, Offset ld, const TensorPotrfParams& params);

/// The lists for matrices of one order and leading dimension in device memory, and workspace.
struct TensorPotrfPlan {
  struct Block {
    Index begin = 0;         // First column of the wide block.
    ProductBatch before;     // The product that precedes its factorization.
    TileSlices slices;       // How the tiles of `before` are sliced.
    FrontBatchPlan columns;  // The factorization of its columns.
  };
  std::vector<Block> blocks;
  Offset size = 0;                   // Entries from the matrix's first entry to the last one read.
  DeviceBuffer<BatchStatus> status;  // One for each wide block.
};

/// For one thread and one queue at a time.
class TensorPotrf {
 public:
  /// Throws InvalidArgument for parameters that are not valid(), BuildError.
  TensorPotrf(ProgramCache& programs, const TensorPotrfParams& params, BatchOrder order);

  /// Makes and uploads the lists for matrices of order n; returns when they are on the device.
  /// Throws as wide_blocks().
  TensorPotrfPlan upload(Queue& queue, Index n, Offset ld) const;

  /// Enqueues the factorization of A in place.  On and below the diagonal, A is read and L is
  /// written.  Above it, entries within 64 columns of the diagonal are read; where n is odd, so is
  /// the row behind the last one.  Neither has an influence on L.
  /// @param a  begins with A's first entry, at an even position of its buffer.
  /// Throws InvalidArgument when `a` is smaller than plan.size or at an odd position.
  void factor(Queue& queue, const TensorPotrfPlan& plan, DeviceView<double> a);

  /// Returns the first pivot of the last factorization that was not a positive, normal, finite
  /// number; column kNone: there was none.  From its column on, L is not a factor of A.  Waits for
  /// the queue's commands.
  static BatchStatus failure(Queue& queue, const TensorPotrfPlan& plan);

  const TensorPotrfParams& params() const { return params_; }

 private:
  TensorPotrfParams params_;
  FrontBatch columns_;
  TensorGemm products_;
  Index compute_units_ = 1;
};

}  // namespace clchol::gpu
