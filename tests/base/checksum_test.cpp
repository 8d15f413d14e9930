#include "base/checksum.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace clchol {
namespace {

constexpr std::string_view kText = "how bytes are divided makes no difference";

std::uint64_t sum_of(std::string_view text) {
  Checksum sum;
  sum.update(text.data(), text.size());
  return sum.value();
}

TEST(Checksum, OfNothingIsThePublishedValue) {
  // XXH3_64bits of no bytes, seed 0, as the algorithm's own test vectors print it.
  EXPECT_EQ(Checksum().value(), 0x2D06800538D394C2U);
}

TEST(Checksum, DivisionAmongCallsMakesNoDifference) {
  for (std::size_t cut = 0; cut <= kText.size(); ++cut) {
    Checksum sum;
    sum.update(kText.data(), cut);
    sum.update(kText.data() + cut, kText.size() - cut);

    EXPECT_EQ(sum.value(), sum_of(kText)) << cut;
  }
}

TEST(Checksum, EveryFlippedBitChangesIt) {
  std::string damaged(kText);
  for (std::size_t bit = 0; bit < 8 * kText.size(); ++bit) {
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(sum_of(damaged), sum_of(kText)) << bit;
    damaged[bit / 8] = kText[bit / 8];
  }
}

TEST(FingerprintOf, TellsContentsApart) {
  const std::vector<std::byte> zeros(100), more(101);
  std::vector<std::byte> other = zeros;
  other[99] = std::byte{1};
  EXPECT_EQ(fingerprint_of(zeros), fingerprint_of(std::vector<std::byte>(100)));
  EXPECT_NE(fingerprint_of(zeros), fingerprint_of(more));
  EXPECT_NE(fingerprint_of(zeros), fingerprint_of(other));
  EXPECT_EQ(fingerprint_of({}), fingerprint_of({}));
}

}  // namespace
}  // namespace clchol
