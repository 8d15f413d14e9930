// clchol on a caller's OpenCL queue: the matrix' values, b and x in buffers of its device.
//
//   clchol::SparseCholesky<double> solver;
//   clchol::opencl::use_queue(solver, queue);
//   if (solver.analyze(a) != clchol::Status::kOk) ...         // the pattern, for this device
//   if (clchol::opencl::refactorize(solver, {values}) != ...  // a cl_mem
//   clchol::opencl::solve(solver, {b}, {x});                  // enqueued; or
//   report = clchol::opencl::solve_refined(solver, {b}, {x}); // and says what x is worth
//
// Commands go to the caller's queue, in order: what the caller enqueued before is seen, and what it
// enqueues after sees the results.  All functions are for one thread at a time, and
// are not there in builds of the library without OpenCL.  Needs OpenCL's headers besides
// clchol.hpp.
#pragma once

#include <CL/cl.h>

#include <cstdint>

#include "clchol/clchol.hpp"

namespace clchol::opencl {

/// Entries of a caller's buffer from the `offset`-th on.
struct Entries {
  cl_mem buffer = nullptr;
  std::int64_t offset = 0;
};

/// n x nrhs entries of a caller's buffer, column-major, from the `offset`-th on.
struct Columns {
  cl_mem buffer = nullptr;
  std::int64_t offset = 0;
  Index nrhs = 1;
  std::int64_t ld = 0;  ///< Leading dimension; 0: n.
};

/// From here on the solver factors on the device of this queue, whatever Options::engine says.
/// The queue, in order, and its context are retained; a factor that was there is dropped, an
/// analysis stays.  An analysis that comes later goes by the costs of this device.  Other calls of
/// the solver work too, and use the queue.
/// Throws InvalidArgument for a queue that is out of order, DeviceError: the solver is as it was.
template <class T>
CLCHOL_EXPORT void use_queue(SparseCholesky<T>& solver, cl_command_queue queue);

/// Factors new values of the analysed pattern, in the order of the matrix that was analysed, in
/// T's precision.  They are taken as they are: Options::factor.scaling is not applied, so that
/// products of two entries have to stay within T's range, and neither finiteness nor symmetry is
/// looked at.  Of a lower triangle with sorted rows the buffer itself is read: it is retained until
/// the next factorization, and keeps its values as long as solve_refined() is to be called.  Of
/// other forms the values are gathered on the device, by a list of 8 bytes an entry that the first
/// call uploads.  The first call builds kernels and allocates.  Returns when the pivots are known:
/// kOk, or kNotPositiveDefinite (factor_report() names the row). SparseCholesky::solve(), which
/// wants A for its errors, refuses such a factor; its pieces serve. Throws InvalidArgument without
/// a pattern or a queue, where the matrix that was analysed has duplicates, for a buffer that is
/// too short and for senseless options: the solver is as it was. DeviceError, OutOfMemory,
/// std::bad_alloc, kNotPositiveDefinite: the analysis stays, there is no factor.
template <class T>
CLCHOL_EXPORT Status refactorize(SparseCholesky<T>& solver, const Entries& values);

/// Enqueues X := A^-1 B, by the factor alone: without refinement, and without a look at errors.
/// X may be B.  Returns before it is done, but for the first call with more right-hand sides than
/// before, which allocates: for 64 at most, the others follow in blocks.
/// Throws InvalidArgument for shapes that do not fit, buffers that are too short or without a
/// factor that refactorize() above made; DeviceError.
template <class T>
CLCHOL_EXPORT void solve(const SparseCholesky<T>& solver, const Columns& b, const Columns& x);

/// Solves A X = B with refinement, residuals in T's precision: as many steps as
/// Options::solve.max_refine_steps and Options::solve.tolerance ask for.  X may be B where both
/// have one offset, or do not overlap.  Returns when it is done.  The first call uploads A's
/// pattern and makes room for three times B; where Options::memory.device leaves no room beside the
/// factor, errors are taken in host memory, to which values, B and X then go.
/// @return as SparseCholesky::solve().  Throws as solve() above.
template <class T>
CLCHOL_EXPORT SolveReport solve_refined(const SparseCholesky<T>& solver, const Columns& b,
                                        const Columns& x);

}  // namespace clchol::opencl
