// A saved analysis: what is loaded is what was saved, and nothing else is loaded.
#include "solver/analysis_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <ostream>

#include "base/checksum.hpp"
#include "ordering/ordering.hpp"
#include "tests/solver/solver_support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/symbolic_equality.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;
using test::refusal_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

using Bytes = std::vector<std::byte>;

constexpr std::uint64_t kSeed = 140;

/// Bytes of the parts that every file has: magic, byte order, version; then the pattern's hash.
constexpr std::size_t kByteOrderAt = 8, kVersionAt = 12, kPatternAt = 16;

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
  options.ordering = c.ordering;
  options.amalgamate = c.amalgamate;
  options.threads = threads;
  return options;
}

SparseCholesky<double> analysed(const LowerMatrix& a, const Options& options = test::one_thread()) {
  SparseCholesky<double> solver(options);
  EXPECT_EQ(solver.analyze(test::view_of(a)), Status::kOk);
  return solver;
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

// ---- what is loaded is what was saved -----------------------------------------------------------

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

  for (const int threads : {1, 3}) {
    const solver::SavedAnalysis loaded = solver::read_analysis(
        solver::ByteStream::open(folder.file("a")), a().pattern.view(), threads);

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

  EXPECT_TRUE(loaded.analysis_report().loaded);  // factorize() has kept it.
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

LowerMatrix small_matrix() { return test::grid2d(4, 3); }

Bytes small_bytes() { return analysed(small_matrix()).save_analysis(); }

std::string load_refusal(const LowerMatrix& a, const Bytes& bytes) {
  SparseCholesky<double> solver(test::one_thread());
  return refusal_of([&] { solver.load_analysis(test::view_of(a), bytes); });
}

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
  options.ordering = Ordering::kGiven;
  options.permutation = {7};  // None at all.
  options.amalgamate = false;
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
  options.ordering = Ordering::kNatural;
  options.amalgamate = false;

  const AssemblyTree tree = analysed(test::tridiagonal(4), options).assembly_tree();

  EXPECT_THAT(tree.super_ptr, ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(tree.super_parent, ElementsAre(1, 2, kNone));
  EXPECT_THAT(tree.nrow, ElementsAre(2, 2, 2));
}

// ---- what is refused ----------------------------------------------------------------------------

TEST(LoadAnalysisRefuses, EveryFlippedBit) {
  const LowerMatrix a = small_matrix();
  const Bytes bytes = small_bytes();
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes damaged = bytes;
      damaged[k] ^= std::byte{1} << bit;
      ASSERT_THAT(load_refusal(a, damaged), StartsWith("saved analysis: ")) << k << ", " << bit;
    }
  }
}

TEST(LoadAnalysisRefuses, EveryOtherByte) {
  const LowerMatrix a = small_matrix();
  const Bytes bytes = small_bytes();
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    for (const int value : {0x00, 0xff}) {
      Bytes damaged = bytes;
      damaged[k] = std::byte(value);
      if (damaged == bytes) continue;
      ASSERT_THAT(load_refusal(a, damaged), StartsWith("saved analysis: ")) << k;
    }
  }
}

TEST(LoadAnalysisRefuses, EveryTruncation) {
  const LowerMatrix a = small_matrix();
  const Bytes bytes = small_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string refusal = load_refusal(a, {bytes.begin(), bytes.begin() + size});
    const char* const expected = size == 0   ? "the file is empty, expected a saved analysis"
                                 : size < 16 ? "is no saved analysis"
                                             : "is truncated or damaged: bytes are missing";
    ASSERT_EQ(refusal, std::string("saved analysis: ") + expected) << size;
  }
}

TEST(LoadAnalysisRefuses, BytesThatFollow) {
  for (const std::size_t more : {1, 8, 4096}) {
    Bytes bytes = small_bytes();
    bytes.resize(bytes.size() + more);
    EXPECT_EQ(load_refusal(small_matrix(), bytes),
              "saved analysis: is damaged: bytes follow its end");
  }
}

TEST(LoadAnalysisRefuses, AnotherVersion) {
  Bytes bytes = small_bytes();
  bytes[kVersionAt] = std::byte{2};
  EXPECT_EQ(load_refusal(small_matrix(), bytes),
            "saved analysis: has version 2, this library reads version 1");
}

TEST(LoadAnalysisRefuses, TheOtherByteOrder) {
  Bytes bytes = small_bytes();
  std::reverse(bytes.begin() + kByteOrderAt, bytes.begin() + kByteOrderAt + 4);
  EXPECT_EQ(load_refusal(small_matrix(), bytes),
            "saved analysis: was saved on a machine of the other byte order");
}

TEST(LoadAnalysisRefuses, AnotherPattern) {
  constexpr const char* kText = "saved analysis: belongs to a matrix of another pattern";
  const Bytes bytes = small_bytes();
  EXPECT_EQ(load_refusal(test::tridiagonal(12), bytes), kText);
  EXPECT_EQ(load_refusal(test::grid2d(3, 4), bytes), kText);  // As many entries.
  EXPECT_EQ(load_refusal(test::grid2d(4, 4), bytes), kText);
  EXPECT_EQ(load_refusal(test::diagonal(1), bytes), kText);
}

TEST(LoadAnalysisRefuses, ABadMatrixFirst) {
  SparseCholesky<double> solver(test::one_thread());
  EXPECT_THAT(refusal_of([&] { solver.load_analysis(SparseView<double>{}, Bytes{}); }),
              StartsWith("matrix: n is 0"));
}

/// Copies `size` bytes from `from` and makes the checksum fit again: damage that is none.
Bytes forged(Bytes bytes, std::size_t at, const void* from, std::size_t size) {
  std::memcpy(bytes.data() + at, from, size);
  Checksum sum;
  sum.update(bytes.data(), bytes.size() - 8);
  const std::uint64_t value = sum.value();
  std::memcpy(bytes.data() + bytes.size() - 8, &value, sizeof value);
  return bytes;
}

TEST(LoadAnalysisRefuses, AStructureWithoutPlaceForTheMatrix) {
  // The analysis of a chain, said to be of a grid.
  const LowerMatrix a = test::grid2d(20, 20);
  const Bytes grid = analysed(a).save_analysis();
  const Bytes chain = analysed(test::tridiagonal(400)).save_analysis();

  EXPECT_EQ(load_refusal(a, forged(chain, kPatternAt, grid.data() + kPatternAt, 8)),
            "symbolic factor: it has no place for some entries of the matrix");
}

TEST(LoadAnalysis, OfALargerStructureSolvesAllTheSame) {
  // The analysis of a dense matrix, said to be of a grid: poor, and right.
  const LowerMatrix a = small_matrix();
  const Bytes grid = small_bytes();
  const Bytes dense = analysed(test::dense_spd(12, kSeed)).save_analysis();
  SparseCholesky<double> solver(test::one_thread());

  solver.load_analysis(test::view_of(a), forged(dense, kPatternAt, grid.data() + kPatternAt, 8));
  ASSERT_EQ(solver.factorize(test::view_of(a)), Status::kOk);

  const std::vector<double> b = test::random_vector(12, kSeed);
  EXPECT_LE(test::backward_error(a, b, test::solve(solver, b)), 1e-15);
}

TEST(LoadAnalysisRefuses, ImpossibleNumbersWithAGoodChecksum) {
  const Bytes bytes = small_bytes();
  for (std::size_t at = kPatternAt + 8; at < kPatternAt + 80; at += 8) {
    for (const std::int64_t value : {std::int64_t{-1}, std::int64_t{1} << 40, INT64_MAX}) {
      EXPECT_EQ(load_refusal(small_matrix(), forged(bytes, at, &value, sizeof value)),
                "saved analysis: is damaged: its header has impossible numbers")
          << at;
    }
  }
}

TEST(LoadAnalysisRefuses, ImpossibleIndicesWithAGoodChecksum) {
  // Behind the header: every 32-bit number in turn, out of every range.
  const Bytes bytes = small_bytes();
  const SparseCholesky<double> solver = analysed(small_matrix());
  const AnalysisReport& report = solver.analysis_report();
  // Checksum and texts: what is written there is words.
  const std::size_t texts = 8 + report.ordering.size() + report.ordering_reason.size();
  for (std::size_t at = kPatternAt + 80; at + 4 + texts <= bytes.size(); at += 4) {
    for (const std::int32_t value : {-7, 0x40000000}) {
      EXPECT_THAT(load_refusal(small_matrix(), forged(bytes, at, &value, sizeof value)),
                  StartsWith("saved analysis: is damaged: "))
          << at;
    }
  }
}

// ---- files --------------------------------------------------------------------------------------

std::string file_refusal(const std::string& path) {
  SparseCholesky<double> solver(test::one_thread());
  return refusal_of([&] { solver.load_analysis(test::view_of(small_matrix()), path); });
}

TEST(LoadAnalysisRefuses, ForeignFiles) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a");
  for (const char* content :
       {"x", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n",
        "clchol-b and more of it"}) {
    test::put_file(path, content);
    EXPECT_EQ(file_refusal(path), path + ": is no saved analysis");
  }
  test::put_file(path, "");
  EXPECT_EQ(file_refusal(path), path + ": the file is empty, expected a saved analysis");
  EXPECT_EQ(file_refusal(folder.path()),
            folder.path().string() + ": is a directory, expected a file");
  EXPECT_EQ(file_refusal(folder.file("none")),
            folder.file("none") + ": cannot open the file: No such file or directory");
}

TEST(LoadAnalysisRefuses, DamagedCompression) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("a.gz");
  analysed(small_matrix()).save_analysis(path);
  std::string content = test::file_content(path);
  test::put_file(path, content.substr(0, content.size() / 2));
  EXPECT_THAT(file_refusal(path), StartsWith(path + ": truncated gzip data"));
  content[content.size() / 2] ^= 0x10;
  test::put_file(path, content);
  EXPECT_THAT(file_refusal(path), StartsWith(path + ": "));
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
