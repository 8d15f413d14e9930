// Measures reductions: reduce_dot, reduce_norm2, reduce_max.
#include "gpu_kernels/dense/reduce.hpp"

#include "gpu_kernels/reference/reduce.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

using gpu::WarpForm;

constexpr Offset kQuickReduceSizes[] = {10'007};
constexpr Offset kReduceSizes[] = {1 << 16, 1 << 20, 1 << 25};

enum class What { kDot, kNorm2, kMax };

struct Reduction {
  What what;
  const char* kernel;
  int operands;           // Vectors that are read.
  int flops_of_an_entry;  // A comparison of reduce_max counts as one flop.
};
constexpr Reduction kReductions[] = {{What::kDot, "reduce_dot", 2, 2},
                                     {What::kNorm2, "reduce_norm2", 1, 2},
                                     {What::kMax, "reduce_max", 1, 1}};

struct ReduceForm {
  WarpForm form;
  const char* variant;
};
constexpr ReduceForm kReduceForms[] = {{WarpForm::kGeneric, "generic"},
                                       {WarpForm::kWarpShuffle, "warp_shuffle"},
                                       {WarpForm::kWarp64, "wave64"}};

void require_form(const DeviceSession& session, WarpForm form) {
  if (form == WarpForm::kWarpShuffle) require(session.capabilities().warp_shuffle);
  const int width = session.device().warp_width;
  if (form == WarpForm::kWarp64 && width != 64) {
    throw Unsupported(width == 0 ? "the driver tells no wave width"
                                 : "waves of " + std::to_string(width) + " work-items");
  }
}

template <class T>
class ReduceExperiment : public Experiment {
 public:
  ReduceExperiment(DeviceSession& session, const Reduction& reduction, WarpForm form, Offset n)
      : queue_(session.queue()),
        reduction_(reduction),
        n_(n),
        x_(positive_values<T>(n, 1)),
        y_(reduction.operands > 1 ? positive_values<T>(n, 2) : std::vector<T>()),
        reduce_(session.programs(), form),
        device_x_(on_device(queue_, x_)),
        device_y_(on_device(queue_, y_)),
        result_(session.context(), 1) {}

  void run() override {
    switch (reduction_.what) {
      case What::kDot:
        return reduce_.dot(queue_, device_x_, device_y_, result_);
      case What::kNorm2:
        return reduce_.norm2(queue_, device_x_, result_);
      case What::kMax:
        return reduce_.max_norm(queue_, device_x_, result_);
    }
  }
  double max_error() override {
    return max_relative_error(on_host(queue_, result_), std::vector<double>{twin()});
  }
  Work work() const override {
    const auto n = static_cast<double>(n_);
    return {n * reduction_.flops_of_an_entry, n * reduction_.operands * sizeof(T)};
  }

 private:
  // In double precision for kernels of either precision: in single precision the twin's sum, entry
  // by entry, would have a larger error than the kernel's.
  double twin() const {
    const std::vector<double> x = to_double(x_);
    switch (reduction_.what) {
      case What::kDot:
        return gpu::reference::dot<double>(x, to_double(y_));
      case What::kNorm2:
        return gpu::reference::norm2<double>(x);
      case What::kMax:
        break;
    }
    return gpu::reference::max_norm<double>(x);
  }

  gpu::Queue& queue_;
  Reduction reduction_;
  Offset n_;
  std::vector<T> x_, y_;
  gpu::Reduce<T> reduce_;
  gpu::DeviceBuffer<T> device_x_, device_y_, result_;
};

// The sum of the error bounds of the kernel (gpu_kernels/dense/reduce.hpp) and the twin, for terms
// of one sign.  A maximum is exact.
template <class T>
double tolerance(What what, Offset n) {
  if (what == What::kMax) return 0;
  const double most_terms =
      static_cast<double>(n) / static_cast<double>(gpu::Reduce<T>::kWorkGroup);
  return (most_terms + 12) * 2 * eps<T>() + static_cast<double>(n) * eps<double>();
}

template <class T>
void add_cases(const Reduction& reduction, const ReduceForm& form, Offset n,
               std::vector<Case>& cases) {
  Case c;
  c.kernel = reduction.kernel;
  c.variant = form.variant;
  c.precision = precision_of<T>();
  c.shape = "n=" + std::to_string(n);
  c.tolerance = tolerance<T>(reduction.what, n);
  c.prepare = [=](DeviceSession& session) {
    require_form(session, form.form);
    return std::make_unique<ReduceExperiment<T>>(session, reduction, form.form, n);
  };
  cases.push_back(std::move(c));
}

}  // namespace

std::vector<Case> reduce_cases(bool quick) {
  std::vector<Case> cases;
  for (const Reduction& reduction : kReductions) {
    for (const ReduceForm& form : kReduceForms) {
      for (const Offset n : shapes_of<Offset>(quick, kQuickReduceSizes, kReduceSizes)) {
        add_cases<double>(reduction, form, n, cases);
        add_cases<float>(reduction, form, n, cases);
      }
    }
  }
  return cases;
}

}  // namespace clchol::cli
