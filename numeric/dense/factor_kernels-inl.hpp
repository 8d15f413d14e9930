// Included once per instruction set: the table of factorization kernels for one scalar type.
// factor_kernels_float.cpp and factor_kernels_double.cpp differ only in the type; they are two
// files so that they are compiled in parallel.
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

// Rows of the smallest front that is packed.  In smaller fronts the distance between columns is
// small enough for the caches and the address translation.  Measured with bench/dense_bench: on Zen
// 3 (AVX2, L2 cache 512 KiB) packing loses 5 % at 192 rows, and gains 3-7 % at 256 and 12 % at 384
// rows.  On Sapphire Rapids (AVX3, L2 cache 2 MiB) packing loses 6-13 % at 256 and 4 % at 384 rows,
// and gains 2 % at 512 rows.
#if HWY_TARGET <= HWY_AVX3
inline constexpr Index kPackedMinRows = 2 * kLeastPackedRows;
#else
inline constexpr Index kPackedMinRows = kLeastPackedRows;
#endif

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
