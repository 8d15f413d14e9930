// The lower triangle of a symmetric matrix, from the entries that a file gives.
//
// Entries at one position are summed, those above the diagonal of a symmetric matrix folded, and
// what claims to be general is checked for symmetry; solver/matrix_market.hpp has the rules.
// Cost as assemble_columns().
#pragma once

#include <string>

#include "solver/matrix_market.hpp"
#include "solver/matrix_market/assemble.hpp"
#include "solver/matrix_market/entries.hpp"

namespace clchol::solver {

/// What a file says of its matrix.
struct MatrixClaim {
  std::string name;  // The file, for messages.
  Index n = 0;
  bool is_general = false;           // Both triangles are given; otherwise one.
  bool is_pattern = false;           // Values mean nothing; the matrix gets none.
  Offset line = 0;                   // 1-based line that says so.
  const char* general_wording = "";  // How a file of this kind says that it is general.
};

/// Refuses large matrices most of whose rows have no entry.  @param line  where the sizes stand.
void check_entry_count(const std::string& name, Offset line, Index n, Offset entries);

/// Refuses triangles that are not symmetric and names the worst pair.
/// @param mirrored  the entries above the diagonal, (i, j) at row j of column i.
/// @return the largest asymmetry of a pair.
double check_symmetric(const MatrixClaim& claim, const AssembledColumns& lower,
                       const AssembledColumns& mirrored, int threads);

/// The matrix of entries that were split into triangles, with notes on what was summed, folded and
/// kept.  Throws InvalidArgument, Interrupted.
SymmetricMatrix assemble_symmetric(const MatrixClaim& claim, ParsedEntries entries,
                                   const ReadOptions& options);

/// The columns as a matrix; counts the explicit zeros.
SymmetricMatrix to_matrix(AssembledColumns columns, const ReadNotes& notes);

}  // namespace clchol::solver
