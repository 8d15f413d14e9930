// The engine of one OpenCL device.  The class implements the interface Engine (engine.hpp) by calls
// of numeric::DeviceEngine (numeric/device/engine.hpp), which does the work.  Builds without OpenCL
// do not compile this file.
#pragma once

#include <algorithm>

#include "numeric/device/engine.hpp"
#include "solver/device/device_setup.hpp"
#include "solver/device/open_device.hpp"

namespace clchol::solver {

template <class F>
class OpenClEngine : public Engine<F> {
 public:
  /// Plans the factorization, builds kernels and allocates memory on the device.  The analysis must
  /// outlive the engine.  Throws OutOfMemory when the memory budgets of the options are too small,
  /// DeviceError when the device fails.
  OpenClEngine(const OpenDevice& device, const Analysis& analysis, const Options& options)
      : engine_(device, analysis.symbolic, analysis.entries, numeric_options(analysis, options)) {}

  /// Returns predicted_device_bytes() of an engine with these arguments, without making the engine.
  /// Allocates nothing on the device.
  static std::int64_t predict_bytes(const OpenDevice& device, const Analysis& analysis,
                                    const Options& options) {
    return numeric::DeviceEngine<F>::predict_bytes(*device, analysis.symbolic, analysis.entries,
                                                   numeric_options(analysis, options));
  }

  /// Predicts memory and times of the ways in which the device can make a factor, for
  /// SparseCholesky::device_modes().  Allocates nothing on the device.
  static std::vector<DeviceMode> predict_modes(const OpenDevice& device, const Analysis& analysis,
                                               const Options& options) {
    std::vector<DeviceMode> modes;
    for (const numeric::ModeEstimate& mode : numeric::DeviceEngine<F>::predict_modes(
             *device, analysis.symbolic, analysis.entries, numeric_options(analysis, options))) {
      modes.push_back({.is_streamed = mode.is_streamed,
                       .is_least = mode.is_least,
                       .device_bytes = mode.device,
                       .host_bytes = mode.host,
                       .file_bytes = mode.file,
                       .factor_s = mode.factor_s,
                       .solve_s = mode.solve_s,
                       .to_host_bytes = mode.to_host,
                       .to_device_bytes = mode.to_device,
                       .solve_bytes = mode.solve,
                       .cpu_solve_bytes = mode.cpu_solve});
    }
    return modes;
  }

  OpenClEngine* opencl() override { return this; }
  numeric::FactorResult factorize(std::span<const F> values,
                                  const numeric::Control& control) override {
    return engine_.factorize(values, control);
  }
  void solve(const RowsView<F>& x, bool forward, bool backward,
             const numeric::Control& control) const override {
    engine_.solve(x, forward, backward, control);
  }
  std::vector<F> diagonal() const override { return engine_.diagonal(); }
  void visit_panels(const numeric::VisitColumns<F>& visit) const override {
    engine_.visit_panels(visit);
  }
  std::int64_t predicted_device_bytes() const override { return engine_.bytes(); }
  std::int64_t peak_device_bytes() const override {
    return static_cast<std::int64_t>(engine_.runtime().context().memory()->peak());
  }

  std::int64_t file_bytes() const override { return engine_.file_bytes(); }

  DeviceSetup device_setup() const override {
    DeviceSetup setup = setup_of(engine_.setup());
    add_runtime(engine_.runtime(), setup);
    setup.notes = engine_.runtime().tuning().notes();
    setup.streamed_bytes = engine_.host_bytes();
    setup.parts = parts_;
    setup.parts_reason = parts_reason_;
    return setup;
  }

  /// Sets DeviceSetup::parts and DeviceSetup::parts_reason of device_setup().  To be called when
  /// several devices were named and this engine's device does all work.
  void set_parts(std::vector<DevicePart> parts, std::string reason) {
    parts_ = std::move(parts);
    parts_reason_ = std::move(reason);
  }

  /// A list in device memory, for callers that pass A's values in an OpenCL buffer
  /// (clchol/opencl.hpp).  Element k is the index, in the caller's buffer, of value k of the lower
  /// triangle.  Length nnz.  Empty: value k has the index k, or set_sources() was not called.
  gpu::DeviceView<const Offset> sources() const { return sources_; }
  /// Takes over the list that sources() returns from now on.
  void set_sources(gpu::DeviceBuffer<Offset> sources) { sources_ = std::move(sources); }

  /// The device engine, whose functions also accept values and right-hand sides in device memory.
  numeric::DeviceEngine<F>& numeric() { return engine_; }
  const numeric::DeviceEngine<F>& numeric() const { return engine_; }

 private:
  // Converts the public options to those of the device engine.
  static numeric::DeviceShareOptions numeric_options(const Analysis& analysis,
                                                     const Options& options) {
    numeric::DeviceShareOptions result{.threads = num_threads(options),
                                       .memory = options.memory.device};
    result.scratch.directory = options.memory.scratch_directory;
    if (options.memory.host > 0) {
      // The streamed factor may use the host's budget minus the bytes of the analysis, of A's
      // values and of a solve.  At least 1 byte, because 0 would mean all free memory.
      const Offset values = analysis.map.lower.view().nnz() * Offset{sizeof(double)};
      const Offset others = analysis.bytes() + values + analysis.report.solve_bytes_per_rhs;
      result.host_memory = std::max(options.memory.host - others, Offset{1});
    }
    return result;
  }

  numeric::DeviceEngine<F> engine_;
  // Index, in the caller's buffer, of each value of the lower triangle: sources().
  gpu::DeviceBuffer<Offset> sources_;
  std::vector<DevicePart> parts_;  // Part of each device that was named, from set_parts().
  std::string parts_reason_;       // Why fewer devices work than were named, from set_parts().
};

}  // namespace clchol::solver
