#include "symbolic/derived.hpp"

#include <algorithm>

#include "symbolic/etree.hpp"
#include "symbolic/row_places.hpp"

namespace clchol::symbolic {

void build_super_of_col(SymbolicFactor& factor) {
  factor.super_of_col.resize(factor.n);
  for (Index s = 0; s < factor.nsuper; ++s) {
    std::fill(factor.super_of_col.begin() + factor.super_ptr[s],
              factor.super_of_col.begin() + factor.super_ptr[s + 1], s);
  }
}

void build_children(SymbolicFactor& factor) {
  Children children = children_of(factor.super_parent);
  children.child.resize(children.child_ptr[factor.nsuper]);  // Drops the roots, which come last.
  children.child_ptr.pop_back();
  factor.child = std::move(children.child);
  factor.child_ptr = std::move(children.child_ptr);
  factor.first_descendant.resize(factor.nsuper);
  for (Index s = 0; s < factor.nsuper; ++s) {
    const auto c = factor.children(s);
    factor.first_descendant[s] = c.empty() ? s : factor.first_descendant[c.front()];
  }
}

bool build_relative_indices(SymbolicFactor& factor, int threads) {
  factor.relind.resize(factor.super_rowptr[factor.nsuper] - factor.n);
  const int team = factor.nsuper > 2000 ? threads : 1;
  auto is_parent = [&](Index p) { return !factor.children(p).empty(); };
  return for_each_front_with_places(factor, team, is_parent, [&](Index p, const auto& place_of) {
    bool complete = true;
    for (Index c : factor.children(p)) {
      Index* relind = factor.relind.data() + factor.relind_begin(c);
      for (Index i : factor.update_rows(c)) {
        *relind = place_of(i);
        complete &= *relind++ != kNone;
      }
    }
    return complete;
  });
}

void count_work(SymbolicFactor& factor) {
  SymbolicInfo& info = factor.info;
  for (Index c : factor.colcount) {
    info.nnz_l += c;
    info.flops += double{1.0} * c * c;
  }
  std::vector<Index> depth(factor.nsuper, 1);
  for (Index s = factor.nsuper; s-- > 0;) {
    if (factor.super_parent[s] != kNone) depth[s] = depth[factor.super_parent[s]] + 1;
    info.tree_height = std::max(info.tree_height, depth[s]);
    const Offset m = factor.nrow(s), c = factor.ncol(s);
    info.nnz_stored += m * c - c * (c - 1) / 2;
    for (Offset j = 0; j < c; ++j) {
      info.flops_stored += static_cast<double>(m - j) * static_cast<double>(m - j);
    }
    if (m > info.largest_nrow) {
      info.largest_nrow = static_cast<Index>(m);
      info.largest_ncol = static_cast<Index>(c);
    }
  }
}

}  // namespace clchol::symbolic
