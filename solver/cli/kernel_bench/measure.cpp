#include "solver/cli/kernel_bench/measure.hpp"

#include <algorithm>
#include <vector>

#include "solver/cli/units.hpp"

namespace clchol::cli {
namespace {

/// Logs a queue's commands during the lifetime of the object.
class Logging {
 public:
  Logging(gpu::Queue& queue, gpu::EventLog& log) : queue_(queue) { queue_.set_log(&log); }
  ~Logging() { queue_.set_log(nullptr); }
  Logging(const Logging&) = delete;
  Logging& operator=(const Logging&) = delete;

 private:
  gpu::Queue& queue_;
};

/// Runs one repetition.  Returns the seconds from the begin of its first command to the end of its
/// last command.
double timed_run(DeviceSession& session, Experiment& experiment) {
  session.check_interrupt();
  experiment.reset();
  gpu::EventLog log;
  {
    const Logging logging(session.queue(), log);
    experiment.run();
  }
  const std::vector<gpu::LoggedEvent> events = log.take();
  session.trace_commands(events);
  if (events.empty()) return 0;
  std::uint64_t start = events.front().times.start, end = start;
  for (const gpu::LoggedEvent& event : events) {
    start = std::min(start, event.times.start);
    end = std::max(end, event.times.end);
  }
  return static_cast<double>(end - start) * 1e-9;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void time_runs(DeviceSession& session, Experiment& experiment, const Effort& effort,
               Measurement& measured) {
  for (int k = 0; k < effort.warm_ups; ++k) timed_run(session, experiment);
  std::vector<double> seconds;
  double total = 0;
  const auto taken = [&] { return static_cast<int>(seconds.size()); };
  while (taken() < effort.least || (taken() < effort.most && total < effort.seconds)) {
    seconds.push_back(timed_run(session, experiment));
    total += seconds.back();
  }
  measured.seconds = median(seconds);
  measured.repetitions = taken();
  if (measured.seconds <= 0) throw DeviceError("events report no time");
  const Work work = experiment.work();
  measured.tflops = work.flops / measured.seconds * 1e-12;
  measured.gbs = work.bytes / measured.seconds * 1e-9;
}

void run_case(DeviceSession& session, const Case& c, const Effort& effort, Measurement& measured) {
  if (c.precision == "double") require(session.capabilities().fp64);
  const std::unique_ptr<Experiment> experiment = c.prepare(session);
  measured.params = experiment->params();
  experiment->reset();
  experiment->run();
  measured.max_error = experiment->max_error();
  if (!(*measured.max_error <= c.tolerance)) {
    measured.status = MeasureStatus::kWrong;
    measured.reason = "error " + small_text(*measured.max_error) + ", at most " +
                      small_text(c.tolerance) + " is rounding";
    return;
  }
  time_runs(session, *experiment, effort, measured);
}

void set_failure(MeasureStatus status, const char* reason, Measurement& measured) {
  measured.status = status;
  measured.reason = reason;
}

}  // namespace

const char* to_string(MeasureStatus status) noexcept {
  switch (status) {
    case MeasureStatus::kOk:
      return "ok";
    case MeasureStatus::kAbsent:
      return "absent";
    case MeasureStatus::kFailed:
      return "failed";
    case MeasureStatus::kWrong:
      break;
  }
  return "wrong";
}

Measurement measure(DeviceSession& session, const Case& c, const Effort& effort) {
  session.check_interrupt();
  Measurement measured;
  try {
    run_case(session, c, effort, measured);
  } catch (const Unsupported& error) {
    set_failure(MeasureStatus::kAbsent, error.what(), measured);
  } catch (const InvalidArgument& error) {  // Beyond the device's limits; nothing was enqueued.
    set_failure(MeasureStatus::kAbsent, error.what(), measured);
  } catch (const DeviceError& error) {
    set_failure(MeasureStatus::kFailed, error.what(), measured);
  }
  return measured;
}

void Peaks::take(const Case& peak, const Measurement& measured) {
  double& rate = peak.peak == PeakKind::kTensor ? of(peak).tensor : of(peak).fma;
  rate = std::max(rate, measured.tflops);
  copy_ = std::max(copy_, measured.gbs);
}

std::optional<double> Peaks::share(const Case& c, const Measurement& measured) const {
  const double rate = c.peak == PeakKind::kTensor ? of(c).tensor : of(c).fma;
  const double flops_share = rate > 0 ? measured.tflops / rate : 0;
  const double bytes_share = copy_ > 0 ? measured.gbs / copy_ : 0;
  const double share = std::max(flops_share, bytes_share);
  return share > 0 ? std::optional(share) : std::nullopt;
}

}  // namespace clchol::cli
