#include "gpu_kernels/dense/axpy.hpp"

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr Offset kAxpyWorkGroup = 128;

}  // namespace

template <class T>
Axpy<T>::Axpy(ProgramCache& programs)
    : kernel_(
          programs
              .program("axpy.cl", real_options<T>() + " -DGROUP=" + std::to_string(kAxpyWorkGroup))
              .kernel("axpy")) {}

template <class T>
void Axpy<T>::run(Queue& queue, T a, DeviceView<const T> x, DeviceView<T> y) {
  if (x.size != y.size) {
    throw InvalidArgument("axpy: x has " + std::to_string(x.size) + " entries, y has " +
                          std::to_string(y.size));
  }
  launch(queue, kernel_,
         work_groups_of(kAxpyWorkGroup, (x.size + kAxpyWorkGroup - 1) / kAxpyWorkGroup), x.size, a,
         x, y);
}

template class Axpy<double>;
template class Axpy<float>;

}  // namespace clchol::gpu
