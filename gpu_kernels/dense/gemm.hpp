// Products of dense matrices on the device, many in one launch.  Kernel: kernels/dense/gemm.cl.
//
//   C := C - A * B'     or     C := -A * B'
//
// C is m x n, A is m x k, B is n x k.  A product computes all of C, or only the entries C(i, j)
// with i >= j (as BLAS's syrk).  A and B are column-major.  C is column-major or in the update
// layout (base/update_layout.hpp).
//
// The terms of each entry of C are added in the order of the columns of A and B.  So results are
// bitwise reproducible, and equal for all GemmParams.
// The error of C(i, j) is at most
//
//   (k + 1) eps (|C(i, j)| + sum_p |A(i, p) B(j, p)|)
//
// where |C(i, j)| is the value before a subtraction, or 0 for -A * B', and eps is
// numeric_limits<T>::epsilon().
#pragma once

#include "gpu_kernels/dense/product_list.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Variants of the kernel, with which benchmarks measure the gain of each technique.  kNaive and
/// kLocal use tiles of at most 16 x 16 entries of C.  All other variants use the tile sizes of the
/// GemmParams that the caller passes.
enum class GemmVariant {
  kNaive,         // A work-item computes one entry of C and reads A and B from global memory.
  kLocal,         // A work-item computes one entry of C; k-tiles of A and B are in local memory.
  kRegister,      // A work-item computes several entries of C in registers; loops are unrolled.
  kVector,        // kRegister, with memory accesses of 128 bits.
  kPrefetch,      // kRegister, with prefetch from local memory into registers.
  kDoubleBuffer,  // kRegister, with prefetch from global memory into a second k-tile.
  kAll,           // All techniques that the GemmParams of the caller switch on.
};
inline constexpr GemmVariant kGemmVariants[] = {GemmVariant::kNaive,    GemmVariant::kLocal,
                                                GemmVariant::kRegister, GemmVariant::kVector,
                                                GemmVariant::kPrefetch, GemmVariant::kDoubleBuffer,
                                                GemmVariant::kAll};
/// Returns the variant's name in benchmarks and tests: "naive", "local", ...
const char* name_of(GemmVariant variant);

/// Returns `params` with every technique switched off that the variant does not use.
/// @param value_bytes  bytes of a matrix entry: 8 or 4.
GemmParams variant_params(GemmVariant variant, const GemmParams& params, std::size_t value_bytes);

/// Device memory of all matrices of a batch of products.  Members a, b and c of a MatrixProduct are
/// the offsets of its matrices in the views of the same names, in entries.
template <class T>
struct ProductOperands {
  DeviceView<const T> a;
  DeviceView<const T> b;
  DeviceView<T> c;
  /// Pivot status of each front, indexed by MatrixProduct::front.  A product is skipped when one of
  /// its front's first MatrixProduct::pivots pivots failed.  May be empty when all products have
  /// front = -1.
  DeviceView<const PivotStatus<T>> status;
};

/// Computes products of dense matrices on the device.  Not thread-safe.  T is double or float.
template <class T>
class Gemm {
 public:
  /// Builds the kernel for variant_params().  Throws InvalidArgument unless these are valid(), and
  /// BuildError when the device's compiler refuses the kernel.
  Gemm(ProgramCache& programs, const GemmParams& params, GemmVariant variant = GemmVariant::kAll);

  /// Enqueues a launch that computes a range of the batch's tiles of C, and returns.
  /// @param batch     products and tiles of a ProductList with this object's tile().
  /// @param operands  views of at least extent_of() entries.  The caller must check them, once per
  ///                  batch, with check_extent(); run() does not.
  void run(Queue& queue, const ProductBatch& batch, const TileRange& tiles,
           const ProductOperands<T>& operands);
  void run(Queue& queue, const ProductBatch& batch, const ProductOperands<T>& operands) {
    run(queue, batch, batch.all(), operands);
  }

  TileShape tile() const { return {params_.tile_m, params_.tile_n}; }
  const GemmParams& params() const { return params_; }

 private:
  GemmParams params_;
  Kernel gemm_;
};

/// Throws InvalidArgument when the view of A, B or C has fewer entries than `extent` requires.  The
/// message names the operand, its entries and the required entries.
template <class T>
void check_extent(const ProductExtent& extent, const ProductOperands<T>& operands);

}  // namespace clchol::gpu
