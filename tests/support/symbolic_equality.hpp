// Whether two symbolic factors agree in every member.
#pragma once

#include <gtest/gtest.h>

#include "symbolic/symbolic_factor.hpp"

namespace clchol::test {

inline void expect_equal(const symbolic::SymbolicInfo& a, const symbolic::SymbolicInfo& b) {
  EXPECT_EQ(a.nnz_l, b.nnz_l);
  EXPECT_EQ(a.flops, b.flops);
  EXPECT_EQ(a.nnz_stored, b.nnz_stored);
  EXPECT_EQ(a.flops_stored, b.flops_stored);
  EXPECT_EQ(a.tree_height, b.tree_height);
  EXPECT_EQ(a.largest_nrow, b.largest_nrow);
  EXPECT_EQ(a.largest_ncol, b.largest_ncol);
  EXPECT_EQ(a.exact_supernodes, b.exact_supernodes);
  EXPECT_EQ(a.dynamic_supernodes, b.dynamic_supernodes);
  EXPECT_EQ(a.backward_search, b.backward_search);
}

inline void expect_equal(const symbolic::SymbolicFactor& a, const symbolic::SymbolicFactor& b) {
  EXPECT_EQ(a.n, b.n);
  EXPECT_EQ(a.nsuper, b.nsuper);
  EXPECT_EQ(a.permutation.perm, b.permutation.perm);
  EXPECT_EQ(a.permutation.iperm, b.permutation.iperm);
  EXPECT_EQ(a.colcount, b.colcount);
  EXPECT_EQ(a.super_ptr, b.super_ptr);
  EXPECT_EQ(a.super_of_col, b.super_of_col);
  EXPECT_EQ(a.super_parent, b.super_parent);
  EXPECT_EQ(a.first_descendant, b.first_descendant);
  EXPECT_EQ(a.child_ptr, b.child_ptr);
  EXPECT_EQ(a.child, b.child);
  EXPECT_EQ(a.super_rowptr, b.super_rowptr);
  EXPECT_EQ(a.super_rowind, b.super_rowind);
  EXPECT_EQ(a.relind, b.relind);
  expect_equal(a.info, b.info);
}

}  // namespace clchol::test
