// Shared by tests of several devices.  Contexts of one device stand in for the devices: they share
// nothing, as devices do.
#pragma once

#include <memory>
#include <vector>

#include "numeric/device/team.hpp"
#include "tests/numeric/device/engine_support.hpp"

namespace clchol::numeric {

inline constexpr Index kMostShares = 4;

// The runtime of share p.  Its rates are slow, so that hand-overs pay even for small matrices.
inline std::shared_ptr<gpu::DeviceRuntime> runtime_of_share(Index p) {
  static std::vector<std::shared_ptr<gpu::DeviceRuntime>> made(kMostShares);
  auto& runtime_of = made[static_cast<std::size_t>(p)];
  if (!runtime_of) runtime_of = runtime_of_rates({{"gflops", 1}, {"group_us", 1}});
  return runtime_of;
}

inline DeviceRuntimes runtimes_of(Index count) {
  std::vector<std::shared_ptr<gpu::DeviceRuntime>> made;
  for (Index p = 0; p < count; ++p) made.push_back(runtime_of_share(p));
  return made;
}

/// A team on these devices, with shares by the mapping and with its memory allocated.
template <class T>
std::unique_ptr<DeviceTeam<T>> team_on(const DeviceRuntimes& runtimes, const test::Analysed& p,
                                       int threads) {
  const DeviceTeamOptions options{.threads = threads, .memory = {}};
  auto team = std::make_unique<DeviceTeam<T>>(runtimes, p.symbolic, p.entries, options,
                                              map_on_devices<T>(runtimes, p.symbolic, options));
  team->allocate();
  return team;
}

}  // namespace clchol::numeric
