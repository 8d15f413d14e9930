// A vertex separator and what makes one better than another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "ordering/weighted_graph.hpp"

namespace clchol::ordering {

/// Where a vertex is: no edge joins kLeft and kRight.
enum Part : std::uint8_t { kLeft = 0, kRight = 1, kSeparator = 2 };

struct PartWeights {
  Offset of[3] = {0, 0, 0};

  Offset sides() const { return of[kLeft] + of[kRight]; }
  Offset imbalance() const { return std::abs(of[kLeft] - of[kRight]); }
};

struct Bisection {
  AlignedBuffer<std::uint8_t> part;  // Length n.
  PartWeights weight;
};

/// Whether a separator is so large that coarsening may have led astray: more than a fifth of all.
inline bool is_large_separator(const PartWeights& w) { return 4 * w.of[kSeparator] > w.sides(); }

struct BalanceOptions {
  /// A side holds at most (1 + tolerance) / 2 of what the two sides hold.  (Of the whole weight it
  /// would allow an empty side beside a large separator.)
  double tolerance = 0.4;
  /// Cost of a separator: its weight times 1 + imbalance_cost * imbalance / weight of both sides.
  double imbalance_cost = 0.25;
};

class Balance {
 public:
  Balance(const WeightedGraph& graph, const BalanceOptions& options)
      : share_(0.5 * (1 + options.tolerance)),
        imbalance_cost_(options.imbalance_cost),
        slack_(graph.max_weight) {}

  /// What a side may hold.
  Offset limit(const PartWeights& w) const {
    return static_cast<Offset>(share_ * static_cast<double>(w.sides())) + slack_;
  }

  bool is_feasible(const PartWeights& w) const {
    const Offset least = std::min(w.of[kLeft], w.of[kRight]);
    return least > 0 && w.sides() - least <= limit(w);
  }

  double cost(const PartWeights& w) const {
    const double sides = static_cast<double>(std::max<Offset>(1, w.sides()));
    const double share = static_cast<double>(w.imbalance()) / sides;
    return static_cast<double>(w.of[kSeparator]) * (1 + imbalance_cost_ * share);
  }

 private:
  double share_, imbalance_cost_;
  Offset slack_;
};

/// For comparison of separators; a default one is worse than all.
struct Score {
  bool feasible = false;
  double cost = std::numeric_limits<double>::infinity();
  Offset imbalance = std::numeric_limits<Offset>::max();

  Score() = default;
  Score(const Balance& balance, const PartWeights& w)
      : feasible(balance.is_feasible(w)),
        cost(feasible ? balance.cost(w) : static_cast<double>(w.imbalance() + w.of[kSeparator])),
        imbalance(w.imbalance()) {}

  bool operator<(const Score& other) const {
    if (feasible != other.feasible) return feasible;
    return cost != other.cost ? cost < other.cost : imbalance < other.imbalance;
  }
};

}  // namespace clchol::ordering
