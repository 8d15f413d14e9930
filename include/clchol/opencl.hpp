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
// All commands go to the caller's in-order queue.  So they see the results of commands that the
// caller has enqueued before, and commands that the caller enqueues later see their results.
//
// Only one thread at a time may call these functions.  Builds of the library without OpenCL do not
// have them.  The header needs OpenCL's headers and clchol.hpp.
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
/// Options::devices say.  Drops the present factor; an analysis stays, and later analyses go by the
/// costs of this device.  The solver retains the queue and its context.  Other calls of the solver
/// work too, and use the queue.
/// Throws InvalidArgument for an out-of-order queue; DeviceError.  The solver is then unchanged.
template <class T>
CLCHOL_EXPORT void use_queue(SparseCholesky<T>& solver, cl_command_queue queue);

/// Factors new values on the analysed pattern, in T's precision.
/// @param values  values in the order of the matrix that was analysed.  They are not scaled,
///                whatever Options::factor.scaling says: products of two entries must stay within
///                T's range.  They are not checked for finiteness or symmetry.
/// A buffer with a lower triangle, rows sorted, is read in place.  The solver retains it until the
/// next factorization, and the caller must not change it while solve_refined() is to be called.
/// Values of any other form are gathered on the device, by a list of 8 bytes per entry that the
/// first call uploads.  The first call also builds kernels and allocates memory.
/// Returns when all pivots are known.  SparseCholesky::solve() refuses such a factor, because it
/// needs A's values in host memory for errors; SparseCholesky::solve_part() accepts it.
/// @return kOk; kNotPositiveDefinite: factor_report() names the row.
/// Throws InvalidArgument without a pattern or a queue, for duplicates in the analysed matrix, a
/// buffer that is too short, and senseless options; the solver is then unchanged.  After
/// DeviceError, OutOfMemory, std::bad_alloc or kNotPositiveDefinite there is no factor, but the
/// analysis stays.
template <class T>
CLCHOL_EXPORT Status refactorize(SparseCholesky<T>& solver, const Entries& values);

/// Enqueues X := A^-1 B with the factor alone: no refinement, no errors.  X may be B.  Returns
/// before the solve is done.  A call with more right-hand sides than before waits while it
/// allocates memory, for at most 64 right-hand sides; more are solved for in blocks.  With a
/// streamed factor, a call also waits for the part of the solve that runs on the CPU, if any.
/// Throws InvalidArgument for shapes that do not fit, for buffers that are too short, and without a
/// factor of refactorize() above; DeviceError.
template <class T>
CLCHOL_EXPORT void solve(const SparseCholesky<T>& solver, const Columns& b, const Columns& x);

/// Solves A X = B with refinement, residuals in T's precision, and returns when X is ready.
/// Options::solve.max_refine_steps and Options::solve.tolerance limit the steps.  X and B may be in
/// one buffer if their offsets are equal or they do not overlap.  The first call uploads A's
/// pattern and allocates three times the memory of B.  When Options::memory.device is too small for
/// both this and the factor, refinement runs in host memory, to which the values, B and X are
/// downloaded.
/// @return as SparseCholesky::solve().  Throws as solve() above.
template <class T>
CLCHOL_EXPORT SolveReport solve_refined(const SparseCholesky<T>& solver, const Columns& b,
                                        const Columns& x);

}  // namespace clchol::opencl
