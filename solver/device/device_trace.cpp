#include "solver/device/device_trace.hpp"

namespace clchol::solver {
namespace {

constexpr double kSecondsPerNanosecond = 1e-9;

/// Converts times of a device's clock to times of the trace.
class DeviceAxis {
 public:
  DeviceAxis(const gpu::ClockOffset& clock, Trace::Clock::time_point zero)
      // Integers, because nanoseconds since a boot or an epoch need all digits of a double.
      : zero_(
            std::chrono::duration_cast<std::chrono::nanoseconds>(zero.time_since_epoch()).count() -
            clock.offset) {}

  double seconds(std::uint64_t time) const {
    return static_cast<double>(static_cast<std::int64_t>(time) - zero_) * kSecondsPerNanosecond;
  }
  double microseconds(std::uint64_t time) const { return seconds(time) * 1e6; }

 private:
  std::int64_t zero_;  // Time of the trace's zero on the device's clock, in nanoseconds.
};

}  // namespace

void add_commands(std::span<const gpu::LoggedEvent> commands, const gpu::ClockOffset& clock,
                  const std::string& device, Trace& trace) {
  const DeviceAxis axis(clock, trace.zero());
  for (const gpu::LoggedEvent& command : commands) {
    const bool is_transfer = command.bytes > 0;
    TraceEvent event{.name = command.name,
                     .category = is_transfer ? "transfer" : "kernel",
                     .track = trace.track(device, "queue " + command.queue),
                     .start_s = axis.seconds(command.times.start),
                     .duration_s = command.times.seconds()};
    event.arguments = {{"queued_us", axis.microseconds(command.times.queued)},
                       {"submitted_us", axis.microseconds(command.times.submit)}};
    if (is_transfer) {
      event.arguments.emplace_back("bytes", static_cast<std::int64_t>(command.bytes));
    }
    trace.add(std::move(event));
  }
}

std::vector<TraceChange> changes_of(std::span<const gpu::LoggedChange> changes,
                                    const gpu::ClockOffset& clock, const Trace& trace) {
  const DeviceAxis axis(clock, trace.zero());
  std::vector<TraceChange> result;
  result.reserve(changes.size());
  for (const gpu::LoggedChange& of : changes) result.push_back({axis.seconds(of.time), of.change});
  return result;
}

}  // namespace clchol::solver
