#include "gpu_kernels/reference/peak.hpp"

#include <cmath>
#include <cstdint>

namespace clchol::gpu::reference {
namespace {

// The entries of A and B in kernels/dense/peak.cl: integers of 18 bits.
std::int64_t entry_a(Index i, Index k) { return ((i * 7919 + k * 104729 + 5) & 0x3ffff) - 0x20000; }
std::int64_t entry_b(Index k, Index j) { return ((k * 15485 + j * 32452 + 3) & 0x3ffff) - 0x20000; }

}  // namespace

template <class T>
std::vector<T> peak_fma(Index rounds) {
  constexpr auto kFactor = static_cast<T>(PeakFma<T>::kFactor);
  constexpr auto kTerm = static_cast<T>(PeakFma<T>::kTerm);
  constexpr Index kChains = PeakFma<T>::kChains;
  std::vector<T> out(kPeakWorkGroup, 0);
  for (Index chain = 0; chain < kPeakWorkGroup * kChains; ++chain) {
    T x = static_cast<T>(chain + 1) / (kPeakWorkGroup * kChains);
    for (Index step = 0; step < rounds * PeakFma<T>::kSteps; ++step)
      x = std::fma(kFactor, x, kTerm);
    out[static_cast<std::size_t>(chain / kChains)] += x;
  }
  return out;
}

template std::vector<double> peak_fma<double>(Index);
template std::vector<float> peak_fma<float>(Index);

std::vector<double> peak_mma(MmaShape shape, Index rounds) {
  std::vector<double> out;
  for (Index i = 0; i < shape.m; ++i) {
    for (Index j = 0; j < MmaShape::kColumns; ++j) {
      std::int64_t product = 0, sum = 0;
      for (Index k = 0; k < shape.k; ++k) product += entry_a(i, k) * entry_b(k, j);
      for (Index q = 0; q < MmaShape::kAccumulators; ++q) sum += q + rounds * product;
      out.push_back(static_cast<double>(sum));
    }
  }
  return out;
}

}  // namespace clchol::gpu::reference
