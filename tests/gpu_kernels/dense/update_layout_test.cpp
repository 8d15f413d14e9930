#include "base/update_layout.hpp"

#include <gtest/gtest.h>

namespace clchol::gpu {
namespace {

// The kernels' source, compiled as C++.
namespace kernel {
#define INLINE inline  // NOLINT(readability-identifier-naming)
#include "gpu_kernels/kernels/dense/update_layout.cl"
#undef INLINE
}  // namespace kernel

TEST(UpdateLayoutOfKernels, PlacesAreThoseOfTheHost) {
  EXPECT_EQ(UPDATE_BLOCK, kUpdateBlock);
  for (const Index order : {1, 7, 8, 63, 64, 65, 131, 100'000}) {
    for (Index j = 0; j<order; j += order> 1000 ? 997 : 1) {
      ASSERT_EQ(kernel::update_column_offset(order, j), update_column_offset(order, j))
          << order << " " << j;
    }
  }
}

}  // namespace
}  // namespace clchol::gpu
