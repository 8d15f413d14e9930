// The system A x = b of one run.  The functions translate the arguments to the library's options,
// read and analyse the matrix, and make a right-hand side where the user gives none.
//
// Without -b, the command chooses a solution X, the "known solution", and solves A X = B with the
// product B = A X.  Then the error of the computed X is known.
#pragma once

#include "clchol/clchol.hpp"
#include "solver/cli/session.hpp"
#include "solver/matrix_market.hpp"

namespace clchol::cli {

/// @return the library's options for the arguments.  If --ordering names a file,
///         Options::analysis.permutation stays empty; read_system() sets it.
/// Throws Failure(kUsage) if --ordering is neither the name of a method nor the name of a file.
Options library_options(Session& session);

/// Reads the matrix file or generates the model problem that the arguments name.  Throws
/// OutOfMemory if a model problem is too large for the memory, and the exceptions of
/// solver::load_matrix().
solver::SymmetricMatrix read_matrix(Session& session);

/// Reads the matrix as read_matrix() does.  If --ordering names a file, also reads the permutation
/// from this file to options.analysis.permutation.
solver::SymmetricMatrix read_system(Session& session, Options& options);

/// Analyses the matrix `a`.  If the option --analysis names a file, loads the analysis from this
/// file instead.  Writes the permutation to the file of --write-permutation, and the analysis to
/// the file of --save-analysis, if these options are given.
///
/// Sets these members of session.record(): Record::analysis, Record::predicted_host_bytes and, with
/// --scratch, Record::host_modes.
/// @param nrhs     number of right-hand sides of the later solves.
/// @param vectors  bytes of right-hand sides and solutions that are not allocated yet.
void analyze_system(Session& session, const solver::SymmetricMatrix& a, Index nrhs,
                    std::int64_t vectors, SparseCholesky<double>& solver);

/// @return a view of the matrix for the library.
SparseView<double, Offset, Index> view_of(const solver::SymmetricMatrix& a);

/// @return entry i of column r of the known solution: 1 + ((i + r) mod 7) / 8 + floor(r / 7).  All
///         entries are exact in binary, and all columns differ.
double known_entry(Index i, Index r);

/// @return B = A X for the known solution X of nrhs columns.
/// Throws InvalidArgument if an entry of B overflows.  Cost O(nnz nrhs).
solver::DenseMatrix known_right_hand_side(const solver::SymmetricMatrix& a, Index nrhs);

/// @return the error of a computed solution x when the right-hand side was known_right_hand_side():
///         the largest value, over all columns, of max |x - x_known| / max |x_known|.
double forward_error(const solver::DenseMatrix& x);

}  // namespace clchol::cli
