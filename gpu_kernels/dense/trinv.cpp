#include "gpu_kernels/dense/trinv.hpp"

#include <string>

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr Index kStep = 8;       // Smallest block: STEP of kernels/dense/trinv.cl.
constexpr Index kLargest = 128;  // Largest block.

Index valid_block(Index block) {
  if (block < kStep || block > kLargest || (block & (block - 1)) != 0) {
    throw InvalidArgument("trinv: block = " + std::to_string(block) + ", a power of two from " +
                          std::to_string(kStep) + " to " + std::to_string(kLargest) + " is needed");
  }
  return block;
}

}  // namespace

template <class T>
Trinv<T>::Trinv(ProgramCache& programs, Index block)
    : block_(valid_block(block)),
      trinv_(programs.program("trinv.cl", real_options<T>() + " -DBLOCK=" + std::to_string(block))
                 .kernel("trinv")) {}

template <class T>
void Trinv<T>::run(Queue& queue, const TriangleBatch& batch, DeviceView<const T> l,
                   DeviceView<T> inverses) {
  launch(queue, trinv_, work_groups_of(block_, batch.all().count()), batch.tiles(), batch.items(),
         l, inverses);
}

template class Trinv<double>;
template class Trinv<float>;

}  // namespace clchol::gpu
