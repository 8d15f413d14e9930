#include "gpu_kernels/dense/residual.hpp"

#include <algorithm>
#include <initializer_list>

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

// A launch has more work-groups only as long as each work-item keeps about this many entries.
constexpr Offset kEntriesPerItem = 8;

void require_entries_of_vectors(Offset n, std::initializer_list<Offset> sizes) {
  for (const Offset size : sizes) {
    if (size < n) {
      throw InvalidArgument("residual: a vector has " + std::to_string(size) +
                            " entries, at least " + std::to_string(n) + " wanted");
    }
  }
}

template <class T>
Grid grid_of_rows(Index n) {
  return covering(Offset{n} * Residual<T>::kLanes, Residual<T>::kWorkGroup);
}

}  // namespace

template <class T>
Residual<T>::Residual(ProgramCache& programs) : partial_(programs.context(), 4 * kMaxWorkGroups) {
  const Program& program =
      programs.program("residual.cl", real_options<T>() + " -DGROUP=" + std::to_string(kWorkGroup) +
                                          " -DLANES=" + std::to_string(kLanes));
  residual_ = program.kernel("residual");
  row_sums_ = program.kernel("row_sums");
  maxima_ = program.kernel("error_maxima");
  finish_ = program.kernel("finish_maxima");
}

template <class T>
void Residual<T>::residual(Queue& queue, const DeviceSymmetric<T>& a, DeviceView<const T> b,
                           DeviceView<const T> x, DeviceView<T> r, DeviceView<T> magnitude) {
  require_entries_of_vectors(a.n, {b.size, x.size, r.size, magnitude.size});
  launch(queue, residual_, grid_of_rows<T>(a.n), a.n, a.colptr, a.rowind, a.values, a.rowptr,
         a.column, a.source, b, x, r, magnitude);
}

template <class T>
void Residual<T>::row_sums(Queue& queue, const DeviceSymmetric<T>& a, DeviceView<const T> scale,
                           DeviceView<T> sums) {
  require_entries_of_vectors(a.n, {sums.size, scale.size == 0 ? Offset{a.n} : scale.size});
  launch(queue, row_sums_, grid_of_rows<T>(a.n), a.n, a.colptr, a.rowind, a.values, a.rowptr,
         a.column, a.source, scale, sums);
}

template <class T>
void Residual<T>::error_maxima(Queue& queue, DeviceView<const T> r, DeviceView<const T> x,
                               DeviceView<const T> b, DeviceView<const T> magnitude,
                               DeviceView<T> result) {
  require_entries_of_vectors(r.size, {x.size, b.size, magnitude.size});
  require_entries_of_vectors(4, {result.size});
  const Offset groups = std::min(r.size / (kWorkGroup * kEntriesPerItem) + 1, kMaxWorkGroups);
  const Offset chunk = r.size / groups + (r.size % groups > 0 ? 1 : 0);
  launch(queue, maxima_, work_groups_of(kWorkGroup, groups), r.size, chunk, r, x, b, magnitude,
         partial_);
  launch(queue, finish_, work_groups_of(kWorkGroup, 1), groups, partial_, result);
}

template class Residual<double>;
template class Residual<float>;

}  // namespace clchol::gpu
