// Bisections of a graph by a vertex separator, and the criteria that compare them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "ordering/weighted_graph.hpp"

namespace clchol::ordering {

/// Part of a bisection that a vertex belongs to.  No edge joins kLeft and kRight.
enum Part : std::uint8_t { kLeft = 0, kRight = 1, kSeparator = 2 };

struct PartWeights {
  Offset of[3] = {0, 0, 0};  // Weight of the vertices of each part, indexed by Part.

  Offset sides() const { return of[kLeft] + of[kRight]; }
  Offset imbalance() const { return std::abs(of[kLeft] - of[kRight]); }
};

struct Bisection {
  AlignedBuffer<std::uint8_t> part;  // Part of each vertex.  Length n.
  PartWeights weight;
};

/// Whether the separator has more than a fifth of the graph's weight.  Coarsening may then have
/// hidden a better separator.
inline bool is_large_separator(const PartWeights& w) { return 4 * w.of[kSeparator] > w.sides(); }

struct BalanceOptions {
  /// A side has at most (1 + tolerance) / 2 of the weight of the two sides.  (A share of the whole
  /// graph's weight would allow an empty side beside a large separator.)
  double tolerance = 0.4;
  /// The cost of a separator is  weight * (1 + imbalance_cost * imbalance / weight of the sides).
  double imbalance_cost = 0.25;
};

/// The balance criterion and the cost of bisections of one graph.
class Balance {
 public:
  Balance(const WeightedGraph& graph, const BalanceOptions& options)
      : share_(0.5 * (1 + options.tolerance)),
        imbalance_cost_(options.imbalance_cost),
        slack_(graph.max_weight) {}

  /// Maximum weight of a side.
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

/// A value by which bisections are compared; less is better.  A default-constructed score is worse
/// than every other.
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
