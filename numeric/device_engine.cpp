#include "numeric/device_engine.hpp"

#include <algorithm>

namespace clchol::numeric {
namespace {

DevicePlanOptions plan_options(const DeviceKernelParams& params) {
  DevicePlanOptions options;
  const Index most = params.small_classes.empty() ? 0 : params.small_classes.back().rows;
  options.small_rows = std::min(options.small_rows, most);
  return options;
}

template <class T>
DeviceFactor<T> make_factor(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
                            const symbolic::ExecutionPlan& plan) {
  const DeviceKernelParams params = device_kernel_params<T>(runtime);
  return {runtime.programs(),
          runtime.queue(),
          symbolic,
          plan,
          make_device_plan(symbolic, plan, plan_options(params)),
          params};
}

/// Place of L(j,j) in the panels.
std::vector<Offset> diagonal_places(const DevicePlan& plan, Index n) {
  std::vector<Offset> places(static_cast<std::size_t>(n));
  for (const gpu::Front& front : plan.fronts) {
    for (Index k = 0; k < front.ncol; ++k) {
      places[front.first_column + k] = front.panel + k * (front.ldp + 1);
    }
  }
  return places;
}

}  // namespace

template <class T>
DeviceEngine<T>::DeviceEngine(std::shared_ptr<gpu::DeviceRuntime> runtime,
                              const symbolic::SymbolicFactor& symbolic,
                              const symbolic::ExecutionPlan& plan)
    : runtime_(std::move(runtime)),
      symbolic_(&symbolic),
      factor_(make_factor<T>(*runtime_, symbolic, plan)),
      first_failure_(runtime_->programs()),
      values_(runtime_->context(), static_cast<Offset>(plan.entry_source.size())),
      failure_(runtime_->context(), 1),
      solve_(make_device_solve<T>(*runtime_, symbolic, factor_)),
      permute_(runtime_->programs()),
      perm_(gpu::uploaded<Index>(runtime_->queue(), symbolic.permutation.perm)) {}

template <class T>
FactorResult DeviceEngine<T>::factorize(std::span<const T> values, const Control& control) {
  const std::lock_guard lock(mutex_);
  if (control.cancelled()) return {.status = Status::kInterrupted};
  gpu::upload<T>(runtime_->queue(), values, values_);
  const FactorResult result = factor_and_wait(values_);
  if (control.cancelled()) return {.status = Status::kInterrupted};
  const double flops = symbolic_->info.flops;
  if (control.progress != nullptr) control.progress(control.progress_data, flops, flops);
  return result;
}

template <class T>
FactorResult DeviceEngine<T>::factorize(gpu::DeviceView<const T> values) {
  const std::lock_guard lock(mutex_);
  return factor_and_wait(values.part(0, values_.size()));
}

template <class T>
FactorResult DeviceEngine<T>::factor_and_wait(gpu::DeviceView<const T> values) {
  gpu::Queue& queue = runtime_->queue();
  factor_.factorize(queue, values);
  solve_->invert_blocks(queue);
  first_failure_.run(queue, factor_.lists().fronts(), factor_.status(), failure_);
  return read_result();
}

template <class T>
FactorResult DeviceEngine<T>::read_result() {
  gpu::PivotStatus<T> failure{};
  gpu::download<gpu::PivotStatus<T>>(runtime_->queue(), failure_, std::span(&failure, 1));
  if (failure.column == kNone) return {};
  return {Status::kNotPositiveDefinite, failure.column, static_cast<double>(failure.value)};
}

template <class T>
void DeviceEngine<T>::solve(const DenseView<T>& x, bool forward, bool backward) const {
  const Offset entries = Offset{x.nrow} * x.ncol;
  if (entries == 0) return;
  const std::lock_guard lock(mutex_);
  gpu::Queue& queue = runtime_->queue();
  reserve(x.ncol);
  staged_.resize(static_cast<std::size_t>(entries));
  for (Index r = 0; r < x.ncol; ++r) {
    for (Index i = 0; i < x.nrow; ++i) staged_[Offset{i} * x.ncol + r] = x(i, r);
  }
  gpu::upload<T>(queue, staged_, x_);
  if (forward) solve_->forward(queue, x_, x.ncol);
  if (backward) solve_->backward(queue, x_, x.ncol);
  gpu::download<T>(queue, x_, staged_);
  for (Index r = 0; r < x.ncol; ++r) {
    for (Index i = 0; i < x.nrow; ++i) x(i, r) = staged_[Offset{i} * x.ncol + r];
  }
}

template <class T>
void DeviceEngine<T>::solve(const gpu::DeviceColumns<const T>& b,
                            const gpu::DeviceColumns<T>& x) const {
  const Index nrhs = b.num_columns;
  if (nrhs == 0) return;
  const std::lock_guard lock(mutex_);
  gpu::Queue& queue = runtime_->queue();
  reserve(nrhs);
  const gpu::DeviceView<T> y = x_.part(0, Offset{symbolic_->n} * nrhs);
  permute_.gather(queue, perm_, {}, b, y);
  solve_->forward(queue, y, nrhs);
  solve_->backward(queue, y, nrhs);
  permute_.scatter(queue, perm_, {}, y, x);
}

template <class T>
void DeviceEngine<T>::reserve(Index nrhs) const {
  solve_->reserve(runtime_->queue(), nrhs);
  const Offset entries = Offset{symbolic_->n} * nrhs;
  if (x_.size() >= entries) return;
  x_ = {};  // Gives the memory back before more is taken.
  x_ = gpu::DeviceBuffer<T>(runtime_->context(), entries);
}

template <class T>
std::vector<T> DeviceEngine<T>::diagonal() const {
  const std::lock_guard lock(mutex_);
  gpu::Queue& queue = runtime_->queue();
  const auto places = gpu::uploaded<Offset>(queue, diagonal_places(factor_.plan(), symbolic_->n));
  const gpu::DeviceBuffer<T> picked(runtime_->context(), symbolic_->n);
  gpu::Gather<T>(runtime_->programs()).run(queue, places, factor_.panels(), picked);
  std::vector<T> diagonal(static_cast<std::size_t>(symbolic_->n));
  gpu::download<T>(queue, picked, diagonal);
  return diagonal;
}

template class DeviceEngine<double>;
template class DeviceEngine<float>;

}  // namespace clchol::numeric
