// Products of dense matrices on the device, many in one launch.  Kernel: kernels/dense/gemm.cl.
//
//   C := C - A * B'     or     C := -A * B'
//
// C is m x n, A is m x k, B is n x k.  A product computes all of C, or only the entries C(i, j)
// with i >= j (as BLAS's syrk).  A and B are column-major.  C is column-major or in the update
// layout (base/update_layout.hpp).  product_list.hpp shows how a batch of products is made.
//
// The terms of each entry of C are added in the order of the columns of A and B.  So the results
// are the same bits in every run and for all GemmParams.
// The error of entry (i, j) of the result is at most
//
//   (k + 1) eps (|C0(i, j)| + sum_p |A(i, p) B(j, p)|)
//
// where C0 is C before the launch for C - A * B', C0 = 0 for -A * B', and eps is
// numeric_limits<T>::epsilon().
#pragma once

#include "gpu_kernels/dense/product_list.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Variants of the kernel.  Benchmarks compare them to measure the gain of each technique.  A tile
/// is the block of C that a work-group computes.  A k-tile is the columns of A and B that one step
/// of the kernel's loop multiplies.  kNaive and kLocal use tiles of at most 16 x 16 entries of C
/// and k-tiles of at most 16 columns.  All other variants use the tile sizes of the GemmParams that
/// the caller passes.
enum class GemmVariant {
  kNaive,         // A work-item computes one entry of C and reads A and B from global memory.
  kLocal,         // A work-item computes one entry of C; k-tiles of A and B are in local memory.
  kRegister,      // A work-item computes several entries of C in registers; loops are unrolled.
  kVector,        // Register tiles, and memory accesses of 128 bits.
  kPrefetch,      // Register tiles, and prefetch from local memory into registers.
  kDoubleBuffer,  // Register tiles, and prefetch from global memory into a second k-tile.
  kAll,           // All techniques that the caller's GemmParams switch on.
};
inline constexpr GemmVariant kGemmVariants[] = {GemmVariant::kNaive,    GemmVariant::kLocal,
                                                GemmVariant::kRegister, GemmVariant::kVector,
                                                GemmVariant::kPrefetch, GemmVariant::kDoubleBuffer,
                                                GemmVariant::kAll};
/// Returns the variant's name in benchmarks and tests: "naive", "local", ...
const char* name_of(GemmVariant variant);

/// Returns the parameters with which Gemm builds the kernel for a variant.  For kAll, the result is
/// `params`.  For all other variants, the techniques that the variant does not use are switched
/// off.  For kNaive and kLocal, the tile sizes are also reduced to at most 16, and a work-item
/// computes one entry of C.  kVector keeps accesses of one entry unless item_m and item_n are
/// multiples of the entries in 128 bits.
/// @param params       parameters that the caller wants to use.
/// @param value_bytes  bytes of a matrix entry: 8 or 4.
GemmParams variant_params(GemmVariant variant, const GemmParams& params, std::size_t value_bytes);

/// Device memory of all matrices of a batch of products.  A product is described by a
/// MatrixProduct p: its matrix A begins at entry p.a of the view `a`, its matrix B at entry p.b of
/// the view `b`, and its matrix C at entry p.c of the view `c`.
template <class T>
struct ProductOperands {
  DeviceView<const T> a;
  DeviceView<const T> b;
  DeviceView<T> c;
  /// First failed pivot of each front.  Indexed by front.  A product p is skipped when any of the
  /// first p.pivots pivots of the front with index p.front has failed.  The view may be empty when
  /// p.front = -1 (no front) for all products p.
  DeviceView<const PivotStatus<T>> status;
};

/// Computes products of dense matrices on the device.  Not thread-safe.  T is double or float.
template <class T>
class Gemm {
 public:
  /// Builds the kernel with the parameters variant_params(variant, params, sizeof(T)).  Throws
  /// InvalidArgument unless the parameters are valid(), and BuildError when the device's compiler
  /// refuses the kernel.
  Gemm(ProgramCache& programs, const GemmParams& params, GemmVariant variant = GemmVariant::kAll);

  /// Enqueues one launch that computes a range of the batch's list of tiles, and returns.  The
  /// overload without `tiles` computes all tiles of the batch.
  /// @param batch     device copy of a list that was made as ProductList(tile()).
  /// @param tiles     range of indices into the batch's list of tiles.
  /// @param operands  device memory of the matrices.  run() does not check the sizes of the views:
  ///                  the caller calls check_extent(extent_of(products), operands) once per batch.
  void run(Queue& queue, const ProductBatch& batch, const TileRange& tiles,
           const ProductOperands<T>& operands);
  void run(Queue& queue, const ProductBatch& batch, const ProductOperands<T>& operands) {
    run(queue, batch, batch.all(), operands);
  }

  /// Returns the shape of the tiles that the kernel computes.
  TileShape tile() const { return {params_.tile_m, params_.tile_n}; }
  /// Returns the parameters of the kernel, that is the result of variant_params().
  const GemmParams& params() const { return params_; }

 private:
  GemmParams params_;
  Kernel gemm_;
};

/// Throws InvalidArgument when the view of A, B or C has fewer entries than `extent` requires.  The
/// message has the operand's name, the size of its view and the required size.
/// @param extent  result of extent_of() for the products.
template <class T>
void check_extent(const ProductExtent& extent, const ProductOperands<T>& operands);

}  // namespace clchol::gpu
