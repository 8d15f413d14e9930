// Assembles the lower triangle of a symmetric matrix from the entries of a file.
//
// Entries at one position are summed.  Entries above the diagonal of a symmetric matrix are folded
// into the lower triangle.  A general matrix is checked for symmetry.  solver/matrix_market.hpp has
// the rules.  Cost: as assemble_columns().
#pragma once

#include <string>

#include "solver/matrix_market.hpp"
#include "solver/matrix_market/assemble.hpp"
#include "solver/matrix_market/entries.hpp"

namespace clchol::solver {

/// A file's statements about its matrix.
struct MatrixClaim {
  std::string name;                  // The file's name in messages.
  Index n = 0;                       // Order of the matrix.
  bool is_general = false;           // The file gives both triangles; false: one triangle.
  bool is_pattern = false;           // The file has no values; SymmetricMatrix::values stays empty.
  Offset line = 0;                   // 1-based line that states the symmetry.
  const char* general_wording = "";  // How a file of this format states that it is general.
};

/// Throws InvalidArgument for a large matrix most of whose rows have no entry.
/// @param line  1-based line of the sizes.
void check_entry_count(const std::string& name, Offset line, Index n, Offset entries);

/// Throws InvalidArgument if the triangles are not symmetric; the message names the worst pair.
/// @param mirrored  the entries above the diagonal, (i, j) at row j of column i.
/// @return the largest asymmetry of a pair.
double check_symmetric(const MatrixClaim& claim, const AssembledColumns& lower,
                       const AssembledColumns& mirrored, int threads);

/// Assembles the matrix of entries that were split into triangles.  Its notes count the summed,
/// folded and mirrored entries.  Throws InvalidArgument, Interrupted.
SymmetricMatrix assemble_symmetric(const MatrixClaim& claim, ParsedEntries entries,
                                   const ReadOptions& options);

/// Moves the columns into a matrix and counts the explicit zeros.
SymmetricMatrix to_matrix(AssembledColumns columns, const ReadNotes& notes);

}  // namespace clchol::solver
