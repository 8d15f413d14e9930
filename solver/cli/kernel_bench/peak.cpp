// Measures the device's peak rates: peak_fma, peak_tensor, peak_copy.
#include "gpu_kernels/dense/peak.hpp"

#include "gpu_kernels/reference/peak.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

using gpu::kPeakWorkGroup;
using gpu::MmaShape;
using gpu::PeakFma;

constexpr Index kQuickRounds = 64;
constexpr Index kFmaRounds = 1024;
constexpr Index kMmaRounds = MmaShape::kMostRounds;
// Work-groups per compute unit: enough that an incomplete last round takes little of the time.
constexpr Offset kGroupsOfUnit = 32;
constexpr Offset kQuickBytes = 1 << 20;
constexpr Offset kBytes = 1 << 29;  // Bytes of a copy's operand: more than all caches.

Offset num_groups(const DeviceSession& session) {
  return kGroupsOfUnit * session.device().description.compute_units;
}

/// Returns `size` entries that repeat `part`.
template <class T>
std::vector<T> repeated(const std::vector<T>& part, Offset size) {
  std::vector<T> all(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = part[i % part.size()];
  return all;
}

template <class T>
class FmaExperiment : public Experiment {
 public:
  FmaExperiment(DeviceSession& session, Index rounds)
      : queue_(session.queue()),
        rounds_(rounds),
        peak_(session.programs()),
        out_(session.context(), num_groups(session) * kPeakWorkGroup) {}

  void run() override { peak_.fma(queue_, rounds_, out_); }
  double max_error() override {
    return max_relative_error(on_host(queue_, out_),
                              repeated(gpu::reference::peak_fma<T>(rounds_), out_.size()));
  }
  Work work() const override {
    return {PeakFma<T>::flops(rounds_) * static_cast<double>(out_.size()), 0};
  }

 private:
  gpu::Queue& queue_;
  Index rounds_;
  gpu::Peak<T> peak_;
  gpu::DeviceBuffer<T> out_;
};

class MmaExperiment : public Experiment {
 public:
  MmaExperiment(DeviceSession& session, MmaShape shape, Index rounds)
      : queue_(session.queue()),
        shape_(shape),
        rounds_(rounds),
        peak_(session.programs(), shape),
        out_(session.context(), num_groups(session) * MmaShape::kWarps * shape.tile()) {}

  void run() override { peak_.run(queue_, rounds_, out_); }
  double max_error() override {
    return max_relative_error(on_host(queue_, out_),
                              repeated(gpu::reference::peak_mma(shape_, rounds_), out_.size()));
  }
  Work work() const override {
    const auto tiles = out_.size() / shape_.tile();
    return {shape_.flops(rounds_) * static_cast<double>(tiles), 0};
  }

 private:
  gpu::Queue& queue_;
  MmaShape shape_;
  Index rounds_;
  gpu::PeakMma peak_;
  gpu::DeviceBuffer<double> out_;
};

template <class T>
class CopyExperiment : public Experiment {
 public:
  CopyExperiment(DeviceSession& session, Offset n)
      : queue_(session.queue()),
        x_(positive_values<T>(n, 1)),
        peak_(session.programs()),
        device_x_(on_device(queue_, x_)),
        y_(session.context(), n) {}

  void run() override { peak_.copy(queue_, device_x_, y_); }
  double max_error() override { return max_relative_error(on_host(queue_, y_), x_); }
  Work work() const override { return {0, 2.0 * static_cast<double>(x_.size()) * sizeof(T)}; }

 private:
  gpu::Queue& queue_;
  std::vector<T> x_;
  gpu::Peak<T> peak_;
  gpu::DeviceBuffer<T> device_x_, y_;
};

template <class T>
Case fma_case(Index rounds) {
  Case c{"peak_fma", "fma", precision_of<T>(), "rounds=" + std::to_string(rounds)};
  // Without a fast fma the device rounds twice per step.  Each step shrinks earlier errors by the
  // factor 1 - 2^-10.
  c.tolerance = 2 * 1024 * eps<T>();
  c.prepare = [rounds](DeviceSession& session) {
    return std::make_unique<FmaExperiment<T>>(session, rounds);
  };
  return c;
}

template <class T>
Case copy_case(Offset bytes) {
  const Offset n = bytes / static_cast<Offset>(sizeof(T));
  Case c{"peak_copy", "vector16", precision_of<T>(), "n=" + std::to_string(n)};
  c.prepare = [n](DeviceSession& session) {
    return std::make_unique<CopyExperiment<T>>(session, n);
  };
  return c;
}

Case mma_case(const char* variant, MmaShape shape, gpu::Capability gpu::Capabilities::*capability,
              Index rounds) {
  Case c{"peak_tensor", variant, precision_of<double>(), "rounds=" + std::to_string(rounds)};
  c.peak = PeakKind::kTensor;
  c.prepare = [=](DeviceSession& session) {
    require(session.capabilities().*capability);
    return std::make_unique<MmaExperiment>(session, shape, rounds);
  };
  return c;
}

}  // namespace

std::vector<Case> peak_cases(bool quick) {
  const Index rounds = quick ? kQuickRounds : kFmaRounds;
  const Index mma_rounds = quick ? kQuickRounds : kMmaRounds;
  const Offset bytes = quick ? kQuickBytes : kBytes;
  return {fma_case<double>(rounds),
          fma_case<float>(rounds),
          mma_case("m8n8k4", gpu::kM8n8k4, &gpu::Capabilities::mma_m8n8k4, mma_rounds),
          mma_case("m16n8k16", gpu::kM16n8k16, &gpu::Capabilities::mma_m16n8k16, mma_rounds),
          copy_case<double>(bytes),
          copy_case<float>(bytes)};
}

}  // namespace clchol::cli
