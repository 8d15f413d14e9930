// Copies right-hand sides from the caller's row order to the factor's row order, and solutions back
// to the caller's row order, on the device.  A copy can also multiply by a diagonal scaling S.
// Kernels: kernels/dense/permute_rhs.cl.
//
//   b   right-hand sides or solutions in the caller's row order, n x num_columns, column-major
//   x   right-hand sides or solutions in the factor's row order, n x num_columns, row-major with
//       leading dimension num_columns
//
//   gather: x from b, before a solve      scatter: b from x, after a solve
//
// Each function enqueues one launch and returns.  Cost: each entry of b and of x is read or written
// once.
#pragma once

#include <vector>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The matrix b: right-hand sides or solutions in the caller's row order, column-major.
template <class T>
struct DeviceColumns {
  DeviceView<T> values;   // Entries of b.
  Index num_columns = 0;  // Number of right-hand sides.
  Offset ld = 0;          // Leading dimension of b: at least n, the number of rows.
};

/// Copies right-hand sides and solutions between b and x on the device.  Not thread-safe.  T is
/// double or float.
template <class T>
class PermuteRhs {
 public:
  /// Builds the kernels.  Throws BuildError when the device's compiler refuses them.
  explicit PermuteRhs(ProgramCache& programs);

  /// Enqueues x(k, r) := scale[k] * b(i, r) with k = place[i], for all rows i and columns r of b.
  /// @param place  place[i] is the row of x for row i of b (the inverse permutation,
  ///               iperm[old] = new).  Length n.  gather() does not check that the numbers are a
  ///               permutation.
  /// @param scale  diagonal of the scaling S in the factor's row order.  Length n, or empty: no
  ///               scaling.
  /// @param x      receives the matrix x; must have at least n * num_columns entries.
  /// Throws InvalidArgument when b or x has too few entries, when b.ld < n, and when scale.size is
  /// neither 0 nor n.
  void gather(Queue& queue, DeviceView<const Index> place, DeviceView<const T> scale,
              const DeviceColumns<const T>& b, DeviceView<T> x);
  /// Enqueues x[k] := b[order[k]], for all k, for one right-hand side b without scaling.  Faster
  /// than gather(), because consecutive work-items write consecutive entries of x.
  /// @param order  order[k] is the row of b for row k of x (the permutation, perm[new] = old).
  ///               Length n.
  /// Throws InvalidArgument when b or x has fewer than n entries.
  void gather_column(Queue& queue, DeviceView<const Index> order, DeviceView<const T> b,
                     DeviceView<T> x) {
    scatter(queue, order, {}, b, {x, 1, order.size});
  }
  /// Enqueues b(i, r) := scale[k] * x(k, r) with k = place[i], for all rows i and columns r of b.
  /// The meaning of the parameters and the exceptions are those of gather().
  void scatter(Queue& queue, DeviceView<const Index> place, DeviceView<const T> scale,
               DeviceView<const T> x, const DeviceColumns<T>& b);

 private:
  // Kernels that are built for one width.
  struct Shape {
    Index width;  // Number of columns of b and x that a work-group copies.
    Kernel gather, scatter;
  };
  // Returns the kernels with the least width >= num_columns.  If all widths are less than
  // num_columns, returns the kernels with the greatest width.
  const Shape& shape_for(Index num_columns);

  std::vector<Shape> shapes_;  // Kernels for several widths, in ascending order of width.
};

}  // namespace clchol::gpu
