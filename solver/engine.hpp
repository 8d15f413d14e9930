// The interface of an engine.  An engine computes the factor L of the permuted and scaled matrix,
// P S A S P' = L L', holds L, and solves with L.  The implementations:
//
//   cpu_engine.hpp                  on the CPU, in memory
//   out_of_core/engine.hpp          on the CPU, with a part of the factor in a file
//   device/opencl_engine.hpp        on an OpenCL device
//   device/team_engine.hpp          on several OpenCL devices
//   device/replaceable_engine.hpp   on a device that the CPU replaces when it fails
//
// device/engine_choice.hpp chooses between the CPU and devices; factorization.hpp makes and calls
// the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/host_log.hpp"
#include "base/rows_view.hpp"
#include "clchol/clchol.hpp"
#include "numeric/control.hpp"
#include "numeric/factor_result.hpp"
#include "numeric/panel_table.hpp"

namespace clchol::solver {

template <class F>
class OpenClEngine;

/// An engine for a factor in the precision F: float or double.  An engine refers to the Analysis
/// with which it was made, so the Analysis must outlive the engine.
template <class F>
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// Factors a matrix.  Replaces the factor of an earlier call.
  /// @param values  values of the lower triangle of S A S, in the order of Analysis::map.lower.
  virtual numeric::FactorResult factorize(std::span<const F> values,
                                          const numeric::Control& control) = 0;

  /// Returns this engine if it is an OpenClEngine, which also accepts values and right-hand sides
  /// in device memory (clchol/opencl.hpp).  Other engines return null.
  virtual OpenClEngine<F>* opencl() { return nullptr; }

  /// Solves with the factor: overwrites X with L^-1 X if `forward` is true, and then with L^-T X if
  /// `backward` is true.  Several threads may call solve() at the same time.
  /// @param x  the matrix X.  Rows are numbered as in the permuted matrix.  The numeric kernels may
  ///           read up to numeric::dense::kReadSlack entries past the end of X; this memory must
  ///           exist.
  virtual void solve(const RowsView<F>& x, bool forward, bool backward,
                     const numeric::Control& control) const = 0;

  /// Returns the diagonal of L.  Rows are numbered as in the permuted matrix.
  virtual std::vector<F> diagonal() const = 0;

  /// Records from now on in `log`, for a timeline, what the engine's host threads do beside the
  /// computation, and the bytes in use in host memory and in a scratch file.  Engines on devices
  /// have logs of their own devices (gpu_kernels/runtime/event.hpp), and ignore the call, as the
  /// CPU engine in memory does.
  /// @param log  must exist until the engine is destroyed or set_log() is called again.  Null: the
  ///             engine does not record.
  virtual void set_log(HostLog* /*log*/) {}

  /// Calls visit() for the panel of each supernode, in any order: once with all columns or, if the
  /// panel is not in memory as a whole, for some columns after others, ascending, with no other
  /// panel in between.  When a ReplaceableEngine's device fails in between, all supernodes are
  /// visited again, so that some are visited twice.
  virtual void visit_panels(const numeric::VisitColumns<F>& visit) const = 0;

  /// Predicted bytes of device memory of a factorization and a solve with one right-hand side.  0:
  /// the engine uses no device.
  virtual std::int64_t predicted_device_bytes() const { return 0; }
  /// Greatest number of bytes of device memory that were in use at one time so far.
  virtual std::int64_t peak_device_bytes() const { return 0; }
  /// How the devices were set up, and how long that took.
  virtual DeviceSetup device_setup() const { return {}; }
  /// Bytes of the scratch file; 0: there is none.
  virtual std::int64_t file_bytes() const { return 0; }

  /// The error of a device that has failed and that the CPU has replaced.  Empty if no device has
  /// failed.
  virtual std::string failure() const { return {}; }
};

}  // namespace clchol::solver
