// Keeps subnormal numbers out of long computations.
//
// Entries of a factor decay with the distance of their rows in the graph, past 1e-308 where the
// matrix is large and well conditioned, and padding holds any bits.  Some processors take a hundred
// cycles for an operation with a subnormal operand or result: a factorization then takes eight
// times as long (grid2d:1000 on one core of an Intel Xeon of 2023).
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <cstdint>

namespace clchol::numeric {

/// While it lives, the calling thread's floating-point operations take subnormal operands as zero
/// and give zero for subnormal results; then the thread has the modes it had before.  An entry
/// changes by less than the least normal number.
class FlushSubnormals {
 public:
#if defined(__SSE2__)
  static constexpr bool kSupported = true;
  FlushSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushToZero | kZeroOperands); }
  ~FlushSubnormals() { _mm_setcsr(before_); }
#elif defined(__aarch64__)
  static constexpr bool kSupported = true;
  FlushSubnormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" ::"r"(before_ | kFlushToZero));
  }
  ~FlushSubnormals() { asm volatile("msr fpcr, %0" ::"r"(before_)); }
#else
  static constexpr bool kSupported = false;
  FlushSubnormals() {}  // Not defaulted: an unused object would be warned of.
  ~FlushSubnormals() {}
#endif
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr unsigned kFlushToZero = 1u << 15, kZeroOperands = 1u << 6;
  unsigned before_;
#elif defined(__aarch64__)
  static constexpr std::uint64_t kFlushToZero = std::uint64_t{1} << 24;  // Operands too.
  std::uint64_t before_;
#endif
};

}  // namespace clchol::numeric
