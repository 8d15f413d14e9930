#include "gpu_kernels/runtime/slabs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

TEST(SlabLimits, AreTheDevicesInElements) {
  Device device;
  device.description.max_allocation_bytes = 1000;
  device.base_alignment_bytes = 512;

  EXPECT_EQ(slab_limits(device, 8).max_slab, 125);
  EXPECT_EQ(slab_limits(device, 8).alignment, 64);
  EXPECT_EQ(slab_limits(device, 12).alignment, 128);
  device.base_alignment_bytes = 0;
  EXPECT_EQ(slab_limits(device, 8).alignment, 1);
}

class SlabsTest : public OpenClTest {};

TEST_F(SlabsTest, PiecesKeepTheirContents) {
  const std::vector<Offset> sizes{5, 3, 7, 8};
  const SlabPlan plan = plan_slabs(sizes, {.max_slab = 8, .alignment = 2});
  const Slabs<Index> slabs(context(), plan);
  EXPECT_EQ(slabs.num_slabs(), 4);

  for (std::size_t i = 0; i < sizes.size(); ++i) {
    fill<Index>(queue(), slabs.view(plan.places[i], sizes[i]), static_cast<Index>(i));
  }

  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_THAT(on_host<Index>(DeviceView<const Index>(slabs.view(plan.places[i], sizes[i]))),
                testing::Each(static_cast<Index>(i)));
  }
}

TEST_F(SlabsTest, PieceThatPassesItsSlabIsRefused) {
  const std::vector<Offset> sizes{5};
  const SlabPlan plan = plan_slabs(sizes, {.max_slab = 8});
  const Slabs<Index> slabs(context(), plan);

  EXPECT_THROW(slabs.view(plan.places[0], 6), InvalidArgument);
}

}  // namespace
}  // namespace clchol::gpu
