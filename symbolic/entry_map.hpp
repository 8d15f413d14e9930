// Map from the entries of A to the panels of the fronts: for each entry of A's lower triangle, its
// column in P A P' (which lies in one front) and the position of its row among the rows of this
// front.
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/csc.hpp"
#include "base/transposed_index.hpp"
#include "base/uninitialized_vector.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Entries of the lower triangle of P A P', numbered column by column.  Column j has the entries k
/// in [entry_ptr[j], entry_ptr[j+1]).
struct EntryMap {
  UninitializedVector<Offset> entry_ptr;      // First entry of column j.  Length n + 1.
  AlignedBuffer<std::uint32_t> entry_source;  // Position of entry k in A's values.  Length nnz.
  // Position of entry k's row among the rows of the front of entry k's column.  Length nnz.
  AlignedBuffer<Index> entry_row;
  // panel_full[s] is 1 if A has an entry at every position of the lower trapezoid of front s'
  // panel, so that the panel need not be zeroed before the entries are written.  Length nsuper.
  std::vector<char> panel_full;

  Offset nnz() const { return static_cast<Offset>(entry_source.size()); }
  /// Bytes of the arrays.
  Offset bytes() const;
};

/// Makes the entry map of a matrix whose pattern was analysed.
/// @param lower       A's lower triangle in the original numbering.
/// @param transposed  Index of `lower` by rows.
/// @param threads     Number of threads.  The map does not depend on it.
/// Throws InvalidArgument when A has entries outside of the factor's structure (because the factor
/// belongs to another matrix); std::bad_alloc.
/// Cost O(nnz(A) + length of the row lists), divided among the threads.
EntryMap make_entry_map(const SymbolicFactor& factor, const CscPatternView& lower,
                        const TransposedIndex& transposed, int threads = 1);

}  // namespace clchol::symbolic
