// Improves a vertex separator by moves: the method of Fiduccia and Mattheyses, for separators.
// [FM82, HR98]
//
// Moving v from the separator to side s pulls v's neighbours on the other side o into it:
//
//   gain(v) = w(v) - sum of w(u), u a neighbour of v in o.
//
// A pass moves to one side only, the vertex of greatest gain first, even at a loss, and is taken
// back to its best moment.  So a vertex enters the separator at most once a pass and never returns;
// one heap holds all there is to know.  Among equal gains the order decides more than anything else
// about the result: a pass must sweep over a plateau in one direction.  Passes in which the vertex
// that came last goes first (good on grids) alternate with passes in random order (good on
// irregular meshes), two by two.
#pragma once

#include <cstdint>
#include <vector>

#include "ordering/bisection.hpp"
#include "ordering/vertex_heap.hpp"

namespace clchol::ordering {

struct RefineOptions {
  int passes = 6;  ///< At most.
  /// A pass ends after min(idle_limit, 30 + idle_share * |separator|) moves without a new best.
  Index idle_share = 5;
  Index idle_limit = 4000;
  /// ... or when the separator has grown to this factor times the best.
  double growth_limit = 1.3;
  /// Whether every second pair of passes takes equal gains in random order.
  bool random_ties = true;
  /// Graphs of fewer vertices get passes of half the length, and no second try after a dull one.
  Index small = 5000;
};

/// Arrays of a refinement, kept between calls: a call costs the separator, not the graph.
struct RefineWorkspace {
  VertexHeap heap;
  std::vector<Index> separator;  // In, out: the separator's vertices.
  std::vector<Index> candidates;
  struct Move {
    Index vertex;
    std::uint8_t from;
  };
  std::vector<Move> moves;
};

/// Improves b, whose separator's vertices stand in workspace.separator.  The same result for the
/// same seed.  Cost per pass: the degrees of the vertices moved and of their neighbours pulled.
void refine_separator(const WeightedGraph& graph, const Balance& balance,
                      const RefineOptions& options, std::uint64_t seed, Bisection& b,
                      RefineWorkspace& workspace);

/// The same result, with the passes that follow each other as long as they are dull at once, as
/// tasks of the team.  It copies b for each of them, and what they do after the first that improves
/// is lost: for few large graphs and many threads.
/// @param workspaces  one for each thread of the team, in nobody else's use.
void refine_separator_by_tasks(const WeightedGraph& graph, const Balance& balance,
                               const RefineOptions& options, std::uint64_t seed, Bisection& b,
                               RefineWorkspace* workspaces);

/// Lists the separator's vertices.
void collect_separator(const WeightedGraph& graph, const Bisection& b,
                       std::vector<Index>& separator);

}  // namespace clchol::ordering
