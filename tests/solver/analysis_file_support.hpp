// Shared by tests of saved analyses: the analysis of a matrix, and the bytes of a small analysis.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clchol/clchol.hpp"
#include "tests/solver/solver_support.hpp"
#include "tests/support/builders.hpp"

namespace clchol {

using Bytes = std::vector<std::byte>;

inline constexpr std::uint64_t kSeed = 140;

inline SparseCholesky<double> analysed(const test::LowerMatrix& a,
                                       const Options& options = test::one_thread()) {
  SparseCholesky<double> solver(options);
  EXPECT_EQ(solver.analyze(test::view_of(a)), Status::kOk);
  return solver;
}

inline test::LowerMatrix small_matrix() { return test::grid2d(4, 3); }

inline Bytes small_bytes() { return analysed(small_matrix()).save_analysis(); }

}  // namespace clchol
