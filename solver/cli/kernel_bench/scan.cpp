// Measures prefix sums: scan.
#include "gpu_kernels/dense/scan.hpp"

#include "gpu_kernels/reference/scan.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

constexpr Offset kQuickScanSizes[] = {10'007};
constexpr Offset kScanSizes[] = {1 << 16, 1 << 20, 1 << 25};

template <class T>
class ScanExperiment : public Experiment {
 public:
  ScanExperiment(DeviceSession& session, Offset n)
      : queue_(session.queue()),
        x_(positive_values<T>(n, 1)),
        scan_(session.programs(), n),
        device_x_(on_device(queue_, x_)),
        y_(session.context(), n) {}

  void run() override { scan_.exclusive(queue_, device_x_, y_); }
  double max_error() override {
    std::vector<double> twin = to_double(x_);
    gpu::reference::exclusive_scan<double>(twin, twin);
    return max_relative_error(on_host(queue_, y_), twin);
  }
  Work work() const override {
    const auto n = static_cast<double>(x_.size());
    return {n, 2 * n * sizeof(T)};
  }

 private:
  gpu::Queue& queue_;
  std::vector<T> x_;
  gpu::Scan<T> scan_;
  gpu::DeviceBuffer<T> device_x_, y_;
};

template <class T>
Case scan_case(Offset n) {
  Case c;
  c.kernel = "scan";
  c.variant = "generic";
  c.precision = precision_of<T>();
  c.shape = "n=" + std::to_string(n);
  // Terms have one sign.  The kernel sums each entry up and down a tree, the twin in a chain.
  c.tolerance = (2 * std::log2(static_cast<double>(n)) + 2) * 2 * eps<T>() +
                static_cast<double>(n) * eps<double>();
  c.prepare = [n](DeviceSession& session) {
    return std::make_unique<ScanExperiment<T>>(session, n);
  };
  return c;
}

}  // namespace

std::vector<Case> scan_cases(bool quick) {
  std::vector<Case> cases;
  for (const Offset n : shapes_of<Offset>(quick, kQuickScanSizes, kScanSizes)) {
    cases.push_back(scan_case<double>(n));
    cases.push_back(scan_case<float>(n));
  }
  return cases;
}

}  // namespace clchol::cli
