// Measures solves with the whole factor of a model problem: forward_solve, backward_solve.
#include <algorithm>

#include "gpu_kernels/fronts/front_solve.hpp"
#include "gpu_kernels/fronts/triangular_solve.hpp"
#include "gpu_kernels/reference/triangular_solve.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/front_tree.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

constexpr const char* kQuickSolveProblem = "grid3d:6";
constexpr const char* kSolveProblem = "grid3d:40";
// Numbers of right-hand sides.
constexpr Index kQuickSides[] = {3};
constexpr Index kSides[] = {1, 16};
constexpr gpu::SolveCut kCut{};

enum class SolveDirection { kForward, kBackward };

/// Returns the number of entries of each row of L left of the diagonal, indexed by the row's
/// number.
std::vector<Index> row_counts(const FrontTree& tree) {
  std::vector<Index> counts(static_cast<std::size_t>(tree.n));
  for (const gpu::Front& front : tree.fronts) {
    for (Index i = 0; i < front.nrow; ++i) {
      counts[tree.rowind[front.rows + i]] += std::min(i, front.ncol);
    }
  }
  return counts;
}

/// Returns the panels of a matrix L whose diagonal entries dominate their rows and columns, so that
/// errors grow in neither solve.
template <class T>
std::vector<T> dominant_factor(const FrontTree& tree) {
  const std::vector<Index> counts = row_counts(tree);
  std::vector<T> panels = positive_values<T>(tree.panel_entries, 1);
  for (const gpu::Front& front : tree.fronts) {
    for (Index j = 0; j < front.ncol; ++j) {
      panels[front.panel + j + j * front.ldp] =
          static_cast<T>(1 + std::max(counts[front.first_column + j], front.nrow));
    }
  }
  return panels;
}

template <class T>
std::vector<T> inverses_of(const FrontTree& tree, const std::vector<T>& panels) {
  std::vector<T> inverses(static_cast<std::size_t>(tree.inverse_entries));
  gpu::reference::invert_diagonal_blocks<T>(tree.fronts, kCut.block, panels, inverses);
  return inverses;
}

/// Makes operands and checks results.  The derived class has the kernels.
template <class T>
class SolveExperiment : public Experiment {
 public:
  SolveExperiment(DeviceSession& session, SolveDirection direction, const std::string& problem,
                  Index nrhs)
      : queue_(session.queue()),
        direction_(direction),
        nrhs_(nrhs),
        tree_(make_front_tree(problem, kCut.block)),
        panels_(dominant_factor<T>(tree_)),
        before_(on_device(queue_, positive_values<T>(Offset{tree_.n} * nrhs, 2))),
        x_(session.context(), before_.size()) {}

  void reset() override { gpu::copy<T>(queue_, before_, x_); }
  double max_error() override;
  // Each entry of L takes a multiply-add per right-hand side.  L is read once.  The right-hand
  // sides are read and written.
  Work work() const override {
    const double entries = tree_.factor_entries();
    return {2 * entries * nrhs_, (entries + 2.0 * tree_.n * nrhs_) * sizeof(T)};
  }

 protected:
  gpu::Queue& queue() { return queue_; }
  bool is_forward() const { return direction_ == SolveDirection::kForward; }
  Index nrhs() const { return nrhs_; }
  const FrontTree& tree() const { return tree_; }
  const std::vector<T>& panels() const { return panels_; }
  gpu::DeviceView<T> x() const { return x_; }

 private:
  gpu::Queue& queue_;
  SolveDirection direction_;
  Index nrhs_;
  FrontTree tree_;
  std::vector<T> panels_;
  gpu::DeviceBuffer<T> before_, x_;
};

template <class T>
double SolveExperiment<T>::max_error() {
  const std::vector<double> panels = to_double(panels_);
  std::vector<double> x = to_double(on_host(queue_, before_));
  std::vector<double> vectors(static_cast<std::size_t>(tree_.vector_rows * nrhs_));
  std::vector<Index> order = tree_.all();
  const gpu::reference::SolveOperands<double> operands{nrhs_, panels, x, vectors};
  if (is_forward()) {
    gpu::reference::forward_solve<double>(tree_.lists(), order, operands);
  } else {
    std::reverse(order.begin(), order.end());
    gpu::reference::backward_solve<double>(tree_.lists(), order, operands);
  }
  return max_relative_error(on_host(queue_, x_), x);
}

/// Solves wave after wave, on any device.
template <class T>
class WaveSolve : public SolveExperiment<T> {
 public:
  WaveSolve(DeviceSession& session, SolveDirection direction, const std::string& problem,
            Index nrhs);

  void run() override {
    gpu::Queue& queue = this->queue();
    const gpu::SolveOperands<T> operands{this->nrhs(), device_panels_, inverses_,
                                         this->x(),    vectors_,       partial_};
    for (const gpu::ForwardWave& wave : forward_) kernel_.forward(queue, lists_, wave, operands);
    for (const gpu::BackwardWave& wave : backward_) kernel_.backward(queue, lists_, wave, operands);
  }
  gpu::TuningParams params() const override {
    return {{"block", kernel_.params().block}, {"rhs", kernel_.params().rhs}};
  }

 private:
  gpu::TriangularSolve<T> kernel_;
  gpu::FrontBuffers lists_;
  std::vector<gpu::ForwardWave> forward_;    // Waves in order; empty in backward solves.
  std::vector<gpu::BackwardWave> backward_;  // Waves in order; empty in forward solves.
  gpu::DeviceBuffer<T> device_panels_, inverses_, vectors_, partial_;
};

template <class T>
WaveSolve<T>::WaveSolve(DeviceSession& session, SolveDirection direction,
                        const std::string& problem, Index nrhs)
    : SolveExperiment<T>(session, direction, problem, nrhs),
      kernel_(session.programs(), {.block = kCut.block, .rhs = gpu::rhs_of_work_group(nrhs)}),
      lists_(this->queue(), this->tree().lists()),
      device_panels_(on_device(this->queue(), this->panels())),
      inverses_(on_device(this->queue(), inverses_of(this->tree(), this->panels()))),
      vectors_(session.context(), this->tree().vector_rows * nrhs) {
  const FrontTree& tree = this->tree();
  Offset slots = 0;
  for (const std::vector<Index>& wave : tree.waves) {
    if (this->is_forward()) {
      forward_.emplace_back(this->queue(), gpu::make_forward_lists(tree.lists(), wave, kCut));
    } else {
      backward_.emplace_back(this->queue(), gpu::make_backward_lists(tree.fronts, wave, kCut));
      slots = std::max(slots, backward_.back().num_slots());
    }
  }
  std::reverse(backward_.begin(), backward_.end());
  partial_ = gpu::DeviceBuffer<T>(session.context(), slots * kCut.block * nrhs);
}

/// The factor as gpu::FrontSolve needs it: panels at even positions, with even leading dimensions.
struct EvenPanels {
  std::vector<gpu::SolveFrontInput> fronts;
  std::vector<double> values;

  EvenPanels(const FrontTree& tree, const std::vector<double>& panels) {
    for (std::size_t f = 0; f < tree.fronts.size(); ++f) {
      const gpu::Front& front = tree.fronts[f];
      const auto panel = static_cast<Offset>(values.size());
      const Offset ld = front.nrow + front.nrow % 2;
      fronts.push_back({panel, ld, front.rows, tree.rows_in_parent[f], front.nrow, front.ncol,
                        front.first_column, tree.parent[f]});
      for (Index j = 0; j < front.ncol; ++j) {
        const auto column = panels.begin() + front.panel + j * front.ldp;
        values.insert(values.end(), column, column + front.nrow);
        values.resize(static_cast<std::size_t>(panel + (j + 1) * ld));
      }
    }
  }
};

/// Solves by subtrees and tickets, as the device engine does on devices that have the capabilities.
class TicketSolve : public SolveExperiment<double> {
 public:
  TicketSolve(DeviceSession& session, SolveDirection direction, const std::string& problem,
              Index nrhs)
      : SolveExperiment(session, direction, problem, nrhs),
        factor_(tree(), panels()),
        rowind_(gpu::uploaded<Index>(queue(), tree().rowind)),
        plan_(upload_lists()),
        kernel_(session.programs(), gpu::front_solve_params(nrhs, plan_.sizes)) {
    device_panels_ = on_device(queue(), factor_.values);
    factor_.values = {};
    inverses_ = {session.context(), plan_.sizes.inverse_entries};
    gpu::FrontSolveBlocks(session.programs()).run(queue(), plan_, 0, device_panels_, inverses_);
    values_ = {session.context(),
               gpu::FrontSolve::workspace_entries(plan_.sizes, kernel_.params().rhs, nrhs)};
    workspace_ = kernel_.workspace(queue(), plan_, values_, nrhs);
  }

  void run() override {
    // All fronts are one group.
    const gpu::FrontSolveOperands operands{nrhs(), device_panels_, inverses_, x()};
    if (is_forward()) {
      kernel_.forward(queue(), plan_, workspace_, 0, operands);
    } else {
      kernel_.backward(queue(), plan_, workspace_, 0, operands);
    }
  }
  gpu::TuningParams params() const override {
    return {{"rhs", kernel_.params().rhs}, {"stages", kernel_.params().stages}};
  }

 private:
  gpu::FrontSolvePlan upload_lists() {
    const gpu::FrontSolveInput input{.fronts = factor_.fronts,
                                     .relind = tree().relind,
                                     .num_rows = static_cast<Offset>(tree().rowind.size())};
    return gpu::upload_front_solve(queue(), gpu::make_front_solve(input, {}), rowind_);
  }

  EvenPanels factor_;
  gpu::DeviceBuffer<Index> rowind_;
  gpu::FrontSolvePlan plan_;
  gpu::FrontSolve kernel_;
  gpu::DeviceBuffer<double> device_panels_, inverses_, values_;
  gpu::FrontSolveWorkspace workspace_;
};

/// Makes a case without its `prepare`.
template <class T>
Case case_of(SolveDirection direction, const char* variant, const std::string& problem,
             Index nrhs) {
  Case c{direction == SolveDirection::kForward ? "forward_solve" : "backward_solve", variant,
         precision_of<T>()};
  c.shape = problem + " nrhs=" + std::to_string(nrhs);
  // Sums have some thousand terms at most, and their roundings have both signs.  Dominance keeps
  // errors from growing.
  c.tolerance = 256 * eps<T>();
  return c;
}

template <class T>
Case wave_case(SolveDirection direction, const std::string& problem, Index nrhs) {
  Case c = case_of<T>(direction, "generic", problem, nrhs);
  c.prepare = [=](DeviceSession& session) {
    return std::make_unique<WaveSolve<T>>(session, direction, problem, nrhs);
  };
  return c;
}

Case ticket_case(SolveDirection direction, const std::string& problem, Index nrhs) {
  Case c = case_of<double>(direction, "tickets", problem, nrhs);
  c.prepare = [=](DeviceSession& session) {
    const gpu::Capabilities& able = session.capabilities();
    require(able.mma_m16n8k16);
    require(able.bulk_copy);
    require(able.forward_progress);
    return std::make_unique<TicketSolve>(session, direction, problem, nrhs);
  };
  return c;
}

}  // namespace

std::vector<Case> solve_cases(bool quick) {
  const char* problem = quick ? kQuickSolveProblem : kSolveProblem;
  std::vector<Case> cases;
  for (const SolveDirection direction : {SolveDirection::kForward, SolveDirection::kBackward}) {
    for (const Index nrhs : shapes_of<Index>(quick, kQuickSides, kSides)) {
      cases.push_back(wave_case<double>(direction, problem, nrhs));
      cases.push_back(wave_case<float>(direction, problem, nrhs));
      cases.push_back(ticket_case(direction, problem, nrhs));
    }
  }
  return cases;
}

}  // namespace clchol::cli
