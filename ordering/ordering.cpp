#include "ordering/ordering.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "ordering/compress.hpp"
#include "ordering/elimination/quotient_graph.hpp"
#include "ordering/random.hpp"

namespace clchol::ordering {
namespace {

/// Fewest vertices for which amd and dissection run at the same time.  Smaller graphs are ordered
/// before a second thread starts.
constexpr Index kFewestForRace = 5000;
/// From this number of vertices on, the chosen dissection is seldom Effort::kFast.
constexpr Index kManyVertices = 20000;

Permutation given_permutation(const std::vector<Index>& given, Index n) {
  if (given.size() != static_cast<std::size_t>(n)) {
    throw InvalidArgument("given: length is " + std::to_string(given.size()) +
                          ", must be n = " + std::to_string(n));
  }
  return make_permutation(given);
}

// Copies a graph for a method that works in place, with memory for `room` further entries.
Graph copy_with_room(const Graph& graph, Offset room) {
  Graph copy;
  copy.n = graph.n;
  copy.xadj = graph.xadj;
  copy.adjncy.reserve(graph.adjncy.size() + room);
  copy.adjncy = graph.adjncy;
  copy.weight = graph.weight;
  return copy;
}

/// Result of one method for the graph that is ordered.
struct MethodResult {
  std::vector<Index> order;
  Index num_dense = 0;
  FillCounts counts;         // Counts of amd; zero for other methods.
  SeparatorTree separators;  // Separators of dissection; empty for other methods.
};

/// Orders one matrix, or its compressed graph where compression pays.
class Orderer {
 public:
  Orderer(const Graph& rows, const OrderingOptions& options, Cancel cancel)
      : rows_(rows), options_(options), cancel_(cancel) {}

  OrderingResult run() {
    if (options_.compress) result_.compressed = compress(rows_, options_.threads);
    result_.compressed_n = graph().n;
    switch (options_.method) {
      case Method::kNestedDissection:
        dissect(options_.effort);
        break;
      case Method::kAuto:
        choose();
        break;
      case Method::kMinimumDegree:
      case Method::kMultipleMinimumDegree:
        take(options_.method, run_minimum_degree());
        break;
      default:
        take(Method::kAmd, run_amd(cancel_));
    }
    return std::move(result_);
  }

 private:
  /// The graph that is ordered.
  const Graph& graph() const { return result_.compressed ? result_.compressed->graph : rows_; }

  // Runs amd to the end, on a copy of the graph because amd works in place.
  MethodResult run_amd(Cancel cancel) const { return *run_amd(cancel, options_.amd); }

  // Runs amd on a copy of the graph.  Returns nothing when amd gave up.
  std::optional<MethodResult> run_amd(Cancel cancel, const AmdOptions& options) const {
    const Offset nnz = graph().xadj[graph().n];
    const Offset room = QuotientGraph::workspace(graph().n, nnz, options.elbow_room);
    AmdResult made = amd(copy_with_room(graph(), room), options, cancel);
    if (made.gave_up) return std::nullopt;
    return MethodResult{std::move(made.order), made.num_dense, made.counts, {}};
  }

  MethodResult run_minimum_degree() const {
    MinimumDegreeOptions exact = options_.minimum_degree;
    if (options_.method == Method::kMinimumDegree) exact.delta = MinimumDegreeOptions::kSingle;
    MinimumDegreeResult made = minimum_degree(Graph(graph()), exact, cancel_);
    return {std::move(made.order), made.num_dense, {}, {}};
  }

  /// Runs dissection.  Returns nothing when it gave up; gave_up_ records this.
  std::optional<MethodResult> run_dissection(Effort effort, int run, Cancel cancel,
                                             const BesideDissection& beside = {}) {
    DissectionOptions dissection = dissection_options(effort);
    dissection.seed = run == 0 ? options_.seed : mix(options_.seed, run);
    if (searches_on_) dissection.give_up_share = 1;
    dissection.threads = options_.threads;
    DissectionResult made = nested_dissection(graph(), dissection, cancel, beside);
    gave_up_ = made.gave_up;
    if (gave_up_) return std::nullopt;
    return MethodResult{std::move(made.order), made.num_dense, {}, std::move(made.tree)};
  }

  /// Makes the order of a method the result.
  void take(Method method, MethodResult made) {
    result_.used = method;
    result_.num_dense = made.num_dense;
    result_.separators = std::move(made.separators);
    result_.permutation =
        make_permutation(result_.compressed ? expand(made.order, result_.compressed->vertex_of)
                                            : std::move(made.order));
  }

  void take_amd() {
    if (!amd_) amd_ = run_amd(cancel_);
    take(Method::kAmd, std::move(*amd_));
  }

  /// Makes an order by dissection the result; if dissection gives up, the result of search_on().
  /// @param made  result of the first run, if it has run before.
  void dissect(Effort effort, std::optional<MethodResult> made = {}) {
    if (!made && !gave_up_) made = run_dissection(effort, 0, cancel_, amd_beside());
    if (!made) return search_on(effort);
    take_dissected(effort, std::move(*made));
    if (effort == Effort::kBest && options_.cost) keep_best(effort, 1, kBestRuns);
  }

  void take_dissected(Effort effort, MethodResult made) {
    take(Method::kNestedDissection, std::move(made));
    result_.effort = effort;
  }

  /// For graphs without small separators: makes amd's order the result.  If a factorization in that
  /// order takes long enough, dissection with large separators runs too, and the better order is
  /// kept.
  void search_on(Effort effort) {
    if (!amd_) amd_ = run_amd(cancel_);
    const int runs = runs_that_pay(amd_->counts, graph(), effort, options_.choice);
    take_amd();
    searches_on_ = true;
    if (options_.cost) keep_best(effort, 0, runs);
    const bool is_better = result_.used == Method::kNestedDissection;
    result_.reason = is_better ? "separators are large, but better than amd"
                               : "the graph has no small separators";
  }

  /// Returns a function that runs amd while dissection searches its first separator.  Returns an
  /// empty function where dissection is unlikely to give up or no threads are idle.
  BesideDissection amd_beside() {
    const bool pays =
        !amd_ && options_.threads > 2 && may_lack_separators(graph().n, graph().xadj[graph().n]);
    if (!pays) return {};
    return [this](const std::atomic<bool>& separates) {
      try {
        amd_ = run_amd(cancel_.with(&separates));
      } catch (const Interrupted&) {
        if (!separates) throw;
      } catch (const std::bad_alloc&) {
        amd_.reset();  // amd runs again when needed, after dissection has freed its memory.
      }
    };
  }

  /// The members of the result that depend on the order.
  struct Outcome {
    Method used;
    Effort effort;
    Index num_dense;
    Permutation permutation;
    SeparatorTree separators;
  };

  Outcome take_out() {
    return {result_.used, result_.effort, result_.num_dense, std::move(result_.permutation),
            std::move(result_.separators)};
  }

  void put_back(Outcome&& outcome) {
    result_.used = outcome.used;
    result_.effort = outcome.effort;
    result_.num_dense = outcome.num_dense;
    result_.permutation = std::move(outcome.permutation);
    result_.separators = std::move(outcome.separators);
  }

  /// Executes runs [first, end) of dissection, each with its own seed.  Keeps the order of least
  /// cost among the present result and those of the runs.
  /// @param made  result of run `first`, if it has run before.
  void keep_best(Effort effort, int first, int end, std::optional<MethodResult> made = {}) {
    if (first >= end) return;
    double least = options_.cost(result_);
    for (int run = first; run < end; ++run) {
      if (!made) made = run_dissection(effort, run, cancel_);
      if (!made && searches_on_) return;  // The graph has no separators at all.
      if (!made) continue;
      Outcome best = take_out();
      take_dissected(effort, *std::exchange(made, std::nullopt));
      const double cost = options_.cost(result_);
      if (cost >= least) put_back(std::move(best));
      least = std::min(least, cost);
    }
  }

  /// Method::kAuto: runs amd, and dissection if its predicted total time is less.
  void choose() {
    Choice choice;
    auto judge = [&] {
      amd_ = run_amd_while_it_pays();
      choice = amd_ ? choose_method(amd_->counts, rows_.n, graph(), options_.choice)
                    : Choice{true, effort_in_race(), false, "amd takes longer than nd"};
    };
    std::optional<MethodResult> dissected;
    if (options_.threads > 1 && graph().n >= kFewestForRace) {
      dissected = race(judge, choice);
    } else {
      judge();
    }
    result_.reason = choice.reason;
    if (!choice.dissect) return take_amd();
    if (choice.compare) return compare(choice.effort, std::move(dissected));
    dissect(choice.effort, std::move(dissected));
  }

  /// Runs amd.  Returns nothing when amd takes long enough to make dissection the better choice in
  /// any case.
  std::optional<MethodResult> run_amd_while_it_pays() const {
    AmdOptions options = options_.amd;
    options.gives_up = [&](Offset num_visits, const FillCounts& so_far) {
      return has_lost(num_visits, so_far, graph(), options_.choice);
    };
    return run_amd(cancel_, options);
  }

  /// Effort of the dissection that runs concurrently with amd: the effort that is chosen most often
  /// for graphs of this size.
  Effort effort_in_race() const {
    return graph().n < kManyVertices ? Effort::kFast : Effort::kBalanced;
  }

  /// Makes the better one of amd's order and one run of dissection the result.
  void compare(Effort effort, std::optional<MethodResult> dissected) {
    take_amd();
    searches_on_ = true;
    if (options_.cost) keep_best(effort, 0, 1, std::move(dissected));
  }

  /// Runs dissection and `judge` at the same time.  `judge` makes the choice; if it is another
  /// method or effort, dissection is cancelled and the function returns nothing.  The ordering is
  /// the same as if `judge` had run first.
  template <class Judge>
  std::optional<MethodResult> race(const Judge& judge, const Choice& choice) {
    const Effort effort = effort_in_race();
    std::atomic<bool> has_lost{false};
    std::optional<MethodResult> dissected;
    try {
      dissected = run_dissection(effort, 0, cancel_.with(&has_lost), [&](const auto&) {
        judge();
        has_lost = !choice.dissect || !are_alike(choice.effort, effort);
      });
    } catch (const Interrupted&) {
      if (!has_lost) throw;
    }
    if (!has_lost) return dissected;
    gave_up_ = false;
    return std::nullopt;
  }

  const Graph& rows_;
  const OrderingOptions& options_;
  Cancel cancel_;
  std::optional<MethodResult> amd_;
  bool gave_up_ = false;      // Whether the last run of dissection gave up.
  bool searches_on_ = false;  // Whether runs of dissection accept large first separators.
  OrderingResult result_;
};

}  // namespace

OrderingResult compute_ordering(const Graph& graph, const OrderingOptions& options, Cancel cancel) {
  OrderingResult result;
  if (options.method == Method::kNatural || options.method == Method::kGiven) {
    const bool is_given = options.method == Method::kGiven;
    result.permutation = is_given ? given_permutation(options.given, graph.n) : identity(graph.n);
    result.used = options.method;
    result.compressed_n = graph.n;
  } else {
    result = Orderer(graph, options, cancel).run();
  }
  return result;
}

}  // namespace clchol::ordering
