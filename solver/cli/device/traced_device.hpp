// Opens the OpenCL devices of a solver and logs their commands for a trace.
#pragma once

#include <memory>

#include "clchol/clchol.hpp"
#include "solver/trace.hpp"

namespace clchol::cli {

class TracedDevice {
 public:
  /// Opens the devices on which the solver would factor, if any.  The solver must have analysed its
  /// matrix and must outlive this object.
  /// Throws InvalidArgument for a name that matches no device, DeviceError.
  explicit TracedDevice(SparseCholesky<double>& solver);
  ~TracedDevice();
  TracedDevice(const TracedDevice&) = delete;
  TracedDevice& operator=(const TracedDevice&) = delete;

  /// Whether the solver factors on a device.
  bool is_open() const;

  /// Moves the commands logged so far to the trace; each device has tracks of its own.  Throws
  /// DeviceError.
  void add_commands(solver::Trace& trace);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clchol::cli
