// Right-hand sides between the caller's order and the factor's: kernels/dense/permute_rhs.cl.
//
// The caller's are column-major, the factor's row-major with leading dimension nrhs.
// Cost: one pass over both.  Nothing waits.
#pragma once

#include <vector>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The caller's right-hand sides or solutions: n x num_columns, column-major.
template <class T>
struct DeviceColumns {
  DeviceView<T> values;
  Index num_columns = 0;
  Offset ld = 0;  // >= n
};

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class PermuteRhs {
 public:
  /// Throws BuildError.
  explicit PermuteRhs(ProgramCache& programs);

  /// x(k, r) := scale[k] * b(i, r), k = place[i]
  /// @param place  n numbers, place[old] = new.
  /// @param scale  n numbers, or empty: no scaling.
  /// @param x      n * num_columns values.
  /// Throws InvalidArgument when a view is too short for n and num_columns.
  void gather(Queue& queue, DeviceView<const Index> place, DeviceView<const T> scale,
              const DeviceColumns<const T>& b, DeviceView<T> x);
  /// gather() of one column without scaling, by order[new] = old: x is written in its own order,
  /// and b read wherever it is, which is faster than the reverse.
  void gather_column(Queue& queue, DeviceView<const Index> order, DeviceView<const T> b,
                     DeviceView<T> x) {
    scatter(queue, order, {}, b, {x, 1, order.size});
  }
  /// b(i, r) := scale[k] * x(k, r), the same.
  void scatter(Queue& queue, DeviceView<const Index> place, DeviceView<const T> scale,
               DeviceView<const T> x, const DeviceColumns<T>& b);

 private:
  // For right-hand sides up to `width`, which work-groups of the last take at a time.
  struct Shape {
    Index width;
    Kernel gather, scatter;
  };
  const Shape& shape_for(Index num_columns);

  std::vector<Shape> shapes_;
};

}  // namespace clchol::gpu
