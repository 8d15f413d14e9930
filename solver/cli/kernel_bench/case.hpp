// What the families of kernels hand to the harness: one case for each line of the report.
//
// A family is one file with one function that lists its cases (families.hpp).  Measuring, checking,
// and what happens to a case that fails are the harness' (measure.hpp).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "solver/cli/device/device_session.hpp"

namespace clchol::cli {

/// What a run has to do at least.
struct Work {
  double flops = 0;  // Additions, multiplications, divisions, roots, comparisons; an fma is two.
  double bytes = 0;  // Every operand read or written once.
};

/// The data of one case on the device.
class Experiment {
 public:
  virtual ~Experiment() = default;

  /// Puts operands back that run() has changed; not timed.
  virtual void reset() {}
  /// Enqueues what is measured: its time is from the begin of its first command to the end of the
  /// last one.
  virtual void run() = 0;
  /// After one reset() and one run(): the largest difference between result and twin, over the
  /// twin's largest entry.
  virtual double max_error() = 0;
  virtual Work work() const = 0;
  /// Parameters that the kernel was built with; empty where there are none to choose.
  virtual gpu::TuningParams params() const { return {}; }
};

/// Thrown by Case::prepare where the device lacks what the variant needs: what() is the reason.
class Unsupported : public std::runtime_error {
  using runtime_error::runtime_error;
};

/// Throws Unsupported where the capability is absent.
inline void require(const gpu::Capability& capability) {
  if (!capability.present) throw Unsupported(capability.reason);
}

/// A family's sizes: constants at the top of its file.
template <class Shape>
std::span<const Shape> shapes_of(bool quick, std::span<const Shape> quick_shapes,
                                 std::span<const Shape> shapes) {
  return quick ? quick_shapes : shapes;
}

/// The rate that work on a processor is compared with.
enum class PeakKind { kFma, kTensor };

struct Case {
  std::string kernel = {};     // As --kernel names it.
  std::string variant = {};    // "generic"
  std::string precision = {};  // "double", "single"
  std::string shape = {};      // "n=1048576"
  double tolerance = 0;        // Of max_error, from the kernel's error bound.
  PeakKind peak = PeakKind::kFma;
  bool on_request = false;  // Only where --kernel names its kernel.
  std::function<std::unique_ptr<Experiment>(DeviceSession&)> prepare = {};
};

}  // namespace clchol::cli
