#include "gpu_kernels/dense/gather.hpp"

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr Offset kGatherWorkGroup = 128;

}  // namespace

template <class T>
Gather<T>::Gather(ProgramCache& programs)
    : kernel_(programs
                  .program("gather.cl",
                           real_options<T>() + " -DGROUP=" + std::to_string(kGatherWorkGroup))
                  .kernel("gather")) {}

template <class T>
void Gather<T>::run(Queue& queue, DeviceView<const Offset> places, DeviceView<const T> x,
                    DeviceView<T> y) {
  if (y.size < places.size) {
    throw InvalidArgument("gather: " + std::to_string(places.size) + " places, room for " +
                          std::to_string(y.size) + " entries");
  }
  launch(queue, kernel_,
         work_groups_of(kGatherWorkGroup, (places.size + kGatherWorkGroup - 1) / kGatherWorkGroup),
         places.size, places, x, y);
}

template class Gather<double>;
template class Gather<float>;

}  // namespace clchol::gpu
