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
  std::vector<Index> mark(nsuper, kNone);  // Last vertex given to s.
  for (Index s = 0; s < nsuper; ++s) {
    next[s] = factor.super_rowptr[s];
    for (Index j = factor.super_ptr[s]; j < factor.super_ptr[s + 1]; ++j) {
      factor.super_rowind[next[s]++] = j;
    }
  }
  for (Index i = 0; i < graph.n; ++i) {
    const Index begin = graph.row_ptr[i], end = graph.row_ptr[i + 1];
    mark[factor.super_of_col[begin]] = i;
    for (Index k : graph.before(i)) {
      Index s = factor.super_of_col[graph.row_ptr[k]];
      for (; mark[s] != i; s = factor.super_parent[s]) {
        mark[s] = i;
        CLCHOL_ASSERT(next[s] + end - begin <= factor.super_rowptr[s + 1]);
        for (Index row = begin; row < end; ++row) factor.super_rowind[next[s]++] = row;
      }
    }
  }
  for (Index s = 0; s < nsuper; ++s) CLCHOL_ASSERT(next[s] == factor.super_rowptr[s + 1]);
}

}  // namespace clchol::symbolic
