// The pattern of P A P' as the symbolic algorithms walk it: both halves, row by row.
//
// Rows with equal closed neighbourhoods that come one after another may be one vertex, as in the
// compressed graph that was ordered: nothing below tells them apart, and a mesh with d unknowns a
// node has d^2 times fewer edges then.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "ordering/compress.hpp"
#include "ordering/graph.hpp"
#include "ordering/permutation.hpp"

namespace clchol::symbolic {

/// Both halves of a permuted symmetric pattern, no diagonal.  Vertex i keeps its neighbours below i
/// first ("before", the upper triangle's column i) and those above i after them ("after", the lower
/// triangle's column i); neither part is sorted.
struct PermutedGraph {
  Index n = 0;
  UninitializedVector<Offset> xadj;    // Start of vertex i in adjncy.          Length n + 1.
  UninitializedVector<Offset> split;   // Start of vertex i's "after" part.     Length n.
  UninitializedVector<Index> adjncy;   // New labels.                           Length xadj[n].
  UninitializedVector<Index> row_ptr;  // First row of vertex i; rows ascend.   Length n + 1.

  std::span<const Index> before(Index i) const {
    return {adjncy.data() + xadj[i], static_cast<std::size_t>(split[i] - xadj[i])};
  }
  std::span<const Index> after(Index i) const {
    return {adjncy.data() + split[i], static_cast<std::size_t>(xadj[i + 1] - split[i])};
  }
  Index num_rows() const { return row_ptr[n]; }
  Index weight(Index i) const { return row_ptr[i + 1] - row_ptr[i]; }
  bool is_compressed() const { return num_rows() > n; }
  /// The vertex of every row.  Length num_rows().
  std::vector<Index> vertex_of_row() const;
};

/// Relabels a graph: vertex perm[i] of `graph` becomes vertex i.
/// @param perm   perm[new] = old, length n.
/// @param iperm  iperm[old] = new, length n.
/// Cost O(n + edges), vertices shared out among the threads.
PermutedGraph permute_graph(const ordering::Graph& graph, std::span<const Index> perm,
                            std::span<const Index> iperm, int threads = 1);

/// The pattern in the order of `permutation`, which numbers rows; compressed where the rows of each
/// vertex follow one another.
/// @param compressed  of `graph`, or null.
PermutedGraph permute_rows(const ordering::Graph& graph,
                           const ordering::CompressedGraph* compressed,
                           const ordering::Permutation& permutation, int threads = 1);

/// The "after" parts of a graph in a numbering that has the same neighbours after every vertex, as
/// a postorder of the elimination tree has; the "before" parts come out empty.
/// @param rank  rank[i]: new label of vertex i, length n.
PermutedGraph relabel_after(const PermutedGraph& graph, std::span<const Index> rank,
                            int threads = 1);

}  // namespace clchol::symbolic
