#include "gpu_kernels/runtime/staging.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

class StagingTest : public OpenClTest {};

// Two transfers in each direction, so that chunks are used while others are under way.
TEST_F(StagingTest, ValuesComeAndGoWhateverTheChunks) {
  constexpr Offset kChunk = 100;
  Staging<double> staging(queue(), kChunk);
  for (const Offset size : {0, 1, 99, 100, 101, 200, 203, 1000, 1001}) {
    SCOPED_TRACE(size);
    const DeviceBuffer<double> buffer(context(), size);
    for (const double scale : {1.0, 2.0}) {
      std::vector<double> values(static_cast<std::size_t>(size)), back(values.size());
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = scale * static_cast<double>(k);

      staging.upload(queue(), buffer, [&](Offset begin, std::span<double> chunk) {
        ASSERT_LE(chunk.size(), static_cast<std::size_t>(kChunk));
        std::copy_n(values.begin() + begin, chunk.size(), chunk.begin());
      });
      staging.download(queue(), buffer, [&](Offset begin, std::span<const double> chunk) {
        std::copy(chunk.begin(), chunk.end(), back.begin() + begin);
      });

      EXPECT_EQ(back, values);
    }
  }
}

TEST_F(StagingTest, APieceHasAtLeastOneValue) {
  Staging<float> staging(queue(), 0);
  const DeviceBuffer<float> buffer(context(), 3);
  float next = 0;

  staging.upload(queue(), buffer, [&](Offset, std::span<float> chunk) { chunk[0] = ++next; });

  EXPECT_EQ(on_host(buffer), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace clchol::gpu
