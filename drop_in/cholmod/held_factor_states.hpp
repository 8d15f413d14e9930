// From one state of a held factor L to another (held_factor.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "drop_in/cholmod/held_factor.hpp"
#include "drop_in/cholmod/real_library.hpp"

namespace clchol::drop_in {

/// Writes the permutation and the column counts of clchol's analysis to L.  Counts include the
/// explicit zeros of amalgamation: CHOLMOD reserves room for columns by them.
template <class Int>
void write_analysis(const HeldFactor& held, cholmod_factor* l) {
  const std::vector<Index> permutation = held.solver.permutation();
  const AssemblyTree tree = held.solver.assembly_tree();
  auto* const perm = static_cast<Int*>(l->Perm);
  auto* const counts = static_cast<Int*>(l->ColCount);
  std::ranges::copy(permutation, perm);
  for (std::size_t s = 0; s < tree.nrow.size(); ++s) {
    const Index first = tree.super_ptr[s];
    for (Index j = first; j < tree.super_ptr[s + 1]; ++j) counts[j] = tree.nrow[s] - (j - first);
  }
}

/// Makes L symbolic.  clchol keeps its analysis.
template <class Int>
void make_symbolic(HeldFactor& held, cholmod_factor* l, cholmod_common* common) {
  if (is_hollow(held, *l)) {
    l->xtype = CHOLMOD_PATTERN;
  } else if (l->xtype != CHOLMOD_PATTERN) {
    Real<Int>::change_factor(int{CHOLMOD_PATTERN}, l->is_ll, 0, 1, 1, l, common);
  }
  l->minor = l->n;
  held.has_values = false;
}

/// Makes a symbolic L hollow: clchol has its values.
inline void make_hollow(HeldFactor& held, cholmod_factor* l) {
  l->xtype = CHOLMOD_REAL;
  l->dtype = CHOLMOD_DOUBLE;
  l->minor = l->n;
  held.has_values = true;
}

/// Copies clchol's factor to the arrays of a hollow L, as L L' or L D L' by L->is_ll.
/// @return whether L is filled; otherwise L is hollow, and common->status says why.
/// Throws what SparseCholesky::factor() throws.
template <class Int>
bool fill(HeldFactor& held, cholmod_factor* l, cholmod_common* common) {
  const std::lock_guard lock(held.mutex);
  if (!held.has_values || l->p != nullptr) return true;
  const std::size_t n = l->n;
  const CholeskyFactor<double> factor = held.solver.factor();
  const std::size_t nnz = factor.values.size();
  if (nnz > static_cast<std::size_t>(std::numeric_limits<Int>::max())) {
    report<Int>(CHOLMOD_TOO_LARGE, "L has more entries than its integers can count", common);
    return false;
  }

  struct Array {
    void** member;
    std::size_t count;
    std::size_t size;
  };
  const std::array<Array, 6> arrays{{{&l->i, nnz, sizeof(Int)},
                                     {&l->x, nnz, sizeof(double)},
                                     {&l->nz, n, sizeof(Int)},
                                     {&l->next, n + 2, sizeof(Int)},
                                     {&l->prev, n + 2, sizeof(Int)},
                                     {&l->p, n + 1, sizeof(Int)}}};
  for (const Array& array : arrays) {
    *array.member = Real<Int>::malloc(array.count, array.size, common);
    if (*array.member == nullptr) {  // CHOLMOD has said so.
      for (const Array& one : arrays) {
        *one.member = Real<Int>::free(one.count, one.size, *one.member, common);
      }
      return false;
    }
  }

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
  const bool wants_ldl = l->is_ll == 0;
  l->is_ll = 1;
  if (!wants_ldl) return true;
  return Real<Int>::change_factor(int{CHOLMOD_REAL}, 0, 0, 1, 1, l, common) != 0;
}

}  // namespace clchol::drop_in
