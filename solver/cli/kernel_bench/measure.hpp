// Measures one case of the kernel benchmark (case.hpp): builds the kernel, compares the result of
// one run with the result of a reference implementation on the CPU (its twin), and times many runs.
//
// A kernel or driver that fails does not end the benchmark: the Measurement has a status other than
// kOk, and the reason.
#pragma once

#include <optional>
#include <string>

#include "solver/cli/kernel_bench/case.hpp"

namespace clchol::cli {

/// How the measurement of a case ended.
enum class MeasureStatus {
  kOk,      // The result is right, and the runs were timed.
  kAbsent,  // The device lacks a capability or memory that the case needs.
  kFailed,  // The driver's compiler or the device reported an error.
  kWrong,   // The error of the result is above Case::tolerance.  The runs were not timed.
};
/// Returns "ok", "absent", "failed" or "wrong".
const char* to_string(MeasureStatus status) noexcept;

/// What measure() has found out about a case.
struct Measurement {
  MeasureStatus status = MeasureStatus::kOk;
  std::string reason;  // Why the status is not kOk; may have several lines.  Empty for kOk.
  // Error of the result, from Experiment::max_error().  Set for kOk and kWrong.
  std::optional<double> max_error;
  double seconds = 0;   // Median time of the timed runs.  Set for kOk.
  int repetitions = 0;  // Number of timed runs.  Set for kOk.
  double tflops = 0;    // Work::flops divided by `seconds`, in TFLOP/s.  Set for kOk.
  double gbs = 0;       // Work::bytes divided by `seconds`, in GB/s.  Set for kOk.
  // Tuning parameters of the kernel, from Experiment::params().  Empty when the kernel was not
  // built.
  gpu::TuningParams params;
};

/// How often the run of a case is repeated.
struct Effort {
  int warm_ups = 2;  // Number of runs before the timed runs.
  int least = 5;     // Least number of timed runs.
  int most = 51;     // Greatest number of timed runs.
  // From `least` runs on, no further run is timed when the timed runs have taken this many seconds
  // on the device together.
  double seconds = 0.3;
};
/// Effort of a quick benchmark: one warm-up and three timed runs.
inline constexpr Effort kQuickEffort{1, 3, 3, 0};

/// Measures a case.  A failure of the case is not thrown: Measurement::status tells it.  Throws
/// Failure(kInterrupted).
Measurement measure(DeviceSession& session, const Case& c, const Effort& effort);

/// The peak rates of the device, as the cases that measure peaks have found them.
class Peaks {
 public:
  /// Remembers the rates of a case that measures a peak, where they exceed the rates of earlier
  /// such cases.
  void take(const Case& peak, const Measurement& measured);
  /// Returns the share of the device's peak that a case reaches: the larger of two shares.  One is
  /// the case's flop rate divided by the peak flop rate of its precision and PeakKind; the other is
  /// its byte rate divided by the peak rate of copies.  Empty when neither peak is known.
  std::optional<double> share(const Case& c, const Measurement& measured) const;

 private:
  // Peak flop rates of one precision, in TFLOP/s.  0: not known.
  struct Rates {
    double fma = 0;     // Rate of fused multiply-adds.
    double tensor = 0;  // Rate of tensor cores.
  };
  Rates& of(const Case& c) { return c.precision == "double" ? double_ : single_; }
  const Rates& of(const Case& c) const { return c.precision == "double" ? double_ : single_; }

  Rates double_, single_;
  double copy_ = 0;  // Peak rate of copies in device memory, in GB/s.  0: not known.
};

}  // namespace clchol::cli
