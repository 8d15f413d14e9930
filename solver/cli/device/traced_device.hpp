// The OpenCL devices of a solver, their commands logged for a trace.
#pragma once

#include <memory>

#include "clchol/clchol.hpp"
#include "solver/trace.hpp"

namespace clchol::cli {

class TracedDevice {
 public:
  /// Opens the devices that the solver, which has analysed its matrix, would factor on, if any. The
  /// solver outlives this.  Throws InvalidArgument for a name that means no device, DeviceError.
  explicit TracedDevice(SparseCholesky<double>& solver);
  ~TracedDevice();
  TracedDevice(const TracedDevice&) = delete;
  TracedDevice& operator=(const TracedDevice&) = delete;

  /// Whether the solver takes a device.
  bool is_open() const;

  /// Adds the commands so far, of each device on tracks of its own.  Throws DeviceError.
  void add_commands(solver::Trace& trace);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clchol::cli
