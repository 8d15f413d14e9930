// Rows of X that the CPU and a device exchange when each solves with its own fronts of one tree.
#pragma once

#include <span>
#include <vector>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::numeric {

/// Rows [begin, end).
struct RowRange {
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
};

struct HostRows {
  std::vector<RowRange> own;    // Columns of the CPU's fronts,
  std::vector<RowRange> above;  // and of all fronts above these.  Both ascending.
};

/// @param is_part  by supernode: whether it is the CPU's; then so are all its descendants.
/// Cost O(nsuper).
HostRows host_rows(const symbolic::SymbolicFactor& factor, std::span<const char> is_part);

}  // namespace clchol::numeric
