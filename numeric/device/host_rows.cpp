#include "numeric/device/host_rows.hpp"

namespace clchol::numeric {
namespace {

/// Appends the rows [begin, end), which do not begin before the end of the last range.
void append(std::vector<RowRange>& ranges, Index begin, Index end) {
  if (!ranges.empty() && ranges.back().end == begin) {
    ranges.back().end = end;
  } else {
    ranges.push_back({begin, end});
  }
}

}  // namespace

HostRows host_rows(const symbolic::SymbolicFactor& factor, std::span<const char> is_part) {
  HostRows rows;
  std::vector<char> is_above(is_part.size(), 0);
  for (Index s = 0; s < factor.nsuper; ++s) {
    const auto k = static_cast<std::size_t>(s);
    const Index parent = factor.super_parent[s];
    if (parent != kNone && (is_part[k] || is_above[k]) && !is_part[parent]) is_above[parent] = 1;
    const Index begin = factor.super_ptr[s], end = factor.super_ptr[s + 1];
    if (is_part[k]) append(rows.own, begin, end);
    if (is_above[k]) append(rows.above, begin, end);
  }
  return rows;
}

}  // namespace clchol::numeric
