#include "numeric/cpu/simplicial_subtrees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/numeric/cpu/planned.hpp"

namespace clchol::numeric {
namespace {

/// Rows of the columns of L below the diagonal, by elimination of one column after the other.
std::vector<std::set<Index>> eliminated(const Planned& p) {
  const CscPatternView lower = p.a.pattern.view();
  const std::vector<Index>& iperm = p.factor.permutation.iperm;
  std::vector<std::set<Index>> rows(lower.n);
  for (Index c = 0; c < lower.n; ++c) {
    for (const Index r : lower.below_diagonal(c)) {
      rows[std::min(iperm[r], iperm[c])].insert(std::max(iperm[r], iperm[c]));
    }
  }
  for (auto& column : rows) {
    if (column.empty()) continue;
    auto& parent = rows[*column.begin()];
    parent.insert(std::next(column.begin()), column.end());
  }
  return rows;
}

/// Compares every column of simplicial subtrees with `expected`.
/// @return the number of these columns.
Index check_columns(const Planned& p, const std::vector<std::set<Index>>& expected) {
  const SimplicialSubtrees& simplicial = p.plan.simplicial;
  Index count = 0;
  for (std::size_t k = 0; k < p.plan.tasks.root.size(); ++k) {
    if (!simplicial.contains(static_cast<Index>(k))) continue;
    const Index root = p.plan.tasks.root[k], parent = p.factor.super_parent[root];
    const bool is_joined = simplicial.is_joined(static_cast<Index>(k)) && parent != kNone;
    const auto above = is_joined ? p.factor.rows(parent) : p.factor.update_rows(root);
    for (Index s = p.factor.first_descendant[root]; s <= root; ++s) {
      for (Index j = p.factor.super_ptr[s]; j < p.factor.super_ptr[s + 1]; ++j, ++count) {
        const auto& column = simplicial.column[j];
        std::vector<Index> rows;
        for (Index q = 0; q < column.count; ++q) {
          const Index row = simplicial.row[column.begin + q];
          rows.push_back(q < column.num_inside ? row : above[row]);
          EXPECT_EQ(q < column.num_inside, rows.back() < p.factor.super_ptr[root + 1]);
          // Offset of the entry in the panel.
          const Index place = simplicial.source[column.begin + q];
          EXPECT_EQ(place / p.factor.nrow(s), j - p.factor.super_ptr[s]);
          EXPECT_EQ(p.factor.rows(s)[place % p.factor.nrow(s)], rows.back());
        }
        EXPECT_TRUE(std::ranges::equal(rows, expected[j])) << "column " << j;
      }
    }
  }
  return count;
}

TEST(SimplicialSubtrees, HoldTheColumnsWithoutAmalgamatedZeros) {
  for (const double min_task_cycles : {2e3, 2e5}) {  // The first puts fronts above the cut.
    for (const test::LowerMatrix& a :
         {test::tridiagonal(3000), test::random_spd(4000, 2, 3), test::random_spd(1500, 3, 5),
          test::diagonal(40), test::two_grids(4, 300, 50), test::hubs_and_leaves(20, 3000, 3, 7)}) {
      SCOPED_TRACE(a.pattern.n);
      const Planned p = plan_of(a, min_task_cycles);

      EXPECT_GT(check_columns(p, eliminated(p)), 0);
    }
  }
}

TEST(SimplicialSubtrees, AreNoneWhereLFills) {
  EXPECT_TRUE(plan_of(test::dense_spd(60, 1), 2e5).plan.simplicial.run.empty());
}

TEST(SimplicialSubtrees, OfIsolatedVerticesAreOneRange) {
  const Planned p = plan_of(test::diagonal(100), 2e5);
  const SimplicialSubtrees& simplicial = p.plan.simplicial;
  ASSERT_EQ(p.plan.tasks.root.size(), 100U);

  for (Index t = 0; t < p.plan.tasks.size(); ++t) {
    const Index begin = p.plan.tasks.task_ptr[t], end = p.plan.tasks.task_ptr[t + 1];
    EXPECT_EQ(simplicial.run_length(begin), end - begin);
  }
}

// Each hub's front has thousands of children that are single columns.
TEST(SimplicialSubtrees, OfLeavesBelowOneFrontAreOneRange) {
  const Planned p = plan_of(test::hubs_and_leaves(20, 3000, 3, 7), 2e5);
  const SimplicialSubtrees& simplicial = p.plan.simplicial;
  const auto subtrees = static_cast<Index>(p.plan.tasks.root.size());
  ASSERT_GE(subtrees, 1000);

  Index joined = 0;
  for (Index k = 0; k < subtrees; ++k) joined += simplicial.is_joined(k) ? 1 : 0;
  EXPECT_GE(joined, subtrees / 10 * 9);
}

// A file that was tampered with may hold such a factor.
TEST(SimplicialSubtrees, RefuseCountsThatAreNotThoseOfThePattern) {
  for (const Index change : {-1, 1}) {
    Planned p = plan_of(test::tridiagonal(3000), 2e5);
    for (Index j = 100; j < 200; ++j) {
      const Index s = p.factor.super_of_col[j];
      const Index most = p.factor.nrow(s) - (j - p.factor.super_ptr[s]);
      p.factor.colcount[j] = std::clamp(p.factor.colcount[j] + change, 1, most);
    }

    EXPECT_THROW(make_cpu_plan(p.factor, p.entries), InvalidArgument);
  }
}

}  // namespace
}  // namespace clchol::numeric
