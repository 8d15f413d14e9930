// Orders a leaf of a nested dissection by exact minimum degree, on an adjacency matrix of bits.
//
// The vertices of the leaf are ordered among themselves.  Their neighbours outside the leaf (its
// *halo*: vertices of separators, which are eliminated later) count in the degrees.  [PRA00]
//
//   row v:  bit u is set  iff  v and u are joined by an edge or by fill.
//
// The columns of the bit matrix are the vertices of the leaf, followed by the halo.  The
// elimination of a vertex merges its row into the rows of its neighbours.  Degrees are population
// counts.  Among equal degrees the vertex that was updated last goes first, as in the lists of amd.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ordering/graph.hpp"

namespace clchol::ordering {

class LeafOrder {
 public:
  /// Orders the vertices of a leaf among themselves.  Leaf and halo have at most kMostColumns
  /// vertices together; further vertices of the halo are ignored.
  /// @param graph     the whole graph.  Weights are numbers of rows that the vertices represent.
  /// @param vertices  vertices of the leaf, at most kMostVertices; receives them in order.
  /// @param is_gone   whether each vertex was eliminated before; such vertices are in no halo.
  ///                  Length: vertices of the whole graph.
  /// Cost O(n^2 (n + halo) / 64) for a leaf of n vertices, and the sum of their degrees.  The first
  /// call costs O(vertices of the whole graph) in addition.
  void run(const Graph& graph, std::span<Index> vertices, std::span<const char> is_gone);

  static constexpr Index kMostVertices = 1024;
  static constexpr Index kMostColumns = 2048;

 private:
  void gather(const Graph& graph, std::span<const Index> vertices, std::span<const char> is_gone);
  void eliminate(Index n);
  Index degree_of(const std::uint64_t* row) const;
  std::uint64_t* row(Index v) { return bits_.data() + Offset{v} * words_; }

  Index words_ = 0;      // 64-bit words of a row of the bit matrix.
  bool is_unit_ = true;  // Whether all columns have equal weights.
  std::vector<std::uint64_t> bits_, pivot_row_;
  // weight_: weight of each column.  order_: vertices of the leaf in order of elimination.
  std::vector<Index> weight_, order_;
  std::vector<std::int64_t> key_;  // Key of each leaf vertex; the next pivot has the least.
  std::vector<Index> place_;  // Number of each vertex in the leaf, or kNone.  Length: whole graph.
  std::vector<std::pair<Index, Index>> halo_;  // Edges (vertex of the halo, vertex of the leaf).
};

}  // namespace clchol::ordering
