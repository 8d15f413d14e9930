// Where A's entries go: from positions in A's values to rows of fronts.
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/csc.hpp"
#include "base/transposed_index.hpp"
#include "base/uninitialized_vector.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// The entries of column j of the permuted lower triangle are k in [entry_ptr[j], entry_ptr[j+1]).
struct EntryMap {
  UninitializedVector<Offset> entry_ptr;      // Length n + 1.
  AlignedBuffer<std::uint32_t> entry_source;  // Position in A's values.        Length nnz.
  AlignedBuffer<Index> entry_row;             // Row's position in its front.   Length nnz.
  std::vector<char> panel_full;  // Whether A fills the whole lower trapezoid.  Length nsuper.

  Offset nnz() const { return static_cast<Offset>(entry_source.size()); }
  /// Bytes of the arrays.
  Offset bytes() const;
};

/// @param lower       A's lower triangle in the original numbering, the pattern that was analysed.
/// @param transposed  index of `lower` by rows.
/// @param threads     threads that make the map; the map does not depend on their number.
/// Throws InvalidArgument when A has entries that the factor's structure has no place for (a factor
/// of another matrix); std::bad_alloc.
/// Cost O(nnz(A) + length of the row lists), shared out among the threads.
EntryMap make_entry_map(const SymbolicFactor& factor, const CscPatternView& lower,
                        const TransposedIndex& transposed, int threads = 1);

}  // namespace clchol::symbolic
