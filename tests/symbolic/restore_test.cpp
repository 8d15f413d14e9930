#include "symbolic/restore.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "ordering/ordering.hpp"
#include "symbolic/analyze.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/symbolic_equality.hpp"

namespace clchol::symbolic {
namespace {

using test::LowerMatrix;
using testing::HasSubstr;

SymbolicFactor factor_of(const LowerMatrix& a, ordering::Method method, bool amalgamate) {
  const ordering::Graph graph = ordering::make_graph(a.pattern.view());
  ordering::OrderingOptions ordering;
  ordering.method = method;
  AnalyzeOptions options;
  options.amalgamation.enable = amalgamate;
  return analyze(graph, ordering::compute_ordering(graph, ordering).permutation, options);
}

/// The members that a file holds; the other members are empty.
SymbolicFactor saved_members(const SymbolicFactor& f) {
  SymbolicFactor saved;
  saved.n = f.n;
  saved.nsuper = f.nsuper;
  saved.permutation.perm = f.permutation.perm;
  saved.colcount = f.colcount;
  saved.super_ptr = f.super_ptr;
  saved.super_parent = f.super_parent;
  saved.super_rowptr = f.super_rowptr;
  saved.super_rowind = f.super_rowind;
  saved.info.exact_supernodes = f.info.exact_supernodes;
  saved.info.dynamic_supernodes = f.info.dynamic_supernodes;
  saved.info.backward_search = f.info.backward_search;
  return saved;
}

struct SavedMatrix {
  const char* name;
  std::function<LowerMatrix()> build;
};

class Restore : public testing::TestWithParam<SavedMatrix> {};

TEST_P(Restore, GivesBackEveryMember) {
  const LowerMatrix a = GetParam().build();
  for (const auto method :
       {ordering::Method::kNatural, ordering::Method::kAmd, ordering::Method::kNestedDissection}) {
    for (const bool amalgamate : {false, true}) {
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(static_cast<int>(method));
        SCOPED_TRACE(amalgamate);
        const SymbolicFactor factor = factor_of(a, method, amalgamate);
        SymbolicFactor restored = saved_members(factor);

        restore(restored, threads);

        test::expect_equal(restored, factor);
      }
    }
  }
}

std::vector<SavedMatrix> saved_matrices() {
  return {{"One", [] { return test::diagonal(1); }},
          {"Diagonal", [] { return test::diagonal(9); }},
          {"Tridiagonal", [] { return test::tridiagonal(40); }},
          {"Arrow", [] { return test::arrow_first(30); }},
          {"Dense", [] { return test::dense_spd(25, 1); }},
          // More than 2000 supernodes, which several threads restore.
          {"Grid2d", [] { return test::grid2d(170, 160); }},
          {"Grid3d", [] { return test::grid3d(6, 5, 7); }},
          {"Forest", [] { return test::two_grids(7, 6, 4); }},
          {"Random", [] { return test::random_spd(200, 5, 3); }},
          {"BundleAdjustment", [] { return test::bundle_adjustment(4, 60, 2, 5); }}};
}

INSTANTIATE_TEST_SUITE_P(Matrices, Restore, testing::ValuesIn(saved_matrices()),
                         [](const auto& p) { return p.param.name; });

// ---- refusals -----------------------------------------------------------------------------------

/// The message of restore() for the factor of a small grid with one changed member.
template <class Change>
std::string refusal_of(const Change& change) {
  SymbolicFactor f =
      saved_members(factor_of(test::grid2d(6, 5), ordering::Method::kNatural, false));
  change(f);
  try {
    restore(f, 1);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "(accepted)";
}

/// A supernode in the middle of the tree: it has update rows and is not a last child.
constexpr Index kMiddle = 3;

TEST(RestoreRefuses, NothingThatIsRight) {
  EXPECT_EQ(refusal_of([](SymbolicFactor&) {}), "(accepted)");
}

TEST(RestoreRefuses, WrongLengths) {
  constexpr const char* kText = "symbolic factor: an array has the wrong length";
  EXPECT_EQ(refusal_of([](SymbolicFactor& f) { f.permutation.perm.pop_back(); }), kText);
  EXPECT_EQ(refusal_of([](SymbolicFactor& f) { f.colcount.push_back(1); }), kText);
  EXPECT_EQ(refusal_of([](SymbolicFactor& f) { f.super_ptr.pop_back(); }), kText);
  EXPECT_EQ(refusal_of([](SymbolicFactor& f) { f.super_parent.pop_back(); }), kText);
  EXPECT_EQ(refusal_of([](SymbolicFactor& f) { f.super_rowptr.pop_back(); }), kText);
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.super_rowind.pop_back(); }),
              HasSubstr("the last row list does not end where the rows do"));
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.nsuper = 0; }), HasSubstr("0 supernodes of 30"));
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.nsuper = 31; }), HasSubstr("31 supernodes"));
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.n = -1; }), HasSubstr("of -1 columns"));
}

TEST(RestoreRefuses, WhatIsNoPermutation) {
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.permutation.perm[4] = 30; }),
              HasSubstr("entry 4 is 30"));
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.permutation.perm[4] = -1; }),
              HasSubstr("entry 4 is -1"));
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.permutation.perm[4] = 5; }),
              HasSubstr("row 5 stands at both 4 and 5"));
}

TEST(RestoreRefuses, SupernodesThatDoNotDivideTheColumns) {
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.super_ptr[0] = 1; }),
              HasSubstr("does not begin at column 0"));
  EXPECT_THAT(
      refusal_of([](SymbolicFactor& f) { f.super_ptr[kMiddle + 1] = f.super_ptr[kMiddle]; }),
      HasSubstr("supernode 3 has no columns"));
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.super_ptr[f.nsuper] = f.n + 1; }),
              HasSubstr("does not end at column n"));
}

TEST(RestoreRefuses, WhatIsNoPostorder) {
  for (const Index parent : {Index{-2}, Index{0}, kMiddle, std::numeric_limits<Index>::max()}) {
    SCOPED_TRACE(parent);
    EXPECT_THAT(refusal_of([&](SymbolicFactor& f) { f.super_parent[kMiddle] = parent; }),
                HasSubstr("no postorder"));
  }
  // Fronts between a child and its parent that belong to neither subtree.
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.super_parent[0] = f.nsuper - 1; }),
              testing::AnyOf(HasSubstr("no postorder"), HasSubstr("first update row")));
}

TEST(RestoreRefuses, ImpossibleRowCounts) {
  constexpr Offset kLeast = std::numeric_limits<Offset>::min();
  constexpr Offset kMost = std::numeric_limits<Offset>::max();
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.super_rowptr[0] = 1; }),
              HasSubstr("does not begin at 0"));
  for (const Offset value : {kLeast, Offset{-1}, Offset{1000}, kMost}) {
    SCOPED_TRACE(value);
    EXPECT_THAT(refusal_of([&](SymbolicFactor& f) { f.super_rowptr[kMiddle + 1] = value; }),
                HasSubstr("supernode 3 has an impossible number of rows"));
  }
}

TEST(RestoreRefuses, UpdateRowsWithoutAParentAndAParentWithout) {
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.super_parent[f.nsuper - 2] = kNone; }),
              HasSubstr("no parent but update rows"));
}

TEST(RestoreRefuses, BadRowLists) {
  auto with_row = [](Offset k, Index row) {
    return refusal_of(
        [&](SymbolicFactor& f) { f.super_rowind[f.super_rowptr[kMiddle] + k] = row; });
  };
  EXPECT_THAT(with_row(0, 0), HasSubstr("supernode 3 has a bad row list"));  // Another's column.
  EXPECT_THAT(with_row(1, 2), HasSubstr("supernode 3 has a bad row list"));  // The rows descend.
  EXPECT_THAT(with_row(1, -9), HasSubstr("supernode 3 has a bad row list"));
  const std::string beyond = refusal_of([](SymbolicFactor& f) {
    f.super_rowind[f.super_rowptr[kMiddle + 1] - 1] = f.n;  // The last row: the rows still ascend.
  });
  EXPECT_THAT(beyond, HasSubstr("supernode 3 has a bad row list"));
}

TEST(RestoreRefuses, BadCounts) {
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.colcount[0] = 0; }), HasSubstr("supernode 0"));
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.colcount[0] = f.nrow(0) + 1; }),
              HasSubstr("supernode 0 has a bad row list or column count"));
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.info.exact_supernodes = 0; }),
              HasSubstr("impossible numbers"));
  EXPECT_THAT(refusal_of([](SymbolicFactor& f) { f.info.dynamic_supernodes = 31; }),
              HasSubstr("impossible numbers"));
}

TEST(RestoreRefuses, RowsThatTheParentHasNot) {
  // Replaces the last update row of a front by a row that its parent does not have.
  const std::string refusal = refusal_of([](SymbolicFactor& f) {
    for (Index s = 0; s < f.nsuper; ++s) {
      const Index p = f.super_parent[s];
      if (p == kNone || f.nupd(s) < 2) continue;
      const auto of_parent = f.rows(p);
      Index& last = f.super_rowind[f.super_rowptr[s + 1] - 1];
      for (Index i = f.n - 1; i > f.super_rowind[f.super_rowptr[s + 1] - 2]; --i) {
        if (std::binary_search(of_parent.begin(), of_parent.end(), i)) continue;
        last = i;
        return;
      }
    }
  });

  EXPECT_THAT(refusal, HasSubstr("an update row that its parent has not"));
}

TEST(RestoreRefuses, AParentThatIsNotTheFirstUpdateRows) {
  // Makes a chain of two siblings: the upper one lacks the rows of the lower one.
  const std::string refusal = refusal_of([](SymbolicFactor& f) {
    for (Index s = 0; s + 1 < f.nsuper; ++s) {
      if (f.super_parent[s] != f.super_parent[s + 1] || f.super_parent[s] == kNone) continue;
      f.super_parent[s] = s + 1;
      return;
    }
    f.super_parent[0] = 0;  // No such siblings: another error.
  });

  EXPECT_THAT(refusal, testing::AnyOf(HasSubstr("first update row"), HasSubstr("no postorder")));
}

}  // namespace
}  // namespace clchol::symbolic
