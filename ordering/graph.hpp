// The graph of a symmetric matrix, which all ordering methods take.
//
// A vertex i is a row, and an edge {i, j} is an off-diagonal entry.  Each edge is stored twice, in
// the list of i and in the list of j; the diagonal is not stored; neighbours ascend in a list.  A
// vertex of a compressed graph (compress.hpp) represents several rows, and its weight is the number
// of these rows.
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
  // Number of rows that each vertex represents.  Length n; empty if each represents one row.
  std::vector<Index> weight;

  std::span<const Index> neighbours(Index i) const {
    return {adjncy.data() + xadj[i], adjncy.data() + xadj[i + 1]};
  }
  Index vertex_weight(Index i) const { return weight.empty() ? 1 : weight[i]; }
};

/// Number of rows that all vertices represent.
Index total_weight(const Graph& graph);

/// Makes the graph of a symmetric matrix.
/// @param lower       lower triangle, rows strictly ascending in a column; the diagonal may be
///                    absent.
/// @param transposed  index of `lower` by rows.
/// @param room        further entries for which adjncy reserves memory, for a method that works in
///                    place.
/// Cost O(n + nnz), divided among the threads; the graph does not depend on their number.
Graph make_graph(const CscPatternView& lower, const TransposedIndex& transposed, int threads = 1,
                 Offset room = 0);

/// Makes the graph on one thread, without an index by rows from the caller: makes one and drops it.
Graph make_graph(const CscPatternView& lower);

}  // namespace clchol::ordering
