// Makes the table of solve kernels (SolveKernels, numeric/dense/solve_kernels.hpp) for one scalar
// type and one instruction set.  This file is compiled once for each instruction set, by
// hwy/foreach_target.h.
#if defined(CLCHOL_NUMERIC_DENSE_SOLVE_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CLCHOL_NUMERIC_DENSE_SOLVE_KERNELS_INL_HPP
#undef CLCHOL_NUMERIC_DENSE_SOLVE_KERNELS_INL_HPP
#else
#define CLCHOL_NUMERIC_DENSE_SOLVE_KERNELS_INL_HPP
#endif

#include "numeric/dense/solve_rows-inl.hpp"
#include "numeric/dense/solve_vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace clchol::numeric::dense {
namespace HWY_NAMESPACE {

// The next four functions implement the members of SolveKernels with the same names.  For one
// right-hand side (ldw == 1) each function calls a kernel of solve_vector-inl.hpp, otherwise a
// kernel of solve_rows-inl.hpp.
template <class T>
void forward_panel(const PanelView<T>& l, const T* inv_diag, T* w, Offset ldw) {
  ldw == 1 ? forward_vector(l, inv_diag, w) : forward_rows(l, inv_diag, w, ldw);
}
template <class T>
void backward_panel(const PanelView<T>& l, const T* inv_diag, T* w, Offset ldw) {
  ldw == 1 ? backward_vector(l, inv_diag, w) : backward_rows(l, inv_diag, w, ldw);
}
template <class T>
void subtract_product(const PanelView<T>& a, const T* x, T* w, Offset ldw) {
  ldw == 1 ? product_vector(a, x, w) : product_rows(a, x, w, ldw);
}
template <class T>
void subtract_transposed(const PanelView<T>& a, const T* w, T* x, Offset ldw) {
  ldw == 1 ? transposed_vector(a, w, x) : transposed_rows(a, w, x, ldw);
}

/// @return the table of kernels for scalar type T and the instruction set that this file is being
///         compiled for.  The table lives as long as the program.
template <class T>
const SolveKernels<T>& make_solve_kernels() {
  static constexpr SolveKernels<T> kKernels{&forward_panel<T>,        &backward_panel<T>,
                                            &subtract_product<T>,     &subtract_transposed<T>,
                                            &indexed_product_rows<T>, &indexed_transposed_rows<T>};
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace clchol::numeric::dense
HWY_AFTER_NAMESPACE();

#endif
