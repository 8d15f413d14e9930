#include "symbolic/factor_part.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"
#include "tests/support/builders.hpp"

namespace clchol::symbolic {
namespace {

struct Analysed {
  SymbolicFactor symbolic;
  EntryMap entries;
};

Analysed analysed(const test::LowerMatrix& a) {
  const CscPatternView lower = a.pattern.view();
  ordering::OrderingOptions options;
  options.method = ordering::Method::kAmd;
  const ordering::Graph graph = ordering::make_graph(lower);
  Analysed made;
  made.symbolic = analyze(graph, ordering::compute_ordering(graph, options).permutation);
  made.entries = make_entry_map(made.symbolic, lower, make_transposed_index(lower));
  return made;
}

/// A random part for every front; with `by_subtrees` most fronts are in their parent's part.
std::vector<Index> random_parts(const SymbolicFactor& factor, Index num_parts, bool by_subtrees,
                                unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<Index> any(0, num_parts - 1);
  std::vector<Index> part(static_cast<std::size_t>(factor.nsuper));
  for (Index s = factor.nsuper - 1; s >= 0; --s) {
    const Index parent = factor.super_parent[s];
    const bool follows = by_subtrees && parent != kNone && any(random) > 0;
    part[s] = follows ? part[parent] : any(random);
  }
  for (Index p = 0; p < num_parts; ++p) part[p] = p;  // No part is empty.
  return part;
}

struct DividedProblem {
  Analysed problem;
  std::vector<Index> part;
  std::vector<FactorPart> parts;
};

DividedProblem divided_problem(unsigned seed, Index num_parts = 3) {
  DividedProblem made{analysed(test::grid3d(6, 5, 4 + static_cast<Index>(seed % 3))), {}, {}};
  made.part = random_parts(made.problem.symbolic, num_parts, seed % 2 == 0, seed);
  for (Index p = 0; p < num_parts; ++p) {
    made.parts.push_back(part_of_factor(made.problem.symbolic, made.part, p));
  }
  return made;
}

constexpr unsigned kCases = 12;

// Each front belongs to exactly one part; its parent's part imports it if that is another part.
TEST(FactorPart, HasItsFrontsAndTheirForeignChildren) {
  for (unsigned seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const DividedProblem c = divided_problem(seed);
    const SymbolicFactor& whole = c.problem.symbolic;
    std::vector<int> owners(static_cast<std::size_t>(whole.nsuper)), importers = owners;
    for (std::size_t p = 0; p < c.parts.size(); ++p) {
      const FactorPart& part = c.parts[p];
      ASSERT_EQ(part.factor.nsuper, static_cast<Index>(part.super.size()));
      std::vector<Index> exported;
      for (Index k = 0; k < part.factor.nsuper; ++k) {
        const Index s = part.super[k], parent = whole.super_parent[s];
        const bool is_own = c.part[s] == static_cast<Index>(p);
        ++(is_own ? owners : importers)[s];
        EXPECT_EQ(part.is_imported(k), !is_own);
        const bool parent_is_own = parent != kNone && c.part[parent] == static_cast<Index>(p);
        if (is_own && parent != kNone && !parent_is_own) exported.push_back(k);
        EXPECT_TRUE(is_own || parent_is_own);
      }
      EXPECT_EQ(part.exported, exported);
    }
    for (Index s = 0; s < whole.nsuper; ++s) {
      const Index parent = whole.super_parent[s];
      EXPECT_EQ(owners[s], 1);
      EXPECT_EQ(importers[s], parent != kNone && c.part[parent] != c.part[s] ? 1 : 0);
    }
  }
}

// Fronts have the same rows, and children the same relative indices, as in the whole factor.
TEST(FactorPart, HasTheRowsOfTheWhole) {
  for (unsigned seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const DividedProblem c = divided_problem(seed);
    const SymbolicFactor& whole = c.problem.symbolic;
    for (const FactorPart& part : c.parts) {
      const SymbolicFactor& own = part.factor;
      ASSERT_EQ(own.n, static_cast<Index>(part.row.size()));
      for (Index row = 0; row < own.n; ++row) {
        EXPECT_EQ(own.permutation.perm[row], whole.permutation.perm[part.row[row]]);
      }
      EXPECT_TRUE(std::is_sorted(part.row.begin() + part.num_columns, part.row.end()));
      for (Index k = 0; k < own.nsuper; ++k) {
        const Index s = part.super[k];
        const bool is_imported = part.is_imported(k);
        const auto rows = is_imported ? whole.update_rows(s) : whole.rows(s);
        ASSERT_EQ(own.rows(k).size(), rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
          EXPECT_EQ(part.row[own.rows(k)[i]], rows[i]);
          // The first rows are the front's own consecutive columns.
          if (!is_imported && i < static_cast<std::size_t>(whole.ncol(s))) {
            EXPECT_EQ(own.rows(k)[i], own.super_ptr[k] + static_cast<Index>(i));
          }
        }
        EXPECT_TRUE(std::ranges::equal(own.relative_indices(k), whole.relative_indices(s)));
        EXPECT_EQ(own.nupd(k), whole.nupd(s));
      }
    }
  }
}

// A part is a postorder; a front's children are those of the whole factor, in the same order.
TEST(FactorPart, HasTheTreesOfTheWhole) {
  for (unsigned seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const DividedProblem c = divided_problem(seed);
    const SymbolicFactor& whole = c.problem.symbolic;
    for (const FactorPart& part : c.parts) {
      const SymbolicFactor& own = part.factor;
      for (Index k = 0; k < own.nsuper; ++k) {
        std::vector<Index> children;
        for (const Index child : own.children(k)) {
          EXPECT_GE(child, own.first_descendant[k]);
          EXPECT_LT(child, k);
          children.push_back(part.super[child]);
        }
        const auto expected = whole.children(part.super[k]);
        EXPECT_TRUE(part.is_imported(k) ? children.empty()
                                        : std::ranges::equal(children, expected));
        // Every front of the range [first_descendant, k) is a descendant of k.
        for (Index d = own.first_descendant[k]; d < k; ++d) {
          Index above = d;
          while (above != kNone && above < k) above = own.super_parent[above];
          EXPECT_EQ(above, k);
        }
      }
    }
  }
}

/// Lets the parts compute their fronts in order; an imported front must be computed before.
/// @return whether all parts reach their last front.
bool all_end(const DividedProblem& c) {
  std::vector<Index> next(c.parts.size(), 0);
  std::vector<char> made(static_cast<std::size_t>(c.problem.symbolic.nsuper), 0);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t p = 0; p < c.parts.size(); ++p) {
      const FactorPart& part = c.parts[p];
      for (; next[p] < part.factor.nsuper; ++next[p], goes_on = true) {
        const Index s = part.super[next[p]];
        if (part.is_imported(next[p]) && made[s] == 0) break;
        made[s] = 1;
      }
    }
  }
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    if (next[p] < c.parts[p].factor.nsuper) return false;
  }
  return true;
}

TEST(FactorPart, PartsNeverWaitInACircle) {
  for (unsigned seed = 0; seed < 60; ++seed) EXPECT_TRUE(all_end(divided_problem(seed, 4))) << seed;
}

TEST(FactorPart, EntriesAreThoseOfItsColumns) {
  for (unsigned seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const DividedProblem c = divided_problem(seed);
    const EntryMap& whole = c.problem.entries;
    std::size_t sum = 0;
    for (const FactorPart& part : c.parts) {
      const PartEntries entries = part_of_entries(whole, part);
      ASSERT_EQ(entries.map.nnz(), static_cast<Offset>(entries.values.size()));
      sum += entries.values.size();
      EXPECT_TRUE(std::ranges::is_sorted(entries.values));
      for (Index j = 0; j < part.factor.n; ++j) {
        const Offset begin = entries.map.entry_ptr[j], end = entries.map.entry_ptr[j + 1];
        if (j >= part.num_columns) {
          EXPECT_EQ(begin, end);
          continue;
        }
        const Offset from = whole.entry_ptr[part.row[j]];
        ASSERT_EQ(end - begin, whole.entry_ptr[part.row[j] + 1] - from);
        for (Offset k = begin; k < end; ++k) {
          EXPECT_EQ(entries.values[entries.map.entry_source[k]],
                    whole.entry_source[from + k - begin]);
          EXPECT_EQ(entries.map.entry_row[k], whole.entry_row[from + k - begin]);
        }
      }
    }
    EXPECT_EQ(sum, static_cast<std::size_t>(whole.nnz()));
  }
}

TEST(FactorPart, OfEverythingIsTheWhole) {
  const Analysed p = analysed(test::grid3d(5, 6, 7));
  const SymbolicFactor& whole = p.symbolic;
  const std::vector<Index> one(static_cast<std::size_t>(whole.nsuper), 0);
  const FactorPart part = part_of_factor(whole, one, 0);
  EXPECT_EQ(part.factor.super_ptr, whole.super_ptr);
  EXPECT_EQ(part.factor.super_parent, whole.super_parent);
  EXPECT_TRUE(std::ranges::equal(part.factor.super_rowind, whole.super_rowind));
  EXPECT_TRUE(std::ranges::equal(part.factor.relind, whole.relind));
  EXPECT_EQ(part.factor.info.flops_stored, whole.info.flops_stored);
  EXPECT_TRUE(part.imported.empty());
  EXPECT_TRUE(part.exported.empty());
}

}  // namespace
}  // namespace clchol::symbolic
