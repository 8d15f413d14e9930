// Exact minimum degree on a small graph, on rows of bits.
//
// The vertices of a leaf of the dissection are ordered among themselves, and the neighbours outside
// (its *halo*, rows of separators, eliminated later) count in their degrees.  [PRA00]
//
//   row v:  bit u is set  iff  v and u are joined by an edge or by fill;  leaf vertices, then halo.
//
// Eliminating b merges its row into those of its neighbours; degrees are population counts.  Among
// equal degrees the vertex that was updated last goes first, as in the lists of amd.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ordering/graph.hpp"

namespace clchol::ordering {

class LeafOrder {
 public:
  /// Orders the vertices among themselves.
  /// @param graph     the whole graph; weights are rows that a vertex stands for.
  /// @param vertices  of the leaf; reordered.  At most kMostVertices.
  /// @param is_gone   vertices eliminated before, which no halo has.  Length n of the whole graph.
  /// Cost O(n^2 (n + halo) / 64) and the degrees; the first call O(n of the whole graph) beside.
  /// The halo is cut off where leaf and halo have kMostColumns vertices.
  void run(const Graph& graph, std::span<Index> vertices, std::span<const char> is_gone);

  static constexpr Index kMostVertices = 1024;
  static constexpr Index kMostColumns = 2048;

 private:
  void gather(const Graph& graph, std::span<const Index> vertices, std::span<const char> is_gone);
  void eliminate(Index n);
  Index degree_of(const std::uint64_t* row) const;
  std::uint64_t* row(Index v) { return bits_.data() + Offset{v} * words_; }

  Index words_ = 0;  // Of a row.
  bool is_unit_ = true;
  std::vector<std::uint64_t> bits_, pivot_row_;
  std::vector<Index> weight_, order_;
  std::vector<std::int64_t> key_;
  std::vector<Index> place_;                   // Of a vertex in the leaf at hand, else kNone.
  std::vector<std::pair<Index, Index>> halo_;  // (Vertex outside, leaf vertex beside it.)
};

}  // namespace clchol::ordering
