#include "tests/numeric/dense/dense_support.hpp"

namespace clchol::numeric::dense {
namespace {

TEST(SimdTarget, NamesTheInstructionSetInUse) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const test::TargetScope scope(target);

    EXPECT_STREQ(simd_target(), hwy::TargetName(target));
  }
}

TEST(SimdTarget, IsTheBestOneWithoutAnyChoice) {
  EXPECT_STREQ(simd_target(), hwy::TargetName(hwy::SupportedAndGeneratedTargets().front()));
}

TEST(FactorWorkspaceSize, IsNothingForFrontsThatAreNeverPacked) {
  EXPECT_EQ(factor_workspace_size<double>(255), 0);
}

TEST(FactorWorkspaceSize, GrowsWithTheFront) {
  EXPECT_GT(factor_workspace_size<float>(256), 0);
  EXPECT_GT(factor_workspace_size<float>(1000), factor_workspace_size<float>(500));
}

}  // namespace
}  // namespace clchol::numeric::dense
