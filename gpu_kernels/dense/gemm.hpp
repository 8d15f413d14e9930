// Products of dense matrices on the device, many in one launch.  Kernel: kernels/dense/gemm.cl.
//
//   C := C - A * B'     or     C := -A * B'
//
// C is computed as a whole, or its lower triangle alone (syrk).  C is column-major or in the update
// layout (base/update_layout.hpp).  Each entry is summed in the order of k, so results are bitwise
// reproducible and do not depend on the parameters.
// Error of an entry: at most (k + 1) eps sum_k |a b|.  run() only enqueues.
#pragma once

#include "gpu_kernels/dense/product_list.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Techniques of the kernel, each added to a simpler one.  kRegister and all later variants use the
/// tiles of the given parameters.
enum class GemmVariant {
  kNaive,         // A work-item computes one entry and reads A and B from global memory.
  kLocal,         // A work-item computes one entry; k-tiles of A and B lie in local memory.
  kRegister,      // A work-item computes several entries; loops are unrolled.
  kVector,        // kRegister with memory accesses of 128 bits.
  kPrefetch,      // kRegister with prefetch from local memory into registers.
  kDoubleBuffer,  // kRegister with prefetch from global memory into a second k-tile.
  kAll,           // The given parameters unchanged.
};
inline constexpr GemmVariant kGemmVariants[] = {GemmVariant::kNaive,    GemmVariant::kLocal,
                                                GemmVariant::kRegister, GemmVariant::kVector,
                                                GemmVariant::kPrefetch, GemmVariant::kDoubleBuffer,
                                                GemmVariant::kAll};
/// Returns the name that benchmarks and tests use: "naive", "local", ...
const char* name_of(GemmVariant variant);

/// Returns the parameters without the techniques that the variant does not use.
/// @param value_bytes  bytes of a matrix entry: 8 or 4.
GemmParams variant_params(GemmVariant variant, const GemmParams& params, std::size_t value_bytes);

/// Device memory of the matrices of a batch.  Positions in MatrixProduct count entries from the
/// begin of each view.
template <class T>
struct ProductOperands {
  DeviceView<const T> a;
  DeviceView<const T> b;
  DeviceView<T> c;
  /// Status of each front, indexed by MatrixProduct::front.  Empty when no product has a front.
  DeviceView<const PivotStatus<T>> status;
};

/// The kernel, for one thread and one queue at a time.  T: double, float.
template <class T>
class Gemm {
 public:
  /// Builds the kernel.  Throws InvalidArgument for invalid parameters, and BuildError.
  Gemm(ProgramCache& programs, const GemmParams& params, GemmVariant variant = GemmVariant::kAll);

  /// Enqueues the products of a range of the batch's tiles.
  /// @param batch     must have been made for this object's tile().
  /// @param operands  must have extent_of() entries, which the caller has checked once.
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

/// Throws InvalidArgument, which names operand, entries and bound, unless the views of A, B and C
/// hold the products.
template <class T>
void check_extent(const ProductExtent& extent, const ProductOperands<T>& operands);

}  // namespace clchol::gpu
