#include "base/aligned_buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace clchol {
namespace {

constexpr Offset kHugePage = Offset{2} << 20;  // Bytes.

std::uintptr_t address(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

TEST(AlignedBuffer, IsEmptyByDefault) {
  const AlignedBuffer<double> buffer;

  EXPECT_EQ(buffer.size(), 0);
  EXPECT_EQ(buffer.data(), nullptr);
}

TEST(AlignedBuffer, OfNothingAllocatesNothing) {
  EXPECT_EQ(AlignedBuffer<double>(0).data(), nullptr);
}

TEST(AlignedBuffer, BeginsACacheLine) {
  for (const Offset size : {1, 7, 100, 12345}) {
    EXPECT_EQ(address(AlignedBuffer<char>(size).data()) % 64, 0U) << size;
  }
}

TEST(AlignedBuffer, BeginsAHugePageWhereItFillsOne) {
  EXPECT_EQ(address(AlignedBuffer<char>(kHugePage).data()) % kHugePage, 0U);
  EXPECT_EQ(address(AlignedBuffer<double>(kHugePage / 8 + 1).data()) % kHugePage, 0U);
}

TEST(AlignedBuffer, HoldsWhatIsWritten) {
  for (const Offset size : {Offset{5}, kHugePage / 8 - 1, kHugePage / 8, kHugePage / 8 + 1}) {
    const AlignedBuffer<double> buffer(size);
    for (Offset i = 0; i < size; ++i) buffer[i] = static_cast<double>(i);

    EXPECT_EQ(buffer.data()[0], 0);
    EXPECT_EQ(buffer.data()[size - 1], static_cast<double>(size - 1));
  }
}

TEST(AlignedBuffer, IsEmptyAfterAMove) {
  AlignedBuffer<int> first(10);
  const int* const data = first.data();

  const AlignedBuffer<int> second(std::move(first));

  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(second.size(), 10);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(first.size(), 0);
}

TEST(AlignedBuffer, TakesOverByAssignment) {
  AlignedBuffer<int> first(10), second(20);
  const int* const data = first.data();

  second = std::move(first);

  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(second.size(), 10);
}

TEST(AlignedBuffer, ReserveKeepsWhatSuffices) {
  AlignedBuffer<int> buffer(10);
  const int* const data = buffer.data();

  buffer.reserve_discard(10);
  buffer.reserve_discard(3);

  EXPECT_EQ(buffer.data(), data);
  EXPECT_EQ(buffer.size(), 10);
}

TEST(AlignedBuffer, ReserveGrows) {
  AlignedBuffer<int> buffer(10);

  buffer.reserve_discard(11);

  EXPECT_EQ(buffer.size(), 11);
}

/// Whether a request that no machine can grant fails; under a sanitizer it ends the program.
bool may_ask_for_too_much() {
#if defined(__SANITIZE_ADDRESS__)
  return false;
#elif defined(__has_feature)
  return !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
  return true;
#endif
}

TEST(AlignedBuffer, ThatCannotBeHadThrows) {
  if (!may_ask_for_too_much()) GTEST_SKIP();

  EXPECT_THROW(AlignedBuffer<double>(Offset{1} << 58), std::bad_alloc);
}

TEST(AlignedBuffer, IsEmptyAfterAReserveThatFailed) {
  if (!may_ask_for_too_much()) GTEST_SKIP();
  AlignedBuffer<double> buffer(10);

  EXPECT_THROW(buffer.reserve_discard(Offset{1} << 58), std::bad_alloc);

  EXPECT_EQ(buffer.size(), 0);
  EXPECT_EQ(buffer.data(), nullptr);
}

}  // namespace
}  // namespace clchol
