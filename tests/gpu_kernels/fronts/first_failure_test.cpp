#include "gpu_kernels/fronts/first_failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gpu_kernels/opencl_support.hpp"

namespace clchol::gpu {
namespace {

using testing::HasSubstr;
using FirstFailureTest = OpenClTest;

// Single precision, which devices without fp64 also have.
PivotStatus<float> first_of(ProgramCache& programs, Queue& queue, const std::vector<Front>& fronts,
                            const std::vector<PivotStatus<float>>& status) {
  const auto on_device = [&](const auto& values) {
    using Value = typename std::decay_t<decltype(values)>::value_type;
    DeviceBuffer<Value> buffer(queue.context(), static_cast<Offset>(values.size()));
    upload<Value>(queue, values, buffer);
    return buffer;
  };
  const DeviceBuffer<PivotStatus<float>> result(queue.context(), 1);
  FirstFailure<float>(programs).run(queue, on_device(fronts), on_device(status), result);
  PivotStatus<float> first{};
  download<PivotStatus<float>>(queue, result, {&first, 1});
  return first;
}

TEST_F(FirstFailureTest, IsTheSmallestColumnWhereverItStands) {
  // The fronts' first columns descend, so that the smallest column is not the first in the list.
  for (const Index n : {1, 255, 256, 257, 2048, 2049, 5000}) {
    SCOPED_TRACE(n);
    std::vector<Front> fronts(static_cast<std::size_t>(n));
    for (Index f = 0; f < n; ++f) fronts[f].first_column = 3 * (n - 1 - f);
    std::vector<PivotStatus<float>> status(fronts.size(), {kNone, 0, 0});
    EXPECT_EQ(first_of(programs(), queue(), fronts, status).column, kNone);

    status[n / 2] = {2, 0, -4};
    status[0] = {0, 0, -5};
    const PivotStatus<float> first = first_of(programs(), queue(), fronts, status);

    const Index owner = n / 2;
    EXPECT_EQ(first.reserved, owner);
    EXPECT_EQ(first.column, fronts[owner].first_column + (owner == 0 ? 0 : 2));
    EXPECT_EQ(first.value, owner == 0 ? -5 : -4);
  }
}

TEST_F(FirstFailureTest, NoFrontsHaveNoFailure) {
  EXPECT_EQ(first_of(programs(), queue(), {}, {}).column, kNone);
}

TEST_F(FirstFailureTest, MissingStatusIsRefused) {
  EXPECT_THAT(message_of<InvalidArgument>([&] { first_of(programs(), queue(), {Front{}}, {}); }),
              HasSubstr("1 fronts, status of 0"));
}

}  // namespace
}  // namespace clchol::gpu
