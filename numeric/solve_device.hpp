// Triangular solves with the factor of a device: all launches prepared once.
//
// Right-hand sides are row-major with leading dimension nrhs, in the factor's order.
#pragma once

#include <map>
#include <vector>

#include "gpu_kernels/triangular_solve.hpp"
#include "gpu_kernels/trinv.hpp"
#include "numeric/factorize_device.hpp"

namespace clchol::numeric {

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class DeviceSolve {
 public:
  /// Uploads lists and allocates; blocking.  The factor outlives it.
  /// Throws BuildError, DeviceError.
  DeviceSolve(gpu::ProgramCache& programs, gpu::Queue& queue,
              const symbolic::SymbolicFactor& symbolic, const DeviceFactor<T>& factor);

  /// Enqueues the inversion of the factor's diagonal blocks: once after each factorization.
  void invert_blocks(gpu::Queue& queue);

  /// Makes room for solves with so many right-hand sides, and builds their kernels.
  /// Throws BuildError, DeviceError.
  void reserve(gpu::Queue& queue, Index nrhs);

  /// Enqueues x := L^-1 x and x := L^-T x, x n x nrhs.  Throws InvalidArgument for more right-hand
  /// sides than there is room for.
  void forward(gpu::Queue& queue, gpu::DeviceView<T> x, Index nrhs);
  void backward(gpu::Queue& queue, gpu::DeviceView<T> x, Index nrhs);

 private:
  gpu::SolveOperands<T> operands(gpu::DeviceView<T> x, Index nrhs) const;
  gpu::TriangularSolve<T>& kernel_for(Index nrhs);

  gpu::ProgramCache* programs_;
  const DeviceFactor<T>* factor_;
  gpu::Trinv<T> trinv_;
  gpu::TriangleBatch triangles_;
  gpu::DeviceBuffer<T> inverses_;
  std::map<Index, gpu::TriangularSolve<T>> kernels_;  // By right-hand sides of a work-group.
  std::vector<gpu::ForwardWave> forward_;             // From the leaves to the roots.
  std::vector<gpu::BackwardWave> backward_;           // From the roots to the leaves.
  Offset num_slots_ = 0;                              // Partial sums of the largest wave.
  Index max_nrhs_ = 0;
  gpu::DeviceBuffer<T> vectors_, partial_;  // For max_nrhs_ right-hand sides.
};

}  // namespace clchol::numeric
