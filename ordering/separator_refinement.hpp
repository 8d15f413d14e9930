// Improves a vertex separator by single moves: the method of Fiduccia and Mattheyses, adapted to
// vertex separators.  [FM82, HR98]
//
// A move of v from the separator to a side s pulls v's neighbours on the other side o into the
// separator:
//
//   gain(v) = w(v) - sum of w(u), u a neighbour of v in o.
//
// A pass moves vertices to one side only.  It always moves the vertex of greatest gain, even if the
// gain is negative, and in the end it undoes all moves after its best separator.  So a vertex
// enters the separator at most once in a pass and never returns after it has left; one heap of
// gains suffices.
//
// The order of vertices with equal gains influences the result most: a pass should sweep over a
// plateau in one direction.  Two passes in which the vertex that entered the heap last goes first
// (good on grids) alternate with two passes in random order (good on irregular meshes).
#pragma once

#include <cstdint>
#include <vector>

#include "ordering/bisection.hpp"
#include "ordering/vertex_heap.hpp"

namespace clchol::ordering {

struct RefineOptions {
  int passes = 6;  ///< Maximum number of passes.
  /// A pass ends after min(idle_limit, 30 + idle_share * |separator|) moves without a new best
  /// separator.
  Index idle_share = 5;
  Index idle_limit = 4000;
  /// A pass ends when the weight of the separator exceeds this factor times that of the best
  /// separator.
  double growth_limit = 1.3;
  /// Whether every second pair of passes takes equal gains in random order.
  bool random_ties = true;
  /// Graphs of fewer vertices get shorter passes, of 15 + 2 |separator| moves without a new best,
  /// and their refinement ends after one pass without improvement.
  Index small = 5000;
};

/// Arrays of a refinement, kept between calls, so that the cost of a call depends on the size of
/// the separator and not on that of the graph.
struct RefineWorkspace {
  VertexHeap heap;
  std::vector<Index> separator;   // Vertices of the separator; input and output of a refinement.
  std::vector<Index> candidates;  // Vertices that have been in the separator during the pass.
  struct Move {
    Index vertex;
    std::uint8_t from;
  };
  std::vector<Move> moves;
};

/// Improves the separator of b.  The result is determined by the seed.
/// @param workspace  workspace.separator lists the vertices of the separator, before and after.
/// Cost of a pass: the degrees of the moved vertices and of the neighbours pulled in.
void refine_separator(const WeightedGraph& graph, const Balance& balance,
                      const RefineOptions& options, std::uint64_t seed, Bisection& b,
                      RefineWorkspace& workspace);

/// Gives the result of refine_separator() by passes that run at the same time, as tasks of the
/// team.  These are the passes that would follow one another as long as none improves the
/// separator.  Each pass works on a copy of b, and the results of all passes after the first
/// improvement are discarded.  Worthwhile for few large graphs and many threads.
/// @param workspaces  one workspace for each thread of the team, not used by others meanwhile.
void refine_separator_by_tasks(const WeightedGraph& graph, const Balance& balance,
                               const RefineOptions& options, std::uint64_t seed, Bisection& b,
                               RefineWorkspace* workspaces);

/// Lists the vertices of the separator of b.
void collect_separator(const WeightedGraph& graph, const Bisection& b,
                       std::vector<Index>& separator);

}  // namespace clchol::ordering
