#include "gpu_kernels/fronts/front_solve.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "gpu_kernels/runtime/capabilities.hpp"
#include "tests/gpu_kernels/fronts/solve_forest.hpp"
#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

// Runs on devices that have the kernels' instructions.
class FrontSolveTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) return;
    const Capabilities able = probe_capabilities(programs(), queue());
    for (const Capability* needed : {&able.mma_m16n8k16, &able.bulk_copy, &able.forward_progress}) {
      if (!needed->present) GTEST_SKIP() << "not this device: " << needed->reason;
    }
    context().set_static_local_bytes(able.static_local_bytes);
  }

  void solve(SolveForest& forest, Index rhs, const FrontSolveOptions& options, bool forward,
             bool backward) {
    const DeviceBuffer<Index> rowind = on_device(forest.rowind);
    const FrontSolvePlan plan =
        upload_front_solve(queue(), make_front_solve(forest.input(), options), rowind);
    const std::vector<double> values(forest.panels.span().begin(), forest.panels.span().end());
    const DeviceBuffer<double> panels = on_device(values), x = on_device(forest.x);
    const DeviceBuffer<double> inverses(context(), plan.sizes.inverse_entries);
    const DeviceView<const double> view = panels;
    const FrontSolve kernels(programs(), front_solve_params(rhs, plan.sizes));
    const DeviceBuffer<double> workspace_values(
        context(), FrontSolve::workspace_entries(plan.sizes, kernels.params().rhs, forest.nrhs));
    FrontSolveWorkspace workspace = kernels.workspace(queue(), plan, workspace_values, forest.nrhs);
    FrontSolveBlocks blocks(programs());
    const auto operands_of = [&](Index group) -> FrontSolveOperands {
      return {forest.nrhs, view,
              inverses.part(plan.groups[static_cast<std::size_t>(group)].inverses,
                            plan.inverse_entries(group)),
              x};
    };
    const Index groups = plan.sizes.num_groups;
    for (Index g = 0; g < groups; ++g) {
      blocks.run(queue(), plan, g, view,
                 inverses.part(plan.groups[static_cast<std::size_t>(g)].inverses,
                               plan.inverse_entries(g)));
    }
    for (Index g = 0; forward && g < groups; ++g) {
      kernels.forward(queue(), plan, workspace, g, operands_of(g));
    }
    for (Index g = groups - 1; backward && g >= 0; --g) {
      kernels.backward(queue(), plan, workspace, g, operands_of(g));
    }
    forest.x = on_host(x);
  }
};

const FrontSolveOptions kMixed{}, kTilesAlone{.subtree_columns = 0, .part_rows = 64};

TEST_F(FrontSolveTest, BothDirectionsAreTheReference) {
  for (const FrontSolveOptions& options : {kMixed, kTilesAlone}) {
    for (const Index rhs : {1, 4, 8, 16}) {
      for (const Index nrhs : {1, 2, 16, 17}) {
        SCOPED_TRACE(testing::Message() << "rhs " << rhs << ", nrhs " << nrhs);
        for (const bool forward : {true, false}) {
          SolveForest forest(kSolveSizes, nrhs), expected = forest;
          solve(forest, rhs, options, forward, !forward);
          forward ? expected.forward_by_reference() : expected.backward_by_reference();
          expect_close(forest, expected);
        }
      }
    }
  }
}

TEST_F(FrontSolveTest, SpansAreTheReference) {
  for (const Index rhs : {1, 16}) {
    for (const bool forward : {true, false}) {
      SCOPED_TRACE(testing::Message() << "rhs " << rhs << (forward ? " forward" : " backward"));
      SolveForest forest({{63, 40, 4}, {270, 90, 4}, {590, 3, 4}, {256, 64, 4}, {450, 0}}, rhs);
      SolveForest expected = forest;
      solve(forest, rhs, {.subtree_columns = 0, .spanned_blocks = 4}, forward, !forward);
      forward ? expected.forward_by_reference() : expected.backward_by_reference();
      expect_close(forest, expected);
    }
  }
}

TEST_F(FrontSolveTest, GroupsAreTheReference) {
  for (const bool forward : {true, false}) {
    SolveForest forest(grouped_sizes(), 5), expected = forest;
    solve(forest, 8, kMixed, forward, !forward);
    forward ? expected.forward_by_reference() : expected.backward_by_reference();
    expect_close(forest, expected);
  }
}

TEST_F(FrontSolveTest, SameBitsAtEveryRun) {
  SolveForest first(kSolveSizes, 16);
  solve(first, 16, kTilesAlone, true, true);
  for (int run = 0; run < 5; ++run) {
    SolveForest again(kSolveSizes, 16);
    solve(again, 16, kTilesAlone, true, true);
    EXPECT_EQ(std::memcmp(first.x.data(), again.x.data(), first.x.size() * sizeof(double)), 0);
  }
}

TEST_F(FrontSolveTest, WrongArgumentsAreRefused) {
  EXPECT_THROW(FrontSolve(programs(), {.rhs = 3}), InvalidArgument);
  SolveForest forest({{70, 0}}, 1);
  forest.nrhs = 0;
  EXPECT_THROW(solve(forest, 1, kTilesAlone, true, false), InvalidArgument);

  const DeviceBuffer<Index> rowind = on_device(forest.rowind);
  const FrontSolvePlan plan =
      upload_front_solve(queue(), make_front_solve(forest.input(), kTilesAlone), rowind);
  const DeviceBuffer<double> values(context(), plan.sizes.inverse_entries + 2 * 70 * 70);
  FrontSolveBlocks blocks(programs());
  const DeviceView<double> inverses = values.part(0, plan.sizes.inverse_entries);
  EXPECT_THROW(blocks.run(queue(), plan, 0, values.part(1, 70 * 70), inverses), InvalidArgument);
  EXPECT_THROW(blocks.run(queue(), plan, 0, values, values.part(1, plan.sizes.inverse_entries)),
               InvalidArgument);
  EXPECT_THROW(blocks.run(queue(), plan, 1, values, inverses), InvalidArgument);

  const FrontSolve kernels(programs(), front_solve_params(2));
  const Offset wanted = FrontSolve::workspace_entries(plan.sizes, 2, 2);
  const DeviceBuffer<double> workspace(context(), wanted + 1);
  EXPECT_THROW(kernels.workspace(queue(), plan, workspace.part(0, wanted - 1), 2), InvalidArgument);
  EXPECT_THROW(kernels.workspace(queue(), plan, workspace.part(1, wanted), 2), InvalidArgument);
}

TEST(FrontSolveParams, AsFewRightHandSidesAsHoldThemAll) {
  const std::vector<std::pair<Index, Index>> cases = {{1, 1},  {2, 2},   {3, 4},
                                                      {9, 16}, {16, 16}, {40, 16}};
  for (const auto& [nrhs, rhs] : cases) {
    EXPECT_EQ(front_solve_params(nrhs).rhs, rhs) << nrhs;
    EXPECT_TRUE(front_solve_params(nrhs).valid()) << nrhs;
  }
}

// Work-groups share a compute unit's 227 KiB; the unit keeps 1 KiB more for each work-group.
TEST(FrontSolveParams, WorkGroupsShareTheLocalMemory) {
  for (Index rhs = 1; rhs <= kMostSolveSides; rhs *= 2) {
    const FrontSolveParams params = front_solve_params(rhs);
    EXPECT_LE(params.work_groups_per_unit * (params.local_bytes() + 1024), 227 * 1024) << rhs;
  }
}

TEST(FrontSolveParams, OnlyWhatTheKernelsTakeIsValid) {
  EXPECT_TRUE(FrontSolveParams{}.valid());
  for (const auto& [member, value] :
       {std::pair(&FrontSolveParams::rhs, 32), std::pair(&FrontSolveParams::rhs, 0),
        std::pair(&FrontSolveParams::registers, 256), std::pair(&FrontSolveParams::stages, 1),
        std::pair(&FrontSolveParams::work_groups_per_unit, 0)}) {
    FrontSolveParams params;
    params.*member = value;
    EXPECT_FALSE(params.valid()) << value;
  }
}

}  // namespace
}  // namespace clchol::gpu
