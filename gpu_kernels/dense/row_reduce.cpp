#include "gpu_kernels/dense/row_reduce.hpp"

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

template <class T>
std::string build_options(Offset lanes) {
  return real_options<T>() + " -DGROUP=" + std::to_string(RowReduce<T>::kWorkGroup) +
         " -DLANES=" + std::to_string(lanes);
}

// Throws InvalidArgument unless the matrix has `runs` columns (column-major) or rows (row-major) of
// `length` entries each.
template <class T>
void require_size(const char* name, const DeviceMatrix<T>& matrix, Offset length, Offset runs) {
  const Offset needs = length > 0 && runs > 0 ? (runs - 1) * matrix.ld + length : 0;
  if (matrix.ld < length || matrix.values.size < needs) {
    throw InvalidArgument(std::string("row_reduce: ") + name + " has ld " +
                          std::to_string(matrix.ld) + " and " + std::to_string(matrix.values.size) +
                          " entries, wanted " + std::to_string(length) + " and " +
                          std::to_string(needs));
  }
}

}  // namespace

template <class T>
RowReduce<T>::RowReduce(ProgramCache& programs)
    : by_columns_(programs.program("row_reduce.cl", build_options<T>(kLanesByColumns))
                      .kernel("row_reduce_columns")),
      by_rows_(programs.program("row_reduce.cl", build_options<T>(kLanesByRows))
                   .kernel("row_reduce_rows")) {}

template <class T>
void RowReduce<T>::run(Queue& queue, MatrixOrder order, T s, DeviceView<const T> v,
                       const DeviceMatrix<T>& a, const DeviceMatrix<T>& b, DeviceView<T> r) {
  const bool columns = order == MatrixOrder::kColumnMajor;
  const Offset length = columns ? r.size : v.size, runs = columns ? v.size : r.size;
  require_size("A", a, length, runs);
  require_size("B", b, length, runs);
  const Offset lanes = columns ? kLanesByColumns : kLanesByRows;
  launch(queue, columns ? by_columns_ : by_rows_, covering(r.size * lanes, kWorkGroup), r.size,
         v.size, s, v, a.values, a.ld, b.values, b.ld, r);
}

template class RowReduce<double>;
template class RowReduce<float>;

}  // namespace clchol::gpu
