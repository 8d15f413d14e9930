// The interface of an engine, which holds a factor, computes it and solves with it.
//
//   cpu_engine.hpp                  on the CPU, in memory
//   out_of_core/engine.hpp          on the CPU, a part of the factor in a file
//   device/opencl_engine.hpp        on an OpenCL device
//   device/team_engine.hpp          on several OpenCL devices
//   device/replaceable_engine.hpp   on a device that the CPU replaces when it fails
//
// device/engine_choice.hpp chooses between the CPU and devices.
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

/// F is the precision of the factor: float or double.  The analysis must outlive the engine.
template <class F>
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// Factors the matrix.
  /// @param values  values of the lower triangle, in the order of the analysed pattern.
  virtual numeric::FactorResult factorize(std::span<const F> values,
                                          const numeric::Control& control) = 0;

  /// This engine, if it takes values and right-hand sides in device memory (clchol/opencl.hpp);
  /// null if it does not.
  virtual OpenClEngine<F>* opencl() { return nullptr; }

  /// X := (L L')^-1 X, or one half of the solve: X := L^-1 X or X := L^-T X.  X has the final
  /// numbering.  numeric::dense::kReadSlack entries behind X must be readable.  Several threads may
  /// call solve() at the same time.
  virtual void solve(const RowsView<F>& x, bool forward, bool backward,
                     const numeric::Control& control) const = 0;

  /// Diagonal of L, in the final numbering.
  virtual std::vector<F> diagonal() const = 0;

  /// Receives the panel of supernode s: its entries, column-major, with leading dimension `ld`.
  /// Entries above the panel's diagonal are undefined.
  using VisitPanel = std::function<void(Index s, const F* panel, Offset ld)>;
  /// Calls visit for each supernode, in any order.  When a device fails, the calls start again from
  /// the beginning, so that some supernodes are visited twice.
  virtual void visit_panels(const VisitPanel& visit) const = 0;

  /// Predicted bytes of device memory of a factorization and a solve with one right-hand side.
  virtual std::int64_t predicted_device_bytes() const { return 0; }
  /// Most bytes of device memory that were in use at a time so far.
  virtual std::int64_t peak_device_bytes() const { return 0; }
  virtual DeviceSetup device_setup() const { return {}; }
  /// Bytes of the scratch file; 0: there is none.
  virtual std::int64_t file_bytes() const { return 0; }

  /// The error of the device that the CPU has replaced; empty if no device has failed.
  virtual std::string failure() const { return {}; }
};

}  // namespace clchol::solver
