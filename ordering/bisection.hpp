// Bisections of a graph by a vertex separator, and the criteria that compare them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "ordering/weighted_graph.hpp"

namespace clchol::ordering {

/// Part of a bisection that a vertex belongs to: one of the two sides, or the separator between
/// them.  No edge joins kLeft and kRight.
enum Part : std::uint8_t { kLeft = 0, kRight = 1, kSeparator = 2 };

/// Weights of the three parts of a bisection.  The weight of a vertex is its number of rows.
struct PartWeights {
  Offset of[3] = {0, 0, 0};  // Sum of the weights of each part's vertices, indexed by Part.

  /// Weight of the two sides together.
  Offset sides() const { return of[kLeft] + of[kRight]; }
  /// Difference of the weights of the two sides.
  Offset imbalance() const { return std::abs(of[kLeft] - of[kRight]); }
};

/// A division of the vertices of a graph into two sides and a separator.
struct Bisection {
  AlignedBuffer<std::uint8_t> part;  // Part of each vertex.  Length n.
  PartWeights weight;                // Weights of the parts.
};

/// Whether the separator has more than a fifth of the graph's weight.  Coarsening may then have
/// hidden a better separator.
inline bool is_large_separator(const PartWeights& w) { return 4 * w.of[kSeparator] > w.sides(); }

/// When a bisection is balanced, and how its imbalance counts.
struct BalanceOptions {
  /// A side may have at most (1 + tolerance) / 2 of the weight of the two sides together.  (A limit
  /// relative to the weight of the whole graph would allow an empty side beside a large separator.)
  double tolerance = 0.4;
  /// The cost of a bisection is
  ///   separator's weight * (1 + imbalance_cost * imbalance() / sides()).
  double imbalance_cost = 0.25;
};

/// The balance criterion and the cost of bisections of one graph.
class Balance {
 public:
  Balance(const WeightedGraph& graph, const BalanceOptions& options)
      : share_(0.5 * (1 + options.tolerance)),
        imbalance_cost_(options.imbalance_cost),
        slack_(graph.max_weight) {}

  /// Maximum weight of a side: the limit of BalanceOptions::tolerance, and in addition the weight
  /// of the heaviest vertex.
  Offset limit(const PartWeights& w) const {
    return static_cast<Offset>(share_ * static_cast<double>(w.sides())) + slack_;
  }

  /// Whether neither side is empty or exceeds limit().
  bool is_feasible(const PartWeights& w) const {
    const Offset least = std::min(w.of[kLeft], w.of[kRight]);
    return least > 0 && w.sides() - least <= limit(w);
  }

  /// Cost of a bisection by the formula of BalanceOptions::imbalance_cost.
  double cost(const PartWeights& w) const {
    const double sides = static_cast<double>(std::max<Offset>(1, w.sides()));
    const double share = static_cast<double>(w.imbalance()) / sides;
    return static_cast<double>(w.of[kSeparator]) * (1 + imbalance_cost_ * share);
  }

 private:
  double share_, imbalance_cost_;
  Offset slack_;  // Weight by which a side may exceed its share: that of the heaviest vertex.
};

/// A value by which bisections are compared: the lesser score is better.  A feasible bisection is
/// better than an infeasible one; then the lower cost decides, then the lower imbalance.  A
/// default-constructed score is worse than every other.
struct Score {
  bool feasible = false;
  // Balance::cost() of a feasible bisection; of an infeasible one, imbalance and separator's
  // weight.
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
