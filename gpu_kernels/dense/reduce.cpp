#include "gpu_kernels/dense/reduce.hpp"

#include <algorithm>

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

// A launch has more work-groups only as long as each work-item keeps about this many terms.
constexpr Offset kTermsPerItem = 8;

template <class T>
std::string build_options(WarpForm form) {
  std::string options = real_options<T>() + " -DGROUP=" + std::to_string(Reduce<T>::kWorkGroup);
  switch (form) {
    case WarpForm::kGeneric:
      return options;
    case WarpForm::kWarpShuffle:
      return options + " -DWARP_FORM=1 -cl-std=CL3.0";  // `asm` needs OpenCL C 2.0.
    case WarpForm::kWarp64:
      return options + " -DWARP_FORM=2";
  }
  return options;
}

void require_result(Offset size) {
  if (size < 1) throw InvalidArgument("result: no room for a number");
}

}  // namespace

template <class T>
Reduce<T>::Reduce(ProgramCache& programs, WarpForm form)
    : partial_(programs.context(), kMaxWorkGroups) {
  const Program& program = programs.program("reduce.cl", build_options<T>(form));
  dot_ = program.kernel("reduce_dot");
  squares_ = program.kernel("reduce_squares");
  max_ = program.kernel("reduce_max");
  finish_dot_ = program.kernel("finish_dot");
  finish_norm2_ = program.kernel("finish_norm2");
  finish_max_ = program.kernel("finish_max");
}

template <class T>
typename Reduce<T>::Split Reduce<T>::split(Offset n) {
  const Offset wanted = n / (kWorkGroup * kTermsPerItem) + 1;
  const Offset groups = std::min(wanted, kMaxWorkGroups);
  return {groups, n / groups + (n % groups > 0 ? 1 : 0)};
}

template <class T>
void Reduce<T>::dot(Queue& queue, DeviceView<const T> x, DeviceView<const T> y,
                    DeviceView<T> result) {
  if (x.size != y.size) {
    throw InvalidArgument("dot: x has " + std::to_string(x.size) + " entries, y " +
                          std::to_string(y.size));
  }
  require_result(result.size);
  const auto [groups, chunk] = split(x.size);
  launch(queue, dot_, work_groups_of(kWorkGroup, groups), x.size, chunk, x, y, partial_);
  launch(queue, finish_dot_, work_groups_of(kWorkGroup, 1), groups, partial_, result);
}

template <class T>
void Reduce<T>::norm2(Queue& queue, DeviceView<const T> x, DeviceView<T> result) {
  require_result(result.size);
  const auto [groups, chunk] = split(x.size);
  launch(queue, squares_, work_groups_of(kWorkGroup, groups), x.size, chunk, x, partial_);
  launch(queue, finish_norm2_, work_groups_of(kWorkGroup, 1), groups, partial_, result);
}

template <class T>
void Reduce<T>::max_norm(Queue& queue, DeviceView<const T> x, DeviceView<T> result) {
  require_result(result.size);
  const auto [groups, chunk] = split(x.size);
  launch(queue, max_, work_groups_of(kWorkGroup, groups), x.size, chunk, x, partial_);
  launch(queue, finish_max_, work_groups_of(kWorkGroup, 1), groups, partial_, result);
}

template class Reduce<double>;
template class Reduce<float>;

}  // namespace clchol::gpu
