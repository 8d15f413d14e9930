// Saved analyses: the loaded analysis equals the saved one.
#include "solver/analysis_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <ostream>

#include "ordering/ordering.hpp"
#include "tests/solver/analysis_file_support.hpp"
#include "tests/solver/solver_support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/symbolic_equality.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;
using test::refusal_of;
using testing::ElementsAre;
using testing::HasSubstr;

struct Case {
  const char* name;
  LowerMatrix a;
  Ordering ordering = Ordering::kAmd;
  bool amalgamate = true;

  friend void PrintTo(const Case& c, std::ostream* out) {  // NOLINT(readability-identifier-naming)
    *out << c.name;
  }
};

std::vector<Case> cases() {
  return {{"One", test::diagonal(1)},
          {"Diagonal", test::diagonal(12)},
          {"Tridiagonal", test::tridiagonal(50)},
          {"Arrow", test::arrow_first(40)},
          {"Dense", test::dense_spd(30, kSeed)},
          {"Grid2d", test::grid2d(60, 50)},
          {"Grid2dNaturalPlain", test::grid2d(20, 30), Ordering::kNatural, false},
          {"Grid3dDissected", test::grid3d(14, 13, 12), Ordering::kNestedDissection},
          {"Forest", test::two_grids(20, 15, 8)},
          {"Random", test::random_spd(400, 5, kSeed)},
          {"Bundle", test::bundle_adjustment(6, 300, 3, kSeed)}};
}

Options options_of(const Case& c, int threads = 1) {
  Options options;
  options.analysis.ordering = c.ordering;
  options.analysis.amalgamate = c.amalgamate;
  options.threads = threads;
  return options;
}

void expect_equal(const AnalysisReport& a, const AnalysisReport& b) {
  EXPECT_EQ(a.n, b.n);
  EXPECT_EQ(a.nnz, b.nnz);
  EXPECT_EQ(a.ordering, b.ordering);
  EXPECT_EQ(a.ordering_reason, b.ordering_reason);
  EXPECT_EQ(a.compressed_n, b.compressed_n);
  EXPECT_EQ(a.nnz_l, b.nnz_l);
  EXPECT_EQ(a.flops, b.flops);
  EXPECT_EQ(a.nnz_stored, b.nnz_stored);
  EXPECT_EQ(a.flops_stored, b.flops_stored);
  EXPECT_EQ(a.supernodes, b.supernodes);
  EXPECT_EQ(a.exact_supernodes, b.exact_supernodes);
  EXPECT_EQ(a.dynamic_supernodes, b.dynamic_supernodes);
  EXPECT_EQ(a.backward_search, b.backward_search);
  EXPECT_EQ(a.tree_height, b.tree_height);
  EXPECT_EQ(a.largest_front, b.largest_front);
  EXPECT_EQ(a.largest_front_columns, b.largest_front_columns);
  EXPECT_EQ(a.factor_bytes, b.factor_bytes);
  EXPECT_EQ(a.workspace_bytes, b.workspace_bytes);
  EXPECT_EQ(a.solve_bytes_per_rhs, b.solve_bytes_per_rhs);
}

class SavedAnalysis : public testing::TestWithParam<Case> {
 protected:
  const LowerMatrix& a() const { return GetParam().a; }
};

TEST_P(SavedAnalysis, IsLoadedMemberByMember) {
  const auto options = options_of(GetParam());
  const auto analysis =
      solver::analyze(solver::make_input_map<Offset, Index>(a().pattern.n, a().pattern.colptr,
                                                            a().pattern.rowind, Triangle::kLower),
                      options, true);
  const test::TemporaryFolder folder;
  solver::save_analysis(*analysis, folder.file("a"), 1);

  const CscPatternView lower = a().pattern.view();
  for (const int threads : {1, 3}) {
    const solver::SavedAnalysis loaded =
        solver::read_analysis(solver::ByteStream::open(folder.file("a")), &lower, threads);

    test::expect_equal(loaded.symbolic, analysis->symbolic);
  }
}

TEST_P(SavedAnalysis, GivesTheReportAndTheTree) {
  const SparseCholesky<double> saved = analysed(a(), options_of(GetParam()));
  SparseCholesky<double> loaded(test::one_thread());

  ASSERT_EQ(loaded.load_analysis(test::view_of(a()), saved.save_analysis()), Status::kOk);

  expect_equal(loaded.analysis_report(), saved.analysis_report());
  EXPECT_TRUE(loaded.analysis_report().loaded);
  EXPECT_FALSE(saved.analysis_report().loaded);
  EXPECT_EQ(loaded.analysis_report().order_s, 0);
  EXPECT_EQ(loaded.permutation(), saved.permutation());
  const AssemblyTree tree = loaded.assembly_tree(), expected = saved.assembly_tree();
  EXPECT_EQ(tree.super_ptr, expected.super_ptr);
  EXPECT_EQ(tree.super_parent, expected.super_parent);
  EXPECT_EQ(tree.nrow, expected.nrow);
}

TEST_P(SavedAnalysis, SolvesToTheSameBits) {
  const std::vector<double> b = test::random_vector(a().pattern.n, kSeed);
  const SparseCholesky<double> saved = test::factored<double>(a(), options_of(GetParam()));
  SparseCholesky<double> loaded(options_of({}, 3));

  ASSERT_EQ(loaded.load_analysis(test::view_of(a()), saved.save_analysis()), Status::kOk);
  ASSERT_EQ(loaded.factorize(test::view_of(a())), Status::kOk);

  EXPECT_TRUE(loaded.analysis_report().loaded);  // factorize() has kept the analysis.
  EXPECT_TRUE(test::same_bits(loaded.diagonal(), saved.diagonal()));
  EXPECT_TRUE(test::same_bits(test::solve(loaded, b), test::solve(saved, b)));
}

TEST_P(SavedAnalysis, HasTheSameBytesWhoeverSavesIt) {
  const Bytes bytes = analysed(a(), options_of(GetParam())).save_analysis();
  SparseCholesky<float> loaded(test::one_thread());

  ASSERT_EQ(loaded.load_analysis(test::lower_input<float>(a()).view(), bytes), Status::kOk);

  EXPECT_EQ(analysed(a(), options_of(GetParam(), 3)).save_analysis(), bytes);
  EXPECT_EQ(loaded.save_analysis(), bytes);
}

TEST_P(SavedAnalysis, IsTheSameInFileAndMemory) {
  const test::TemporaryFolder folder;
  const SparseCholesky<double> saved = analysed(a(), options_of(GetParam()));

  saved.save_analysis(folder.file("a"));
  saved.save_analysis(folder.file("a.gz"));

  const Bytes bytes = saved.save_analysis();
  const std::string content = test::file_content(folder.file("a"));
  ASSERT_EQ(content.size(), bytes.size());
  EXPECT_EQ(std::memcmp(content.data(), bytes.data(), bytes.size()), 0);
  EXPECT_THAT(folder.names(), ElementsAre("a", "a.gz"));
  for (const char* name : {"a", "a.gz"}) {
    SparseCholesky<double> loaded(test::one_thread());
    EXPECT_EQ(loaded.load_analysis(test::view_of(a()), folder.file(name)), Status::kOk);
    EXPECT_EQ(loaded.permutation(), saved.permutation());
  }
}

INSTANTIATE_TEST_SUITE_P(Matrices, SavedAnalysis, testing::ValuesIn(cases()),
                         [](const auto& p) { return p.param.name; });

TEST(LoadAnalysis, ServesEveryFormOfTheMatrix) {
  const LowerMatrix a = small_matrix();
  const SparseCholesky<double> saved = test::factored<double>(a);
  std::vector<test::Triplet> upper;
  for (const test::Triplet& t : test::triplets_of(a)) upper.push_back({t.col, t.row, t.value});
  const auto input =
      test::input_of<double, std::int64_t, std::int64_t>(a.pattern.n, upper, Triangle::kUpper);
  SparseCholesky<double> loaded(test::one_thread());

  ASSERT_EQ(loaded.load_analysis(input.view(), saved.save_analysis()), Status::kOk);
  ASSERT_EQ(loaded.refactorize(std::span<const double>(input.values)), Status::kOk);

  EXPECT_TRUE(test::same_bits(loaded.diagonal(), saved.diagonal()));
}

TEST(LoadAnalysis, DoesNotReadTheOptionsOfTheOrdering) {
  const LowerMatrix a = small_matrix();
  const SparseCholesky<double> saved = analysed(a);
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kGiven;
  options.analysis.permutation = {7};  // Not a permutation.
  options.analysis.amalgamate = false;
  SparseCholesky<double> loaded(options);

  loaded.load_analysis(test::view_of(a), saved.save_analysis());

  EXPECT_EQ(loaded.permutation(), saved.permutation());
  EXPECT_EQ(loaded.analysis_report().supernodes, saved.analysis_report().supernodes);
}

TEST(LoadAnalysis, PutsAFormerFactorAway) {
  SparseCholesky<double> solver = test::factored<double>(test::tridiagonal(9));

  solver.load_analysis(test::view_of(small_matrix()), small_bytes());

  EXPECT_EQ(solver.analysis_report().n, 12);
  EXPECT_THAT(refusal_of([&] { test::solve(solver, std::vector<double>(12, 1.0)); }),
              HasSubstr("no matrix has been factored"));
}

TEST(LoadAnalysis, LeavesTheSolverAsItWasWhenItRefuses) {
  const LowerMatrix a = test::tridiagonal(9);
  const std::vector<double> b = test::random_vector(9, kSeed);
  SparseCholesky<double> solver = test::factored<double>(a);
  const std::vector<double> x = test::solve(solver, b);

  EXPECT_THROW(solver.load_analysis(test::view_of(a), small_bytes()), InvalidArgument);

  EXPECT_TRUE(test::same_bits(test::solve(solver, b), x));
}

TEST(LoadAnalysis, EndsWhenItIsCancelled) {
  const std::atomic<bool> cancel{true};
  const Bytes bytes = small_bytes();
  Options options = test::one_thread();
  options.cancel = &cancel;
  SparseCholesky<double> solver(options);

  EXPECT_EQ(solver.load_analysis(test::view_of(small_matrix()), bytes), Status::kInterrupted);

  EXPECT_EQ(solver.factor_report().status, Status::kInterrupted);
  EXPECT_THROW(static_cast<void>(solver.permutation()), InvalidArgument);
}

TEST(LoadAnalysis, ReadsFromAnUnalignedPlace) {
  Bytes bytes = small_bytes();
  bytes.insert(bytes.begin(), std::byte{0});
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_EQ(solver.load_analysis(test::view_of(small_matrix()),
                                 std::span<const std::byte>(bytes).subspan(1)),
            Status::kOk);
}

TEST(AssemblyTree, OfATridiagonalMatrixIsAPath) {
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kNatural;
  options.analysis.amalgamate = false;

  const AssemblyTree tree = analysed(test::tridiagonal(4), options).assembly_tree();

  EXPECT_THAT(tree.super_ptr, ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(tree.super_parent, ElementsAre(1, 2, kNone));
  EXPECT_THAT(tree.nrow, ElementsAre(2, 2, 2));
}

TEST(SaveAnalysisRefuses, WithoutAnAnalysis) {
  const SparseCholesky<double> solver(test::one_thread());
  EXPECT_EQ(refusal_of([&] { static_cast<void>(solver.save_analysis()); }),
            "save_analysis: no matrix has been analysed");
  EXPECT_EQ(refusal_of([&] { solver.save_analysis("nowhere/a"); }),
            "save_analysis: no matrix has been analysed");
  EXPECT_EQ(refusal_of([&] { static_cast<void>(solver.assembly_tree()); }),
            "assembly_tree: no matrix has been analysed");
}

TEST(SaveAnalysisRefuses, WhatCannotBeWritten) {
  const SparseCholesky<double> solver = analysed(small_matrix());
  EXPECT_EQ(refusal_of([&] { solver.save_analysis("/no/such/a"); }),
            "/no/such/a: cannot create a file in the folder: No such file or directory");
  EXPECT_EQ(refusal_of([&] { solver.save_analysis("/dev/full"); }),
            "/dev/full: cannot write the file: No space left on device");
}

TEST(SaveAnalysisRefuses, AFullDiskAndLeavesTheOldFile) {
  const test::TemporaryFolder folder;
  const SparseCholesky<double> solver = analysed(test::grid2d(100, 100));
  for (const char* name : {"a", "b.gz"}) {
    test::put_file(folder.file(name), "old");
    const test::FileSizeLimit limit(1000);

    EXPECT_EQ(refusal_of([&] { solver.save_analysis(folder.file(name)); }),
              folder.file(name) + ": cannot write the file: File too large");

    EXPECT_EQ(test::file_content(folder.file(name)), "old");
  }
  EXPECT_THAT(folder.names(), ElementsAre("a", "b.gz"));
}

}  // namespace
}  // namespace clchol
