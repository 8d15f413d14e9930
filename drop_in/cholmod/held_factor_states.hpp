// From one state of a held factor L to another (held_factor.hpp).
#pragma once

#include <algorithm>

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
    const int keeps_supernodes = held.has_exact_order ? l->is_super : 0;
    Real<Int>::change_factor(int{CHOLMOD_PATTERN}, l->is_ll, keeps_supernodes, 1, 1, l, common);
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

}  // namespace clchol::drop_in
