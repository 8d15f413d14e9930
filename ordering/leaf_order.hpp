// Orders a leaf of a nested dissection by exact minimum degree, on an adjacency matrix of bits.
//
// A leaf is a subgraph that nested dissection does not divide further.  The vertices of the leaf
// are ordered among themselves.  Their neighbours outside the leaf, the *halo*, are vertices of
// separators, which are eliminated later; they count in the degrees.  [PRA00]
//
//   row v:  bit u is set  iff  v and u are joined by an edge or by fill.
//
// The rows of the bit matrix are the vertices of the leaf; the columns are the vertices of the
// leaf, followed by the halo.  The elimination of a vertex merges its row into the rows of its
// neighbours by a bitwise or.  The degree of a vertex is the number of bits in its row, or the sum
// of their weights.  Among equal degrees, the vertex whose degree was computed last goes first.
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
  /// @param graph     the whole graph.
  /// @param vertices  in: the vertices of the leaf, by their numbers in the whole graph, at most
  ///                  kMostVertices.  Out: the same vertices in the order of elimination.
  /// @param is_gone   for each vertex of the whole graph: 1 if it was eliminated before (such a
  ///                  vertex is in no halo), otherwise 0.
  /// Cost O(n^2 (n + halo) / 64 + sum of degrees) for a leaf of n vertices.  The first call costs
  /// O(vertices of the whole graph) in addition.
  void run(const Graph& graph, std::span<Index> vertices, std::span<const char> is_gone);

  static constexpr Index kMostVertices = 1024;
  static constexpr Index kMostColumns = 2048;

 private:
  void gather(const Graph& graph, std::span<const Index> vertices, std::span<const char> is_gone);
  void eliminate(Index n);
  Index degree_of(const std::uint64_t* row) const;
  std::uint64_t* row(Index v) { return bits_.data() + Offset{v} * words_; }

  Index words_ = 0;      // Number of 64-bit words of a row of the bit matrix.
  bool is_unit_ = true;  // Whether all columns have equal weights.
  // bits_: the bit matrix, row by row, words_ words for each vertex of the leaf.
  // pivot_row_: a copy of the row of the present pivot.  Length words_.
  std::vector<std::uint64_t> bits_, pivot_row_;
  // weight_: weight of each column.
  // order_: vertices of the leaf, by their numbers in the leaf, in order of elimination.
  std::vector<Index> weight_, order_;
  // Key of each vertex of the leaf: the degree, and in the low bits a number that is the smaller,
  // the later the degree was computed.  The vertex with the least key is the next pivot.
  std::vector<std::int64_t> key_;
  // Number in the leaf of each vertex of the whole graph; kNone outside the leaf.
  std::vector<Index> place_;
  std::vector<std::pair<Index, Index>> halo_;  // Edges (vertex of the halo, vertex of the leaf).
};

}  // namespace clchol::ordering
