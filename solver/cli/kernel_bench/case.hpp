// Cases of the kernel benchmark: one for each line of the report.
//
// A family of kernels is one file with one function that lists the family's cases (families.hpp).
// The harness (measure.hpp) measures and checks the cases, and handles the cases that fail.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "solver/cli/device/device_session.hpp"

namespace clchol::cli {

/// The least work of a run, from which rates are computed.
struct Work {
  double flops = 0;  // Additions, multiplications, divisions, roots, comparisons; an fma is two.
  double bytes = 0;  // Bytes when every operand is read or written once.
};

/// The operands of one case on the device, and the run that is measured.
class Experiment {
 public:
  virtual ~Experiment() = default;

  /// Restores the operands that run() overwrites.  Not timed.
  virtual void reset() {}
  /// Enqueues the commands that are measured.  The time of a run is from the begin of its first
  /// command to the end of its last command.
  virtual void run() = 0;
  /// Returns the largest difference between the result and its twin, the result of a reference on
  /// the CPU, divided by the twin's largest entry.  Must be called after one reset() and one run().
  virtual double max_error() = 0;
  virtual Work work() const = 0;
  /// Tuning parameters that the kernel was built with; empty when the kernel has none.
  virtual gpu::TuningParams params() const { return {}; }
};

/// Case::prepare throws this when the device cannot run the variant.  what() is the reason.
class Unsupported : public std::runtime_error {
  using runtime_error::runtime_error;
};

/// Throws Unsupported when the device lacks the capability.
inline void require(const gpu::Capability& capability) {
  if (!capability.present) throw Unsupported(capability.reason);
}

/// Returns a family's sizes for a quick run or a full run.  They are constants at the top of its
/// file.
template <class Shape>
std::span<const Shape> shapes_of(bool quick, std::span<const Shape> quick_shapes,
                                 std::span<const Shape> shapes) {
  return quick ? quick_shapes : shapes;
}

/// The peak rate with which a case's flops are compared.
enum class PeakKind { kFma, kTensor };

struct Case {
  std::string kernel = {};     // Name that --kernel takes.
  std::string variant = {};    // "generic"
  std::string precision = {};  // "double", "single"
  std::string shape = {};      // "n=1048576"
  double tolerance = 0;        // Largest max_error() that passes, from the kernel's error bound.
  PeakKind peak = PeakKind::kFma;
  bool on_request = false;  // Measured only when --kernel names the kernel.
  /// Makes the experiment.  Throws Unsupported when the device cannot run the variant.
  std::function<std::unique_ptr<Experiment>(DeviceSession&)> prepare = {};
};

}  // namespace clchol::cli
