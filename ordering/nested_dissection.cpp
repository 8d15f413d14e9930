#include "ordering/nested_dissection.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <new>
#include <numeric>
#include <utility>

#include "base/team.hpp"
#include "ordering/elimination/amd.hpp"
#include "ordering/elimination/quotient_graph.hpp"
#include "ordering/leaf_order.hpp"
#include "ordering/peel.hpp"
#include "ordering/random.hpp"
#include "ordering/subgraph.hpp"

namespace clchol::ordering {
namespace {

/// Subgraphs of at most this many vertices are dissected completely by one task.
constexpr Index kTaskVertices = 1000;

/// Number of threads that one subgraph keeps busy.  Further threads are idle.
constexpr Index kThreadsForAPart = 3;

// ---- the top of the recursion -------------------------------------------------------------------

/// A dense vertex has more than this factor times the mean number of neighbours.
constexpr double kDenseOverMean = 8;

/// Vertices with very many neighbours, in ascending order of degree.  They are set aside because
/// every small separator contains them.
std::vector<Index> dense_vertices(const Graph& g, double dense) {
  std::vector<Index> result;
  if (dense < 0) return result;
  const double n = std::max(1.0, static_cast<double>(g.n));
  const double mean = static_cast<double>(g.xadj[g.n]) / n;
  const double most = std::max({16.0, dense * std::sqrt(n), kDenseOverMean * mean});
  for (Index v = 0; v < g.n; ++v) {
    if (static_cast<double>(g.xadj[v + 1] - g.xadj[v]) > most) result.push_back(v);
  }
  std::stable_sort(result.begin(), result.end(), [&](Index a, Index b) {
    return g.neighbours(a).size() < g.neighbours(b).size();
  });
  return result;
}

// ---- recursion ----------------------------------------------------------------------------------

/// A node of the tree of separators; see SeparatorTree for the members.
struct Node {
  Index begin, middle, end;
};

/// The recursion of one nested dissection.
class Dissection {
 public:
  Dissection(const Graph& whole, const Peeling& peeling, const DissectionOptions& options,
             Cancel cancel, std::atomic<bool>& separates, std::vector<Index>& order)
      : whole_(whole),
        peeling_(peeling),
        options_(options),
        cancel_(cancel),
        separates_(separates),
        order_(order),
        separator_workspaces_(std::max(1, options.threads)),
        leaf_workspaces_(std::max(1, options.threads)) {}

  /// Orders the vertices of `all` and writes them into the order after the peeled vertices.  To be
  /// called in a team, whose threads share the work.
  void run(Subgraph all) {
    const auto begin = static_cast<Index>(peeling_.order.size());
    first_n_ = all.graph.n;
    spawn(std::move(all), options_.seed, begin);
    parts_.run([this](const std::unique_ptr<OpenPart>& part) {
      dissect(std::move(part->s), part->seed, part->begin);
    });
  }

  bool gave_up() const { return gave_up_; }
  std::vector<Node> take_nodes() { return std::move(nodes_); }

 private:
  /// A subgraph that is still to be ordered.
  struct OpenPart {
    Subgraph s;
    std::uint64_t seed;
    Index begin;  // Position of its first vertex in the order.
  };

  /// Orders the vertices of s, and writes them into the order from position `begin` on.
  void dissect(Subgraph s, std::uint64_t seed, Index begin) {
    if (s.graph.n == 0) return;
    cancel_.check();
    const Index n = s.graph.n;
    if (n <= options_.leaf) return order_leaf(s, begin);
    std::vector<Index> ordered;
    const Bisection b = find_separator_or_order(s.graph, seed, ordered);
    cancel_.check();
    const PartCounts count = counts_of(b, n);
    if (n == first_n_) {
      gave_up_ = n > kTaskVertices && count[kSeparator] > options_.give_up_share * n;
      if (gave_up_) return;
      separates_ = true;
    }
    if (is_useless(count)) return order_leaf(s, begin, std::move(ordered));
    Subgraph side[2];
    split(s, b, count, begin + count[kLeft] + count[kRight], order_, side);
    note({begin, begin + n - count[kSeparator], begin + n});
    s = {};
    if (n <= kTaskVertices) {
      dissect(std::move(side[kLeft]), mix(seed, 1), begin);
      dissect(std::move(side[kRight]), mix(seed, 2), begin + count[kLeft]);
      return;
    }
    // No task waits for the halves; tasks wait for their own loops only.
    spawn(std::move(side[kLeft]), mix(seed, 1), begin);
    spawn(std::move(side[kRight]), mix(seed, 2), begin + count[kLeft]);
  }

  void spawn(Subgraph s, std::uint64_t seed, Index begin) {
    parts_.push(std::make_unique<OpenPart>(OpenPart{std::move(s), seed, begin}));
  }

  static PartCounts counts_of(const Bisection& b, Index n) {
    PartCounts count{};
    for (Index v = 0; v < n; ++v) ++count[b.part[v]];
    return count;
  }

  static bool is_useless(const PartCounts& count) {
    const Index n = count[kLeft] + count[kRight] + count[kSeparator];
    return count[kLeft] == 0 || count[kRight] == 0 || count[kSeparator] > n / 2;
  }

  Bisection find_separator_of(const WeightedGraph& g, std::uint64_t seed) {
    return find_separator(g, options_.separator, mix(seed), separator_workspaces_.data(), cancel_,
                          has_idle_threads(g));
  }

  /// Whether the team has more threads than the subgraphs of about this size keep busy.
  bool has_idle_threads(const WeightedGraph& g) const {
    return Offset{team_size()} * g.n >= Offset{kThreadsForAPart} * first_n_;
  }

  /// Finds a separator of g.  If the separator is likely to be useless, an idle thread runs minimum
  /// degree at the same time, and stops once the separator is known to be useful.
  /// @param ordered  receives the order by minimum degree if it was completed.
  Bisection find_separator_or_order(const WeightedGraph& g, std::uint64_t seed,
                                    std::vector<Index>& ordered) {
    // Not for the first subgraph: for that the caller of nested_dissection() can pass `beside`.
    const bool beside = g.n < first_n_ && g.n > LeafOrder::kMostVertices && has_idle_threads(g) &&
                        may_lack_separators(g.n, g.xadj[g.n]);
    if (!beside) return find_separator_of(g, seed);
    Bisection b;
    std::atomic<bool> is_settled{false};
    // The search is task 0: a thread that is alone then knows whether it needs the order.
    run_tasks(2, [&](Index k) {
      if (k == 1) {
        ordered = amd_order_unless(is_settled, g);
        return;
      }
      try {
        b = find_separator_of(g, seed);
      } catch (...) {
        is_settled = true;
        throw;
      }
      is_settled = !is_useless(counts_of(b, g.n));
    });
    return b;
  }

  /// Orders s by minimum degree, without dissecting it.
  /// @param ordered  order of s by amd if known, else empty.
  void order_leaf(Subgraph& s, Index begin, std::vector<Index>&& ordered = {}) {
    const Index n = s.graph.n;
    if (n <= LeafOrder::kMostVertices) {
      leaf_workspaces_[team_member()].run(whole_, s.vertex, peeling_.is_peeled);
      std::copy(s.vertex.begin(), s.vertex.end(), order_.begin() + begin);
    } else {
      // A large subgraph without a good separator.
      if (ordered.empty()) ordered = amd_order(s.graph, cancel_);
      for (Index k = 0; k < n; ++k) order_[begin + k] = s.vertex[ordered[k]];
    }
    note({begin, begin, begin + n});
  }

  /// Order of g by amd.  Empty when the flag becomes true meanwhile or memory is exhausted.
  std::vector<Index> amd_order_unless(const std::atomic<bool>& flag, const WeightedGraph& g) const {
    try {
      return amd_order(g, cancel_.with(&flag));
    } catch (const Interrupted&) {
      return {};
    } catch (const std::bad_alloc&) {
      return {};
    }
  }

  static std::vector<Index> amd_order(const WeightedGraph& g, Cancel cancel) {
    Graph copy;
    copy.n = g.n;
    copy.xadj.assign(g.xadj.data(), g.xadj.data() + g.n + 1);
    copy.adjncy.reserve(g.xadj[g.n] + QuotientGraph::workspace(g.n, g.xadj[g.n]));
    copy.adjncy.assign(g.adjncy.data(), g.adjncy.data() + g.xadj[g.n]);
    copy.weight.assign(g.weight.data(), g.weight.data() + g.n);
    return amd(std::move(copy), {}, cancel).order;
  }

  void note(const Node& node) {
    const std::lock_guard lock(mutex_);
    nodes_.push_back(node);
  }

  const Graph& whole_;
  const Peeling& peeling_;
  const DissectionOptions& options_;
  Cancel cancel_;
  std::atomic<bool>& separates_;
  std::vector<Index>& order_;
  // One workspace for each thread.  A thread uses none while it may execute another task.
  std::vector<RefineWorkspace> separator_workspaces_;
  std::vector<LeafOrder> leaf_workspaces_;
  TaskQueue<std::unique_ptr<OpenPart>> parts_;
  std::mutex mutex_;  // Guards nodes_.
  std::vector<Node> nodes_;
  Index first_n_ = 0;  // Number of vertices of the first subgraph.
  bool gave_up_ = false;
};

/// Sorts the nodes in postorder and finds their parents.  Subtrees are nested intervals of columns.
SeparatorTree make_tree(std::vector<Node> nodes) {
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return a.end != b.end ? a.end < b.end : a.begin > b.begin;
  });
  SeparatorTree tree;
  tree.parent.assign(nodes.size(), kNone);
  std::vector<Index> roots;  // Nodes so far that have no parent yet.
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    tree.begin.push_back(nodes[k].begin);
    tree.middle.push_back(nodes[k].middle);
    tree.end.push_back(nodes[k].end);
    while (!roots.empty() && tree.begin[roots.back()] >= nodes[k].begin) {
      tree.parent[roots.back()] = static_cast<Index>(k);
      roots.pop_back();
    }
    roots.push_back(static_cast<Index>(k));
  }
  return tree;
}

/// Peels off vertices, sets dense vertices aside, and dissects the remaining graph.  To be called
/// in a team.
DissectionResult dissect_graph(const Graph& graph, const DissectionOptions& options, Cancel cancel,
                               std::atomic<bool>& separates) {
  DissectionResult result;
  result.order.resize(graph.n);
  std::vector<char> is_inside(graph.n, 1);
  const Peeling peeling = peel(graph);
  result.num_peeled = static_cast<Index>(peeling.order.size());
  std::copy(peeling.order.begin(), peeling.order.end(), result.order.begin());
  for (Index v : peeling.order) is_inside[v] = 0;
  std::vector<Index> dense = dense_vertices(graph, options.dense);
  std::erase_if(dense, [&](Index v) { return is_inside[v] == 0; });
  result.num_dense = static_cast<Index>(dense.size());
  std::copy(dense.begin(), dense.end(), result.order.end() - result.num_dense);
  for (Index v : dense) is_inside[v] = 0;

  Dissection dissection(graph, peeling, options, cancel, separates, result.order);
  dissection.run(subgraph_of(graph, is_inside));
  if (dissection.gave_up()) {
    result.order.clear();
    result.gave_up = true;
    return result;
  }
  std::vector<Node> nodes = dissection.take_nodes();
  if (!dense.empty()) nodes.push_back({result.num_peeled, graph.n - result.num_dense, graph.n});
  result.tree = make_tree(std::move(nodes));
  return result;
}

}  // namespace

DissectionOptions dissection_options(Effort effort) {
  DissectionOptions options;
  if (effort == Effort::kFast) {
    options.leaf = 200;
    SeparatorOptions& separator = options.separator;
    separator.runs = 1;
    separator.tries = 1;
    separator.initial_passes = 4;
    separator.coarsen.cluster_size = 6;
    separator.balance.tolerance = 0.3;
    separator.refine.passes = 2;
    separator.refine.idle_share = 3;
    separator.refine.idle_limit = 300;
    separator.refine.growth_limit = 1.1;
    separator.refine.random_ties = false;
  }
  return options;
}

DissectionResult nested_dissection(const Graph& graph, const DissectionOptions& options,
                                   Cancel cancel, const BesideDissection& beside) {
  DissectionResult result;
  std::atomic<bool> separates{false};
  const auto dissect = [&] {
    try {
      result = dissect_graph(graph, options, cancel, separates);
    } catch (...) {
      separates = true;
      throw;
    }
    if (!result.gave_up) separates = true;
  };
  run_in_team(options.threads, [&] {
    if (!beside) return dissect();
    run_tasks(2, [&](Index k) { k == 0 ? beside(separates) : dissect(); });
  });
  return result;
}

}  // namespace clchol::ordering
