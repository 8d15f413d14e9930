#include "solver/factor_by_columns.hpp"

#include <algorithm>

namespace clchol::solver {

template <class T>
CholeskyFactor<T> factor_by_columns(const symbolic::SymbolicFactor& symbolic,
                                    const Factorization<T>& f) {
  CholeskyFactor<T> l;
  l.n = symbolic.n;
  l.colptr.reserve(static_cast<std::size_t>(symbolic.n) + 1);
  l.colptr.push_back(0);
  for (Index s = 0; s < symbolic.nsuper; ++s) {
    for (Index k = 0; k < symbolic.ncol(s); ++k) {
      l.colptr.push_back(l.colptr.back() + symbolic.nrow(s) - k);
    }
  }
  l.rowind.resize(static_cast<std::size_t>(l.colptr.back()));
  l.values.resize(l.rowind.size());
  with_engine(f, [&]<class F>(const Engine<F>& engine) {
    engine.visit_panels([&](Index s, const F* panel, Offset ld) {
      const std::span<const Index> rows = symbolic.rows(s);
      for (Index k = 0; k < symbolic.ncol(s); ++k) {
        const Offset begin = l.colptr[symbolic.super_ptr[s] + k];
        std::copy(rows.begin() + k, rows.end(), l.rowind.begin() + begin);
        const F* const column = panel + k * ld;
        std::transform(column + k, column + rows.size(), l.values.begin() + begin,
                       [](F value) { return static_cast<T>(value); });
      }
    });
  });
  return l;
}

template CholeskyFactor<float> factor_by_columns(const symbolic::SymbolicFactor&,
                                                 const Factorization<float>&);
template CholeskyFactor<double> factor_by_columns(const symbolic::SymbolicFactor&,
                                                  const Factorization<double>&);

}  // namespace clchol::solver
