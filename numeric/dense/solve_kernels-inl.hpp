// Per-target include: the table of solve kernels for one scalar type.
#if defined(CLCHOL_NUMERIC_DENSE_SOLVE_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CLCHOL_NUMERIC_DENSE_SOLVE_KERNELS_INL_HPP
#undef CLCHOL_NUMERIC_DENSE_SOLVE_KERNELS_INL_HPP
#else
#define CLCHOL_NUMERIC_DENSE_SOLVE_KERNELS_INL_HPP
#endif

#include "numeric/dense/solve_many-inl.hpp"
#include "numeric/dense/solve_vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

template <class T>
const SolveKernels<T>& make_solve_kernels() {
  static constexpr SolveKernels<T> kKernels{
      &forward_panel<T>,       &backward_panel<T>,        &subtract_product<T>,
      &subtract_transposed<T>, &subtract_product_many<T>, &subtract_transposed_many<T>};
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
