// Finds the rows of X that the CPU and a device exchange in a solve of a streamed factor, if the
// CPU solves with some subtrees of the assembly tree and the device with all other fronts
// (host_solve.hpp).
#pragma once

#include <span>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Rows [begin, end) of X, in the factor's order.
struct RowRange {
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
};

/// The rows that are exchanged, as disjoint ranges in ascending order.
struct HostRows {
  std::vector<RowRange> own;  // Rows of the pivot columns of fronts that the CPU solves with.
  // Rows of the pivot columns of all other fronts that are ancestors of fronts of the CPU.
  std::vector<RowRange> above;
};

/// Finds the rows that are exchanged.  Cost O(nsuper).
/// @param is_part  Nonzero for each supernode with which the CPU solves.  If it is nonzero for a
///                 supernode, it must be so for all descendants.  Length nsuper.
HostRows host_rows(const symbolic::SymbolicFactor& factor, std::span<const char> is_part);

}  // namespace clchol::numeric
