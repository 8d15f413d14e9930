// The pattern of P A P' for the symbolic algorithms: both triangles, row by row.
//
// Consecutive rows with equal closed neighbourhoods may be one vertex, as in the compressed graph
// that was ordered (ordering/compress.hpp).  The symbolic algorithms need not tell such rows apart.
// The compressed graph of a mesh with d unknowns per node has d^2 times fewer edges.
#pragma once

#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "ordering/compress.hpp"
#include "ordering/graph.hpp"
#include "ordering/permutation.hpp"

namespace clchol::symbolic {

/// Both triangles of a permuted symmetric pattern, without the diagonal.  The list of vertex i has
/// the neighbours below i first ("before", the upper triangle's column i), then the neighbours
/// above i ("after", the lower triangle's column i).  Neither part is sorted.
struct PermutedGraph {
  Index n = 0;
  UninitializedVector<Offset> xadj;   // Index in adjncy of vertex i's list.  Length n + 1.
  UninitializedVector<Offset> split;  // Index in adjncy of vertex i's "after" part.  Length n.
  UninitializedVector<Index> adjncy;  // Neighbours, by their new numbers.  Length xadj[n].
  // Vertex i stands for the rows [row_ptr[i], row_ptr[i+1]) of P A P'.  Length n + 1.
  UninitializedVector<Index> row_ptr;

  std::span<const Index> before(Index i) const {
    return {adjncy.data() + xadj[i], static_cast<std::size_t>(split[i] - xadj[i])};
  }
  std::span<const Index> after(Index i) const {
    return {adjncy.data() + split[i], static_cast<std::size_t>(xadj[i + 1] - split[i])};
  }
  Index num_rows() const { return row_ptr[n]; }
  Index weight(Index i) const { return row_ptr[i + 1] - row_ptr[i]; }
  bool is_compressed() const { return num_rows() > n; }
  /// @return vertex of every row.  Length num_rows().
  std::vector<Index> vertex_of_row() const;
};

/// Renumbers a graph: vertex perm[i] of `graph` becomes vertex i.
/// @param perm   perm[new] = old.  Length n.
/// @param iperm  iperm[old] = new.  Length n.
/// Cost O(n + edges), divided among the threads.
PermutedGraph permute_graph(const ordering::Graph& graph, std::span<const Index> perm,
                            std::span<const Index> iperm, int threads = 1);

/// Renumbers the pattern by a permutation of its rows.  The result has the vertices of `compressed`
/// if the permutation keeps the rows of each of these vertices together; otherwise every row is a
/// vertex.
/// @param graph       Graph of the rows.
/// @param compressed  Compressed graph of `graph`, or null.
PermutedGraph permute_rows(const ordering::Graph& graph,
                           const ordering::CompressedGraph* compressed,
                           const ordering::Permutation& permutation, int threads = 1);

/// Renumbers the "after" parts of a graph.  Precondition: every neighbour after a vertex in the old
/// numbering is after this vertex in the new numbering too, as in a postorder of the elimination
/// tree.  The "before" parts of the result are empty.
/// @param rank  rank[i]: new number of vertex i.  Length n.
PermutedGraph relabel_after(const PermutedGraph& graph, std::span<const Index> rank,
                            int threads = 1);

}  // namespace clchol::symbolic
