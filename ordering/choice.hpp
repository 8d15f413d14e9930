// The choice between minimum degree (amd) and nested dissection (nd): the method with the least
// predicted total time.
//
//   time(method) = order(method) + factorizations * (factor(method) + solves * solve(method))
//
// The times of factor and solve follow from nnz(L) and flops.
//
// amd always runs first: amd is cheap, and it counts nnz(L) and flops of its order.  (A run of amd
// that takes very long is stopped, see has_lost().)  The flops of dissection are predicted from the
// counts of amd:
//
//   flops(nd) = (1 - saved) * flops(amd),   saved = 0.28 log10(flops(amd) / nnz(L) / 25)
//
// The more flops an entry of L costs, the larger is the share that dissection saves, as on grids.
// There is no such prediction where L is nearly full: random graphs have no good separators, but
// normal equations of a linear program may have them.  For a nearly full L, dissection is tried if
// its run takes at most a tenth of the time of the factorizations, and the better order is kept.
//
// The default rates are measured on one core of one machine.  Only the ratio of the rates matters,
// and more threads speed up ordering and factorization alike.  So the choice depends on neither
// machine nor threads, and a matrix has one order everywhere.  A device has rates of its own (row
// order_cost of its tuning data).  They are given as if one core took part in the ordering: times
// of the device multiplied by the number of cores of the host that orders.
#pragma once

#include <string>

#include "ordering/fill_counts.hpp"
#include "ordering/nested_dissection.hpp"

namespace clchol::ordering {

/// How often the order will be used, the rates of the engine that factors, and the rate of amd.
struct ChoiceOptions {
  double factorizations = 1;          ///< Number of factorizations that will use the order.
  double solves = 1;                  ///< Right-hand sides solved with each factorization.
  double seconds_per_flop = 2.1e-11;  ///< Seconds of a factorization for each flop.
  /// Seconds of a factorization (in addition to the flops) and one solve, for each entry of L.
  double seconds_per_entry = 3e-9;
  /// Seconds that a factorization in amd's order takes beyond the time predicted from the counts:
  /// assembly trees of amd are tall, and fronts wait for their children.
  double amd_seconds = 0;
  double seconds_per_visit = 4e-9;  ///< Seconds of amd for each list entry that it reads.

  friend bool operator==(const ChoiceOptions&, const ChoiceOptions&) = default;
};

/// Number of runs of dissection among which Effort::kBest chooses.
inline constexpr int kBestRuns = 4;

/// Result of choose_method().
struct Choice {
  bool dissect = false;               ///< Whether to run nested dissection.
  Effort effort = Effort::kBalanced;  ///< Effort of the dissection, if `dissect`.
  bool compare = false;               ///< Whether to keep amd's order if dissection's is worse.
  std::string reason;                 ///< The predicted times, for a report.
};

/// Chooses the method of least predicted time.
/// @param amd    counts of amd's order.
/// @param rows   number of rows of the matrix.
/// @param graph  the graph that is ordered: the compressed graph, if there is one.
Choice choose_method(const FillCounts& amd, Index rows, const Graph& graph,
                     const ChoiceOptions& options);

/// Whether a running amd can stop because dissection is the better choice in any case.  This is so
/// when amd has taken longer than the predicted factorizations of the pivots so far, and also more
/// than kLost times the predicted time of a dissection.
/// @param num_visits  list entries that amd has read so far.
/// @param so_far      counts of the pivots so far.
bool has_lost(Offset num_visits, const FillCounts& so_far, const Graph& graph,
              const ChoiceOptions& options);
inline constexpr double kLost = 3;

/// Returns how many runs of dissection are worth their time when an order is at hand already: at
/// most the runs of `effort`, and together at most half the predicted time of the factorizations in
/// the order at hand.
/// @param at_hand  counts of the order at hand.
/// @param graph    the graph that is ordered: the compressed graph, if there is one.
int runs_that_pay(const FillCounts& at_hand, const Graph& graph, Effort effort,
                  const ChoiceOptions& options);

}  // namespace clchol::ordering
