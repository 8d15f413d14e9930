// The engine of a device that the library, and not the caller, has chosen.  When the device fails,
// a CPU engine replaces the device engine and carries out the call that has failed.  If the device
// fails in a solve, the factor is lost with the device; then the CPU engine first factors the
// matrix again.  The caller sees no error; failure() tells what has happened.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "solver/engine.hpp"

namespace clchol::solver {

template <class F>
class ReplaceableEngine : public Engine<F> {
 public:
  /// A function that makes an engine.
  using Make = std::function<std::unique_ptr<Engine<F>>()>;
  /// A function that factors the matrix of the last factorization again, with the given engine.
  using Refactorize = std::function<numeric::FactorResult(Engine<F>&)>;

  /// Makes the device engine, by a call of device().  If that fails, the CPU engine will be made by
  /// the first call that needs an engine.
  /// @param device       makes the device engine.
  /// @param cpu          makes the CPU engine.  Called after the device has failed.
  /// @param refactorize  factors the matrix with the CPU engine.  Called when the device fails
  ///                     after a factorization, for example in a solve.
  ReplaceableEngine(const Make& device, Make cpu, Refactorize refactorize);

  /// Throws the exceptions of the CPU engine, and of the function that makes the CPU engine.
  numeric::FactorResult factorize(std::span<const F> values,
                                  const numeric::Control& control) override;
  /// If the device fails and the factorization by the CPU is interrupted, X is as before the call.
  void solve(const RowsView<F>& x, bool forward, bool backward,
             const numeric::Control& control) const override;
  std::vector<F> diagonal() const override;
  /// The CPU engine, when there is one, records in the log.
  void set_log(HostLog* log) override;
  void visit_panels(const numeric::VisitColumns<F>& visit) const override;

  std::int64_t predicted_device_bytes() const override;
  std::int64_t peak_device_bytes() const override;
  std::int64_t file_bytes() const override;
  DeviceSetup device_setup() const override;
  std::string failure() const override;

 private:
  // Shared, so that a call keeps its engine while another thread replaces engine_.
  using Held = std::shared_ptr<Engine<F>>;

  /// Returns engine_; if engine_ is null, first makes the CPU engine.
  Held engine() const;
  /// Returns engine_; if engine_ is null, first makes the CPU engine and factors with it.  Returns
  /// null if that factorization was interrupted.
  Held factored_engine() const;
  /// Calls read(engine) with the engine that holds the factor, and returns the result.  If the
  /// device fails in this call, calls read() again with the CPU engine.
  template <class Read>
  auto read_factor(const Read& read) const;
  /// Handles an exception that a call of the engine `failed` has thrown: if the device is to blame,
  /// records the error in failure_ and sets engine_ and `failed` to null; otherwise throws the
  /// exception again.
  void drop(Held& failed, const std::exception& error) const;

  Make make_cpu_;
  Refactorize refactorize_;
  mutable std::mutex mutex_;  // Guards engine_, failure_ and log_.
  // The device engine; after a failure, the CPU engine.  Null: the device has failed, and no call
  // has needed an engine since then.
  mutable Held engine_;
  HostLog* log_ = nullptr;       // Log of set_log().
  mutable std::string failure_;  // Error of the device.  Empty: the device has not failed.
};

}  // namespace clchol::solver
