// Factors and solves on a caller's OpenCL queue, with the values of A, b and x in buffers of its
// device.
//
//   clchol::SparseCholesky<double> solver;
//   clchol::opencl::use_queue(solver, queue);
//   if (solver.analyze(a) != clchol::Status::kOk) ...         // the pattern, for this device
//   if (clchol::opencl::refactorize(solver, {values}) != ...  // a cl_mem
//   clchol::opencl::solve(solver, {b}, {x});                  // enqueued, without refinement
//   report = clchol::opencl::solve_refined(solver, {b}, {x}); // blocking, with backward errors
//
// The functions below enqueue all their commands in the caller's in-order queue.  So they see the
// results of commands that the caller has enqueued before a call, and commands that the caller
// enqueues after the call see the results of the call.
//
// Only one thread at a time may call these functions.  Builds of the library without OpenCL do not
// have these functions.  The header needs OpenCL's headers and clchol.hpp.
#pragma once

#include <CL/cl.h>

#include <cstdint>

#include "clchol/clchol.hpp"

namespace clchol::opencl {

/// Entries of type T in a caller's buffer.
struct Entries {
  cl_mem buffer = nullptr;
  std::int64_t offset = 0;  ///< Position of the first entry, in entries.
};

/// n x nrhs entries of type T in a caller's buffer, column-major.
struct Columns {
  cl_mem buffer = nullptr;
  std::int64_t offset = 0;  ///< Position of the first entry, in entries.
  Index nrhs = 1;           ///< Number of columns.
  std::int64_t ld = 0;      ///< Leading dimension, in entries; 0: n.
};

/// Makes the solver factor on the device of this queue from now on, whatever Options::engine and
/// Options::devices say.  Drops the present factor.  The present analysis stays; later analyses
/// merge fronts by the costs of this device.  The solver retains the queue and its context (in
/// OpenCL's sense).  The calls of SparseCholesky work too, and use the queue.
/// Throws InvalidArgument for an out-of-order queue; DeviceError.  The solver is then unchanged.
template <class T>
CLCHOL_EXPORT void use_queue(SparseCholesky<T>& solver, cl_command_queue queue);

/// Factors new values on the analysed pattern, in T's precision.
/// @param values  values in the order of the matrix that was analysed.  The matrix is not scaled,
///                whatever Options::factor.scaling says: products of two entries must stay within
///                T's range.  The values are not checked for finiteness or symmetry.
/// If the matrix was analysed as a lower triangle with sorted rows, its values are read in place:
/// the solver retains the buffer until the next factorization, and the caller must not change the
/// values until the last solve_refined() with this factor.  Otherwise the values are gathered on
/// the device into the order of the lower triangle, by a list of 8 bytes per entry that the first
/// call uploads.  The first call also builds kernels and allocates memory.
/// Returns when all pivots are known.  SparseCholesky::solve() throws InvalidArgument for such a
/// factor, because it needs A's values in host memory to compute errors; solve_part() works.
/// @return kOk; kNotPositiveDefinite: factor_report() names the row.
/// Throws InvalidArgument before analyze() and use_queue(), for duplicates in the analysed matrix,
/// a buffer that is too short, and senseless options; the solver is then unchanged.  After
/// DeviceError, OutOfMemory, std::bad_alloc or kNotPositiveDefinite there is no factor, but the
/// analysis stays.
template <class T>
CLCHOL_EXPORT Status refactorize(SparseCholesky<T>& solver, const Entries& values);

/// Enqueues X := A^-1 B with the factor alone: no refinement, no errors.  X may be B.  Returns
/// before the solve is done.  At most 64 right-hand sides are solved for at once, and more in
/// blocks.  A call with more right-hand sides than any call before allocates memory for them (for
/// at most 64), and waits meanwhile.  With a streamed factor, a call also waits for the part of the
/// solve that runs on the CPU, if any.
/// Throws InvalidArgument for shapes that do not fit, for buffers that are too short, and when
/// there is no factor of opencl::refactorize(); DeviceError.
template <class T>
CLCHOL_EXPORT void solve(const SparseCholesky<T>& solver, const Columns& b, const Columns& x);

/// Solves A X = B with refinement, residuals in T's precision, and returns when X is ready.
/// Options::solve.max_refine_steps and Options::solve.tolerance limit the steps.  X and B may be in
/// one buffer if their offsets are equal or their entries do not overlap.  The first call uploads
/// A's pattern and allocates three times the memory of B on the device.  When
/// Options::memory.device is too small for the factor, the pattern and this memory together,
/// refinement runs in host memory, to which the values, B and X are downloaded.
/// @return the report that SparseCholesky::solve() would return.  Throws what opencl::solve()
/// throws.
template <class T>
CLCHOL_EXPORT SolveReport solve_refined(const SparseCholesky<T>& solver, const Columns& b,
                                        const Columns& x);

}  // namespace clchol::opencl
