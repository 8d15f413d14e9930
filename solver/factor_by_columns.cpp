#include "solver/factor_by_columns.hpp"

#include <algorithm>

namespace clchol::solver {

Offset entries_by_columns(const symbolic::SymbolicFactor& symbolic) {
  Offset entries = 0;
  for (Index s = 0; s < symbolic.nsuper; ++s) {
    // The panel without what stands above its diagonal.
    const Offset ncol = symbolic.ncol(s);
    entries += ncol * symbolic.nrow(s) - ncol * (ncol - 1) / 2;
  }
  return entries;
}

template <class T>
void write_factor_by_columns(const symbolic::SymbolicFactor& symbolic, const Factorization<T>& f,
                             std::span<Offset> colptr, std::span<Index> rowind,
                             std::span<T> values) {
  colptr[0] = 0;
  for (Index s = 0; s < symbolic.nsuper; ++s) {
    for (Index k = 0; k < symbolic.ncol(s); ++k) {
      const Index j = symbolic.super_ptr[s] + k;
      colptr[j + 1] = colptr[j] + symbolic.nrow(s) - k;
    }
  }
  with_engine(f, [&]<class F>(const Engine<F>& engine) {
    engine.visit_panels([&](const numeric::PanelColumns<F>& of) {
      const Index s = of.s;
      const std::span<const Index> rows = symbolic.rows(s);
      for (Index k = of.begin; k < of.end; ++k) {
        const Offset begin = colptr[symbolic.super_ptr[s] + k];
        std::copy(rows.begin() + k, rows.end(), rowind.begin() + begin);
        const F* const column = of.data + k * of.ld;
        std::transform(column + k, column + rows.size(), values.begin() + begin,
                       [](F value) { return static_cast<T>(value); });
      }
    });
  });
}

template <class T>
CholeskyFactor<T> factor_by_columns(const symbolic::SymbolicFactor& symbolic,
                                    const Factorization<T>& f) {
  CholeskyFactor<T> l;
  l.n = symbolic.n;
  l.colptr.resize(static_cast<std::size_t>(symbolic.n) + 1);
  l.rowind.resize(static_cast<std::size_t>(entries_by_columns(symbolic)));
  l.values.resize(l.rowind.size());
  write_factor_by_columns<T>(symbolic, f, l.colptr, l.rowind, l.values);
  return l;
}

#define CLCHOL_INSTANTIATE(T)                                                                     \
  template void write_factor_by_columns(const symbolic::SymbolicFactor&, const Factorization<T>&, \
                                        std::span<Offset>, std::span<Index>, std::span<T>);       \
  template CholeskyFactor<T> factor_by_columns(const symbolic::SymbolicFactor&,                   \
                                               const Factorization<T>&);
CLCHOL_INSTANTIATE(float)
CLCHOL_INSTANTIATE(double)
#undef CLCHOL_INSTANTIATE

}  // namespace clchol::solver
