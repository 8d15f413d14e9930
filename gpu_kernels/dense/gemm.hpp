// Products on the device: kernels/dense/gemm.cl.
//
//   C := C - A * B'     or     C := -A * B'
//
// of many matrices in one launch, whole or lower (syrk), C column-major or in the update layout.
// Every entry is added up in the order of k: the same bits at every run, and for all parameters.
// Error of an entry: at most (k + 1) eps sum_k |a b|.  Nothing waits.
#pragma once

#include "gpu_kernels/dense/product_list.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The ladder of techniques; kRegister and what follows it have the same tiles.
enum class GemmVariant {
  kNaive,         // A work-item per entry, all from global memory.
  kLocal,         // Tiles of A and B in local memory.
  kRegister,      // Several entries a work-item, loops unrolled.
  kVector,        // kRegister with accesses of 128 bits.
  kPrefetch,      // kRegister, local memory read ahead into registers.
  kDoubleBuffer,  // kRegister, global memory read ahead into a second k-tile.
  kAll,           // The parameters as they are given.
};
inline constexpr GemmVariant kGemmVariants[] = {GemmVariant::kNaive,    GemmVariant::kLocal,
                                                GemmVariant::kRegister, GemmVariant::kVector,
                                                GemmVariant::kPrefetch, GemmVariant::kDoubleBuffer,
                                                GemmVariant::kAll};
/// "naive", "local", ...: as benchmarks and tests name it.
const char* name_of(GemmVariant variant);

/// The parameters with the techniques that the variant leaves out taken away.
/// @param value_bytes  8 or 4.
GemmParams variant_params(GemmVariant variant, const GemmParams& params, std::size_t value_bytes);

/// Where the matrices of a batch lie.  Positions in MatrixProduct count from the views' begin.
template <class T>
struct ProductOperands {
  DeviceView<const T> a;
  DeviceView<const T> b;
  DeviceView<T> c;
  DeviceView<const PivotStatus<T>> status;  // One for each front; none where no product names one.
};

/// Kernel for one thread and one queue at a time.  T: double, float.
template <class T>
class Gemm {
 public:
  /// Throws InvalidArgument for invalid parameters, BuildError.
  Gemm(ProgramCache& programs, const GemmParams& params, GemmVariant variant = GemmVariant::kAll);

  /// Enqueues tiles of the batch, which was made for this tile().  The operands have at least
  /// extent_of() entries, which the caller has checked once.
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

/// Throws InvalidArgument, naming operand, entries and bound, unless the views hold the products.
template <class T>
void check_extent(const ProductExtent& extent, const ProductOperands<T>& operands);

}  // namespace clchol::gpu
