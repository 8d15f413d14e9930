// Measures residuals of a sparse symmetric system: residual.
#include "gpu_kernels/dense/residual.hpp"

#include <algorithm>

#include "base/transposed_index.hpp"
#include "gpu_kernels/reference/residual.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/values.hpp"
#include "solver/generate.hpp"

namespace clchol::cli {
namespace {

constexpr const char* kQuickResidualProblem = "grid3d:6";
constexpr const char* kResidualProblem = "grid3d:160";

/// A sparse symmetric matrix in device memory: the lower triangle by columns, and its index by
/// rows.
template <class T>
class SymmetricOnDevice {
 public:
  SymmetricOnDevice(gpu::Queue& queue, const CscPattern& lower, const std::vector<T>& values)
      : n_(lower.n),
        index_(make_transposed_index(lower.view())),
        colptr_(on_device(queue, lower.colptr)),
        rowind_(on_device(queue, lower.rowind)),
        values_(on_device(queue, values)),
        rowptr_(on_device(queue, copied(index_.rowptr))),
        column_(on_device(queue, copied(index_.column))),
        source_(on_device(queue, copied(index_.source))) {}

  gpu::DeviceSymmetric<T> view() const {
    return {n_, colptr_, rowind_, values_, rowptr_, column_, source_};
  }
  double bytes() const {
    const auto of = [](const auto& buffer, std::size_t size) {
      return static_cast<double>(buffer.size()) * static_cast<double>(size);
    };
    return of(colptr_, 8) + of(rowind_, 4) + of(values_, sizeof(T)) + of(rowptr_, 8) +
           of(column_, 4) + of(source_, 4);
  }

 private:
  template <class Values>
  static auto copied(const Values& values) {
    return std::vector<typename Values::value_type>(values.begin(), values.end());
  }

  Index n_;
  TransposedIndex index_;
  gpu::DeviceBuffer<Offset> colptr_;
  gpu::DeviceBuffer<Index> rowind_;
  gpu::DeviceBuffer<T> values_;
  gpu::DeviceBuffer<Offset> rowptr_;
  gpu::DeviceBuffer<Index> column_;
  gpu::DeviceBuffer<std::uint32_t> source_;
};

template <class T>
class ResidualExperiment : public Experiment {
 public:
  ResidualExperiment(DeviceSession& session, const std::string& problem)
      : queue_(session.queue()),
        matrix_(solver::make_model_problem(problem)),
        values_(matrix_.values.begin(), matrix_.values.end()),
        b_(positive_values<T>(matrix_.n(), 1)),
        x_(positive_values<T>(matrix_.n(), 2)),
        kernel_(session.programs()),
        a_(queue_, matrix_.lower, values_),
        device_b_(on_device(queue_, b_)),
        device_x_(on_device(queue_, x_)),
        r_(session.context(), matrix_.n()),
        magnitude_(session.context(), matrix_.n()) {}

  void run() override { kernel_.residual(queue_, a_.view(), device_b_, device_x_, r_, magnitude_); }
  double max_error() override {
    const auto n = static_cast<std::size_t>(matrix_.n());
    std::vector<double> r(n), magnitude(n);
    gpu::reference::residual<double>(matrix_.lower.view(), to_double(values_), to_double(b_),
                                     to_double(x_), r, magnitude);
    return std::max(max_relative_error(on_host(queue_, r_), r),
                    max_relative_error(on_host(queue_, magnitude_), magnitude));
  }
  // Each entry of A, in both triangles, takes a multiply-add for r and one for the magnitude.  Each
  // entry of b takes an addition for either.  A, its index, b and x are read; r and magnitude are
  // written.
  Work work() const override {
    const double n = matrix_.n(), entries = 2 * static_cast<double>(values_.size()) - n;
    return {4 * entries + 2 * n, a_.bytes() + 4 * n * sizeof(T)};
  }

 private:
  gpu::Queue& queue_;
  solver::SymmetricMatrix matrix_;
  std::vector<T> values_, b_, x_;
  gpu::Residual<T> kernel_;
  SymmetricOnDevice<T> a_;
  gpu::DeviceBuffer<T> device_b_, device_x_, r_, magnitude_;
};

template <class T>
Case residual_case(const std::string& problem) {
  Case c{"residual", "generic", precision_of<T>(), problem};
  // Each row has eight roundings.  Its magnitude is at most 3 times the largest residual.
  c.tolerance = 64 * eps<T>();
  c.prepare = [problem](DeviceSession& session) {
    return std::make_unique<ResidualExperiment<T>>(session, problem);
  };
  return c;
}

}  // namespace

std::vector<Case> residual_cases(bool quick) {
  const char* problem = quick ? kQuickResidualProblem : kResidualProblem;
  return {residual_case<double>(problem), residual_case<float>(problem)};
}

}  // namespace clchol::cli
