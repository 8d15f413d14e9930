#include "tests/gpu_kernels/emulated/small_front_bits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace clchol::emulated {
namespace {

/// The bits of each value.  Entries that no kernel writes are NaN, whose bits do not matter.
std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits(values.size(), 0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isnan(values[k])) std::memcpy(&bits[k], &values[k], sizeof bits[k]);
  }
  return bits;
}

// A front may be factored in the launch of any of these classes, whichever has room for its group.
TEST(SmallFrontBits, AreThoseOfEveryClassWithTheSameBlocks) {
  // Bits of the first suite, and number of suites, for each number of columns of a block.
  std::map<int, std::vector<std::uint64_t>> expected;
  std::map<int, int> suites;
  for (const auto& [key, factored] : factored_by_suites()) {
    const auto& [wide, name] = key;
    const std::vector<std::uint64_t> bits = bits_of(factored());
    ++suites[wide];
    const auto [first, is_first] = expected.try_emplace(wide, bits);
    EXPECT_TRUE(is_first || first->second == bits) << name << " in blocks of " << wide;
  }
  EXPECT_GE(suites[8], 4);
  EXPECT_GE(suites[16], 2);
}

}  // namespace
}  // namespace clchol::emulated
