// Costs by which the analysis makes its choices, for devices and for the CPU.
#include <gtest/gtest.h>

#include "gpu_kernels/devices/tuning.hpp"
#include "solver/analysis.hpp"
#include "solver/device/engine_choice.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/files.hpp"

namespace clchol::solver {
namespace {

using symbolic::FrontCost;

AnalysisCosts costs_on(const std::string& name) {
  gpu::DeviceDescription listed;
  listed.name = name;
  return analysis_costs_on(listed);
}

void expect_same(const AnalysisCosts& a, const AnalysisCosts& b) {
  EXPECT_EQ(a.front.front, b.front.front);
  EXPECT_EQ(a.front.small_front, b.front.small_front);
  EXPECT_EQ(a.front.small_rows, b.front.small_rows);
  EXPECT_EQ(a.order.seconds_per_flop, b.order.seconds_per_flop);
  EXPECT_EQ(a.order.seconds_per_entry, b.order.seconds_per_entry);
  EXPECT_EQ(a.order.amd_seconds, b.order.amd_seconds);
}

TEST(AnalysisCostsChoice, AreTheCpusWithoutADevice) {
  Options options;
  expect_same(analysis_costs(options, true), {});
  options.devices = {"no such device"};
  expect_same(analysis_costs(options, true), {});
  options.devices.clear();
  options.engine = EngineKind::kCpu;
  expect_same(analysis_costs(options, true), {});
}

TEST(AnalysisCostsChoice, ComeFromTheDevicesTuningData) {
  const test::TemporaryFolder cache;
  const test::Variable variable("CLCHOL_CACHE", cache.path().c_str());
  expect_same(costs_on("Some Device"), {});
  const AnalysisCosts shipped = costs_on("NVIDIA H200");
  EXPECT_GT(shipped.front.front, FrontCost{}.front);
  EXPECT_EQ(shipped.front.small_rows, 64);
  EXPECT_LT(shipped.order.seconds_per_flop, ordering::ChoiceOptions{}.seconds_per_flop);
  EXPECT_GT(shipped.order.amd_seconds, 0);

  const std::filesystem::path folder = gpu::tuning_folder(cache.path());
  std::filesystem::create_directories(folder);
  gpu::DeviceTuning tuning;
  tuning.device = "Some Device";
  tuning.kernels = {{"analysis", "front_cost", "double", {}, {{"front", -1}}},
                    {"analysis", "front_cost", "double", {}, {{"front", 777}, {"else", 1}}},
                    {"analysis", "order_cost", "double", {}, {{"flop_fs", 500}}}};
  test::put_file(folder / gpu::tuning_file_name(tuning.device), to_json(tuning));

  // A row with an impossible value is ignored; costs that no row names are those of the CPU.
  const AnalysisCosts own = costs_on("Some Device");
  EXPECT_EQ(own.front.front, 777);
  EXPECT_EQ(own.front.small_front, FrontCost{}.small_front);
  EXPECT_DOUBLE_EQ(own.order.seconds_per_flop, 5e-13);
  EXPECT_EQ(own.order.seconds_per_entry, ordering::ChoiceOptions{}.seconds_per_entry);
}

TEST(AnalysisCostsChoice, DearFrontsAreMerged) {
  const test::LowerMatrix a = test::grid3d(12, 12, 12);
  const auto supernodes = [&](const FrontCost& cost) {
    return analyze(make_input_map(a.pattern.n, std::span<const Offset>(a.pattern.colptr),
                                  std::span<const Index>(a.pattern.rowind), Triangle::kLower),
                   {}, true, {cost, {}})
        ->report.supernodes;
  };
  FrontCost dear;
  dear.front = 20000;
  FrontCost small_ones_cheap = dear;
  small_ones_cheap.small_rows = 64;
  EXPECT_LT(supernodes(dear), supernodes({}));
  EXPECT_LT(supernodes(dear), supernodes(small_ones_cheap));
}

}  // namespace
}  // namespace clchol::solver
