#include "gpu_kernels/reference/scan.hpp"

#include "base/assert.hpp"
#include "base/types.hpp"

namespace clchol::gpu::reference {

template <class T>
void exclusive_scan(std::span<const T> x, std::span<T> y) {
  CLCHOL_ASSERT(x.size() == y.size());
  T sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T next = sum + x[i];
    y[i] = sum;
    sum = next;
  }
}

template void exclusive_scan<double>(std::span<const double>, std::span<double>);
template void exclusive_scan<float>(std::span<const float>, std::span<float>);
template void exclusive_scan<Index>(std::span<const Index>, std::span<Index>);
template void exclusive_scan<Offset>(std::span<const Offset>, std::span<Offset>);

}  // namespace clchol::gpu::reference
