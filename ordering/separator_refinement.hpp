// Improves a vertex separator by single moves: the method of Fiduccia and Mattheyses, adapted to
// vertex separators.  [FM82, HR98]
//
// A move of v from the separator to a side s pulls v's neighbours on the other side o into the
// separator:
//
//   gain(v) = w(v) - sum of w(u), u a neighbour of v in o,
//
// where w is the weight of a vertex.  A pass moves vertices to one side s only.  The pass always
// moves the vertex of greatest gain, even if the gain is negative, and in the end it undoes all
// moves after the best separator of the pass.  So a vertex enters the separator at most once in a
// pass and never returns after it has left; one heap of gains suffices.
//
// The order of vertices with equal gains influences the result most: where many vertices have equal
// gains, a pass should move the separator over them in one direction.  Two passes in which the
// vertex that entered the heap last goes first (good on grids) alternate with two passes in random
// order (good on irregular meshes).
#pragma once

#include <cstdint>
#include <vector>

#include "ordering/bisection.hpp"
#include "ordering/vertex_heap.hpp"

namespace clchol::ordering {

struct RefineOptions {
  int passes = 6;  ///< Maximum number of passes.
  /// A pass ends after min(idle_limit, 30 + idle_share * |separator|) moves without a new best
  /// separator, where |separator| is the number of vertices.
  Index idle_share = 5;
  Index idle_limit = 4000;  ///< Bound of the number of moves in the formula of idle_share.
  /// A pass ends when the weight of the separator exceeds this factor times that of the best
  /// separator.
  double growth_limit = 1.3;
  /// Whether every second pair of passes takes equal gains in random order.
  bool random_ties = true;
  /// In graphs of fewer vertices than this, a pass ends already after 15 + 2 |separator| moves
  /// without a new best separator, and the refinement ends after one pass without improvement.
  Index small = 5000;
};

/// Arrays of a refinement, kept between calls, so that the cost of a call depends on the size of
/// the separator and not on that of the graph.
struct RefineWorkspace {
  VertexHeap heap;
  std::vector<Index> separator;   // Vertices of the separator; input and output of a refinement.
  std::vector<Index> candidates;  // Vertices that have been in the separator during the pass.
  /// A change of the part of a vertex, noted so that it can be undone.
  struct Move {
    Index vertex;
    std::uint8_t from;  // The vertex' part (enum Part) before the change.
  };
  std::vector<Move> moves;  // Changes of the present pass, in order.
};

/// Improves the separator of b.  The result is determined by the seed.
/// @param workspace  workspace.separator lists the vertices of the separator, before and after.
/// Cost of a pass: the degrees of the moved vertices and of the neighbours pulled in.
void refine_separator(const WeightedGraph& graph, const Balance& balance,
                      const RefineOptions& options, std::uint64_t seed, Bisection& b,
                      RefineWorkspace& workspace);

/// Gives the result of refine_separator(), but passes run at the same time, as tasks of the team.
/// A pass that does not improve the separator leaves it unchanged, so that the next passes can
/// start from the same separator: these passes run together, each on a copy of b.  When one of them
/// improves the separator, the results of the passes after it are discarded, and the next passes
/// start from the improved separator.  Worthwhile for few large graphs and many threads.
/// @param workspaces  one workspace for each thread of the team, not used by others meanwhile.
void refine_separator_by_tasks(const WeightedGraph& graph, const Balance& balance,
                               const RefineOptions& options, std::uint64_t seed, Bisection& b,
                               RefineWorkspace* workspaces);

/// Lists the vertices of the separator of b.
void collect_separator(const WeightedGraph& graph, const Bisection& b,
                       std::vector<Index>& separator);

}  // namespace clchol::ordering
