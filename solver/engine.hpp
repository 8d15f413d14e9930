// What holds a factor and works with it: on the CPU (cpu_engine.hpp) out of core
// (out_of_core/engine.hpp), or on an OpenCL device (opencl_engine.hpp).  engine_choice.hpp chooses.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/rows_view.hpp"
#include "clchol/clchol.hpp"
#include "numeric/control.hpp"
#include "numeric/factor_result.hpp"

namespace clchol::solver {

template <class F>
class OpenClEngine;

/// F is the precision of the factor.  The analysis that it was made for outlives it.
template <class F>
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// @param values  of the lower triangle, in the order of the analysed pattern.
  virtual numeric::FactorResult factorize(std::span<const F> values,
                                          const numeric::Control& control) = 0;

  /// The engine whose values and right-hand sides may be on a device (clchol/opencl.hpp); null
  /// where they may not.
  virtual OpenClEngine<F>* opencl() { return nullptr; }

  /// X := (L L')^-1 X, or one half of it; X in the final numbering, with numeric::dense::kReadSlack
  /// values behind it.  Calls may run at the same time.
  virtual void solve(const RowsView<F>& x, bool forward, bool backward,
                     const numeric::Control& control) const = 0;

  /// Diagonal of L, in the final numbering.
  virtual std::vector<F> diagonal() const = 0;

  /// A front's panel of L: supernode, column-major entries, leading dimension; above the panel's
  /// diagonal undefined.
  using VisitPanel = std::function<void(Index s, const F* panel, Offset ld)>;
  /// Calls visit for each supernode, in any order; from the beginning again where a device fails.
  virtual void visit_panels(const VisitPanel& visit) const = 0;

  /// Bytes of a device's memory for a factorization and a solve with one right-hand side.
  virtual std::int64_t predicted_device_bytes() const { return 0; }
  /// Most bytes of a device's memory that were in use so far.
  virtual std::int64_t peak_device_bytes() const { return 0; }
  virtual DeviceSetup device_setup() const { return {}; }
  /// Bytes of the factor that are in a scratch file.
  virtual std::int64_t file_bytes() const { return 0; }

  /// How the device failed whose place the CPU has taken; empty where none has.
  virtual std::string failure() const { return {}; }
};

}  // namespace clchol::solver
