// Finds the rows of X that the CPU and a device exchange in a solve with a streamed factor, when
// the CPU solves with some subtrees of the assembly tree and the device solves with all other
// fronts (host_solve.hpp).  X is the matrix of right-hand sides and solutions.
#pragma once

#include <span>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Rows [begin, end) of X.  The rows of X have the order of L's rows.
struct RowRange {
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
};

/// The rows that are exchanged, as two lists of disjoint ranges, in ascending order.  Before the
/// CPU's forward solve, and before its backward solve, the rows of both lists are sent to the CPU.
/// After the CPU's forward solve, the rows of both lists return to the device; after the CPU's
/// backward solve, only the rows of `own`.
struct HostRows {
  std::vector<RowRange> own;  // Rows that are pivot columns of the fronts that the CPU solves with.
  // Rows that are pivot columns of fronts that the device solves with and that are ancestors of the
  // CPU's fronts.  All pivot columns of such an ancestor are listed, even those that no front of
  // the CPU has as an update row.
  std::vector<RowRange> above;
};

/// Finds the rows that are exchanged.  Cost O(nsuper).
/// @param is_part  Nonzero for each supernode that the CPU solves with.  If the CPU solves with a
///                 supernode, it must solve with all descendants, too.  Length nsuper.
HostRows host_rows(const symbolic::SymbolicFactor& factor, std::span<const char> is_part);

}  // namespace clchol::numeric
