// Map from entries of A to panels: for each entry of A's lower triangle, its column in P A P' and
// its row in the front.
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/csc.hpp"
#include "base/transposed_index.hpp"
#include "base/uninitialized_vector.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Entries of the lower triangle of P A P', column by column.  Column j has the entries k in
/// [entry_ptr[j], entry_ptr[j+1]).
struct EntryMap {
  UninitializedVector<Offset> entry_ptr;      // First entry of column j.  Length n + 1.
  AlignedBuffer<std::uint32_t> entry_source;  // Position of entry k in A's values.  Length nnz.
  AlignedBuffer<Index> entry_row;  // Position of entry k's row in the front.  Length nnz.
  // 1: A has an entry at every position of the panel's lower trapezoid.  Length nsuper.
  std::vector<char> panel_full;

  Offset nnz() const { return static_cast<Offset>(entry_source.size()); }
  /// Bytes of the arrays.
  Offset bytes() const;
};

/// Makes the entry map of a matrix whose pattern was analysed.
/// @param lower       A's lower triangle in the original numbering.
/// @param transposed  Index of `lower` by rows.
/// @param threads     Threads to use.  The map does not depend on their number.
/// Throws InvalidArgument when A has entries outside of the factor's structure (a factor of another
/// matrix); std::bad_alloc.
/// Cost O(nnz(A) + length of the row lists), shared out among the threads.
EntryMap make_entry_map(const SymbolicFactor& factor, const CscPatternView& lower,
                        const TransposedIndex& transposed, int threads = 1);

}  // namespace clchol::symbolic
