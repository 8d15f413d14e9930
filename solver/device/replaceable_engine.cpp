#include "solver/device/replaceable_engine.hpp"

#include <algorithm>

namespace clchol::solver {
namespace {

/// Whether an error means that the device is lost, full or asked for more than it can do.  The
/// library itself passes all arguments here, so InvalidArgument means a limit of the device.
bool is_of_device(const std::exception& error) {
  return dynamic_cast<const DeviceError*>(&error) != nullptr ||
         dynamic_cast<const OutOfMemory*>(&error) != nullptr ||
         dynamic_cast<const InvalidArgument*>(&error) != nullptr;
}

}  // namespace

template <class F>
ReplaceableEngine<F>::ReplaceableEngine(const Make& device, Make cpu, Refactorize refactorize)
    : make_cpu_(std::move(cpu)), refactorize_(std::move(refactorize)) {
  try {
    engine_ = device();
  } catch (const std::exception& error) {
    drop(engine_, error);
  }
}

/// Drops the device engine after an error.  Called while the exception is handled; throws it again
/// if it is not an error of the device.
/// @param failed  the engine that threw the exception; reset, so that its memory is freed before
///                the next engine allocates.
template <class F>
void ReplaceableEngine<F>::drop(Held& failed, const std::exception& error) const {
  const std::lock_guard lock(mutex_);
  if (engine_ == failed) {
    if (!failure_.empty() || !is_of_device(error)) throw;
    failure_ = error.what();
    engine_.reset();
  }  // Otherwise another thread has replaced the engine already.
  failed.reset();
}

template <class F>
typename ReplaceableEngine<F>::Held ReplaceableEngine<F>::engine() const {
  const std::lock_guard lock(mutex_);
  if (!engine_) {
    engine_ = make_cpu_();
    engine_->set_log(log_);
  }
  return engine_;
}

/// @return null when the factorization was interrupted.
template <class F>
typename ReplaceableEngine<F>::Held ReplaceableEngine<F>::factored_engine() const {
  const std::lock_guard lock(mutex_);
  if (engine_) return engine_;
  Held made = make_cpu_();
  made->set_log(log_);
  const numeric::FactorResult result = refactorize_(*made);
  if (result.status == Status::kInterrupted) return nullptr;
  if (result.status != Status::kOk) {
    throw DeviceError("the device failed (" + failure_ +
                      "), and the CPU finds that the matrix is not positive definite");
  }
  engine_ = std::move(made);
  return engine_;
}

template <class F>
numeric::FactorResult ReplaceableEngine<F>::factorize(std::span<const F> values,
                                                      const numeric::Control& control) {
  Held at = engine();
  try {
    return at->factorize(values, control);
  } catch (const std::exception& error) {
    drop(at, error);
  }
  return engine()->factorize(values, control);
}

template <class F>
void ReplaceableEngine<F>::solve(const RowsView<F>& x, bool forward, bool backward,
                                 const numeric::Control& control) const {
  Held at = factored_engine();
  if (!at) return;
  // Keep a copy of X: a transfer that fails may have overwritten a part of X.
  const std::vector<F> b =
      failure().empty() ? std::vector<F>(x.data, x.row(x.nrow)) : std::vector<F>();
  try {
    at->solve(x, forward, backward, control);
    return;
  } catch (const std::exception& error) {
    drop(at, error);
  }
  if (!b.empty()) std::ranges::copy(b, x.data);
  at = factored_engine();
  if (at) at->solve(x, forward, backward, control);
}

template <class F>
template <class Read>
auto ReplaceableEngine<F>::read_factor(const Read& read) const {
  Held at = factored_engine();
  try {
    if (at) return read(*at);
  } catch (const std::exception& error) {
    drop(at, error);
    at = factored_engine();
  }
  if (!at) throw DeviceError("the device failed (" + failure() + "), and the CPU was interrupted");
  return read(*at);
}

template <class F>
std::vector<F> ReplaceableEngine<F>::diagonal() const {
  return read_factor([](const Engine<F>& engine) { return engine.diagonal(); });
}

template <class F>
void ReplaceableEngine<F>::set_log(HostLog* log) {
  const std::lock_guard lock(mutex_);
  log_ = log;
  if (engine_) engine_->set_log(log);
}

template <class F>
void ReplaceableEngine<F>::visit_panels(const numeric::VisitColumns<F>& visit) const {
  read_factor([&](const Engine<F>& engine) { engine.visit_panels(visit); });
}

template <class F>
std::int64_t ReplaceableEngine<F>::predicted_device_bytes() const {
  const std::lock_guard lock(mutex_);
  return engine_ ? engine_->predicted_device_bytes() : 0;
}

template <class F>
std::int64_t ReplaceableEngine<F>::peak_device_bytes() const {
  const std::lock_guard lock(mutex_);
  return engine_ ? engine_->peak_device_bytes() : 0;
}

template <class F>
std::int64_t ReplaceableEngine<F>::file_bytes() const {
  const std::lock_guard lock(mutex_);
  return engine_ ? engine_->file_bytes() : 0;
}

template <class F>
DeviceSetup ReplaceableEngine<F>::device_setup() const {
  const std::lock_guard lock(mutex_);
  return engine_ ? engine_->device_setup() : DeviceSetup{};
}

template <class F>
std::string ReplaceableEngine<F>::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

template class ReplaceableEngine<double>;
template class ReplaceableEngine<float>;

}  // namespace clchol::solver
