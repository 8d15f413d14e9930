#include "symbolic/structure.hpp"

#include "base/assert.hpp"

namespace clchol::symbolic {

void build_row_structure(const PermutedGraph& graph, std::span<const Index> nupd,
                         SymbolicFactor& factor) {
  const Index nsuper = factor.nsuper;
  factor.super_rowptr.resize(nsuper + 1);
  factor.super_rowptr[0] = 0;
  for (Index s = 0; s < nsuper; ++s) {
    factor.super_rowptr[s + 1] = factor.super_rowptr[s] + factor.ncol(s) + nupd[s];
  }
  factor.super_rowind.resize(factor.super_rowptr[nsuper]);
  std::vector<Offset> next(nsuper);        // Where the next row of s goes.
  std::vector<Index> mark(nsuper, kNone);  // Last row given to s.
  for (Index s = 0; s < nsuper; ++s) {
    next[s] = factor.super_rowptr[s];
    for (Index j = factor.super_ptr[s]; j < factor.super_ptr[s + 1]; ++j) {
      factor.super_rowind[next[s]++] = j;
    }
  }
  for (Index i = 0; i < graph.n; ++i) {
    const Index own = factor.super_of_col[i];
    mark[own] = i;
    for (Index k : graph.before(i)) {
      for (Index s = factor.super_of_col[k]; mark[s] != i; s = factor.super_parent[s]) {
        mark[s] = i;
        CLCHOL_ASSERT(next[s] < factor.super_rowptr[s + 1]);
        factor.super_rowind[next[s]++] = i;
      }
    }
  }
  for (Index s = 0; s < nsuper; ++s) CLCHOL_ASSERT(next[s] == factor.super_rowptr[s + 1]);
}

}  // namespace clchol::symbolic
