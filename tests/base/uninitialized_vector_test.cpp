#include "base/uninitialized_vector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "base/types.hpp"

namespace clchol {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;  // Bytes.

TEST(UninitializedVector, ResizeWritesNothing) {
  UninitializedVector<Index> v = {1, 2, 3};

  v.resize(1);
  v.resize(3);

  EXPECT_THAT(v, testing::ElementsAre(1, 2, 3));
}

TEST(UninitializedVector, ResizeToAValueWritesIt) {
  UninitializedVector<Index> v = {1, 2, 3};

  v.resize(1);
  v.resize(3, 7);

  EXPECT_THAT(v, testing::ElementsAre(1, 7, 7));
}

TEST(UninitializedVector, KeepsWhatItHoldsWhenItGrows) {
  UninitializedVector<Index> v = {1, 2, 3};

  v.resize(kHugePageBytes);

  EXPECT_THAT(std::vector<Index>(v.begin(), v.begin() + 3), testing::ElementsAre(1, 2, 3));
}

TEST(UninitializedVector, BeginsAHugePageWhereItFillsOne) {
  const UninitializedVector<char> v(kHugePageBytes);

  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.data()) % kHugePageBytes, 0U);
}

TEST(UninitializedVector, IsCopiedMovedAndCompared) {
  const UninitializedVector<Index> first = {1, 2, 3};
  UninitializedVector<Index> second = first;
  const Index* const data = second.data();

  const UninitializedVector<Index> third = std::move(second);

  EXPECT_EQ(third, first);
  EXPECT_EQ(third.data(), data);
}

TEST(UninitializedVector, RefusesSizesThatNoAddressReaches) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / sizeof(Offset);

  EXPECT_THROW(static_cast<void>(UninitializedAllocator<Offset>().allocate(kMost + 1)),
               std::bad_alloc);
}

}  // namespace
}  // namespace clchol
