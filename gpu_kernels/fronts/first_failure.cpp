#include "gpu_kernels/fronts/first_failure.hpp"

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr Offset kFirstFailureGroup = 256;  // Work-items of the only work-group.

}  // namespace

template <class T>
FirstFailure<T>::FirstFailure(ProgramCache& programs)
    : kernel_(programs
                  .program("first_failure.cl",
                           real_options<T>() + " -DGROUP=" + std::to_string(kFirstFailureGroup))
                  .kernel("first_failure")) {}

template <class T>
void FirstFailure<T>::run(Queue& queue, DeviceView<const Front> fronts,
                          DeviceView<const PivotStatus<T>> status,
                          DeviceView<PivotStatus<T>> result) {
  if (status.size != fronts.size || result.size < 1) {
    throw InvalidArgument("first_failure: " + std::to_string(fronts.size) + " fronts, status of " +
                          std::to_string(status.size) + ", room for " +
                          std::to_string(result.size) + " results");
  }
  launch(queue, kernel_, work_groups_of(kFirstFailureGroup, 1), static_cast<Index>(fronts.size),
         fronts, status, result);
}

template class FirstFailure<double>;
template class FirstFailure<float>;

}  // namespace clchol::gpu
