#include "ordering/separator_refinement.hpp"

#include <algorithm>
#include <utility>

#include "base/team.hpp"
#include "ordering/random.hpp"

namespace clchol::ordering {
namespace {

/// Keys of the heap are gain * 2^20 + a number that decides among equal gains.
constexpr int kTieBits = 20;
constexpr std::int64_t kTieMask = (std::int64_t{1} << kTieBits) - 1;

/// One pass of moves to one side.
class Pass {
 public:
  Pass(const WeightedGraph& graph, const Balance& balance, Bisection& b, RefineWorkspace& workspace)
      : g_(graph),
        balance_(balance),
        part_(b.part.data()),
        weight_(b.weight),
        heap_(workspace.heap),
        separator_(workspace.separator),
        candidates_(workspace.candidates),
        moves_(workspace.moves) {}

  struct Rule {
    Part to;              // The side to which vertices move.
    bool random;          // Whether equal gains come in random order; else the latest comes first.
    Index idle_limit;     // Moves without a new best separator after which the pass ends.
    double growth_limit;  // See RefineOptions::growth_limit.
    std::uint64_t seed;
  };

  /// Executes the pass.  Returns whether the separator was improved.
  bool run(const Rule& rule) {
    rule_ = rule;
    from_ = rule.to == kLeft ? kRight : kLeft;
    heap_.clear();  // A pass that ran out of memory may have left vertices in the heap.
    heap_.fit(g_.n);
    moves_.clear();
    candidates_.assign(separator_.begin(), separator_.end());
    for (Index v : separator_) push(v);
    PartWeights best_weight = weight_;
    Score best(balance_, weight_);
    std::size_t best_moves = 0;
    bool improved = false;
    for (Index idle = 0; idle < rule.idle_limit && !heap_.empty();) {
      const Index v = heap_.pop();
      const Offset then = weight_.of[rule.to] + g_.weight[v];
      if (then > balance_.limit(weight_) && then > weight_.of[from_]) continue;
      move(v);
      ++idle;
      const Score now(balance_, weight_);
      if (now < best) {
        best = now;
        best_weight = weight_;
        best_moves = moves_.size();
        idle = 0;
        improved = true;
      }
      const double most = rule.growth_limit * static_cast<double>(best_weight.of[kSeparator]);
      if (static_cast<double>(weight_.of[kSeparator]) > most + 8.0 * g_.max_weight) break;
    }
    heap_.clear();
    take_back(best_moves);
    weight_ = best_weight;
    return improved;
  }

 private:
  /// Puts a vertex of the separator into the heap.
  void push(Index v) {
    std::int64_t pulled = 0;
    const Index* const weight = g_.weight.data();
    for (Index u : g_.neighbours(v)) {
      pulled += weight[u] & -static_cast<Index>(part_[u] == from_);
    }
    heap_.push(v, (g_.weight[v] - pulled) * (kTieMask + 1) + tie(v));
  }

  /// Number that decides among equal gains.
  std::int64_t tie(Index v) {
    if (rule_.random) {
      return static_cast<std::int64_t>(mix(rule_.seed ^ static_cast<std::uint64_t>(v))) & kTieMask;
    }
    return stamp_ < kTieMask ? ++stamp_ : kTieMask;
  }

  void set(Index v, Part to) {
    moves_.push_back({v, part_[v]});
    weight_.of[part_[v]] -= g_.weight[v];
    weight_.of[to] += g_.weight[v];
    part_[v] = to;
  }

  /// Moves v out of the separator, and its neighbours on the other side into the separator.
  void move(Index v) {
    set(v, rule_.to);
    for (Index u : g_.neighbours(v)) {
      if (part_[u] == from_) pull(u);
    }
  }

  /// Moves u into the separator.  The gain of u's neighbours in the heap grows, because they would
  /// no longer pull u.
  void pull(Index u) {
    set(u, kSeparator);
    candidates_.push_back(u);
    std::int64_t pulled = 0;
    const std::int64_t gain = std::int64_t{g_.weight[u]} << kTieBits;
    for (Index x : g_.neighbours(u)) {
      if (part_[x] == from_) {
        pulled += g_.weight[x];
      } else if (part_[x] == kSeparator && heap_.contains(x)) {
        heap_.add(x, gain);
      }
    }
    heap_.push(u, (g_.weight[u] - pulled) * (kTieMask + 1) + tie(u));
  }

  /// Undoes all moves but the first `best_moves`, and lists the separator's vertices.
  void take_back(std::size_t best_moves) {
    for (std::size_t k = moves_.size(); k-- > best_moves;) {
      part_[moves_[k].vertex] = moves_[k].from;
    }
    separator_.clear();
    for (Index v : candidates_) {
      if (part_[v] == kSeparator) separator_.push_back(v);
    }
  }

  const WeightedGraph& g_;
  const Balance& balance_;
  std::uint8_t* part_;
  PartWeights& weight_;
  VertexHeap& heap_;
  std::vector<Index>&separator_, &candidates_;
  std::vector<RefineWorkspace::Move>& moves_;
  Rule rule_{};
  Part from_ = kRight;
  std::int64_t stamp_ = 0;
};

/// The sequence of passes of one refinement.  A pass is dull if it does not improve the separator.
class Passes {
 public:
  Passes(const WeightedGraph& graph, const RefineOptions& options, std::uint64_t seed,
         const Bisection& b)
      : options_(options),
        seed_(seed),
        is_small_(graph.n < options.small),
        first_(b.weight.of[kLeft] <= b.weight.of[kRight] ? kLeft : kRight) {}

  /// Number of passes that will follow if all of them are dull.
  int next() const { return std::min(patience() - dull_, options_.passes - pass_); }

  /// Rule of the k-th of the following passes.
  /// @param separator  number of vertices of the separator.
  Pass::Rule rule(int k, std::size_t separator) const {
    const int pass = pass_ + k;
    const auto size = static_cast<Index>(separator);
    Pass::Rule rule{};
    rule.to = pass % 2 == 0 ? first_ : first_ == kLeft ? kRight : kLeft;
    rule.random = options_.random_ties && (pass & 2) != 0;
    rule.idle_limit = is_small_
                          ? 15 + 2 * size
                          : static_cast<Index>(std::min<Offset>(
                                options_.idle_limit, 30 + Offset{options_.idle_share} * size));
    rule.growth_limit = options_.growth_limit;
    rule.seed = mix(seed_, static_cast<std::uint64_t>(pass));
    return rule;
  }

  /// Records the results of passes: `dull` dull passes, then a pass that improved the separator if
  /// `then_improved`.
  void note(int dull, bool then_improved) {
    pass_ += dull + (then_improved ? 1 : 0);
    dull_ = then_improved ? 0 : dull_ + dull;
  }

 private:
  /// Number of consecutive dull passes that end the refinement.  Large graphs try all kinds of
  /// passes.
  int patience() const { return is_small_ ? 1 : options_.random_ties ? 4 : 2; }

  const RefineOptions& options_;
  std::uint64_t seed_;
  bool is_small_;
  Part first_;  // Side to which the first pass moves vertices; later passes alternate.
  // pass_: number of passes so far.  dull_: number of dull passes since the last improvement.
  int pass_ = 0, dull_ = 0;
};

}  // namespace

void refine_separator(const WeightedGraph& graph, const Balance& balance,
                      const RefineOptions& options, std::uint64_t seed, Bisection& b,
                      RefineWorkspace& workspace) {
  Passes passes(graph, options, seed, b);
  while (passes.next() > 0) {
    const Pass::Rule rule = passes.rule(0, workspace.separator.size());
    const bool improved = Pass(graph, balance, b, workspace).run(rule);
    passes.note(improved ? 0 : 1, improved);
  }
}

void refine_separator_by_tasks(const WeightedGraph& graph, const Balance& balance,
                               const RefineOptions& options, std::uint64_t seed, Bisection& b,
                               RefineWorkspace* workspaces) {
  struct Outcome {
    bool improved = false;
    Bisection b;
    std::vector<Index> separator;
  };
  std::vector<Index> separator;
  collect_separator(graph, b, separator);
  Passes passes(graph, options, seed, b);
  for (int count = passes.next(); count > 0; count = passes.next()) {
    // A dull pass changes nothing, so that the passes after it can start from the same separator.
    std::vector<Outcome> outcomes(static_cast<std::size_t>(count));
    run_tasks(count, [&](Index k) {
      Outcome& mine = outcomes[static_cast<std::size_t>(k)];
      mine.b = {AlignedBuffer<std::uint8_t>(graph.n), b.weight};
      std::copy_n(b.part.data(), graph.n, mine.b.part.data());
      RefineWorkspace& workspace = workspaces[team_member()];
      workspace.separator = separator;
      const Pass::Rule rule = passes.rule(k, separator.size());
      mine.improved = Pass(graph, balance, mine.b, workspace).run(rule);
      if (mine.improved) mine.separator = workspace.separator;
    });
    const auto best = std::find_if(outcomes.begin(), outcomes.end(),
                                   [](const Outcome& of) { return of.improved; });
    passes.note(static_cast<int>(best - outcomes.begin()), best != outcomes.end());
    if (best == outcomes.end()) continue;
    b = std::move(best->b);
    separator = std::move(best->separator);
  }
}

void collect_separator(const WeightedGraph& graph, const Bisection& b,
                       std::vector<Index>& separator) {
  separator.clear();
  for (Index v = 0; v < graph.n; ++v) {
    if (b.part[v] == kSeparator) separator.push_back(v);
  }
}

}  // namespace clchol::ordering
