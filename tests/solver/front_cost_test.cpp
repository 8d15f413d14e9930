// What the analysis merges fronts by, on devices and on the CPU.
#include <gtest/gtest.h>

#include "gpu_kernels/tuning.hpp"
#include "solver/analysis.hpp"
#include "solver/engine_choice.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/files.hpp"

namespace clchol::solver {
namespace {

using symbolic::FrontCost;

FrontCost cost_on(const std::string& name) {
  gpu::DeviceDescription listed;
  listed.name = name;
  return front_cost_on(listed);
}

void expect_same(const FrontCost& a, const FrontCost& b) {
  EXPECT_EQ(a.front, b.front);
  EXPECT_EQ(a.small_front, b.small_front);
  EXPECT_EQ(a.small_rows, b.small_rows);
}

TEST(FrontCostChoice, IsTheCpusWithoutADevice) {
  for (const char* device : {"cpu", "auto", "", "no such device", "0,0"}) {
    SCOPED_TRACE(device);
    Options options;
    options.device = device;
    expect_same(front_cost(options), FrontCost{});
  }
}

TEST(FrontCostChoice, ComesFromTheDevicesTuningData) {
  const test::TemporaryFolder cache;
  const test::Variable variable("CLCHOL_CACHE", cache.path().c_str());
  expect_same(cost_on("Some Device"), FrontCost{});
  const FrontCost shipped = cost_on("NVIDIA H200");
  EXPECT_GT(shipped.front, FrontCost{}.front);
  EXPECT_EQ(shipped.small_rows, 64);

  const std::filesystem::path folder = gpu::tuning_folder(cache.path());
  std::filesystem::create_directories(folder);
  gpu::DeviceTuning tuning;
  tuning.device = "Some Device";
  tuning.kernels = {{"analysis", "front_cost", "double", {}, {{"front", -1}}},
                    {"analysis", "front_cost", "double", {}, {{"front", 777}, {"else", 1}}}};
  test::put_file(folder / gpu::tuning_file_name(tuning.device), to_json(tuning));

  // A row that makes no sense is passed over, what a row does not name is the CPU's.
  const FrontCost own = cost_on("Some Device");
  EXPECT_EQ(own.front, 777);
  EXPECT_EQ(own.small_front, FrontCost{}.small_front);
}

TEST(FrontCostChoice, DearFrontsAreMerged) {
  const test::LowerMatrix a = test::grid3d(12, 12, 12);
  const auto supernodes = [&](const FrontCost& cost) {
    return analyze(make_input_map(a.pattern.n, std::span<const Offset>(a.pattern.colptr),
                                  std::span<const Index>(a.pattern.rowind), Triangle::kLower),
                   {}, true, cost)
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
