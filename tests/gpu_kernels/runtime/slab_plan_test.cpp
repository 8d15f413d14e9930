#include "gpu_kernels/runtime/slab_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <numeric>

#include "tests/support/errors.hpp"

namespace clchol::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PlanSlabs, PiecesFollowOneAnotherAligned) {
  const std::vector<Offset> sizes{3, 4, 1};

  const SlabPlan plan = plan_slabs(sizes, {.max_slab = 100, .alignment = 4});

  EXPECT_THAT(plan.slab_sizes, ElementsAre(9));
  EXPECT_EQ(plan.places[0].offset, 0);
  EXPECT_EQ(plan.places[1].offset, 4);
  EXPECT_EQ(plan.places[2].offset, 8);
}

TEST(PlanSlabs, PieceThatDoesNotFitBeginsASlab) {
  const std::vector<Offset> sizes{6, 4, 5, 1};

  const SlabPlan plan = plan_slabs(sizes, {.max_slab = 10, .alignment = 1});

  EXPECT_THAT(plan.slab_sizes, ElementsAre(10, 6));
  EXPECT_EQ(plan.places[2].slab, 1);
  EXPECT_EQ(plan.places[2].offset, 0);
  EXPECT_EQ(plan.total(), 16);
}

TEST(PlanSlabs, PieceAboveTheUsualSizeHasASlabOfItsOwn) {
  const std::vector<Offset> sizes{2, 2, 9, 1, 3, 2};

  const SlabPlan plan = plan_slabs(sizes, {.max_slab = 10, .usual = 4});

  EXPECT_THAT(plan.slab_sizes, ElementsAre(4, 9, 4, 2));
}

TEST(PlanSlabs, PieceOpensASlabWhereItIsAsked) {
  const std::vector<Offset> sizes{2, 2, 0, 3, 1};
  const std::vector<char> opens{1, 0, 1, 1, 0};

  const SlabPlan plan = plan_slabs(sizes, {.max_slab = 10}, opens);

  // The first slab always exists, and an empty part opens no further slab.
  EXPECT_THAT(plan.slab_sizes, ElementsAre(4, 4));
  EXPECT_EQ(plan.places[3].slab, 1);
  EXPECT_EQ(plan.places[3].offset, 0);
}

TEST(PlanSlabs, LargestPieceFillsASlab) {
  const std::vector<Offset> sizes{10, 10, 0};

  EXPECT_THAT(plan_slabs(sizes, {.max_slab = 10, .alignment = 8}).slab_sizes, ElementsAre(10, 10));
}

TEST(PlanSlabs, PieceLargerThanAnAllocationIsRefused) {
  const std::vector<Offset> sizes{1, 11};

  EXPECT_THAT(message_of<DeviceError>([&] { plan_slabs(sizes, {.max_slab = 10}); }),
              HasSubstr("11 elements does not fit"));
}

TEST(PlanSlabs, NoPiecesNeedNoSlab) {
  EXPECT_THAT(plan_slabs({}, {.max_slab = 1}).slab_sizes, IsEmpty());
}

TEST(PlanSlabs, SizesNearTheEndOfOffsetDoNotOverflow) {
  constexpr Offset kMost = std::numeric_limits<Offset>::max();
  const std::vector<Offset> sizes{kMost - 1, 1};

  EXPECT_THAT(plan_slabs(sizes, {.max_slab = kMost, .alignment = 512}).slab_sizes,
              ElementsAre(kMost - 1, 1));
}

RC_GTEST_PROP(PlanSlabs, PlacesAreAlignedInsideAndApart, ()) {
  const auto limits =
      SlabLimits{*rc::gen::inRange<Offset>(1, 200), *rc::gen::inRange<Offset>(1, 9)};
  const auto sizes =
      *rc::gen::container<std::vector<Offset>>(rc::gen::inRange<Offset>(0, limits.max_slab + 1));

  const SlabPlan plan = plan_slabs(sizes, limits);

  Index slab = 0;
  Offset end = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const SlabPlace place = plan.places[i];
    if (place.slab != slab) end = 0;
    RC_ASSERT(place.slab == slab || place.slab == slab + 1);
    RC_ASSERT(place.offset % limits.alignment == 0);
    RC_ASSERT(sizes[i] == 0 || place.offset >= end);
    RC_ASSERT(sizes[i] == 0 ||
              place.offset + sizes[i] <= plan.slab_sizes[static_cast<std::size_t>(place.slab)]);
    slab = place.slab;
    end = std::max(end, place.offset + sizes[i]);
  }
  for (const Offset size : plan.slab_sizes) RC_ASSERT(size <= limits.max_slab);
}

}  // namespace
}  // namespace clchol::gpu
