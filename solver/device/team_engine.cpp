#include "solver/device/team_engine.hpp"

#include <algorithm>
#include <utility>

#include "base/update_layout.hpp"
#include "solver/device/device_setup.hpp"
#include "solver/device/opencl_engine.hpp"

namespace clchol::solver {
namespace {

numeric::DeviceTeamOptions team_options(const OpenDevices& devices, const Options& options) {
  return {.threads = num_threads(options),
          .memory = std::vector<Offset>(devices.size(), options.memory.device)};
}

std::int64_t peak_of(const OpenDevice& device) {
  return static_cast<std::int64_t>(device->context().memory()->peak());
}

/// Returns a part for each device with its name and without any work.
std::vector<DevicePart> idle_parts(const OpenDevices& devices) {
  std::vector<DevicePart> parts(devices.size());
  for (std::size_t d = 0; d < devices.size(); ++d) parts[d].device = name_of(devices[d]);
  return parts;
}

/// Returns the fronts, flops and hand-overs that the mapping gives to each device.
/// @param value_bytes  bytes of the factor's scalar type.
std::vector<DevicePart> parts_of(const OpenDevices& devices,
                                 const symbolic::SymbolicFactor& symbolic,
                                 const numeric::Mapping& mapping, Offset value_bytes) {
  std::vector<DevicePart> parts = idle_parts(devices);
  for (std::size_t d = 0; d < parts.size(); ++d) parts[d].busy_s = mapping.busy_s[d];
  for (Index s = 0; s < symbolic.nsuper; ++s) {
    const Index share = mapping.share[static_cast<std::size_t>(s)];
    DevicePart& part = parts[static_cast<std::size_t>(share)];
    ++part.fronts;
    part.flops += numeric::front_flops(symbolic.nrow(s), symbolic.ncol(s));
    const Index parent = symbolic.super_parent[s];
    const bool crosses =
        parent != kNone && mapping.share[static_cast<std::size_t>(parent)] != share;
    if (crosses) part.sent_bytes += update_size(symbolic.nupd(s)) * value_bytes;
  }
  return parts;
}

/// Makes an engine on device d alone.
/// @param reason  why the other devices are idle, for the report.
template <class F>
std::unique_ptr<Engine<F>> make_alone(const OpenDevices& devices, std::size_t d,
                                      const Analysis& analysis, const Options& options,
                                      const std::string& reason) {
  auto engine = std::make_unique<OpenClEngine<F>>(devices[d], analysis, options);
  std::vector<DevicePart> parts = idle_parts(devices);
  parts[d].fronts = analysis.symbolic.nsuper;
  parts[d].flops = analysis.symbolic.info.flops;
  parts[d].predicted_bytes = engine->predicted_device_bytes();
  parts[d].peak_bytes = peak_of(devices[d]);
  engine->set_parts(std::move(parts), reason);
  return engine;
}

std::size_t first_used(const numeric::Mapping& mapping) {
  return static_cast<std::size_t>(mapping.share.empty() ? 0 : mapping.share.front());
}

}  // namespace

template <class F>
TeamEngine<F>::TeamEngine(const OpenDevices& devices, const Analysis& analysis,
                          const numeric::DeviceTeamOptions& options, numeric::Mapping mapping)
    : parts_(parts_of(devices, analysis.symbolic, mapping, sizeof(F))),
      team_(devices, analysis.symbolic, analysis.entries, options, std::move(mapping)) {
  for (std::size_t d = 0; d < parts_.size(); ++d) {
    parts_[d].predicted_bytes = team_.bytes(static_cast<Index>(d));
  }
  team_.allocate();
}

template <class F>
numeric::FactorResult TeamEngine<F>::factorize(std::span<const F> values,
                                               const numeric::Control& control) {
  const std::lock_guard lock(mutex_);
  if (control.cancelled()) return {.status = Status::kInterrupted};
  return team_.factorize(values, control);
}

template <class F>
void TeamEngine<F>::solve(const RowsView<F>& x, bool forward, bool backward,
                          const numeric::Control& control) const {
  const std::lock_guard lock(mutex_);
  if (!control.cancelled()) team_.solve(x, forward, backward);
}

template <class F>
std::vector<F> TeamEngine<F>::diagonal() const {
  const std::lock_guard lock(mutex_);
  return team_.diagonal();
}

template <class F>
void TeamEngine<F>::visit_panels(const numeric::VisitColumns<F>& visit) const {
  const std::lock_guard lock(mutex_);
  team_.visit_panels(visit);
}

template <class F>
std::int64_t TeamEngine<F>::predicted_device_bytes() const {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < team_.runtimes().size(); ++d) {
    sum += team_.bytes(static_cast<Index>(d));
  }
  return sum;
}

template <class F>
std::int64_t TeamEngine<F>::peak_device_bytes() const {
  std::int64_t sum = 0;
  for (const OpenDevice& device : team_.runtimes()) sum += peak_of(device);
  return sum;
}

template <class F>
DeviceSetup TeamEngine<F>::device_setup() const {
  const std::lock_guard lock(mutex_);
  const OpenDevices& devices = team_.runtimes();
  const numeric::Mapping& mapping = team_.mapping();
  DeviceSetup setup = setup_of(team_.setup());
  setup.notes = devices.front()->tuning().notes();
  setup.parts = parts_;
  setup.parts_factor_s = mapping.seconds;
  for (const OpenDevice& device : devices) add_runtime(*device, setup);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    setup.parts[d].peak_bytes = peak_of(devices[d]);
    if (setup.parts[d].fronts == 0) setup.parts_reason = "fewer devices are faster, by the model";
  }
  return setup;
}

template <class F>
std::unique_ptr<Engine<F>> make_team_engine(const OpenDevices& devices, const Analysis& analysis,
                                            const Options& options) {
  const numeric::DeviceTeamOptions team = team_options(devices, options);
  numeric::Mapping mapping = numeric::map_on_devices<F>(devices, analysis.symbolic, team);
  if (mapping.num_used() <= 1) {
    return make_alone<F>(devices, first_used(mapping), analysis, options,
                         "one device is faster than several, by the model");
  }
  std::string reason;
  try {
    return std::make_unique<TeamEngine<F>>(devices, analysis, team, std::move(mapping));
  } catch (const OutOfMemory& error) {
    reason =
        std::string("one device streams, for the parts of several do not fit: ") + error.what();
  }
  return make_alone<F>(devices, 0, analysis, options, reason);
}

template <class F>
std::int64_t predict_team_bytes(const OpenDevices& devices, const Analysis& analysis,
                                const Options& options) {
  const numeric::DeviceTeamOptions team = team_options(devices, options);
  numeric::Mapping mapping = numeric::map_on_devices<F>(devices, analysis.symbolic, team);
  const auto alone = [&](std::size_t d) {
    return OpenClEngine<F>::predict_bytes(devices[d], analysis, options);
  };
  if (mapping.num_used() <= 1) return alone(first_used(mapping));
  try {
    const numeric::DeviceTeam<F> made(devices, analysis.symbolic, analysis.entries, team,
                                      std::move(mapping));
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < devices.size(); ++d) sum += made.bytes(static_cast<Index>(d));
    return sum;
  } catch (const OutOfMemory&) {
    return alone(0);
  }
}

template class TeamEngine<double>;
template class TeamEngine<float>;
template std::unique_ptr<Engine<double>> make_team_engine(const OpenDevices&, const Analysis&,
                                                          const Options&);
template std::unique_ptr<Engine<float>> make_team_engine(const OpenDevices&, const Analysis&,
                                                         const Options&);
template std::int64_t predict_team_bytes<double>(const OpenDevices&, const Analysis&,
                                                 const Options&);
template std::int64_t predict_team_bytes<float>(const OpenDevices&, const Analysis&,
                                                const Options&);

}  // namespace clchol::solver
