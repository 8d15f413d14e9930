// Runs one case: builds it, checks it against its twin, times it.
//
// Nothing that a kernel or a driver does ends the run: what cannot run here, fails or is wrong is a
// result too, and is never counted as passed.
#pragma once

#include <optional>
#include <string>

#include "solver/cli/kernel_bench/case.hpp"

namespace clchol::cli {

enum class MeasureStatus {
  kOk,
  kAbsent,  // The device lacks what the variant needs, or room for its shape.
  kFailed,  // The driver's compiler or the device refused.
  kWrong,   // The error is above the tolerance: no rates.
};
/// "ok", "absent", "failed", "wrong".
const char* to_string(MeasureStatus status) noexcept;

struct Measurement {
  MeasureStatus status = MeasureStatus::kOk;
  std::string reason;               // Why the status is not kOk; may have several lines.
  std::optional<double> max_error;  // Known for kOk and kWrong.
  double seconds = 0;               // Median; this and what follows for kOk alone.
  int repetitions = 0;
  double tflops = 0;
  double gbs = 0;
  gpu::TuningParams params;
};

/// How long to measure: repetitions until they have taken `seconds` on the device, within bounds.
struct Effort {
  int warm_ups = 2;
  int least = 5;
  int most = 51;
  double seconds = 0.3;
};
inline constexpr Effort kQuickEffort{1, 3, 3, 0};

/// Throws Failure(kInterrupted).
Measurement measure(DeviceSession& session, const Case& c, const Effort& effort);

/// The best rates seen so far, by precision: what others are compared with.
class Peaks {
 public:
  void take(const Case& peak, const Measurement& measured);
  /// The time that the work would take at the peak rates, over the time that it took: the larger of
  /// the shares of the arithmetic's peak and the copy's.  Nothing while no peak is known.
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
