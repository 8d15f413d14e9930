// Opens the OpenCL devices of a solver before the solver opens them, so that the devices' queues
// record times, and logs the devices' commands for the file of the option --trace.
#pragma once

#include <memory>

#include "clchol/clchol.hpp"
#include "solver/trace/trace.hpp"

namespace clchol::cli {

class TracedDevice {
 public:
  /// Chooses the engine as the next factorization of the solver would, and opens and logs the
  /// engine's devices.  The CPU engine has no devices.  The solver must have analysed its matrix,
  /// and must outlive this object.
  /// Throws InvalidArgument for a name that matches no device, DeviceError.
  explicit TracedDevice(SparseCholesky<double>& solver);
  ~TracedDevice();
  TracedDevice(const TracedDevice&) = delete;
  TracedDevice& operator=(const TracedDevice&) = delete;

  /// Whether devices were opened, on which the solver will factor.
  bool is_open() const;

  /// Moves the commands that were logged so far from the logs to the trace.  Each device has tracks
  /// of its own in the trace.  Waits for the commands.  Throws DeviceError.
  void add_commands(solver::Trace& trace);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clchol::cli
