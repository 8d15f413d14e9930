// Shared by tests of the device engine: runtimes, and the backward error of solutions.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "numeric/device/engine.hpp"
#include "numeric/residual.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"
#include "tests/numeric/analysed.hpp"
#include "tests/support/files.hpp"
#include "tests/support/rows.hpp"

namespace clchol::numeric {

/// The folder in which all runtimes of this process keep compiled programs: compilers take longer
/// than the tests.
inline const std::filesystem::path& program_folder() {
  static const test::TemporaryFolder kFolder;
  return kFolder.path();
}

/// The runtime of all tests that need none of their own.
inline std::shared_ptr<gpu::DeviceRuntime> runtime() {
  static const std::shared_ptr<gpu::DeviceRuntime> kShared = [] {
    std::optional<gpu::Device> device = gpu::test_device();
    return device ? std::make_shared<gpu::DeviceRuntime>(*device, gpu::QueueOptions{},
                                                         program_folder())
                  : nullptr;
  }();
  return kShared;
}

/// A new runtime whose tuning data has these rates: StreamRates by the names in their tuning row.
inline std::shared_ptr<gpu::DeviceRuntime> runtime_of_rates(const gpu::TuningParams& rates,
                                                            const gpu::ContextCalls& calls = {},
                                                            bool profiling = false) {
  const gpu::Device& device = runtime()->device();
  const std::filesystem::path folder = gpu::tuning_folder(program_folder());
  std::filesystem::create_directories(folder);
  const gpu::DeviceTuning tuning{
      device.name(), "", "", "", {{"stream", "rates", "double", {}, rates}}};
  const std::filesystem::path file = folder / gpu::tuning_file_name(device.name());
  test::put_file(file, gpu::to_json(tuning));
  auto made = std::make_shared<gpu::DeviceRuntime>(
      device, gpu::QueueOptions{.profiling = profiling}, program_folder(), calls);
  std::filesystem::remove(file);  // The runtime has read the file.
  return made;
}

inline std::shared_ptr<gpu::DeviceRuntime> runtime_with(const gpu::ContextCalls& calls) {
  return std::make_shared<gpu::DeviceRuntime>(runtime()->device(), gpu::QueueOptions{},
                                              program_folder(), calls);
}

template <class T>
class DeviceEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!runtime()) GTEST_SKIP() << "no OpenCL device on this machine";
    if (sizeof(T) == 8 && !runtime()->device().description.fp64) GTEST_SKIP() << "no fp64";
  }

  static DeviceEngine<T> engine_of(const test::Analysed& p) {
    return {runtime(), p.symbolic, p.entries, {.threads = 2}};
  }

  static std::vector<T> cast(const std::vector<double>& values) {
    return {values.begin(), values.end()};
  }

  /// Normwise backward error of the solutions of A X = B, B(i, r) = 1 + (i + r) mod 5.
  static double backward_error(const test::Analysed& p, const DeviceEngine<T>& engine,
                               const std::vector<double>& values, Index nrhs) {
    const Index n = p.symbolic.n;
    const std::vector<Index>& perm = p.symbolic.permutation.perm;
    const auto b_of = [](Index i, Index r) { return 1.0 + (i + r) % 5; };
    test::Rows<T> y(n, nrhs);
    for (Index r = 0; r < nrhs; ++r) {
      for (Index k = 0; k < n; ++k) y(k, r) = static_cast<T>(b_of(perm[k], r));
    }
    engine.solve(y.view(), true, true);
    const TransposedIndex transposed = make_transposed_index(p.a.pattern.view());
    const SymmetricView<double> a{p.a.pattern.view(), &transposed, values.data()};
    double worst = 0;
    std::vector<double> b(n), x(n), residual(n), magnitude(n);
    for (Index r = 0; r < nrhs; ++r) {
      for (Index k = 0; k < n; ++k) x[perm[k]] = static_cast<double>(y(k, r));
      for (Index i = 0; i < n; ++i) b[i] = b_of(i, r);
      const double error =
          numeric::residual(a, b.data(), x.data(), residual.data(), magnitude.data(), 1).normwise;
      if (!(error <= worst)) worst = error;
    }
    return worst;
  }
};

using Reals = testing::Types<double, float>;

/// Bound of the backward error without refinement: a few roundings, for well-conditioned matrices.
template <class T>
inline constexpr double kFewEps = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());

}  // namespace clchol::numeric
