// Solves with a whole factor, wave after wave of the fronts of a model problem: forward_solve,
// backward_solve.
#include <algorithm>

#include "gpu_kernels/reference/triangular_solve.hpp"
#include "gpu_kernels/triangular_solve.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/front_tree.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

constexpr const char* kQuickProblem = "grid3d:6";
constexpr const char* kProblem = "grid3d:40";
constexpr Index kQuickSides[] = {3};
constexpr Index kSides[] = {1, 16};
constexpr gpu::SolveCut kCut{};

enum class Direction { kForward, kBackward };

/// Entries of each row of L but for its diagonal, by number of the row.
std::vector<Index> row_counts(const FrontTree& tree) {
  std::vector<Index> counts(static_cast<std::size_t>(tree.n));
  for (const gpu::Front& front : tree.fronts) {
    for (Index i = 0; i < front.nrow; ++i) {
      counts[tree.rowind[front.rows + i]] += std::min(i, front.ncol);
    }
  }
  return counts;
}

/// L by panels: diagonals outweigh their rows and their columns, so that neither solve makes errors
/// grow.
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

template <class T>
class SolveExperiment : public Experiment {
 public:
  SolveExperiment(DeviceSession& session, Direction direction, const std::string& problem,
                  Index nrhs);

  void reset() override { gpu::copy<T>(queue_, before_, x_); }
  void run() override;
  double max_error() override;
  // A multiply-add an entry of L and right-hand side; L is read once, right-hand sides are read and
  // written.
  Work work() const override {
    const double entries = tree_.factor_entries();
    return {2 * entries * nrhs_, (entries + 2.0 * tree_.n * nrhs_) * sizeof(T)};
  }
  gpu::TuningParams params() const override {
    return {{"block", kernel_.params().block}, {"rhs", kernel_.params().rhs}};
  }

 private:
  gpu::Queue& queue_;
  Direction direction_;
  Index nrhs_;
  FrontTree tree_;
  std::vector<T> panels_;
  gpu::TriangularSolve<T> kernel_;
  gpu::FrontBuffers lists_;
  std::vector<gpu::ForwardWave> forward_;    // Of one direction.
  std::vector<gpu::BackwardWave> backward_;  // In the order of the launches.
  gpu::DeviceBuffer<T> device_panels_, inverses_, before_, x_, vectors_, partial_;
};

template <class T>
SolveExperiment<T>::SolveExperiment(DeviceSession& session, Direction direction,
                                    const std::string& problem, Index nrhs)
    : queue_(session.queue()),
      direction_(direction),
      nrhs_(nrhs),
      tree_(make_front_tree(problem, kCut.block)),
      panels_(dominant_factor<T>(tree_)),
      kernel_(session.programs(), {.block = kCut.block, .rhs = gpu::rhs_of_group(nrhs)}),
      lists_(queue_, tree_.lists()),
      device_panels_(on_device(queue_, panels_)),
      inverses_(on_device(queue_, inverses_of(tree_, panels_))),
      before_(on_device(queue_, positive_values<T>(Offset{tree_.n} * nrhs, 2))),
      x_(session.context(), before_.size()),
      vectors_(session.context(), tree_.vector_rows * nrhs) {
  Offset slots = 0;
  for (const std::vector<Index>& wave : tree_.waves) {
    if (direction == Direction::kForward) {
      forward_.emplace_back(queue_, gpu::make_forward_lists(tree_.lists(), wave, kCut));
    } else {
      backward_.emplace_back(queue_, gpu::make_backward_lists(tree_.fronts, wave, kCut));
      slots = std::max(slots, backward_.back().num_slots());
    }
  }
  std::reverse(backward_.begin(), backward_.end());
  partial_ = gpu::DeviceBuffer<T>(session.context(), slots * kCut.block * nrhs);
}

template <class T>
void SolveExperiment<T>::run() {
  const gpu::SolveOperands<T> operands{nrhs_, device_panels_, inverses_, x_, vectors_, partial_};
  for (const gpu::ForwardWave& wave : forward_) kernel_.forward(queue_, lists_, wave, operands);
  for (const gpu::BackwardWave& wave : backward_) kernel_.backward(queue_, lists_, wave, operands);
}

template <class T>
double SolveExperiment<T>::max_error() {
  const std::vector<double> panels = to_double(panels_);
  std::vector<double> x = to_double(on_host(queue_, before_));
  std::vector<double> vectors(static_cast<std::size_t>(tree_.vector_rows * nrhs_));
  std::vector<Index> order = tree_.all();
  const gpu::reference::SolveOperands<double> operands{nrhs_, panels, x, vectors};
  if (direction_ == Direction::kForward) {
    gpu::reference::forward_solve<double>(tree_.lists(), order, operands);
  } else {
    std::reverse(order.begin(), order.end());
    gpu::reference::backward_solve<double>(tree_.lists(), order, operands);
  }
  return max_relative_error(on_host(queue_, x_), x);
}

template <class T>
Case solve_case(Direction direction, const std::string& problem, Index nrhs) {
  Case c{direction == Direction::kForward ? "forward_solve" : "backward_solve", "generic",
         precision_of<T>()};
  c.shape = problem + " nrhs=" + std::to_string(nrhs);
  // Sums of some thousand terms at most that dominance keeps from growing: their roundings are of
  // both signs.
  c.tolerance = 256 * eps<T>();
  c.prepare = [=](DeviceSession& session) {
    return std::make_unique<SolveExperiment<T>>(session, direction, problem, nrhs);
  };
  return c;
}

}  // namespace

std::vector<Case> solve_cases(bool quick) {
  const char* problem = quick ? kQuickProblem : kProblem;
  std::vector<Case> cases;
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    for (const Index nrhs : shapes_of<Index>(quick, kQuickSides, kSides)) {
      cases.push_back(solve_case<double>(direction, problem, nrhs));
      cases.push_back(solve_case<float>(direction, problem, nrhs));
    }
  }
  return cases;
}

}  // namespace clchol::cli
