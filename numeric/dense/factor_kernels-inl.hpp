// Per-target include: the table of factorization kernels for one scalar type.  The two sources
// factor_kernels_{float,double}.cpp differ in the type alone; they are apart to compile side by
// side.
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

template <class T>
const FactorKernels<T>& make_factor_kernels() {
  static_assert(kBlock % TileShape<T>::kRows == 0 && TileShape<T>::kRows <= kMaxSliverRows);
  static_assert(kUpdateBlock % TileShape<T>::kColumns == 0);
  static constexpr FactorKernels<T> kKernels{TileShape<T>::kRows, &unpacked_front<T>,
                                             &diagonal_block<T>, &solve_rows<T>,
                                             &update_trailing<T>};
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
