// The largest magnitude in a vector, found by integer comparisons.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "base/types.hpp"

namespace clchol {

/// Returns max |v_i| over n entries, and 0 for n = 0.  The result is NaN if an entry is NaN, and
/// otherwise infinite if an entry is infinite.
/// Method: the bits of two numbers without their sign bits, read as integers, compare as the
/// magnitudes of the numbers do; infinity and then NaN are greatest.  Comparisons of integers are
/// faster and raise no floating-point exceptions.
template <class T>
T greatest_magnitude(const T* v, Index n) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  constexpr Index kChains = 4;
  const auto bits = [v](Index i) {
    return static_cast<Bits>(static_cast<Bits>(std::bit_cast<Bits>(v[i]) << 1) >> 1);
  };
  std::array<Bits, kChains> greatest{};
  Index i = 0;
  for (; i + kChains <= n; i += kChains) {
    for (Index k = 0; k < kChains; ++k) greatest[k] = std::max(greatest[k], bits(i + k));
  }
  for (; i < n; ++i) greatest[0] = std::max(greatest[0], bits(i));
  return std::bit_cast<T>(*std::ranges::max_element(greatest));
}

}  // namespace clchol
