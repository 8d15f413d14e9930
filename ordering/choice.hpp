// Minimum degree or nested dissection: what takes the least time in all.
//
//   time(method) = order(method) + factorizations * (factor(method) + solves * solve(method))
//
// where nnz(L) and flops say what factor and solve take.
//
// amd is run in any case: it is cheap, and its counts are known.  What dissection would make of the
// graph is foretold from them:
//
//   flops(nd) = (1 - saved) * flops(amd),   saved = 0.28 log10(flops / nnz(L) / 25)
//
// the more the more work there is in a column, as on grids.  Nothing is foretold where L is nearly
// full: a random graph has no good separators, normal equations of a linear program may have. There
// dissection is tried where a run takes a tenth of the factorization at most, and the better order
// is kept.
//
// Rates are those of one core of one machine.  What decides is their ratio, and more threads speed
// up both sides: so the choice depends on neither machine nor threads, and an order remains what it
// was elsewhere.  For a device there are others: what its time is worth of one core's, when the
// host orders with all of its own.
#pragma once

#include <string>

#include "ordering/fill_counts.hpp"
#include "ordering/nested_dissection.hpp"

namespace clchol::ordering {

/// What the order is for.
struct ChoiceOptions {
  double factorizations = 1;  ///< That will use the order.
  double solves = 1;          ///< Right-hand sides of each factorization.
  double seconds_per_flop = 2.1e-11;
  double seconds_per_entry = 3e-9;  ///< Of L: factor and one solve.
  /// What a factorization in amd's order takes longer than the counts say: its trees are tall, and
  /// one front waits for the next.
  double amd_seconds = 0;
  double seconds_per_visit = 4e-9;  ///< Of an entry of a list that amd reads.

  friend bool operator==(const ChoiceOptions&, const ChoiceOptions&) = default;
};

/// Orders among which Effort::kBest chooses.
inline constexpr int kBestRuns = 4;

struct Choice {
  bool dissect = false;
  Effort effort = Effort::kBalanced;  ///< Where dissect.
  bool compare = false;  ///< Where dissect: amd's order is kept if it is the better one.
  std::string reason;    ///< The predicted times, for a report.
};

/// @param amd    counts of amd's order.
/// @param rows   of the matrix.
/// @param graph  what is ordered: compressed where that pays.
Choice choose_method(const FillCounts& amd, Index rows, const Graph& graph,
                     const ChoiceOptions& options);

/// Whether amd, which has read so many entries, need not go on: by now it has taken longer than a
/// factorization in its order, as far as that is known, and kLost times what dissection takes.
/// @param so_far  counts of the pivots so far.
bool has_lost(Offset num_visits, const FillCounts& so_far, const Graph& graph,
              const ChoiceOptions& options);
inline constexpr double kLost = 3;

/// Runs of dissection that may look for an order better than the one at hand: those of the effort,
/// as far as they are predicted to take half the time of the factorizations in that order.
/// @param at_hand  counts of the order at hand.
/// @param graph    as for choose_method().
int runs_that_pay(const FillCounts& at_hand, const Graph& graph, Effort effort,
                  const ChoiceOptions& options);

}  // namespace clchol::ordering
