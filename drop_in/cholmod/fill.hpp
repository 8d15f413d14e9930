// Fills the arrays of a hollow L (held_factor.hpp).
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "drop_in/cholmod/held_factor.hpp"
#include "drop_in/cholmod/real_library.hpp"

namespace clchol::drop_in {

/// An array that L is to have.
struct FactorArray {
  void** member;
  std::size_t count;
  std::size_t size;  // Bytes of an element.
};

/// Allocates all arrays, or none.
/// @return whether they are allocated; otherwise common->status says why.
template <class Int>
bool allocate(std::span<const FactorArray> arrays, cholmod_common* common) {
  for (const FactorArray& array : arrays) {
    *array.member = Real<Int>::malloc(array.count, array.size, common);
    if (*array.member != nullptr) continue;
    for (const FactorArray& one : arrays) {
      *one.member = Real<Int>::free(one.count, one.size, *one.member, common);
    }
    return false;
  }
  return true;
}

/// Fills L as a simplicial factor L L'.
template <class Int>
bool fill_simplicial(const CholeskyFactor<double>& factor, cholmod_factor* l,
                     cholmod_common* common) {
  const std::size_t n = l->n;
  const std::size_t nnz = factor.values.size();
  const FactorArray arrays[] = {{&l->p, n + 1, sizeof(Int)},    {&l->i, nnz, sizeof(Int)},
                                {&l->nz, n, sizeof(Int)},       {&l->next, n + 2, sizeof(Int)},
                                {&l->prev, n + 2, sizeof(Int)}, {&l->x, nnz, sizeof(double)}};
  if (!allocate<Int>(arrays, common)) return false;
  auto* const p = static_cast<Int*>(l->p);
  auto* const nz = static_cast<Int*>(l->nz);
  for (std::size_t j = 0; j <= n; ++j) p[j] = static_cast<Int>(factor.colptr[j]);
  for (std::size_t j = 0; j < n; ++j) nz[j] = p[j + 1] - p[j];
  std::ranges::copy(factor.rowind, static_cast<Int*>(l->i));
  std::ranges::copy(factor.values, static_cast<double*>(l->x));
  // The columns as a list in the order of the matrix: n + 1 is before the first, n after the last.
  auto* const next = static_cast<Int*>(l->next);
  auto* const prev = static_cast<Int*>(l->prev);
  const auto head = static_cast<Int>(n + 1);
  const auto tail = static_cast<Int>(n);
  for (Int j = 0; j < tail; ++j) {
    next[j] = j + 1;
    prev[j] = j == 0 ? head : j - 1;
  }
  next[head] = 0;
  prev[head] = -1;
  next[tail] = -1;
  prev[tail] = tail - 1;
  l->nzmax = nnz;
  l->is_monotonic = 1;
  l->is_super = 0;
  return true;
}

/// Fills L as a supernodal factor, whose supernodes are the fronts.  The panel of supernode s is
/// nsrow x nscol, by columns.
template <class Int>
bool fill_supernodal(const CholeskyFactor<double>& factor, const AssemblyTree& tree,
                     cholmod_factor* l, cholmod_common* common) {
  const std::size_t nsuper = tree.nrow.size();
  std::size_t rows = 0, entries = 0, largest_update = 0;
  for (std::size_t s = 0; s < nsuper; ++s) {
    const auto nsrow = static_cast<std::size_t>(tree.nrow[s]);
    const auto nscol = static_cast<std::size_t>(tree.super_ptr[s + 1] - tree.super_ptr[s]);
    rows += nsrow;
    entries += nsrow * nscol;
    largest_update = std::max(largest_update, nsrow - nscol);
  }
  if (entries > static_cast<std::size_t>(std::numeric_limits<Int>::max())) {
    report<Int>(CHOLMOD_TOO_LARGE, "L has more entries than its integers can count", common);
    return false;
  }
  const FactorArray arrays[] = {{&l->super, nsuper + 1, sizeof(Int)},
                                {&l->pi, nsuper + 1, sizeof(Int)},
                                {&l->px, nsuper + 1, sizeof(Int)},
                                {&l->s, rows, sizeof(Int)},
                                {&l->x, entries, sizeof(double)}};
  if (!allocate<Int>(arrays, common)) return false;
  std::ranges::copy(tree.super_ptr, static_cast<Int*>(l->super));
  auto* const pi = static_cast<Int*>(l->pi);
  auto* const px = static_cast<Int*>(l->px);
  pi[0] = 0;
  px[0] = 0;
  for (std::size_t s = 0; s < nsuper; ++s) {
    const Index first = tree.super_ptr[s];
    const Index nscol = tree.super_ptr[s + 1] - first;
    const Index nsrow = tree.nrow[s];
    pi[s + 1] = pi[s] + nsrow;
    px[s + 1] = px[s] + static_cast<Int>(nsrow) * nscol;
    // Column k of the front has rows k to nsrow - 1.
    for (Index k = 0; k < nscol; ++k) {
      const Offset begin = factor.colptr[first + k];
      double* const column =
          static_cast<double*>(l->x) + px[s] + static_cast<Int>(nsrow) * static_cast<Int>(k);
      std::fill_n(column, k, 0.0);
      std::copy_n(factor.values.begin() + begin, nsrow - k, column + k);
      if (k == 0) {
        std::copy_n(factor.rowind.begin() + begin, nsrow, static_cast<Int*>(l->s) + pi[s]);
      }
    }
  }
  l->nsuper = nsuper;
  l->ssize = rows;
  l->xsize = entries;
  l->maxesize = largest_update;
  l->maxcsize = largest_update * largest_update;
  l->is_super = 1;
  return true;
}

/// Lets CHOLMOD fill L with the factor of the matrix that was kept.
template <class Int>
bool fill_by_cholmod(const KeptMatrix& kept, cholmod_factor* l, cholmod_common* common) {
  cholmod_sparse* a = Real<Int>::allocate_sparse(l->n, l->n, kept.values.size(), 0, 1, kept.stype,
                                                 int{CHOLMOD_REAL}, common);
  if (a == nullptr) return false;
  std::ranges::copy(kept.colptr, static_cast<Int*>(a->p));
  std::ranges::copy(kept.rowind, static_cast<Int*>(a->i));
  std::ranges::copy(kept.values, static_cast<double*>(a->x));
  double beta[2] = {kept.beta, 0};
  Int* const all_columns = nullptr;
  l->xtype = CHOLMOD_PATTERN;
  Real<Int>::factorize_p(a, beta, all_columns, std::size_t{0}, l, common);
  Real<Int>::free_sparse(&a, common);
  return l->xtype == CHOLMOD_REAL;
}

/// Fills L, in the form that CHOLMOD would have given it: supernodal, or simplicial L L' or L D L'
/// by L->is_ll.
/// @return whether L is filled; otherwise L is hollow, and common->status says why.
/// Throws what SparseCholesky::factor() throws.
template <class Int>
bool fill(HeldFactor& held, cholmod_factor* l, cholmod_common* common) {
  const std::lock_guard lock(held.mutex);
  if (!held.has_values || l->x != nullptr) return true;
  if (held.has_exact_order) {
    if (fill_by_cholmod<Int>(held.matrix, l, common)) return true;
    l->xtype = CHOLMOD_REAL;
    return false;
  }
  const CholeskyFactor<double> factor = held.solver.factor();
  if (held.fills_supernodal) {
    return fill_supernodal<Int>(factor, held.solver.assembly_tree(), l, common);
  }
  if (factor.values.size() > static_cast<std::size_t>(std::numeric_limits<Int>::max())) {
    report<Int>(CHOLMOD_TOO_LARGE, "L has more entries than its integers can count", common);
    return false;
  }
  if (!fill_simplicial<Int>(factor, l, common)) return false;
  const bool wants_ldl = l->is_ll == 0;
  l->is_ll = 1;
  return !wants_ldl || Real<Int>::change_factor(int{CHOLMOD_REAL}, 0, 0, 1, 1, l, common) != 0;
}

}  // namespace clchol::drop_in
