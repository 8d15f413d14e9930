// The Engine of several OpenCL devices: an adapter of numeric::DeviceTeam.  Not part of builds
// without OpenCL.
#pragma once

#include <mutex>

#include "numeric/device/team.hpp"
#include "solver/device/open_device.hpp"

namespace clchol::solver {

template <class F>
class TeamEngine : public Engine<F> {
 public:
  /// Builds kernels and allocates memory on all devices.  Throws OutOfMemory when the part of a
  /// device does not fit in its memory; DeviceError.
  TeamEngine(const OpenDevices& devices, const Analysis& analysis,
             const numeric::DeviceTeamOptions& options, numeric::Mapping mapping);

  numeric::FactorResult factorize(std::span<const F> values,
                                  const numeric::Control& control) override;
  void solve(const RowsView<F>& x, bool forward, bool backward,
             const numeric::Control& control) const override;
  std::vector<F> diagonal() const override;
  void visit_panels(const typename Engine<F>::VisitPanel& visit) const override;
  /// Bytes summed over all devices.
  std::int64_t predicted_device_bytes() const override;
  std::int64_t peak_device_bytes() const override;
  DeviceSetup device_setup() const override;

 private:
  std::vector<DevicePart> parts_;  // Part of each device; device_setup() fills in peak_bytes.
  mutable std::mutex mutex_;       // Guards team_.
  mutable numeric::DeviceTeam<F> team_;
};

/// make_device_engine() and predict_device_bytes() for several devices.
template <class F>
std::unique_ptr<Engine<F>> make_team_engine(const OpenDevices& devices, const Analysis& analysis,
                                            const Options& options);
template <class F>
std::int64_t predict_team_bytes(const OpenDevices& devices, const Analysis& analysis,
                                const Options& options);

}  // namespace clchol::solver
