// The rows of X that the CPU and a device exchange in a solve in which each solves with some fronts
// of one tree.
#pragma once

#include <span>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Rows [begin, end) of X.
struct RowRange {
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
};

struct HostRows {
  std::vector<RowRange> own;    // Pivot columns of the CPU's fronts, ascending.
  std::vector<RowRange> above;  // Pivot columns of all ancestors of the CPU's fronts, ascending.
};

/// Finds these rows.  Cost O(nsuper).
/// @param is_part  Whether the CPU solves with each supernode.  All descendants of such a supernode
///                 are the CPU's too.  Length nsuper.
HostRows host_rows(const symbolic::SymbolicFactor& factor, std::span<const char> is_part);

}  // namespace clchol::numeric
