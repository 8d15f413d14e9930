// Copies right-hand sides from the caller's row order to the factor's row order, and solutions
// back, on the device.  The copies can be scaled.  Kernels: kernels/dense/permute_rhs.cl.
//
//   b   right-hand sides or solutions in the caller's row order, n x num_columns, column-major
//   x   right-hand sides or solutions in the factor's row order, n x num_columns, row-major with
//       leading dimension num_columns
//
// All functions enqueue one launch and return.  Cost: one pass over b and x.
#pragma once

#include <vector>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The matrix b: right-hand sides or solutions in the caller's row order, column-major.
template <class T>
struct DeviceColumns {
  DeviceView<T> values;  // Entries of b.
  Index num_columns = 0;
  Offset ld = 0;  // Leading dimension, >= n.
};

/// Copies right-hand sides and solutions between b and x on the device.  Not thread-safe.  T is
/// double or float.
template <class T>
class PermuteRhs {
 public:
  /// Builds the kernels.  Throws BuildError when the device's compiler refuses them.
  explicit PermuteRhs(ProgramCache& programs);

  /// Enqueues x(k, r) := scale[k] * b(i, r) with k = place[i], for all rows i and columns r of b.
  /// @param place  row of x for each row of b: the inverse permutation, iperm[old] = new.  Length
  ///               n; no value is checked.
  /// @param scale  diagonal of the scaling S in the factor's row order.  Length n; empty: no
  ///               scaling.
  /// @param x      at least n * num_columns entries.
  /// Throws InvalidArgument when b or x has too few entries, when b.ld < n, and when scale.size is
  /// neither 0 nor n.
  void gather(Queue& queue, DeviceView<const Index> place, DeviceView<const T> scale,
              const DeviceColumns<const T>& b, DeviceView<T> x);
  /// Enqueues x(k) := b(order[k]) for one right-hand side b, without scaling.  Faster than
  /// gather(), because consecutive work-items write consecutive entries of x.
  /// @param order  row of b for each row of x: the permutation, perm[new] = old.  Length n.
  /// Throws InvalidArgument when b or x has fewer than n entries.
  void gather_column(Queue& queue, DeviceView<const Index> order, DeviceView<const T> b,
                     DeviceView<T> x) {
    scatter(queue, order, {}, b, {x, 1, order.size});
  }
  /// Enqueues b(i, r) := scale[k] * x(k, r) with k = place[i], for all rows i and columns r of b.
  /// Parameters and exceptions are those of gather().
  void scatter(Queue& queue, DeviceView<const Index> place, DeviceView<const T> scale,
               DeviceView<const T> x, const DeviceColumns<T>& b);

 private:
  // Kernels whose work-groups each copy `width` columns.
  struct Shape {
    Index width;
    Kernel gather, scatter;
  };
  // Returns the kernels of the least width >= num_columns, or of the greatest width.
  const Shape& shape_for(Index num_columns);

  std::vector<Shape> shapes_;  // By ascending width.
};

}  // namespace clchol::gpu
