// Random numbers without a state.  A random number is a function of what it is used for: of the
// seed, of the node of the separator tree, of the level, of the vertex.  Tasks therefore share no
// state, and an ordering does not depend on the schedule of tasks.
#pragma once

#include <cstdint>

namespace clchol::ordering {

/// The output function of SplitMix64 [SLF14]: every bit of x influences every bit of the result.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A random number for the pair (seed, key).
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t key) { return mix(seed ^ mix(key)); }

/// Returns an integer in [0, count), from the upper 32 bits of a random number.  count >= 1.
inline std::int64_t scale_to(std::uint64_t random, std::int64_t count) {
  return static_cast<std::int64_t>(((random >> 32) * static_cast<std::uint64_t>(count)) >> 32);
}

}  // namespace clchol::ordering
