// The engine of several OpenCL devices that share the work.  The class implements the interface
// Engine (engine.hpp) by calls of numeric::DeviceTeam (numeric/device/team.hpp), which does the
// work.  Builds without OpenCL do not compile this file.
#pragma once

#include <mutex>

#include "numeric/device/team.hpp"
#include "solver/device/open_device.hpp"

namespace clchol::solver {

template <class F>
class TeamEngine : public Engine<F> {
 public:
  /// Builds kernels and allocates memory on all devices.
  /// @param mapping  says which device owns which front.
  /// Throws OutOfMemory when a device's part of the factor does not fit in the device's memory,
  /// DeviceError when a device fails.
  TeamEngine(const OpenDevices& devices, const Analysis& analysis,
             const numeric::DeviceTeamOptions& options, numeric::Mapping mapping);

  numeric::FactorResult factorize(std::span<const F> values,
                                  const numeric::Control& control) override;
  void solve(const RowsView<F>& x, bool forward, bool backward,
             const numeric::Control& control) const override;
  std::vector<F> diagonal() const override;
  void visit_panels(const numeric::VisitColumns<F>& visit) const override;
  /// Predicted bytes of device memory, summed over all devices.
  std::int64_t predicted_device_bytes() const override;
  /// Greatest number of bytes in use so far on each device, summed over all devices.
  std::int64_t peak_device_bytes() const override;
  DeviceSetup device_setup() const override;

 private:
  // DeviceSetup::parts of device_setup(), which sets the member peak_bytes in a copy.
  std::vector<DevicePart> parts_;
  mutable std::mutex mutex_;  // Guards team_.
  mutable numeric::DeviceTeam<F> team_;
};

/// Does what make_device_engine() (open_device.hpp) does, for several devices.  The result is a
/// TeamEngine, or an OpenClEngine if one device does all work.
template <class F>
std::unique_ptr<Engine<F>> make_team_engine(const OpenDevices& devices, const Analysis& analysis,
                                            const Options& options);
/// Does what predict_device_bytes() (open_device.hpp) does, for several devices.
template <class F>
std::int64_t predict_team_bytes(const OpenDevices& devices, const Analysis& analysis,
                                const Options& options);

}  // namespace clchol::solver
