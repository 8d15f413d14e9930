// Floating-point modes of the threads that compute.  Each mode is a class; an object of the class
// sets the mode when it is made, and its destructor restores the earlier mode.
//
// QuietArithmetic: no traps.  The program that calls the library may trap floating-point exceptions
// (feenableexcept, gfortran -ffpe-trap) or read their flags.  The library raises such exceptions in
// normal operation: a pivot that is not positive is detected by the values of its square root and
// reciprocal, and vector lanes beyond the end of a column compute with arbitrary bits.
//
// FlushSubnormals: subnormal numbers become zero.  Entries of a factor decay with the distance of
// their rows in the graph.  Where the matrix is large and well conditioned, entries fall below
// 1e-308 and become subnormal; the arbitrary bits in padding may be subnormal numbers too.  Some
// processors take a hundred cycles for an operation with a subnormal operand or result: a
// factorization then takes eight times as long (grid2d:1000 on one core of an Intel Xeon of 2023).
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

#include <cstdint>

namespace clchol {

/// Disables the floating-point traps of the calling thread while the object lives.  The destructor
/// restores the thread's earlier modes, traps and flags.
class QuietArithmetic {
 public:
#if defined(__SSE2__)
  QuietArithmetic() : QuietArithmetic(kNoTraps) {}
  // Reading the modes is much cheaper than writing them.  Inside the scope of another such object
  // the modes are set already, and this object only reads them.
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

/// Disables traps as QuietArithmetic does, and replaces subnormal operands and results by zero.
/// This changes an operand or a result by less than the least normal number.
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
  FlushSubnormals() {}  // Not defaulted: compilers would warn of an unused object.
#endif
  ~FlushSubnormals() {}
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr unsigned kFlushToZero = 1u << 15, kZeroOperands = 1u << 6;
#elif defined(__aarch64__)
  static constexpr std::uint64_t kFlushToZero = std::uint64_t{1} << 24;  // Also flushes operands.
#endif
  QuietArithmetic quiet_;  // Its destructor restores all modes.
};

}  // namespace clchol
