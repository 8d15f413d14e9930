// The table of the factorization kernels (numeric/dense/kernel_tables.hpp) of one instruction set.
//
// factor_kernels_float.cpp and factor_kernels_double.cpp include this file once per instruction
// set.  They differ only in the scalar type, and are two files so that they are compiled in
// parallel.
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

// Least number of rows of a front whose factorization packs its operands.  In a front with fewer
// rows the columns are close enough to each other for the caches and the address translation.
// Change of speed by packing, measured with bench/dense_bench: on Zen 3 (AVX2, L2 cache 512 KiB)
// -5 % for 192 rows, +3 to +7 % for 256 and +12 % for 384 rows; on Sapphire Rapids (AVX3, L2 cache
// 2 MiB) -6 to -13 % for 256, -4 % for 384 and +2 % for 512 rows.
#if HWY_TARGET <= HWY_AVX3
inline constexpr Index kPackedMinRows = 2 * kLeastPackedRows;
#else
inline constexpr Index kPackedMinRows = kLeastPackedRows;
#endif

/// @return the table of the instruction set that this file is compiled for.
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
