#include "ordering/separator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/team.hpp"
#include "ordering/random.hpp"

namespace clchol::ordering {
namespace {

// What random numbers are drawn for.
enum Purpose : std::uint64_t { kCoarsening = 1, kInitial, kRefinement, kRun, kDescent, kAnew };

std::uint64_t seed_for(std::uint64_t seed, Purpose purpose, std::uint64_t number = 0) {
  return mix(seed, number << 8 | purpose);
}

constexpr int kSmoothingSweeps = 8;

// ---- the coarsest graph -------------------------------------------------------------------------

/// Grows the left side from one vertex, edge bundle by edge bundle, to a share of the weight.
void grow_left(const WeightedGraph& g, Index start, double share, std::uint64_t seed,
               VertexHeap& heap, Bisection& b) {
  std::fill_n(b.part.data(), g.n, kRight);
  b.weight = {};
  b.weight.of[kRight] = g.total_weight;
  heap.fit(g.n);
  auto key = [&](Index v) {  // Weight of the edges to the left less those to the right.
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
    } else {  // The next component.
      while (next < g.n && b.part[next] == kLeft) ++next;
      v = next < g.n ? next : kNone;
    }
  }
  heap.clear();
}

bool touches(const WeightedGraph& g, const Bisection& b, Index v, Part side) {
  const auto neighbours = g.neighbours(v);
  return std::any_of(neighbours.begin(), neighbours.end(),
                     [&](Index u) { return b.part[u] == side; });
}

/// Moves vertices to the side that more of their edges lead to, sweep by sweep, as long as neither
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

/// Makes the lighter boundary of the two sides the separator.
void take_lighter_boundary(const WeightedGraph& g, Bisection& b, std::vector<Index>& separator) {
  std::vector<Index> boundary[2];
  Offset weight[2] = {0, 0};
  for (Index v = 0; v < g.n; ++v) {
    const Part side = static_cast<Part>(b.part[v]);
    if (!touches(g, b, v, side == kLeft ? kRight : kLeft)) continue;
    boundary[side].push_back(v);
    weight[side] += g.weight[v];
  }
  // Not a boundary that is its whole side, where there is a choice.
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

  /// @param parallel  whether the runs are worth tasks.
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
  /// Not to be held across a place where the thread may take up another task.
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

  Bisection initial(const WeightedGraph& g, std::uint64_t seed) const {
    std::vector<Bisection> result(std::max(1, options_.tries));
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k] = grown(g, seed_for(seed, kInitial, k), {0.5, false});
    }
    return std::move(*least(g, result));
  }

  /// The best of one that is known and of several that are grown otherwise: unevenly, since where
  /// separators are large a smaller side has a smaller one, and smoothed.
  Bisection search_anew(const WeightedGraph& g, std::uint64_t seed, Bisection known) const {
    std::vector<Bisection> result;
    result.push_back(std::move(known));
    for (const Growth& growth : {Growth{0.5, false}, {0.5, true}, {0.3, false}, {0.3, true}}) {
      result.push_back(grown(g, seed_for(seed, kAnew, result.size()), growth));
    }
    return std::move(*least(g, result));
  }

  struct Growth {
    double share;    // Of the weight, for the left side.
    bool is_smooth;  // Whether vertices then go where most of their edges lead.
  };

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
