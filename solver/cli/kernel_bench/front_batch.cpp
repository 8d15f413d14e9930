// All fronts of a model problem: front_batch, with the small fronts below as the engine has them.
#include <cmath>
#include <optional>

#include "numeric/factorize_device.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/values.hpp"
#include "solver/cpu_engine.hpp"
#include "solver/factorization.hpp"
#include "solver/generate.hpp"
#include "solver/open_device.hpp"

namespace clchol::cli {
namespace {

constexpr const char* kQuickProblems[] = {"grid3d:8"};
constexpr const char* kProblems[] = {"grid2d:1000", "grid3d:64", "elast3d:40"};

/// What one case runs.
struct Setup {
  std::string problem;
  gpu::BatchOrder order = gpu::BatchOrder::kTickets;
};

template <class T>
std::vector<T> host_copy(gpu::Queue& queue, gpu::DeviceView<const T> view) {
  std::vector<T> values(static_cast<std::size_t>(view.size));
  gpu::download<T>(queue, view, values);
  return values;
}

/// Throws Unsupported where the device lacks what the kernel needs.
numeric::DeviceKernelParams kernel_params(const DeviceSession& session, gpu::BatchOrder order) {
  const gpu::Capabilities& able = session.capabilities();
  require(able.mma_m16n8k16);
  require(able.async_copy);
  if (order == gpu::BatchOrder::kTickets) require(able.forward_progress);
  numeric::DeviceKernelParams params;
  params.small_classes = gpu::small_front_classes(able, session.tuning(), sizeof(double));
  params.order = order;
  return params;
}

class FrontBatchExperiment : public Experiment {
 public:
  FrontBatchExperiment(DeviceSession& session, const Setup& setup)
      : queue_(session.queue()),
        params_(kernel_params(session, setup.order)),
        matrix_(solver::make_model_problem(setup.problem)),
        analysis_(solver::analyze(
            solver::make_input_map<Offset, Index>(matrix_.n(), matrix_.lower.colptr,
                                                  matrix_.lower.rowind, Triangle::kLower),
            options_, true, solver::analysis_costs_on(session.device().description))),
        values_(on_device(queue_, matrix_.values)),
        factor_(session.programs(), analysis_->symbolic, analysis_->plan,
                numeric::make_device_plan(analysis_->symbolic, analysis_->plan), params_) {
    factor_.allocate(queue_);
  }

  void run() override { factor_.factorize(queue_, values_); }
  double max_error() override;
  // L's arithmetic, amalgamated zeros included.  A's values are read; L and all update matrices are
  // written; update matrices are read again.
  Work work() const override {
    const symbolic::SymbolicInfo& info = analysis_->symbolic.info;
    double updates = 0;
    for (Index s = 0; s < analysis_->symbolic.nsuper; ++s) {
      const double nupd = analysis_->symbolic.nupd(s);
      updates += nupd * (nupd + 1) / 2;
    }
    return {info.flops_stored, 8 * (static_cast<double>(matrix_.values.size()) +
                                    static_cast<double>(info.nnz_stored) + 2 * updates)};
  }

 private:
  gpu::Queue& queue_;
  Options options_;
  numeric::DeviceKernelParams params_;
  solver::SymmetricMatrix matrix_;
  std::unique_ptr<solver::Analysis> analysis_;
  gpu::DeviceBuffer<double> values_;
  numeric::DeviceFactor<double> factor_;
};

// Of L against the CPU engine's.
double FrontBatchExperiment::max_error() {
  for (const auto& status : host_copy(queue_, factor_.status())) {
    if (status.column != kNone) return HUGE_VAL;
  }
  solver::CpuEngine<double> engine(analysis_->symbolic, analysis_->plan,
                                   solver::num_threads(options_));
  engine.factorize(matrix_.values, solver::control_of(options_));
  // One group: no limit is given.
  const std::vector<double> panels = factor_.host_panels(queue_).front();
  double difference = 0, largest = 0;
  for (std::size_t f = 0; f < factor_.plan().fronts.size(); ++f) {
    const gpu::Front& front = factor_.plan().fronts[f];
    const numeric::PanelView<double> twin = engine.factor().panel(factor_.plan().super[f]);
    for (Index j = 0; j < front.ncol; ++j) {
      for (Index i = j; i < front.nrow; ++i) {
        const double l = twin.data[i + j * twin.ld];
        const double d = std::abs(panels[front.panel + i + j * front.ldp] - l);
        if (!std::isfinite(d)) return d;
        difference = std::max(difference, d);
        largest = std::max(largest, std::abs(l));
      }
    }
  }
  return difference / largest;
}

Case front_batch_case(const Setup& setup) {
  Case c{"front_batch", setup.order == gpu::BatchOrder::kTickets ? "tickets" : "levels", "double"};
  c.shape = setup.problem;
  // Backward errors of a few eps in each of the two factors, and the problems' condition in
  // differences between them: far below 1e3 for what is 1e-15 when measured.
  c.tolerance = 1e3 * eps<double>();
  c.peak = PeakKind::kTensor;
  c.prepare = [setup](DeviceSession& session) {
    return std::make_unique<FrontBatchExperiment>(session, setup);
  };
  return c;
}

}  // namespace

std::vector<Case> front_batch_cases(bool quick) {
  std::vector<Case> cases;
  const auto problems = quick ? std::span<const char* const>(kQuickProblems)
                              : std::span<const char* const>(kProblems);
  for (const char* problem : problems) {
    for (const gpu::BatchOrder order : {gpu::BatchOrder::kTickets, gpu::BatchOrder::kLevels}) {
      cases.push_back(front_batch_case({problem, order}));
    }
  }
  return cases;
}

}  // namespace clchol::cli
