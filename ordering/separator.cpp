#include "ordering/separator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/team.hpp"
#include "ordering/random.hpp"

namespace clchol::ordering {
namespace {

// The purposes of random numbers.
enum Purpose : std::uint64_t { kCoarsening = 1, kInitial, kRefinement, kRun, kDescent, kAnew };

std::uint64_t seed_for(std::uint64_t seed, Purpose purpose, std::uint64_t number = 0) {
  return mix(seed, number << 8 | purpose);
}

constexpr int kSmoothingSweeps = 8;

// ---- the coarsest graph -------------------------------------------------------------------------

/// Grows the left side from vertex `start` until it has a share of the weight.  The next vertex is
/// always that with the greatest difference between its edge weights to the left and right sides.
void grow_left(const WeightedGraph& g, Index start, double share, std::uint64_t seed,
               VertexHeap& heap, Bisection& b) {
  std::fill_n(b.part.data(), g.n, kRight);
  b.weight = {};
  b.weight.of[kRight] = g.total_weight;
  heap.fit(g.n);
  // Weight of v's edges to the left side less that of its edges to the right side; random bits
  // decide between equals.
  auto key = [&](Index v) {
    std::int64_t sum = 0;
    for (Offset p = g.xadj[v]; p < g.xadj[v + 1]; ++p) {
      sum += b.part[g.adjncy[p]] == kLeft ? g.edge_weight[p] : -g.edge_weight[p];
    }
    const std::uint64_t tie = mix(seed ^ static_cast<std::uint64_t>(v)) & 0xfffff;
    return sum * 0x100000 + static_cast<std::int64_t>(tie);
  };
  const Offset enough = static_cast<Offset>(std::ceil(share * static_cast<double>(g.total_weight)));
  Index next = 0;
  for (Index v = start; v != kNone;) {
    b.part[v] = kLeft;
    b.weight.of[kLeft] += g.weight[v];
    b.weight.of[kRight] -= g.weight[v];
    if (b.weight.of[kLeft] >= enough) break;
    for (Offset p = g.xadj[v]; p < g.xadj[v + 1]; ++p) {
      const Index u = g.adjncy[p];
      if (b.part[u] != kRight) continue;
      if (heap.contains(u)) {
        heap.add(u, std::int64_t{g.edge_weight[p]} * 0x200000);
      } else {
        heap.push(u, key(u));
      }
    }
    if (!heap.empty()) {
      v = heap.pop();
    } else {  // Continue in the next connected component.
      while (next < g.n && b.part[next] == kLeft) ++next;
      v = next < g.n ? next : kNone;
    }
  }
  heap.clear();
}

/// Whether v has a neighbour in `side`.
bool touches(const WeightedGraph& g, const Bisection& b, Index v, Part side) {
  const auto neighbours = g.neighbours(v);
  return std::any_of(neighbours.begin(), neighbours.end(),
                     [&](Index u) { return b.part[u] == side; });
}

/// Moves vertices to the side to which more edge weight connects them, in several sweeps.  Neither
/// side falls below a fifth of the weight.
void smooth(const WeightedGraph& g, Bisection& b) {
  const Offset least = g.total_weight / 5;
  for (int sweep = 0; sweep < kSmoothingSweeps; ++sweep) {
    bool moved = false;
    for (Index v = 0; v < g.n; ++v) {
      const Part own = static_cast<Part>(b.part[v]), other = own == kLeft ? kRight : kLeft;
      if (b.weight.of[own] - g.weight[v] < least) continue;
      Offset pull = 0;
      for (Offset p = g.xadj[v]; p < g.xadj[v + 1]; ++p) {
        pull += b.part[g.adjncy[p]] == own ? -g.edge_weight[p] : g.edge_weight[p];
      }
      if (pull <= 0) continue;
      b.part[v] = other;
      b.weight.of[own] -= g.weight[v];
      b.weight.of[other] += g.weight[v];
      moved = true;
    }
    if (!moved) return;
  }
}

/// Makes the boundary of one side the separator: of the side with the lighter boundary.
void take_lighter_boundary(const WeightedGraph& g, Bisection& b, std::vector<Index>& separator) {
  std::vector<Index> boundary[2];
  Offset weight[2] = {0, 0};
  for (Index v = 0; v < g.n; ++v) {
    const Part side = static_cast<Part>(b.part[v]);
    if (!touches(g, b, v, side == kLeft ? kRight : kLeft)) continue;
    boundary[side].push_back(v);
    weight[side] += g.weight[v];
  }
  // If possible, not a boundary that is the whole side.
  const bool left_is_whole = b.weight.of[kLeft] <= weight[kLeft];
  const bool right_is_whole = b.weight.of[kRight] <= weight[kRight];
  const Part side =
      left_is_whole || (weight[kRight] <= weight[kLeft] && !right_is_whole) ? kRight : kLeft;
  separator = std::move(boundary[side]);
  for (Index v : separator) b.part[v] = kSeparator;
  b.weight.of[side] -= weight[side];
  b.weight.of[kSeparator] = weight[side];
}

class Separator {
 public:
  Separator(const SeparatorOptions& options, RefineWorkspace* workspaces, Cancel cancel,
            bool spare_threads)
      : options_(options),
        workspaces_(workspaces),
        cancel_(cancel),
        spare_threads_(spare_threads) {}

  /// Finds a separator of g, or of a coarse graph.
  /// @param runs      number of runs from the level of runs_from vertices on.
  /// @param parallel  whether the runs are long enough to be tasks.
  Bisection find(const WeightedGraph& g, std::uint64_t seed, int runs, bool parallel) const {
    cancel_.check();
    if (g.n <= options_.coarsest) return initial(g, seed);
    if (runs > 1 && g.n <= options_.runs_from) return best_of_runs(g, seed, runs, parallel);
    const auto coarse =
        coarsen(g, options_.coarsest, seed_for(seed, kCoarsening), options_.coarsen);
    if (!coarse) return initial(g, seed);
    const bool is_large = parallel || g.n > options_.coarsen.parallel_from;
    const Bisection below = find(coarse->graph, seed_for(seed, kDescent), runs, is_large);
    Bisection b{AlignedBuffer<std::uint8_t>(g.n), below.weight};
    for (Index v = 0; v < g.n; ++v) b.part[v] = below.part[coarse->coarse_of[v]];
    cancel_.check();
    refine(g, seed_for(seed, kRefinement), b);
    if (is_large_separator(b.weight)) return search_anew(g, seed, std::move(b));
    return b;
  }

 private:
  /// Workspace of the calling thread.  No reference to it may be kept across a call in which the
  /// thread may execute another task.
  RefineWorkspace& my_workspace() const { return workspaces_[team_member()]; }

  void refine(const WeightedGraph& g, std::uint64_t seed, Bisection& b) const {
    const Balance balance(g, options_.balance);
    if (spare_threads_ && g.n >= options_.refine.small) {
      refine_separator_by_tasks(g, balance, options_.refine, seed, b, workspaces_);
      return;
    }
    RefineWorkspace& workspace = my_workspace();
    collect_separator(g, b, workspace.separator);
    refine_separator(g, balance, options_.refine, seed, b, workspace);
  }

  /// The best separator of several runs with different random numbers.
  Bisection best_of_runs(const WeightedGraph& g, std::uint64_t seed, int runs,
                         bool parallel) const {
    std::vector<Bisection> result(runs);
    auto run = [&](int k) { result[k] = find(g, seed_for(seed, kRun, k), 1, false); };
    if (parallel) {
      run_tasks(runs, run);
    } else {
      for (int k = 0; k < runs; ++k) run(k);
    }
    return std::move(*least(g, result));
  }

  /// A separator of the coarsest graph: the best of several tries.
  Bisection initial(const WeightedGraph& g, std::uint64_t seed) const {
    std::vector<Bisection> result(std::max(1, options_.tries));
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k] = grown(g, seed_for(seed, kInitial, k), {0.5, false});
    }
    return std::move(*least(g, result));
  }

  /// The best of a known separator and of several new separators.  Some of the new separators are
  /// grown unevenly, because where separators are large, a smaller side has a smaller separator.
  /// Some are smoothed.
  Bisection search_anew(const WeightedGraph& g, std::uint64_t seed, Bisection known) const {
    std::vector<Bisection> result;
    result.push_back(std::move(known));
    for (const Growth& growth : {Growth{0.5, false}, {0.5, true}, {0.3, false}, {0.3, true}}) {
      result.push_back(grown(g, seed_for(seed, kAnew, result.size()), growth));
    }
    return std::move(*least(g, result));
  }

  struct Growth {
    double share;    // Share of the graph's weight that the left side gets.
    bool is_smooth;  // Whether smooth() follows.
  };

  /// A new separator: grown from a random vertex and refined.
  Bisection grown(const WeightedGraph& g, std::uint64_t seed, const Growth& growth) const {
    cancel_.check();
    RefineOptions refine = options_.refine;
    refine.passes = options_.initial_passes;
    RefineWorkspace& workspace = my_workspace();
    Bisection b;
    b.part = AlignedBuffer<std::uint8_t>(g.n);
    const auto start = static_cast<Index>(scale_to(seed, g.n));
    grow_left(g, start, growth.share, seed, workspace.heap, b);
    if (growth.is_smooth) smooth(g, b);
    take_lighter_boundary(g, b, workspace.separator);
    refine_separator(g, Balance(g, options_.balance), refine, seed, b, workspace);
    return b;
  }

  /// The best of the candidates.
  std::vector<Bisection>::iterator least(const WeightedGraph& g,
                                         std::vector<Bisection>& candidates) const {
    const Balance balance(g, options_.balance);
    return std::min_element(candidates.begin(), candidates.end(),
                            [&](const Bisection& a, const Bisection& b) {
                              return Score(balance, a.weight) < Score(balance, b.weight);
                            });
  }

  const SeparatorOptions& options_;
  RefineWorkspace* workspaces_;
  Cancel cancel_;
  bool spare_threads_;
};

}  // namespace

Bisection find_separator(const WeightedGraph& graph, const SeparatorOptions& options,
                         std::uint64_t seed, RefineWorkspace* workspaces, Cancel cancel,
                         bool spare_threads) {
  const int runs = graph.n < options.single_run_below ? 1 : options.runs;
  return Separator(options, workspaces, cancel, spare_threads).find(graph, seed, runs, false);
}

}  // namespace clchol::ordering
