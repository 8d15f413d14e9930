// Measures the factorization of a model problem as the device engine runs it, in three forms.  The
// large fronts are factored in one launch (front_batch), in one launch per level of tiles, or by
// plain OpenCL kernels wave by wave.  The time includes the small fronts.
#include <cmath>
#include <optional>

#include "base/scalar_traits.hpp"
#include "numeric/device/factor.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/values.hpp"
#include "solver/cpu_engine.hpp"
#include "solver/device/open_device.hpp"
#include "solver/factorization.hpp"
#include "solver/generate.hpp"

namespace clchol::cli {
namespace {

constexpr const char* kQuickProblems[] = {"grid3d:8"};
constexpr const char* kProblems[] = {"grid2d:1000", "grid3d:64", "elast3d:40"};

enum class BatchForm { kTickets, kLevels, kPlain };

const char* name_of(BatchForm form) {
  switch (form) {
    case BatchForm::kTickets:
      return "tickets";
    case BatchForm::kLevels:
      return "levels";
    case BatchForm::kPlain:
      break;
  }
  return "plain";
}

/// The problem and the form of one case.
struct BatchSetup {
  std::string problem;
  BatchForm form = BatchForm::kTickets;
};

template <class T>
std::vector<T> host_copy(gpu::Queue& queue, gpu::DeviceView<const T> view) {
  std::vector<T> values(static_cast<std::size_t>(view.size));
  gpu::download<T>(queue, view, values);
  return values;
}

/// Returns the kernels' parameters.  Throws Unsupported when the device lacks a needed capability.
template <class T>
numeric::DeviceKernelParams kernel_params(const DeviceSession& session, BatchForm form) {
  if (form == BatchForm::kPlain) {
    return numeric::plain_kernel_params<T>(session.tuning(), session.work_group_limits());
  }
  const gpu::Capabilities& able = session.capabilities();
  require(able.mma_m16n8k16);
  require(able.async_copy);
  if (form == BatchForm::kTickets) require(able.forward_progress);
  numeric::DeviceKernelParams params;
  params.small_classes = gpu::small_front_classes(able, session.tuning(), sizeof(T));
  params.order = form == BatchForm::kTickets ? gpu::BatchOrder::kTickets : gpu::BatchOrder::kLevels;
  return params;
}

template <class T>
class FrontBatchExperiment : public Experiment {
 public:
  FrontBatchExperiment(DeviceSession& session, const BatchSetup& setup)
      : queue_(session.queue()),
        params_(kernel_params<T>(session, setup.form)),
        matrix_(solver::make_model_problem(setup.problem)),
        analysis_(solver::analyze(
            solver::make_input_map<Offset, Index>(matrix_.n(), matrix_.lower.colptr,
                                                  matrix_.lower.rowind, Triangle::kLower),
            options_, kIsDouble<T>, solver::analysis_costs_on(session.device().description))),
        host_values_(matrix_.values.begin(), matrix_.values.end()),
        values_(on_device(queue_, host_values_)),
        factor_(session.programs(), analysis_->symbolic, analysis_->entries,
                numeric::make_device_plan(analysis_->symbolic, analysis_->entries,
                                          numeric::device_plan_options(params_)),
                params_),
        updates_(session.context(), factor_.plan().update_entries),
        panels_(factor_.plan().panels.slab_sizes, {}) {
    factor_.allocate(queue_, updates_);
    panels_.allocate(session.context(), {}, {}, 1);
  }

  void run() override { factor_.factorize(queue_, values_, panels_); }
  double max_error() override;
  // Flops of computing L with the explicit zeros of amalgamation.  A's values are read.  L and all
  // update matrices are written.  Update matrices are read again.
  Work work() const override {
    const symbolic::SymbolicInfo& info = analysis_->symbolic.info;
    double updates = 0;
    for (Index s = 0; s < analysis_->symbolic.nsuper; ++s) {
      const double nupd = analysis_->symbolic.nupd(s);
      updates += nupd * (nupd + 1) / 2;
    }
    const double values = static_cast<double>(host_values_.size()) +
                          static_cast<double>(info.nnz_stored) + 2 * updates;
    return {info.flops_stored, static_cast<double>(sizeof(T)) * values};
  }

 private:
  gpu::Queue& queue_;
  Options options_;
  numeric::DeviceKernelParams params_;
  solver::SymmetricMatrix matrix_;
  std::unique_ptr<solver::Analysis> analysis_;
  std::vector<T> host_values_;
  gpu::DeviceBuffer<T> values_;
  numeric::DeviceFactor<T> factor_;
  gpu::DeviceBuffer<T> updates_;
  numeric::PanelStore<T> panels_;
};

// Compares L with the CPU engine's factor.
template <class T>
double FrontBatchExperiment<T>::max_error() {
  for (const auto& status : host_copy(queue_, factor_.status())) {
    if (status.column != kNone) return HUGE_VAL;
  }
  solver::CpuEngine<T> engine(analysis_->symbolic, analysis_->entries, analysis_->cpu_plan,
                              solver::num_threads(options_));
  engine.factorize(host_values_, solver::control_of(options_));
  // Slab 0 is the whole factor: without a memory limit the plan has one group.
  const std::vector<T> panels = panels_.read(0, queue_);
  double difference = 0, largest = 0;
  for (std::size_t f = 0; f < factor_.plan().fronts.size(); ++f) {
    const gpu::Front& front = factor_.plan().fronts[f];
    const numeric::PanelView<const T> twin = engine.factor().panel(factor_.plan().super[f]);
    for (Index j = 0; j < front.ncol; ++j) {
      for (Index i = j; i < front.nrow; ++i) {
        const double l = twin.data[i + j * twin.ld];
        const double d = std::abs(static_cast<double>(panels[front.panel + i + j * front.ldp]) - l);
        if (!std::isfinite(d)) return d;
        difference = std::max(difference, d);
        largest = std::max(largest, std::abs(l));
      }
    }
  }
  return difference / largest;
}

template <class T>
Case front_batch_case(const BatchSetup& setup) {
  Case c{"front_batch", name_of(setup.form), precision_of<T>()};
  c.shape = setup.problem;
  // Each of the two factors has a backward error of a few eps, which the problem's condition
  // enlarges in their difference.  The measured difference of 1e-15 is far below this bound.
  c.tolerance = 1e3 * eps<T>();
  c.peak = setup.form == BatchForm::kPlain ? PeakKind::kFma : PeakKind::kTensor;
  c.prepare = [setup](DeviceSession& session) {
    return std::make_unique<FrontBatchExperiment<T>>(session, setup);
  };
  return c;
}

}  // namespace

std::vector<Case> front_batch_cases(bool quick) {
  std::vector<Case> cases;
  const auto problems = quick ? std::span<const char* const>(kQuickProblems)
                              : std::span<const char* const>(kProblems);
  for (const char* problem : problems) {
    for (const BatchForm form : {BatchForm::kTickets, BatchForm::kLevels, BatchForm::kPlain}) {
      cases.push_back(front_batch_case<double>({problem, form}));
    }
    cases.push_back(front_batch_case<float>({problem, BatchForm::kPlain}));
  }
  return cases;
}

}  // namespace clchol::cli
