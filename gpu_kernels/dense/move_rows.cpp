#include "gpu_kernels/dense/move_rows.hpp"

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr Offset kMoveWorkGroup = 128;

Grid grid_of(Offset num_rows, Index nrhs) {
  return work_groups_of(kMoveWorkGroup, (num_rows * nrhs + kMoveWorkGroup - 1) / kMoveWorkGroup);
}

void check_rows(Offset num_rows, Index nrhs, Offset room) {
  if (nrhs < 1 || room < num_rows * nrhs) {
    throw InvalidArgument("move_rows: " + std::to_string(num_rows) + " rows of " +
                          std::to_string(nrhs) + " right-hand sides, at least 1, and " +
                          std::to_string(room) + " values");
  }
}

}  // namespace

template <class T>
MoveRows<T>::MoveRows(ProgramCache& programs) {
  const Program& program = programs.program(
      "move_rows.cl", real_options<T>() + " -DGROUP=" + std::to_string(kMoveWorkGroup));
  gather_ = program.kernel("gather_rows");
  scatter_ = program.kernel("scatter_rows");
}

template <class T>
void MoveRows<T>::gather(Queue& queue, DeviceView<const Index> rows, Index nrhs,
                         DeviceView<const T> x, DeviceView<T> y) {
  check_rows(rows.size, nrhs, y.size);
  if (rows.size == 0) return;
  launch(queue, gather_, grid_of(rows.size, nrhs), rows.size, nrhs, rows, x, y);
}

template <class T>
void MoveRows<T>::scatter(Queue& queue, DeviceView<const Index> rows, Index nrhs,
                          DeviceView<const T> y, DeviceView<T> x) {
  check_rows(rows.size, nrhs, y.size);
  if (rows.size == 0) return;
  launch(queue, scatter_, grid_of(rows.size, nrhs), rows.size, nrhs, rows, y, x);
}

template class MoveRows<double>;
template class MoveRows<float>;

}  // namespace clchol::gpu
