// Copies right-hand sides between the caller's row order and the factor's, with optional scaling.
// Kernels: kernels/dense/permute_rhs.cl.
//
//   b   the caller's right-hand sides or solutions: column-major
//   x   b's numbers in the factor's row order: row-major with leading dimension nrhs
//
// Cost: one pass over b and x.  All functions only enqueue.
#pragma once

#include <vector>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The caller's right-hand sides or solutions: an n x num_columns matrix, column-major.
template <class T>
struct DeviceColumns {
  DeviceView<T> values;
  Index num_columns = 0;
  Offset ld = 0;  // Leading dimension, >= n.
};

/// The kernels, for one thread and one queue at a time.  T: double, float.
template <class T>
class PermuteRhs {
 public:
  /// Throws BuildError.
  explicit PermuteRhs(ProgramCache& programs);

  /// Enqueues x(k, r) := scale[k] * b(i, r) with k = place[i], for all rows i of b.
  /// @param place  row of x for each row of b: place[old] = new.  Length n.
  /// @param scale  factor of each row of x.  Length n; empty: no scaling.
  /// @param x      n * num_columns entries.
  /// Throws InvalidArgument when a view is too short for n and num_columns.
  void gather(Queue& queue, DeviceView<const Index> place, DeviceView<const T> scale,
              const DeviceColumns<const T>& b, DeviceView<T> x);
  /// Enqueues x(k) := b(order[k]), without scaling: as gather() with the inverse permutation, but
  /// faster, because consecutive work-items write consecutive entries of x.
  /// @param order  row of b for each row of x: order[new] = old.
  void gather_column(Queue& queue, DeviceView<const Index> order, DeviceView<const T> b,
                     DeviceView<T> x) {
    scatter(queue, order, {}, b, {x, 1, order.size});
  }
  /// Enqueues b(i, r) := scale[k] * x(k, r) with k = place[i].  Otherwise as gather().
  void scatter(Queue& queue, DeviceView<const Index> place, DeviceView<const T> scale,
               DeviceView<const T> x, const DeviceColumns<T>& b);

 private:
  // Kernels whose work-groups move `width` columns at a time.
  struct Shape {
    Index width;
    Kernel gather, scatter;
  };
  // The narrowest kernels that take all columns at once, or else the widest ones.
  const Shape& shape_for(Index num_columns);

  std::vector<Shape> shapes_;  // By ascending width.
};

}  // namespace clchol::gpu
