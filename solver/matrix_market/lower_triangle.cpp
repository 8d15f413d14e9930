#include "solver/matrix_market/lower_triangle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "solver/asymmetry.hpp"
#include "solver/matrix_market/error.hpp"
#include "solver/matrix_market/symmetry.hpp"

namespace clchol::solver {
namespace {

/// Throws InvalidArgument if a sum of duplicates has overflowed.  Single values are finite.
void check_sums(const MatrixClaim& claim, const AssembledColumns& columns) {
  if (columns.duplicates == 0) return;
  for (Index j = 0; j < columns.pattern.n; ++j) {
    for (Offset p = columns.pattern.colptr[j]; p < columns.pattern.colptr[j + 1]; ++p) {
      if (!std::isfinite(columns.values[p])) {
        refuse(claim.name, 0,
               "the sum of the entries at " + position(columns.pattern.rowind[p], j) +
                   " overflows a double");
      }
    }
  }
}

/// Combines two triangles into the lower triangle of the matrix.  A general file must be symmetric,
/// and `upper` is dropped; for a symmetric file, `upper` is added to `lower`.
AssembledColumns join_triangles(const MatrixClaim& claim, AssembledColumns lower,
                                const AssembledColumns& upper, int threads, ReadNotes* notes) {
  notes->duplicates_summed = lower.duplicates + upper.duplicates;
  if (claim.is_general) {
    notes->asymmetry = check_symmetric(claim, lower, upper, threads);
    notes->general_but_symmetric = true;
    return lower;
  }
  if (upper.pattern.rowind.empty()) return lower;
  MergedTriangles merged = add_triangles(lower, upper, threads);
  if (merged.wholly_mirrored && !claim.is_pattern) {
    refuse(claim.name, claim.line,
           std::string("the symmetric file holds both triangles: every off-diagonal entry stands "
                       "at (i, j) and at (j, i) with the same value; say ") +
               claim.general_wording + " or remove one triangle");
  }
  notes->mirrored_pairs = merged.pairs;
  notes->duplicates_summed = merged.columns.duplicates;
  return std::move(merged.columns);
}

}  // namespace

void check_entry_count(const std::string& name, Offset line, Index n, Offset entries) {
  // Every row of a positive definite matrix has an entry.  A small matrix with empty rows is passed
  // on to the solver, which names an empty row.  A large one is refused here, because its column
  // pointers alone would dwarf the file.
  constexpr Offset kSmallOrder = Offset{1} << 20;
  constexpr Offset kOrderPerEntry = 16;
  if (n > kSmallOrder && (n - kSmallOrder) / kOrderPerEntry > entries) {
    refuse(name, line,
           std::to_string(n) + " rows with only " + std::to_string(entries) +
               " entries: most rows are empty, the matrix is singular");
  }
}

double check_symmetric(const MatrixClaim& claim, const AssembledColumns& lower,
                       const AssembledColumns& mirrored, int threads) {
  const EntryPair worst = worst_asymmetry(lower, mirrored, threads);
  if (claim.is_pattern && worst.row != kNone) {
    const std::string below = position(worst.row, worst.col);
    const std::string above = position(worst.col, worst.row);
    refuse(claim.name, 0,
           "the pattern is not symmetric: it has " + (worst.upper == 0 ? below : above) +
               " but not " + (worst.upper == 0 ? above : below));
  }
  if (worst.asymmetry <= kMostAsymmetry<double>) return worst.asymmetry;
  refuse(claim.name, 0,
         "the matrix is not symmetric: worst at " + position(worst.row, worst.col) + " = " +
             shortest_text(worst.lower) + " and " + position(worst.col, worst.row) + " = " +
             shortest_text(worst.upper));
}

SymmetricMatrix assemble_symmetric(const MatrixClaim& claim, ParsedEntries entries,
                                   const ReadOptions& options) {
  const int threads = thread_count(options.threads);
  ReadNotes notes;
  if (!claim.is_general) {
    for (const EntryRun& run : entries.upper) {
      notes.upper_folded += static_cast<Offset>(run.entries.size());
    }
  }
  AssembledColumns upper = assemble_columns(claim.n, std::move(entries.upper), threads);
  check_sums(claim, upper);
  check_cancel(options);
  AssembledColumns lower = assemble_columns(claim.n, std::move(entries.lower), threads);
  check_sums(claim, lower);
  check_cancel(options);
  if (claim.is_pattern) {  // In a pattern, duplicates do not count.
    std::fill(lower.values.begin(), lower.values.end(), 1.0);
    std::fill(upper.values.begin(), upper.values.end(), 1.0);
  }
  AssembledColumns joined = join_triangles(claim, std::move(lower), upper, threads, &notes);
  check_sums(claim, joined);
  if (claim.is_pattern) joined.values = {};
  return to_matrix(std::move(joined), notes);
}

SymmetricMatrix to_matrix(AssembledColumns columns, const ReadNotes& notes) {
  SymmetricMatrix a;
  a.notes = notes;
  a.notes.explicit_zeros = std::count(columns.values.begin(), columns.values.end(), 0.0);
  a.lower = std::move(columns.pattern);
  a.values = std::move(columns.values);
  return a;
}

}  // namespace clchol::solver
