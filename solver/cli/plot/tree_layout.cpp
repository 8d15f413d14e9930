#include "solver/cli/plot/tree_layout.hpp"

#include <algorithm>
#include <numeric>

namespace clchol::cli {
namespace {

/// @return 1 + 4 + ... + m^2.
double sum_of_squares(double m) { return m * (m + 1) * (2 * m + 1) / 6; }

/// Sums over subtrees, for each front.  Children have lower numbers than their parents.
struct Sums {
  std::vector<double> flops, subtree_flops;  // Flops of the front and of its subtree.
  std::vector<double> path_flops;            // Most flops on a path down to a leaf.
  std::vector<Index> dearest_child;   // Child on the path with the most flops; kNone at a leaf.
  std::vector<Index> subtree_fronts;  // Number of fronts of the subtree, the front included.
  std::vector<Index> height;          // Number of fronts on the longest path down to a leaf.

  explicit Sums(const AssemblyTree& tree)
      : flops(tree.nrow.size()),
        dearest_child(flops.size(), kNone),
        subtree_fronts(flops.size(), 1),
        height(flops.size(), 1) {
    const auto count = static_cast<Index>(flops.size());
    for (Index s = 0; s < count; ++s) {
      flops[s] = front_flops(tree.nrow[s], tree.super_ptr[s + 1] - tree.super_ptr[s]);
    }
    subtree_flops = path_flops = flops;
    for (Index s = 0; s < count; ++s) {
      if (const Index parent = tree.super_parent[s]; parent != kNone) add_child(s, parent);
    }
  }

 private:
  void add_child(Index s, Index parent) {
    subtree_flops[parent] += subtree_flops[s];
    subtree_fronts[parent] += subtree_fronts[s];
    height[parent] = std::max(height[parent], height[s] + 1);
    const double path = flops[parent] + path_flops[s];
    if (path <= path_flops[parent]) return;
    path_flops[parent] = path;
    dearest_child[parent] = s;
  }
};

class Layout {
 public:
  Layout(const AssemblyTree& tree, Index most_nodes)
      : tree_(tree), sums_(tree), most_alone_(most_nodes / 2), node_of_(tree.nrow.size(), kNone) {}

  TreeLayout lay_out() {
    find_totals();
    add_nodes();
    below_.resize(result_.nodes.size());
    for (const TreeNode& node : result_.nodes) {
      if (node.parent != kNone) below_[node.parent].flops += node.subtree_flops;
    }
    for (TreeNode& node : result_.nodes) place(node);
    return std::move(result_);
  }

 private:
  Index count() const { return static_cast<Index>(tree_.nrow.size()); }

  void find_totals() {
    is_critical_.assign(tree_.nrow.size(), false);
    Index dearest = kNone;
    for (Index s = 0; s < count(); ++s) {
      result_.height = std::max(result_.height, sums_.height[s]);
      if (tree_.super_parent[s] != kNone) continue;
      result_.flops += sums_.subtree_flops[s];
      if (dearest == kNone || sums_.path_flops[s] > sums_.path_flops[dearest]) dearest = s;
    }
    if (dearest != kNone) result_.critical_flops = sums_.path_flops[dearest];
    for (Index s = dearest; s != kNone; s = sums_.dearest_child[s]) is_critical_[s] = true;
  }

  /// @return the most_alone_ fronts with the most subtree flops, ancestors first.  A parent has at
  ///         least the subtree flops of a child.  If they are equal, the front with the higher
  ///         number is preferred, which may be the parent.
  std::vector<Index> fronts_alone() const {
    std::vector<Index> fronts(tree_.nrow.size());
    std::iota(fronts.begin(), fronts.end(), Index{0});
    const auto few = std::min<std::ptrdiff_t>(most_alone_, std::ssize(fronts));
    std::partial_sort(fronts.begin(), fronts.begin() + few, fronts.end(), [&](Index a, Index b) {
      const auto& work = sums_.subtree_flops;
      return work[a] != work[b] ? work[a] > work[b] : a > b;
    });
    fronts.resize(static_cast<std::size_t>(few));
    // TreeLayout::nodes has ancestors first.  The order of siblings does not matter.
    std::sort(fronts.begin(), fronts.end(), std::greater<>());
    return fronts;
  }

  void add_nodes() {
    for (const Index s : fronts_alone()) {
      const Index parent = tree_.super_parent[s];
      TreeNode node{.front = s, .nrow = tree_.nrow[s]};
      node.ncol = tree_.super_ptr[s + 1] - tree_.super_ptr[s];
      node.parent = parent == kNone ? kNone : node_of_[parent];
      node.flops = sums_.flops[s];
      node.subtree_flops = sums_.subtree_flops[s];
      node.is_critical = is_critical_[s];
      node_of_[s] = static_cast<Index>(result_.nodes.size());
      result_.nodes.push_back(node);
    }
    merge_others();
  }

  /// Merges the subtrees of the other fronts: one node per parent, and one node for the roots.
  void merge_others() {
    // Merged node of each parent node, or kNone.  The last element is for roots.
    std::vector<Index> merged_of(result_.nodes.size() + 1, kNone);
    for (Index s = 0; s < count(); ++s) {
      if (node_of_[s] != kNone) continue;
      const Index front = tree_.super_parent[s];
      const Index parent = front == kNone ? kNone : node_of_[front];
      if (front != kNone && parent == kNone) continue;  // Merged along with its parent.
      Index& merged = parent == kNone ? merged_of.back() : merged_of[parent];
      if (merged == kNone) {
        merged = static_cast<Index>(result_.nodes.size());
        result_.nodes.push_back({.num_fronts = 0, .parent = parent});
      }
      TreeNode& node = result_.nodes[merged];
      node.num_fronts += sums_.subtree_fronts[s];
      node.flops += sums_.subtree_flops[s];
      node.subtree_flops = node.flops;
      node.is_critical = node.is_critical || is_critical_[s];
    }
  }

  /// Sets the node's box, to the right of the siblings that have boxes already.
  void place(TreeNode& node) {
    if (node.parent == kNone) {
      node.box = {next_root_, 0, node.subtree_flops / result_.flops, 0};
      next_root_ += node.box.width;
    } else {
      const TreeNode& parent = result_.nodes[node.parent];
      Below& below = below_[node.parent];
      const double width = node.subtree_flops / below.flops * parent.box.width;
      node.box = {parent.box.x + below.width, parent.box.bottom(), width, 0};
      below.width += width;
    }
    node.box.height = node.flops / (result_.flops * node.box.width);
  }

  const AssemblyTree& tree_;
  const Sums sums_;
  const Index most_alone_;
  std::vector<Index> node_of_;  // Node of each front; kNone: merged, or not added yet.
  std::vector<bool> is_critical_;
  TreeLayout result_;
  double next_root_ = 0;
  struct Below {
    double flops = 0;  // Flops of the children's subtrees.
    double width = 0;  // Total width of the children placed so far.
  };
  std::vector<Below> below_;  // Sums over the children of each node.
};

}  // namespace

double front_flops(Index nrow, Index ncol) {
  return sum_of_squares(nrow) - sum_of_squares(static_cast<double>(nrow) - ncol);
}

TreeLayout lay_out(const AssemblyTree& tree, Index most_nodes) {
  return Layout(tree, most_nodes).lay_out();
}

}  // namespace clchol::cli
