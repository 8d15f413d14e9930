// The choice between minimum degree (amd) and nested dissection (nd): the method with the least
// predicted total time.
//
//   time(method) = order(method) + factorizations * (factor(method) + solves * solve(method))
//
// The times of factor and solve follow from nnz(L) and flops.
//
// amd always runs: it is cheap, and it counts nnz(L) and flops.  (It is stopped where it takes very
// long, see has_lost().)  The flops of dissection are predicted from the counts of amd:
//
//   flops(nd) = (1 - saved) * flops(amd),   saved = 0.28 log10(flops / nnz(L) / 25)
//
// Dissection saves more the more work a column has, as on grids.  There is no prediction where L is
// nearly full: random graphs have no good separators, but normal equations of a linear program may
// have them.  For a nearly full L, dissection is tried where a run takes at most a tenth of the
// factorization, and the better order is kept.
//
// The default rates are measured on one core of one machine.  Only the ratio of the rates matters,
// and more threads speed up ordering and factorization alike.  So the choice depends on neither
// machine nor threads, and a matrix has one order everywhere.  Devices have other rates: the
// device's time, converted to time of one core for a host that orders with all of its cores.
#pragma once

#include <string>

#include "ordering/fill_counts.hpp"
#include "ordering/nested_dissection.hpp"

namespace clchol::ordering {

/// Use of the order, and rates of the engine that factors and of amd.
struct ChoiceOptions {
  double factorizations = 1;          ///< Number of factorizations that will use the order.
  double solves = 1;                  ///< Right-hand sides solved with each factorization.
  double seconds_per_flop = 2.1e-11;  ///< Seconds of a factorization for each flop.
  double seconds_per_entry = 3e-9;    ///< Seconds of factor and one solve for each entry of L.
  /// Seconds that a factorization in amd's order takes beyond the time predicted from the counts:
  /// assembly trees of amd are tall, and fronts wait for their children.
  double amd_seconds = 0;
  double seconds_per_visit = 4e-9;  ///< Seconds of amd for each list entry that it reads.

  friend bool operator==(const ChoiceOptions&, const ChoiceOptions&) = default;
};

/// Number of runs of dissection among which Effort::kBest chooses.
inline constexpr int kBestRuns = 4;

struct Choice {
  bool dissect = false;               ///< Whether to run nested dissection.
  Effort effort = Effort::kBalanced;  ///< Effort of the dissection, if `dissect`.
  bool compare = false;               ///< Whether to keep amd's order if it is better.
  std::string reason;                 ///< The predicted times, for a report.
};

/// Chooses the method of least predicted time.
/// @param amd    counts of amd's order.
/// @param rows   number of rows of the matrix.
/// @param graph  the graph that is ordered: the compressed graph, if there is one.
Choice choose_method(const FillCounts& amd, Index rows, const Graph& graph,
                     const ChoiceOptions& options);

/// Whether a running amd can stop because dissection is the better choice in any case: amd has
/// taken longer than the factorizations of the part that it has ordered, and kLost times as long as
/// a dissection.
/// @param num_visits  list entries that amd has read so far.
/// @param so_far      counts of the pivots so far.
bool has_lost(Offset num_visits, const FillCounts& so_far, const Graph& graph,
              const ChoiceOptions& options);
inline constexpr double kLost = 3;

/// Number of runs of dissection that are worth searching for an order better than a given one: at
/// most the runs of `effort`, and at most half the predicted time of the factorizations in the
/// given order.
/// @param at_hand  counts of the given order.
/// @param graph    as for choose_method().
int runs_that_pay(const FillCounts& at_hand, const Graph& graph, Effort effort,
                  const ChoiceOptions& options);

}  // namespace clchol::ordering
