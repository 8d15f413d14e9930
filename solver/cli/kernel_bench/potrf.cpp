// Measures the Cholesky factorization of one dense matrix: potrf.
#include "gpu_kernels/dense/potrf.hpp"

#include <cmath>
#include <limits>

#include "gpu_kernels/fronts/tensor_potrf.hpp"
#include "gpu_kernels/reference/potrf.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

constexpr Offset kQuickPotrfSizes[] = {150};
constexpr Offset kPotrfSizes[] = {1024, 2048, 4096, 8192, 16384};
constexpr Index kWholeOrder = 512;  // Matrices up to this order have a twin that is factored.

/// The lower triangle of a matrix A of order n: random numbers in (0, 1], with sqrt(n) + 1 added on
/// the diagonal.  The random numbers are the sum of their mean, which is a semidefinite matrix, and
/// a random matrix of norm about 2 sqrt(n / 12).  So A is positive definite, and yet every pivot
/// depends on all earlier columns.
class RandomSpd {
 public:
  explicit RandomSpd(Offset n) : n_(n), shift_(std::ceil(std::sqrt(static_cast<double>(n))) + 1) {}

  template <class T>
  T at(Offset i, Offset j) const {
    const double value = positive_value(1, static_cast<std::uint64_t>(i + j * n_));
    return static_cast<T>(i == j ? value + shift_ : value);
  }
  /// Returns the n x n matrix, column-major, with zeros above the diagonal.
  template <class T>
  std::vector<T> values() const {
    std::vector<T> a(static_cast<std::size_t>(n_ * n_));
    for (Offset j = 0; j < n_; ++j) {
      for (Offset i = j; i < n_; ++i) a[static_cast<std::size_t>(i + j * n_)] = at<T>(i, j);
    }
    return a;
  }

 private:
  Offset n_;
  double shift_;
};

/// Factors one matrix by the kernels in plain OpenCL.
template <class T>
class PlainPotrf {
 public:
  PlainPotrf(DeviceSession& session, const gpu::FrontPanel& front)
      : params_(gpu::panel_params<T>(session.tuning(), session.work_group_limits())),
        potrf_(session.programs(), params_, tiles(session)),
        plan_(potrf_.upload(
            session.queue(),
            potrf_.plan(std::vector<gpu::DenseFront>{{.panel = front}}, gpu::FrontUpdate::kNone))),
        workspace_(session.context(), potrf_.workspace_entries(1)),
        status_(session.context(), 1) {}

  void factor(gpu::Queue& queue, gpu::DeviceView<T> panel) {
    potrf_.factor(queue, plan_, {panel, {}, status_, workspace_});
  }
  Index failed_column(gpu::Queue& queue) const { return on_host(queue, status_).front().column; }
  gpu::TuningParams params() const { return params_.to_params(); }

 private:
  static gpu::PotrfGemms tiles(const DeviceSession& session) {
    const gpu::WorkGroupLimits limits = session.work_group_limits();
    return {.large = gpu::gemm_params<T>(session.tuning(), "plain", limits),
            .small = gpu::gemm_params<T>(session.tuning(), "plain_small", limits)};
  }

  gpu::PanelParams params_;
  gpu::Potrf<T> potrf_;
  gpu::PotrfPlan<T> plan_;
  gpu::DeviceBuffer<T> workspace_;
  gpu::DeviceBuffer<gpu::PivotStatus<T>> status_;
};

/// Factors one matrix by the kernels for tensor cores.
class TensorPotrf {
 public:
  TensorPotrf(DeviceSession& session, const gpu::FrontPanel& front)
      : potrf_(session.programs(),
               gpu::tensor_potrf_params(session.tuning(), session.work_group_limits()),
               order(session)),
        plan_(potrf_.upload(session.queue(), front.nrow, front.ld)) {}

  void factor(gpu::Queue& queue, gpu::DeviceView<double> panel) {
    potrf_.factor(queue, plan_, panel);
  }
  Index failed_column(gpu::Queue& queue) const {
    return gpu::TensorPotrf::failure(queue, plan_).column;
  }
  gpu::TuningParams params() const {
    const gpu::TensorPotrfParams& params = potrf_.params();
    return {{"block", params.block}, {"blocks_from", params.blocks_from}};
  }

 private:
  static gpu::BatchOrder order(const DeviceSession& session) {
    const gpu::Capabilities& able = session.capabilities();
    require(able.mma_m16n8k16);
    require(able.async_copy);
    return able.forward_progress.present ? gpu::BatchOrder::kTickets : gpu::BatchOrder::kLevels;
  }

  gpu::TensorPotrf potrf_;
  gpu::TensorPotrfPlan plan_;
};

template <class T, class Kernels>
class PotrfExperiment : public Experiment {
 public:
  PotrfExperiment(DeviceSession& session, Offset n)
      : queue_(session.queue()),
        front_{.panel = 0, .ld = n, .nrow = static_cast<Index>(n), .ncol = static_cast<Index>(n)},
        matrix_(n),
        kernels_(session, front_),
        before_(on_device(queue_, matrix_.template values<T>())),
        panel_(session.context(), before_.size()) {}

  void reset() override { gpu::copy<T>(queue_, before_, panel_); }
  void run() override { kernels_.factor(queue_, panel_); }
  double max_error() override {
    if (kernels_.failed_column(queue_) != kNone) return std::numeric_limits<double>::infinity();
    const std::vector<T> l = on_host(queue_, panel_);
    return front_.nrow <= kWholeOrder ? factor_error(l) : product_error(l);
  }
  // About n^3 / 3 flops.  A is read and L is written, on and below the diagonal.
  Work work() const override {
    const Index n = front_.nrow;
    return {cholesky_flops(n, n), 2 * trapezoid(n, n) * sizeof(T)};
  }
  gpu::TuningParams params() const override { return kernels_.params(); }

 private:
  double factor_error(const std::vector<T>& l) const;
  double product_error(const std::vector<T>& l) const;

  gpu::Queue& queue_;
  gpu::FrontPanel front_;
  RandomSpd matrix_;
  Kernels kernels_;
  gpu::DeviceBuffer<T> before_, panel_;
};

template <class T, class Kernels>
double PotrfExperiment<T, Kernels>::factor_error(const std::vector<T>& l) const {
  std::vector<double> twin = matrix_.template values<double>();
  gpu::reference::factor_panel<double>(front_, twin);
  return max_relative_error(l, twin);
}

// Compares L (L' z) with A z for one vector z, in double precision, because the twin's
// factorization of order 10^4 would take minutes.
template <class T, class Kernels>
double PotrfExperiment<T, Kernels>::product_error(const std::vector<T>& l) const {
  const Offset n = front_.nrow;
  const auto size = static_cast<std::size_t>(n);
  const std::vector<double> z = positive_values<double>(n, 2);
  std::vector<double> az(size), product(size);
  for (std::size_t j = 0; j < size; ++j) {
    const T* column = l.data() + j * size;
    double y = 0;  // (L' z)(j)
    for (std::size_t i = j; i < size; ++i) y += static_cast<double>(column[i]) * z[i];
    for (std::size_t i = j; i < size; ++i) {
      const auto a = matrix_.template at<double>(static_cast<Offset>(i), static_cast<Offset>(j));
      az[i] += a * z[j];
      if (i > j) az[j] += a * z[i];
      product[i] += static_cast<double>(column[i]) * y;
    }
  }
  return max_relative_error(product, az);
}

// Entries of the factor: each sum has n roundings, enlarged by the condition, which is below
// sqrt(n).  Products with L: the bound is n roundings of |L| |L'| |z|, which is a few |A z|.
// Roundings have both signs, so that the error is about that of sqrt(n) of them.  A missing tile of
// order b would change A z by a fraction b / n.
template <class T>
double tolerance(Offset n) {
  const double root = std::sqrt(static_cast<double>(n));
  if (n <= kWholeOrder) return static_cast<double>(n) * root * eps<T>();
  return 8 * root * eps<T>();
}

template <class T, class Kernels>
Case potrf_case(const char* variant, Offset n) {
  Case c{"potrf", variant, precision_of<T>(), "n=" + std::to_string(n)};
  c.tolerance = tolerance<T>(n);
  c.prepare = [n](DeviceSession& session) {
    return std::make_unique<PotrfExperiment<T, Kernels>>(session, n);
  };
  return c;
}

}  // namespace

std::vector<Case> potrf_cases(bool quick) {
  std::vector<Case> cases;
  for (const Offset n : shapes_of<Offset>(quick, kQuickPotrfSizes, kPotrfSizes)) {
    cases.push_back(potrf_case<double, PlainPotrf<double>>("generic", n));
    cases.push_back(potrf_case<float, PlainPotrf<float>>("generic", n));
    cases.push_back(potrf_case<double, TensorPotrf>("tensor", n));
    cases.back().peak = PeakKind::kTensor;
  }
  return cases;
}

}  // namespace clchol::cli
