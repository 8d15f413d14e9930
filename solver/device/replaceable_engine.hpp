// The engine on a device of the library's choice: when the device fails, in a factorization or in
// a solve, the CPU's engine takes its place, factors what was factored, and goes on.
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
  /// Factors the matrix in hand.
  using Refactorize = std::function<numeric::FactorResult(Engine<F>&)>;

  /// Makes the device's engine; `cpu` is called when that or a later call fails.
  ReplaceableEngine(const Make& device, Make cpu, Refactorize refactorize);

  /// Throws as the CPU's engine and what makes it.
  numeric::FactorResult factorize(std::span<const F> values,
                                  const numeric::Control& control) override;
  /// X is as it was when the CPU's factorization is interrupted.
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

  Held engine() const;
  Held factored_engine() const;
  /// read(engine) of the factor that is there; once more on the CPU when the device fails.
  template <class Read>
  auto read_factor(const Read& read) const;
  void drop(Held& failed, const std::exception& error) const;

  Make make_cpu_;
  Refactorize refactorize_;
  mutable std::mutex mutex_;  // Of what follows.
  mutable Held engine_;       // Null: the device has failed, and no other was wanted since.
  mutable std::string failure_;
};

}  // namespace clchol::solver
