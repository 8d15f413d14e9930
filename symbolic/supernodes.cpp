#include "symbolic/supernodes.hpp"

#include <algorithm>

namespace clchol::symbolic {
namespace {

/// next[j]: the column above j in its supernode, kNone at its top.  Length n.
std::vector<Index> link_forward(std::span<const Index> parent, std::span<const Index> colcount,
                                Offset max_zeros) {
  const Index n = static_cast<Index>(parent.size());
  std::vector<Index> next(n, kNone);
  std::vector<char> taken(n, 0);
  for (Index first = 0; first < n; ++first) {
    if (taken[first]) continue;
    Offset zeros = 0;
    Index length = 1;
    for (Index j = first; parent[j] != kNone && !taken[parent[j]]; j = parent[j], ++length) {
      // Each of the chain's columns is padded to the structure of the new top.
      zeros += Offset{length} * (Offset{colcount[parent[j]]} + 1 - colcount[j]);
      if (zeros > max_zeros) break;
      next[j] = parent[j];
      taken[parent[j]] = 1;
    }
  }
  return next;
}

std::vector<Index> link_backward(std::span<const Index> parent, std::span<const Index> colcount,
                                 Offset max_zeros) {
  const Index n = static_cast<Index>(parent.size());
  std::vector<Index> candidate(n, kNone);  // The last child with the fewest zeros to gain.
  for (Index j = 0; j < n; ++j) {
    const Index p = parent[j];
    if (p == kNone) continue;
    const Index best = candidate[p];
    if (best == kNone || colcount[j] >= colcount[best]) candidate[p] = j;
  }
  std::vector<Index> next(n, kNone);
  std::vector<Offset> zeros(n, 0);                              // Of the chain from j up.
  std::vector<Index> padded(colcount.begin(), colcount.end());  // Counts with those zeros.
  for (Index p = n; p-- > 0;) {
    const Index j = candidate[p];
    if (j == kNone) continue;
    // Putting j below p pads j alone, to the padded structure of p: the columns above keep theirs.
    const Offset gained = Offset{padded[p]} + 1 - colcount[j] + zeros[p];
    if (gained > max_zeros) continue;
    next[j] = p;
    zeros[j] = gained;
    padded[j] = padded[p] + 1;
  }
  return next;
}

/// Supernodes in the order of their top columns, so that a parent follows its children.
SupernodePartition gather_chains(const std::vector<Index>& next) {
  const Index n = static_cast<Index>(next.size());
  std::vector<Index> lower(n, kNone);  // The column below j in its supernode.
  for (Index j = 0; j < n; ++j) {
    if (next[j] != kNone) lower[next[j]] = j;
  }
  SupernodePartition result;
  result.super_of_col.resize(n);
  result.column.reserve(n);
  result.super_ptr.push_back(0);
  for (Index top = 0; top < n; ++top) {
    if (next[top] != kNone) continue;
    const Index s = result.nsuper();
    for (Index j = top; j != kNone; j = lower[j]) {
      result.super_of_col[j] = s;
      result.column.push_back(j);
    }
    std::reverse(result.column.begin() + result.super_ptr.back(), result.column.end());
    result.super_ptr.push_back(static_cast<Index>(result.column.size()));
  }
  return result;
}

}  // namespace

SupernodePartition find_supernodes(std::span<const Index> parent, std::span<const Index> colcount,
                                   SearchDirection direction, Offset max_zeros) {
  return gather_chains(direction == SearchDirection::kForward
                           ? link_forward(parent, colcount, max_zeros)
                           : link_backward(parent, colcount, max_zeros));
}

Index count_dynamic(const SupernodePartition& partition) {
  Index dynamic = 0;
  for (Index s = 0; s < partition.nsuper(); ++s) {
    const Index first = partition.column[partition.super_ptr[s]];
    dynamic += partition.top(s) - first + 1 != partition.ncol(s);
  }
  return dynamic;
}

double predicted_time(const SupernodePartition& partition, std::span<const Index> colcount,
                      const FrontCost& cost) {
  double time = 0;
  for (Index s = 0; s < partition.nsuper(); ++s) {
    time += cost(partition.ncol(s), colcount[partition.top(s)] - 1);
  }
  return time;
}

}  // namespace clchol::symbolic
