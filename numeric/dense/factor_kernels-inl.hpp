// Makes the table of factorization kernels (FactorKernels, numeric/dense/kernel_tables.hpp) for one
// scalar type and one instruction set.
//
// The files factor_kernels_float.cpp and factor_kernels_double.cpp include this header once for
// each instruction set.  The two files differ only in the scalar type.  They are separate so that
// the build can compile them in parallel.
#if defined(CLCHOL_NUMERIC_DENSE_FACTOR_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CLCHOL_NUMERIC_DENSE_FACTOR_KERNELS_INL_HPP
#undef CLCHOL_NUMERIC_DENSE_FACTOR_KERNELS_INL_HPP
#else
#define CLCHOL_NUMERIC_DENSE_FACTOR_KERNELS_INL_HPP
#endif

#include "numeric/dense/packed_front-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

// A front with at least kPackedMinRows rows, and with at least 16 columns (factor_front.cpp), is
// packed: its factorization copies operands into slivers (packed_front-inl.hpp).  kLeastPackedRows
// is 256, so kPackedMinRows is 512 for AVX3 and 256 for all other instruction sets.  In a front
// with fewer rows the columns lie close together in memory, so reading the columns in place causes
// few misses of the caches and of the address translation (TLB).
//
// Change of the factorization's speed by packing (plus: packing is faster), measured with
// bench/dense_bench for fronts of these numbers of rows:
//   Zen 3 (AVX2, L2 cache 512 KiB)            192 rows -5 %, 256 rows +3 to +7 %, 384 rows +12 %
//   Sapphire Rapids (AVX3, L2 cache 2 MiB)    256 rows -6 to -13 %, 384 rows -4 %, 512 rows +2 %
#if HWY_TARGET <= HWY_AVX3
inline constexpr Index kPackedMinRows = 2 * kLeastPackedRows;
#else
inline constexpr Index kPackedMinRows = kLeastPackedRows;
#endif

/// @return the table of kernels for scalar type T and the instruction set that this header is being
///         compiled for.  The table lives as long as the program.
template <class T>
const FactorKernels<T>& make_factor_kernels() {
  static_assert(kBlock % TileShape<T>::kRows == 0 && TileShape<T>::kRows <= kMaxSliverRows);
  static_assert(kUpdateBlock % TileShape<T>::kColumns == 0);
  static constexpr FactorKernels<T> kKernels{TileShape<T>::kRows, kPackedMinRows,
                                             &unpacked_front<T>,  &diagonal_block<T>,
                                             &solve_rows<T>,      &update_trailing<T>};
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
