// The system A x = b of one run: options for the library, the files it comes from, the known
// solution.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/cli/session.hpp"
#include "solver/matrix_market.hpp"

namespace clchol::cli {

/// Options for the library, but for a permutation from a file.
/// Throws Failure(kUsage) when the ordering is neither a word nor a file.
Options library_options(Session& session);

/// Reads the matrix, or makes the model problem, once there is room for it.
solver::SymmetricMatrix read_matrix(Session& session);

/// Reads the matrix; then, where --ordering names a file, the permutation into `options`.
solver::SymmetricMatrix read_system(Session& session, Options& options);

/// Analyses `a`, or loads its analysis; notes the prediction, writes permutation and analysis where
/// that is asked for.
/// @param nrhs     right-hand sides of the solves that will follow.
/// @param vectors  bytes of theirs that are still to be allocated.
void analyze_system(Session& session, const solver::SymmetricMatrix& a, Index nrhs,
                    std::int64_t vectors, SparseCholesky<double>& solver);

/// The matrix as the library takes it.
SparseView<double, Offset, Index> view_of(const solver::SymmetricMatrix& a);

/// Entry of the known solution: 1 + ((i + r) mod 7) / 8 + floor(r / 7), exact in binary; columns
/// differ.
double known_entry(Index i, Index r);

/// B := A X for the known X.  Throws InvalidArgument where that overflows.  Cost O(nnz nrhs).
solver::DenseMatrix known_right_hand_side(const solver::SymmetricMatrix& a, Index nrhs);

/// max |x - x_known| / max |x_known|, the worst of all columns.
double forward_error(const solver::DenseMatrix& x);

}  // namespace clchol::cli
