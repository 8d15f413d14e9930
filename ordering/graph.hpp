// The graph of a symmetric matrix: what every ordering method works on.
//
// Vertex i is a row, an edge {i, j} an off-diagonal entry.  Both halves are stored, the diagonal is
// not, neighbours ascend.  A vertex of a compressed graph stands for several rows (compress.hpp)
// and weighs as many.
#pragma once

#include <span>
#include <vector>

#include "base/csc.hpp"
#include "base/transposed_index.hpp"
#include "base/uninitialized_vector.hpp"

namespace clchol::ordering {

struct Graph {
  Index n = 0;
  UninitializedVector<Offset> xadj;   // Start of a vertex' neighbours in adjncy.  Length n + 1.
  UninitializedVector<Index> adjncy;  // Neighbours, ascending within a vertex.  Length xadj[n].
  std::vector<Index> weight;  // Rows that a vertex stands for; empty when each stands for one.

  std::span<const Index> neighbours(Index i) const {
    return {adjncy.data() + xadj[i], adjncy.data() + xadj[i + 1]};
  }
  Index vertex_weight(Index i) const { return weight.empty() ? 1 : weight[i]; }
};

/// Rows that the vertices stand for.
Index total_weight(const Graph& graph);

/// The graph of a symmetric matrix.
/// @param lower       lower triangle, rows strictly ascending in a column; the diagonal may be
///                    absent.
/// @param transposed  index of `lower` by rows.
/// @param room        entries reserved behind adjncy, for a method that works in place there.
/// Cost O(n + nnz), shared out among the threads; the graph does not depend on them.
Graph make_graph(const CscPatternView& lower, const TransposedIndex& transposed, int threads = 1,
                 Offset room = 0);

/// The same, on one thread, where nobody else needs the index by rows.
Graph make_graph(const CscPatternView& lower);

}  // namespace clchol::ordering
