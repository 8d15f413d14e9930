// The system A x = b of one run: the library's options, reading and analysing the matrix, and the
// known solution.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/cli/session.hpp"
#include "solver/matrix_market.hpp"

namespace clchol::cli {

/// @return the library's options for the arguments, without the permutation of a file.
/// Throws Failure(kUsage) if --ordering is neither a method nor a file.
Options library_options(Session& session);

/// Reads the matrix, or generates the model problem.  Throws OutOfMemory if a model problem exceeds
/// the memory.
solver::SymmetricMatrix read_matrix(Session& session);

/// Reads the matrix.  If --ordering names a file, also reads the permutation into `options`.
solver::SymmetricMatrix read_system(Session& session, Options& options);

/// Analyses `a`, or loads its analysis.  Records the predicted memory, and writes the permutation
/// and the analysis if the arguments name files for them.
/// @param nrhs     number of right-hand sides of the later solves.
/// @param vectors  bytes of right-hand sides and solutions that are not allocated yet.
void analyze_system(Session& session, const solver::SymmetricMatrix& a, Index nrhs,
                    std::int64_t vectors, SparseCholesky<double>& solver);

/// @return a view of the matrix for the library.
SparseView<double, Offset, Index> view_of(const solver::SymmetricMatrix& a);

/// @return entry i of column r of the known solution: 1 + ((i + r) mod 7) / 8 + floor(r / 7).  The
///         entry is exact in binary, and the columns differ.
double known_entry(Index i, Index r);

/// @return B = A X for the known X.  Throws InvalidArgument if B overflows.  Cost O(nnz nrhs).
solver::DenseMatrix known_right_hand_side(const solver::SymmetricMatrix& a, Index nrhs);

/// @return the largest value of max |x - x_known| / max |x_known| over the columns.
double forward_error(const solver::DenseMatrix& x);

}  // namespace clchol::cli
