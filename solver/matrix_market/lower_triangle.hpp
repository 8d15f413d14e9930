// Assembles the lower triangle of a symmetric matrix from the entries of a file.
//
// Entries at the same position are summed.  What happens to entries above the diagonal depends on
// what the file says of itself.  In a symmetric file, they are folded: entry (i, j) with i < j is
// added at (j, i).  In a general file, they are compared with the entries below the diagonal, and
// dropped.  solver/matrix_market.hpp has the rules.  Cost: that of two calls of assemble_columns().
#pragma once

#include <string>

#include "solver/matrix_market.hpp"
#include "solver/matrix_market/assemble.hpp"
#include "solver/matrix_market/entries.hpp"

namespace clchol::solver {

/// What a file says about its matrix, and how messages name the file.
struct MatrixClaim {
  std::string name;                  // The file's name in messages.
  Index n = 0;                       // Order of the matrix.
  bool is_general = false;           // The file gives both triangles; false: one triangle.
  bool is_pattern = false;           // The file has no values; SymmetricMatrix::values stays empty.
  Offset line = 0;                   // 1-based line that states the symmetry; 0: no such line.
  const char* general_wording = "";  // For messages: what to write in that line for "general".
};

/// Throws InvalidArgument for a large matrix in which most rows have no entry:
/// n > 2^20 + 16 * entries.
/// @param line     1-based line of the sizes.
/// @param n        number of rows.
/// @param entries  number of entry lines.
void check_entry_count(const std::string& name, Offset line, Index n, Offset entries);

/// Throws InvalidArgument if the triangles are not symmetric to rounding (solver/asymmetry.hpp);
/// the message names the worst pair.
/// @param mirrored  the entries above the diagonal: entry (i, j) is stored in row j of column i.
/// @return the largest asymmetry of a pair.
double check_symmetric(const MatrixClaim& claim, const AssembledColumns& lower,
                       const AssembledColumns& mirrored, int threads);

/// Assembles the matrix from entries that parse_entries() has split into triangles.  The notes in
/// the result count entries that were summed, folded, and given in both triangles.
/// Throws InvalidArgument, Interrupted.
SymmetricMatrix assemble_symmetric(const MatrixClaim& claim, ParsedEntries entries,
                                   const ReadOptions& options);

/// Moves the columns and a copy of `notes` into a matrix, and counts its explicit zeros there.
SymmetricMatrix to_matrix(AssembledColumns columns, const ReadNotes& notes);

}  // namespace clchol::solver
