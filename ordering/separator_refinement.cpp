#include "ordering/separator_refinement.hpp"

#include <utility>

#include "ordering/random.hpp"

namespace clchol::ordering {
namespace {

/// Keys are gain * 2^20 + a number that decides among equals.
constexpr int kTieBits = 20;
constexpr std::int64_t kTieMask = (std::int64_t{1} << kTieBits) - 1;

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
    Part to;
    bool random;  // Order among equal gains; else the latest first.
    Index idle_limit;
    double growth_limit;
    std::uint64_t seed;
  };

  /// Returns whether the separator got better.
  bool run(const Rule& rule) {
    rule_ = rule;
    from_ = rule.to == kLeft ? kRight : kLeft;
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
  void push(Index v) {
    std::int64_t pulled = 0;
    const Index* const weight = g_.weight.data();
    for (Index u : g_.neighbours(v)) {
      pulled += weight[u] & -static_cast<Index>(part_[u] == from_);
    }
    heap_.push(v, (g_.weight[v] - pulled) * (kTieMask + 1) + tie(v));
  }

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

  /// v leaves the separator, and its neighbours on the other side enter it.
  void move(Index v) {
    set(v, rule_.to);
    for (Index u : g_.neighbours(v)) {
      if (part_[u] == from_) pull(u);
    }
  }

  /// u enters the separator: those of its neighbours there that may still move would pull less.
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

}  // namespace

void refine_separator(const WeightedGraph& graph, const Balance& balance,
                      const RefineOptions& options, std::uint64_t seed, Bisection& b,
                      RefineWorkspace& workspace) {
  const bool is_small = graph.n < options.small;
  // Dull passes in a row: large graphs try every kind.
  const int patience = is_small ? 1 : options.random_ties ? 4 : 2;
  Part to = b.weight.of[kLeft] <= b.weight.of[kRight] ? kLeft : kRight;
  for (int pass = 0, dull = 0; pass < options.passes && dull < patience; ++pass) {
    const auto size = static_cast<Index>(workspace.separator.size());
    Pass::Rule rule{};
    rule.to = to;
    rule.random = options.random_ties && (pass & 2) != 0;
    rule.idle_limit = is_small ? 15 + 2 * size
                               : static_cast<Index>(std::min<Offset>(
                                     options.idle_limit, 30 + Offset{options.idle_share} * size));
    rule.growth_limit = options.growth_limit;
    rule.seed = mix(seed, static_cast<std::uint64_t>(pass));
    const bool improved = Pass(graph, balance, b, workspace).run(rule);
    dull = improved ? 0 : dull + 1;
    to = to == kLeft ? kRight : kLeft;
  }
}

void collect_separator(const WeightedGraph& graph, const Bisection& b, RefineWorkspace& workspace) {
  workspace.separator.clear();
  for (Index v = 0; v < graph.n; ++v) {
    if (b.part[v] == kSeparator) workspace.separator.push_back(v);
  }
}

}  // namespace clchol::ordering
