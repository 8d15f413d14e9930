// A case of the kernel benchmark (`clchol bench kernels`): one kernel, in one variant, in one
// precision, on operands of one size.  The report has one line for each case.
//
// Related kernels form a family.  A family is one file, with one function that lists the family's
// cases (families.hpp).  measure() (measure.hpp) takes a case, calls Case::prepare to make an
// Experiment (operands in device memory, and a function that runs the kernel), checks the result of
// one run, and measures the time of many runs.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "solver/cli/device/device_session.hpp"

namespace clchol::cli {

/// The work of one run.  A rate of the report is this work divided by the time of the run.
struct Work {
  // Number of additions, multiplications, divisions, roots and comparisons.  A fused multiply-add
  // counts as two.
  double flops = 0;
  // Bytes of device memory that are read and written, if every operand is read and written once.
  double bytes = 0;
};

/// The operands of one case in device memory, and the commands that are measured.
class Experiment {
 public:
  virtual ~Experiment() = default;

  /// Restores the operands that run() overwrites.  Not timed.
  virtual void reset() {}
  /// Enqueues the commands that are measured.  The time of a run is from the begin of its first
  /// command to the end of its last command.
  virtual void run() = 0;
  /// Returns the error of the result of run(): the largest difference between an entry of the
  /// result and the same entry of its twin, divided by the magnitude of the twin's largest entry.
  /// The twin is the result that a reference implementation on the CPU computes from the same
  /// operands.  Must be called after one reset() and one run().
  virtual double max_error() = 0;
  /// Returns the work of one run().
  virtual Work work() const = 0;
  /// Returns the tuning parameters that the kernel was built with; empty when the kernel has none.
  virtual gpu::TuningParams params() const { return {}; }
};

/// Case::prepare throws this exception when the device cannot run the case.  what() is the reason.
class Unsupported : public std::runtime_error {
  using runtime_error::runtime_error;
};

/// Throws Unsupported, with the reason, when the device lacks the capability.
inline void require(const gpu::Capability& capability) {
  if (!capability.present) throw Unsupported(capability.reason);
}

/// Returns `quick_shapes` if quick is true, else `shapes`.  Both are constants at the top of a
/// family's file: the sizes of the operands in a quick run and in a full run.
template <class Shape>
std::span<const Shape> shapes_of(bool quick, std::span<const Shape> quick_shapes,
                                 std::span<const Shape> shapes) {
  return quick ? quick_shapes : shapes;
}

/// The peak rate of the device with which a case's flops are compared: that of fused multiply-adds,
/// or that of tensor cores.
enum class PeakKind { kFma, kTensor };

/// One case of the benchmark.
struct Case {
  std::string kernel = {};     // Name of the kernel, which --kernel takes.
  std::string variant = {};    // Name of the variant of the kernel, for example "generic".
  std::string precision = {};  // "double" or "single".
  std::string shape = {};      // Sizes of the operands, for the report: "n=1048576".
  // Largest Experiment::max_error() of a correct result, from the kernel's rounding error bound.
  double tolerance = 0;
  PeakKind peak = PeakKind::kFma;  // Peak rate with which the case's flops are compared.
  bool on_request = false;  // true: the case is measured only when --kernel names the kernel.
  /// Makes the experiment.  Throws Unsupported when the device cannot run the case.
  std::function<std::unique_ptr<Experiment>(DeviceSession&)> prepare = {};
};

}  // namespace clchol::cli
