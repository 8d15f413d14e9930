#include "solver/cli/kernel_bench/front_tree.hpp"

#include <algorithm>
#include <numeric>

#include "base/update_layout.hpp"
#include "gpu_kernels/dense/triangle_list.hpp"
#include "solver/cli/kernel_bench/values.hpp"
#include "solver/generate.hpp"
#include "symbolic/analyze.hpp"
#include "symbolic/entry_map.hpp"

namespace clchol::cli {
namespace {

using symbolic::EntryMap;
using symbolic::SymbolicFactor;

/// Makes front s, which lies behind all earlier fronts in every buffer.
gpu::Front front_of(const SymbolicFactor& factor, const EntryMap& entries, Index s,
                    const FrontTree& tree) {
  gpu::Front front{};
  front.panel = tree.panel_entries;
  front.ldp = front.nrow = factor.nrow(s);
  front.ncol = factor.ncol(s);
  front.update = tree.update_entries;
  front.rows = factor.super_rowptr[s];
  front.entry_begin = entries.entry_ptr[factor.super_ptr[s]];
  front.entry_end = entries.entry_ptr[factor.super_ptr[s + 1]];
  front.inverses = tree.inverse_entries;
  front.vector = tree.vector_rows;
  front.first_column = factor.super_ptr[s];
  front.child_begin = factor.child_ptr[s];
  front.child_end = factor.child_ptr[s + 1];
  return front;
}

/// Makes the entry of front s in its parent's list of children.
gpu::Child child_of(const SymbolicFactor& factor, Index s, const gpu::Front& front) {
  gpu::Child child{};
  child.update = front.update;
  child.vector = front.vector + front.ncol;
  child.relind = factor.relind_begin(s);
  child.nupd = front.nrow - front.ncol;
  return child;
}

void append_fronts(const SymbolicFactor& factor, const EntryMap& entries, Index block,
                   FrontTree& tree) {
  for (Index s = 0; s < factor.nsuper; ++s) {
    const gpu::Front front = front_of(factor, entries, s, tree);
    tree.fronts.push_back(front);
    tree.parent.push_back(factor.super_parent[s]);
    tree.rows_in_parent.push_back(factor.relind_begin(s));
    tree.panel_entries += Offset{front.nrow} * front.ncol;
    tree.update_entries += update_size(front.nrow - front.ncol);
    tree.vector_rows += front.nrow;
    tree.inverse_entries += gpu::inverses_size(front.ncol, block);
  }
  for (const Index s : factor.child) tree.children.push_back(child_of(factor, s, tree.fronts[s]));
}

void append_waves(const SymbolicFactor& factor, FrontTree& tree) {
  std::vector<std::size_t> height(static_cast<std::size_t>(factor.nsuper));
  for (Index s = 0; s < factor.nsuper; ++s) {
    for (const Index c : factor.children(s)) height[s] = std::max(height[s], height[c] + 1);
    if (tree.waves.size() <= height[s]) tree.waves.resize(height[s] + 1);
    tree.waves[height[s]].push_back(s);
  }
}

template <class T, class Values>
std::vector<T> copied(const Values& values) {
  return {values.data(), values.data() + values.size()};
}

}  // namespace

std::vector<Index> FrontTree::all() const {
  std::vector<Index> listed(fronts.size());
  std::iota(listed.begin(), listed.end(), 0);
  return listed;
}

double FrontTree::factor_entries() const {
  double entries = 0;
  for (const gpu::Front& front : fronts) entries += trapezoid(front.nrow, front.ncol);
  return entries;
}

FrontTree make_front_tree(const std::string& problem, Index block) {
  const CscPattern lower = solver::make_model_problem(problem).lower;
  const TransposedIndex transposed = make_transposed_index(lower.view());
  const ordering::Graph graph = ordering::make_graph(lower.view(), transposed);
  const ordering::OrderingResult order = ordering::compute_ordering(graph);
  const SymbolicFactor factor =
      symbolic::analyze(graph, order.permutation, symbolic::with_order({}, order));
  const EntryMap entries = symbolic::make_entry_map(factor, lower.view(), transposed);

  FrontTree tree;
  tree.n = factor.n;
  append_fronts(factor, entries, block, tree);
  append_waves(factor, tree);
  tree.relind = copied<Index>(factor.relind);
  tree.rowind = copied<Index>(factor.super_rowind);
  tree.entry_source = copied<std::uint32_t>(entries.entry_source);
  tree.entry_ptr = copied<Offset>(entries.entry_ptr);
  tree.entry_place =
      gpu::make_entry_places(tree.fronts, tree.entry_ptr, copied<Index>(entries.entry_row));
  return tree;
}

}  // namespace clchol::cli
