// The engine of a device that the library has chosen.  When the device fails, in a factorization or
// in a solve, a CPU engine replaces the device engine, factors the same matrix, and continues the
// call.
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
  using Make = std::function<std::unique_ptr<Engine<F>>()>;
  /// Factors the present matrix with the given engine.
  using Refactorize = std::function<numeric::FactorResult(Engine<F>&)>;

  /// Makes the device engine.
  /// @param device       makes the device engine.
  /// @param cpu          makes the CPU engine; called when the device fails now or later.
  /// @param refactorize  factors the present matrix; called when the device fails after a
  ///                     factorization.
  ReplaceableEngine(const Make& device, Make cpu, Refactorize refactorize);

  /// Throws as the CPU engine and the function that makes it.
  numeric::FactorResult factorize(std::span<const F> values,
                                  const numeric::Control& control) override;
  /// When the CPU's factorization is interrupted, X is as before the call.
  void solve(const RowsView<F>& x, bool forward, bool backward,
             const numeric::Control& control) const override;
  std::vector<F> diagonal() const override;
  void visit_panels(const typename Engine<F>::VisitPanel& visit) const override;

  std::int64_t predicted_device_bytes() const override;
  std::int64_t peak_device_bytes() const override;
  std::int64_t file_bytes() const override;
  DeviceSetup device_setup() const override;
  std::string failure() const override;

 private:
  using Held = std::shared_ptr<Engine<F>>;

  /// The present engine; makes the CPU engine if there is none.
  Held engine() const;
  /// The present engine; if there is none, makes the CPU engine and factors with it.
  Held factored_engine() const;
  /// Returns read(engine) of the engine that holds the factor.  When the device fails, calls read
  /// again with the CPU engine.
  template <class Read>
  auto read_factor(const Read& read) const;
  void drop(Held& failed, const std::exception& error) const;

  Make make_cpu_;
  Refactorize refactorize_;
  mutable std::mutex mutex_;     // Guards engine_ and failure_.
  mutable Held engine_;          // Null: the device has failed, and no engine was needed since.
  mutable std::string failure_;  // Error of the device; empty: it has not failed.
};

}  // namespace clchol::solver
