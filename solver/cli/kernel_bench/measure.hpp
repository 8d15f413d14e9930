// Measures one case: builds it, checks its result against its twin, and times it.
//
// A kernel or driver that fails does not end the benchmark.  A case that cannot run, fails or gives
// a wrong result is reported with that status, and never counts as passed.
#pragma once

#include <optional>
#include <string>

#include "solver/cli/kernel_bench/case.hpp"

namespace clchol::cli {

enum class MeasureStatus {
  kOk,
  kAbsent,  // The device lacks a capability or memory that the case needs.
  kFailed,  // The driver's compiler or the device reported an error.
  kWrong,   // The error is above the tolerance.  There are no rates.
};
/// Returns "ok", "absent", "failed" or "wrong".
const char* to_string(MeasureStatus status) noexcept;

struct Measurement {
  MeasureStatus status = MeasureStatus::kOk;
  std::string reason;               // Why the status is not kOk; may have several lines.
  std::optional<double> max_error;  // Known for kOk and kWrong.
  double seconds = 0;               // Median time of a repetition.  Known for kOk.
  int repetitions = 0;              // Timed repetitions.  Known for kOk.
  double tflops = 0;                // TFLOP/s.  Known for kOk.
  double gbs = 0;                   // GB/s.  Known for kOk.
  gpu::TuningParams params;         // Tuning parameters, once the kernel was built.
};

/// How long to measure a case.
struct Effort {
  int warm_ups = 2;      // Repetitions before the timed ones.
  int least = 5;         // Fewest timed repetitions.
  int most = 51;         // Most timed repetitions.
  double seconds = 0.3;  // Time on the device after which repetitions end, within these bounds.
};
inline constexpr Effort kQuickEffort{1, 3, 3, 0};

/// Measures a case.  Failures of the case are part of the result.  Throws Failure(kInterrupted).
Measurement measure(DeviceSession& session, const Case& c, const Effort& effort);

/// The best rates of the cases that measure peaks, by precision.
class Peaks {
 public:
  /// Takes in the rates of a case that measures a peak.
  void take(const Case& peak, const Measurement& measured);
  /// Returns the time that the work would take at the peak rates, divided by the measured time: the
  /// larger one of the shares of the arithmetic peak and of the copy peak.  Empty while no peak is
  /// known.
  std::optional<double> share(const Case& c, const Measurement& measured) const;

 private:
  struct Rates {
    double fma = 0;     // TFLOP/s
    double tensor = 0;  // TFLOP/s
  };
  Rates& of(const Case& c) { return c.precision == "double" ? double_ : single_; }
  const Rates& of(const Case& c) const { return c.precision == "double" ? double_ : single_; }

  Rates double_, single_;
  double copy_ = 0;  // GB/s
};

}  // namespace clchol::cli
