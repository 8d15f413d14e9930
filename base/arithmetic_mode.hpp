// Modes of floating-point arithmetic that the library computes in.
//
// The caller may trap floating-point exceptions (feenableexcept, gfortran -ffpe-trap) or read their
// flags.  Exceptions are no news here: a pivot that is not positive is found by what its root and
// its reciprocal come to, and lanes of a vector beyond the end of a column hold whatever lies
// there.
//
// Entries of a factor decay with the distance of their rows in the graph, past 1e-308 where the
// matrix is large and well conditioned, and padding holds any bits.  Some processors take a hundred
// cycles for an operation with a subnormal operand or result: a factorization then takes eight
// times as long (grid2d:1000 on one core of an Intel Xeon of 2023).
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

#include <cstdint>

namespace clchol {

/// While it lives, the calling thread's floating-point exceptions raise no trap; then the thread
/// has the modes, traps and flags that it had before.
class QuietArithmetic {
 public:
#if defined(__SSE2__)
  QuietArithmetic() : QuietArithmetic(kNoTraps) {}
  // Reading the modes is much cheaper than writing them: within another one nothing is written.
  ~QuietArithmetic() {
    if (_mm_getcsr() != before_) _mm_setcsr(before_);
  }
#else
  QuietArithmetic() { std::feholdexcept(&before_); }
  ~QuietArithmetic() { std::fesetenv(&before_); }
#endif
  QuietArithmetic(const QuietArithmetic&) = delete;
  QuietArithmetic& operator=(const QuietArithmetic&) = delete;

 private:
#if defined(__SSE2__)
  friend class FlushSubnormals;
  explicit QuietArithmetic(unsigned modes) : before_(_mm_getcsr()) {
    if ((before_ | modes) != before_) _mm_setcsr(before_ | modes);
  }

  static constexpr unsigned kNoTraps = 0x3fu << 7;
  unsigned before_;
#else
  std::fenv_t before_;
#endif
};

/// Quiet arithmetic in which subnormal operands count as zero and subnormal results become zero: an
/// entry changes by less than the least normal number.
class FlushSubnormals {
 public:
#if defined(__SSE2__)
  static constexpr bool kSupported = true;
  FlushSubnormals() : quiet_(QuietArithmetic::kNoTraps | kFlushToZero | kZeroOperands) {}
#elif defined(__aarch64__)
  static constexpr bool kSupported = true;
  FlushSubnormals() {
    std::uint64_t modes;
    asm volatile("mrs %0, fpcr" : "=r"(modes));
    asm volatile("msr fpcr, %0" ::"r"(modes | kFlushToZero));
  }
#else
  static constexpr bool kSupported = false;
  FlushSubnormals() {}  // Not defaulted: an unused object would be warned of.
#endif
  ~FlushSubnormals() {}
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr unsigned kFlushToZero = 1u << 15, kZeroOperands = 1u << 6;
#elif defined(__aarch64__)
  static constexpr std::uint64_t kFlushToZero = std::uint64_t{1} << 24;  // Operands too.
#endif
  QuietArithmetic quiet_;  // Restores all modes.
};

}  // namespace clchol
