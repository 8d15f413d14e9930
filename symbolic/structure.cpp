#include "symbolic/structure.hpp"

#include <omp.h>

#include "base/aligned_buffer.hpp"
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

void build_relative_indices(SymbolicFactor& factor, int threads) {
  factor.relind.assign(factor.super_rowptr[factor.nsuper] - factor.n, kNone);
  const int team = factor.nsuper > 2000 ? threads : 1;
  // No exception may leave the region: its buffers are allocated here.
  const AlignedBuffer<Index> positions(Offset{factor.n} * team);
#pragma omp parallel num_threads(team)
  {
    // position[i]: place of row i in the parent at hand.  Length n, written before it is read.
    Index* const position = positions.data() + Offset{factor.n} * omp_get_thread_num();
#pragma omp for schedule(dynamic, 256)
    for (Index p = 0; p < factor.nsuper; ++p) {
      if (factor.children(p).empty()) continue;
      const auto rows = factor.rows(p);
      for (std::size_t k = 0; k < rows.size(); ++k) position[rows[k]] = static_cast<Index>(k);
      for (Index c : factor.children(p)) {
        Index* relind = factor.relind.data() + factor.relind_begin(c);
        for (Index i : factor.update_rows(c)) *relind++ = position[i];
      }
    }
  }
}

}  // namespace clchol::symbolic
