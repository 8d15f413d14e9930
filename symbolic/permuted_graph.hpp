// The pattern of P A P' as the symbolic algorithms walk it: both halves, row by row.
#pragma once

#include <span>
#include <vector>

#include "ordering/graph.hpp"

namespace clchol::symbolic {

/// Both halves of a permuted symmetric pattern, no diagonal.  Row i keeps its neighbours below i
/// first ("before", the upper triangle's column i) and those above i after them ("after", the lower
/// triangle's column i); neither part is sorted.
struct PermutedGraph {
  Index n = 0;
  std::vector<Offset> xadj;   // Start of row i in adjncy.  Length n + 1.
  std::vector<Offset> split;  // Start of row i's "after" part.  Length n.
  std::vector<Index> adjncy;  // New labels.  Length xadj[n].

  std::span<const Index> before(Index i) const {
    return {adjncy.data() + xadj[i], static_cast<std::size_t>(split[i] - xadj[i])};
  }
  std::span<const Index> after(Index i) const {
    return {adjncy.data() + split[i], static_cast<std::size_t>(xadj[i + 1] - split[i])};
  }
};

/// Relabels a graph: row perm[i] of `graph` becomes row i.
/// @param perm   perm[new] = old, length n.
/// @param iperm  iperm[old] = new, length n.
/// Cost O(n + edges), rows shared out among the threads.
PermutedGraph permute_graph(const ordering::Graph& graph, std::span<const Index> perm,
                            std::span<const Index> iperm, int threads = 1);

}  // namespace clchol::symbolic
