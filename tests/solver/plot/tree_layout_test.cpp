// Rectangles of the assembly tree: areas are flops, and they fill the square.
#include "solver/cli/plot/tree_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace clchol::cli {
namespace {

// Rounding error of sums of some hundred terms of at most 1.
constexpr double kRounding = 1e-12;

double area(const Box& box) { return box.width * box.height; }

const TreeNode& node_of(const TreeLayout& layout, Index front) {
  for (const TreeNode& node : layout.nodes) {
    if (node.front == front) return node;
  }
  throw InvalidArgument("no such front");
}

// Fronts of one column each, with nrow^2 flops; nrow is in parentheses.
//
//        3 (2 rows)       flops 4
//       /          .
//      1 (3)        2 (1)       9, 1
//      |
//      0 (3)                    9
AssemblyTree small_tree() { return {{0, 1, 2, 3, 4}, {1, 3, 3, kNone}, {3, 3, 1, 2}}; }

TEST(FrontFlops, AreTheSquaresOfItsColumns) {
  EXPECT_EQ(front_flops(1, 1), 1);
  EXPECT_EQ(front_flops(5, 2), 25 + 16);
  EXPECT_EQ(front_flops(3, 3), 9 + 4 + 1);
}

TEST(TreeLayout, SmallTreeRectangleByRectangle) {
  const TreeLayout layout = lay_out(small_tree(), 100);

  ASSERT_EQ(layout.nodes.size(), 4U);
  EXPECT_EQ(layout.flops, 23);
  EXPECT_EQ(layout.height, 3);
  EXPECT_EQ(layout.critical_flops, 4 + 9 + 9);
  const TreeNode& root = node_of(layout, 3);
  EXPECT_DOUBLE_EQ(root.box.width, 1);
  EXPECT_DOUBLE_EQ(root.box.height, 4.0 / 23);
  const TreeNode& left = node_of(layout, 1);
  EXPECT_DOUBLE_EQ(left.box.width, 18.0 / 19);
  EXPECT_DOUBLE_EQ(left.box.y, 4.0 / 23);
  EXPECT_NEAR(area(left.box), 9.0 / 23, kRounding);
  EXPECT_NEAR(node_of(layout, 0).box.bottom(), 1, kRounding);
  EXPECT_NEAR(node_of(layout, 2).box.bottom(), 1, kRounding);
  EXPECT_TRUE(root.is_critical && left.is_critical && node_of(layout, 0).is_critical);
  EXPECT_FALSE(node_of(layout, 2).is_critical);
}

TEST(TreeLayout, SmallSubtreesAreMergedByParent) {
  const TreeLayout layout = lay_out(small_tree(), 4);  // Fronts 3 and 1 are not merged.

  ASSERT_EQ(layout.nodes.size(), 4U);
  EXPECT_EQ(layout.nodes[0].front, 3);
  EXPECT_EQ(layout.nodes[1].front, 1);
  EXPECT_EQ(layout.nodes[2].front, kNone);
  EXPECT_EQ(layout.nodes[2].num_fronts, 1);
  EXPECT_EQ(layout.nodes[2].parent, 1);
  EXPECT_TRUE(layout.nodes[2].is_critical);
  EXPECT_EQ(layout.nodes[3].parent, 0);
  EXPECT_EQ(layout.nodes[3].flops, 1);
}

TEST(TreeLayout, RootsStandSideBySide) {
  const AssemblyTree forest{{0, 1, 2}, {kNone, kNone}, {1, 1}};

  const TreeLayout layout = lay_out(forest, 100);

  EXPECT_EQ(layout.height, 1);
  for (const TreeNode& node : layout.nodes) {
    EXPECT_DOUBLE_EQ(node.box.width, 0.5);
    EXPECT_DOUBLE_EQ(node.box.height, 1);
  }
  EXPECT_NE(layout.nodes[0].box.x, layout.nodes[1].box.x);
}

TEST(TreeLayout, ManyRootsAreMerged) {
  AssemblyTree forest{{}, std::vector<Index>(1000, kNone), std::vector<Index>(1000, 1)};
  forest.super_ptr.resize(1001);
  std::iota(forest.super_ptr.begin(), forest.super_ptr.end(), Index{0});

  const TreeLayout layout = lay_out(forest, 100);

  ASSERT_EQ(layout.nodes.size(), 51U);
  EXPECT_EQ(layout.nodes.back().num_fronts, 950);
  EXPECT_DOUBLE_EQ(layout.nodes.back().flops, 950);
}

TEST(TreeLayout, NoFronts) { EXPECT_TRUE(lay_out(AssemblyTree{{0}, {}, {}}, 100).nodes.empty()); }

/// A random forest in postorder: each front takes some of the former roots as its children.
AssemblyTree random_forest(Index fronts) {
  AssemblyTree tree{{0}, std::vector<Index>(static_cast<std::size_t>(fronts), kNone), {}};
  std::vector<Index> roots;
  for (Index s = 0; s < fronts; ++s) {
    const auto children =
        *rc::gen::inRange<std::size_t>(0, std::min<std::size_t>(roots.size(), 4) + 1);
    for (std::size_t k = 0; k < children; ++k) {
      tree.super_parent[roots.back()] = s;
      roots.pop_back();
    }
    roots.push_back(s);
    const auto ncol = *rc::gen::inRange<Index>(1, 50);
    tree.super_ptr.push_back(tree.super_ptr.back() + ncol);
    tree.nrow.push_back(ncol + *rc::gen::inRange<Index>(0, 200));
  }
  return tree;
}

RC_GTEST_PROP(TreeLayoutProperty, AreaIsWorkAndNothingIsLost, ()) {
  const auto fronts = *rc::gen::inRange<Index>(1, 120);
  const auto most = *rc::gen::inRange<Index>(2, 150);
  const AssemblyTree tree = random_forest(fronts);
  double flops = 0;
  for (Index s = 0; s < fronts; ++s) {
    flops += front_flops(tree.nrow[s], tree.super_ptr[s + 1] - tree.super_ptr[s]);
  }

  const TreeLayout layout = lay_out(tree, most);

  RC_ASSERT(std::ssize(layout.nodes) <= most + 1);  // Roots are merged too.
  RC_ASSERT(std::abs(layout.flops - flops) <= kRounding * flops);
  double total = 0;
  Index stands_for = 0;
  for (const TreeNode& node : layout.nodes) {
    const Box& box = node.box;
    RC_ASSERT(std::abs(area(box) - node.flops / flops) <= kRounding);
    RC_ASSERT(box.x >= -kRounding && box.right() <= 1 + kRounding);
    RC_ASSERT(box.y >= -kRounding && box.bottom() <= 1 + kRounding);
    if (node.parent != kNone) {
      const Box& parent = layout.nodes[node.parent].box;
      RC_ASSERT(std::abs(box.y - parent.bottom()) <= kRounding);
      RC_ASSERT(box.x >= parent.x - kRounding && box.right() <= parent.right() + kRounding);
    }
    total += area(box);
    stands_for += node.num_fronts;
  }
  RC_ASSERT(std::abs(total - 1) <= kRounding * 100);
  RC_ASSERT(stands_for == fronts);
}

}  // namespace
}  // namespace clchol::cli
