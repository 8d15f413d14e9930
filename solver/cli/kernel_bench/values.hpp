// Functions for the experiments of the kernel benchmark (case.hpp): make test data, move data
// between host and device, count flops, and compare results.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/scalar_traits.hpp"
#include "gpu_kernels/runtime/device_buffer.hpp"
#include "ordering/random.hpp"

namespace clchol::cli {

/// Returns the name of T's precision: "double" or "single".
template <class T>
constexpr const char* precision_of() {
  return kIsDouble<T> ? "double" : "single";
}

/// Returns the unit roundoff of T: half of the distance from 1 to the next number.
template <class T>
constexpr double eps() {
  return std::numeric_limits<T>::epsilon() / 2;
}

/// Returns number i of a pseudo-random sequence in (0, 1], which depends only on `seed`.  The
/// numbers are multiples of 2^-23, so they are exact in single and in double precision.
inline double positive_value(std::uint64_t seed, std::uint64_t i) {
  return std::ldexp((ordering::mix(seed, i) >> 41) + 1.0, -23);
}

/// Returns the first n numbers of the sequence of positive_value().  Sums of these numbers have no
/// cancellation.
template <class T>
std::vector<T> positive_values(Offset n, std::uint64_t seed) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(positive_value(seed, i));
  }
  return values;
}

/// Returns a copy of `values` in device memory.
template <class T, class Allocator>
gpu::DeviceBuffer<T> on_device(gpu::Queue& queue, const std::vector<T, Allocator>& values) {
  gpu::DeviceBuffer<T> buffer(queue.context(), static_cast<Offset>(values.size()));
  gpu::upload<T>(queue, values, buffer);
  return buffer;
}

/// A list of n numbers, of which only the first 1 000 003 are stored: later numbers repeat the
/// stored numbers.  Therefore a large operand takes little host memory and little time to make.
template <class T>
class PeriodicValues {
 public:
  PeriodicValues(Offset n, std::uint64_t seed)
      : size_(n), period_(positive_values<T>(std::min(n, kPeriod), seed)) {}

  T operator[](Offset at) const { return period_[static_cast<std::size_t>(at % kPeriod)]; }
  /// Returns a copy of all n numbers in device memory.
  gpu::DeviceBuffer<T> on_device(gpu::Queue& queue) const {
    gpu::DeviceBuffer<T> buffer(queue.context(), size_);
    gpu::upload<T>(queue, period_, buffer);
    // Number of elements that the buffer has so far: a multiple of the period until the last copy.
    Offset done = static_cast<Offset>(period_.size());
    while (done < size_) {
      const Offset more = std::min(done, size_ - done);
      gpu::copy<T>(queue, buffer.part(0, more), buffer.part(done, more));
      done += more;
    }
    return buffer;
  }

 private:
  static constexpr Offset kPeriod = 1'000'003;  // A prime, so that columns of matrices differ.

  Offset size_;            // Number n of all numbers.
  std::vector<T> period_;  // The first min(n, kPeriod) numbers.
};

/// Returns a copy of the buffer in host memory.
template <class T>
std::vector<T> on_host(gpu::Queue& queue, const gpu::DeviceBuffer<T>& buffer) {
  std::vector<T> values(static_cast<std::size_t>(buffer.size()));
  gpu::download<T>(queue, buffer, values);
  return values;
}

/// Converts operands to double, for reference implementations that compute in double precision.
template <class T>
std::vector<double> to_double(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

/// Returns the flops of the partial factorization of a front: ncol pivot columns, and the update
/// matrix.  A pivot column with r rows below the pivot takes a root, r divisions and r (r + 1) / 2
/// multiply-adds of two flops each.
/// @param nrow  number of rows of the front.
inline double cholesky_flops(Index nrow, Index ncol) {
  double flops = 0;
  for (Index k = 0; k < ncol; ++k) {
    const double r = nrow - k - 1;
    flops += 1 + r + r * (r + 1);
  }
  return flops;
}

/// Returns the number of entries on and below the diagonal of an nrow x ncol panel.
inline double trapezoid(Index nrow, Index ncol) {
  return static_cast<double>(ncol) * nrow - 0.5 * ncol * (ncol - 1.0);
}

/// Returns max_i |result[i] - twin[i]| / max_i |twin[i]|; or max_i |result[i] - twin[i]| when all
/// entries of the twin are zero.  Returns a number that is not finite when an entry of the result
/// is not finite.
/// @param result  what a kernel has computed.
/// @param twin    what the reference has computed.  Length result.size().
template <class T, class Twin>
double max_relative_error(const std::vector<T>& result, const std::vector<Twin>& twin) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < twin.size(); ++i) {
    const double d = std::abs(static_cast<double>(result[i]) - static_cast<double>(twin[i]));
    if (!std::isfinite(d)) return d;
    difference = std::max(difference, d);
    largest = std::max(largest, std::abs(static_cast<double>(twin[i])));
  }
  return largest > 0 ? difference / largest : difference;
}

}  // namespace clchol::cli
