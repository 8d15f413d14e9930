// Saved factors: the loaded factor equals the saved one.  A file that is damaged, in another format
// or of another matrix is refused, and the solver keeps its state.
#include "solver/factor_file/factor_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <limits>
#include <ostream>

#include "ordering/ordering.hpp"
#include "tests/solver/solver_support.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/files.hpp"

namespace clchol {
namespace {

namespace format = solver::factor_file;
using test::LowerMatrix;
using test::refusal_of;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kSeed = 290;
constexpr Index kColumns = 3;

/// A matrix whose diagonal entries differ by up to 2^78, so that the solver scales it.
LowerMatrix graded() {
  LowerMatrix a = test::tridiagonal(40);
  for (Index j = 0; j < 40; ++j) {
    for (Offset p = a.pattern.colptr[j]; p < a.pattern.colptr[j + 1]; ++p) {
      a.values[p] = std::ldexp(a.values[p], j + a.pattern.rowind[p]);
    }
  }
  return a;
}

struct Case {
  const char* name;
  LowerMatrix a;
  Precision precision = Precision::kDouble;
  Ordering ordering = Ordering::kAmd;

  friend void PrintTo(const Case& c, std::ostream* out) {  // NOLINT(readability-identifier-naming)
    *out << c.name;
  }
};

/// The file of Dense1100 has more than one block, and blocks that end within a column.
std::vector<Case> cases() {
  return {{"One", test::diagonal(1)},
          {"Diagonal", test::diagonal(12)},
          {"Tridiagonal", test::tridiagonal(50)},
          {"Dense1100", test::dense_spd(1100, kSeed)},
          {"Dense1500Single", test::dense_spd(1500, kSeed), Precision::kMixed},
          {"Grid2d", test::grid2d(60, 50)},
          {"Grid2dMixed", test::grid2d(60, 50), Precision::kMixed},
          {"Grid3dDissected", test::grid3d(14, 13, 12), Precision::kDouble,
           Ordering::kNestedDissection},
          {"Forest", test::two_grids(20, 15, 8)},
          {"Scaled", graded()},
          {"Bundle", test::bundle_adjustment(6, 300, 3, kSeed)}};
}

Options options_of(const Case& c, int threads = 1) {
  Options options;
  options.factor.precision = c.precision;
  options.analysis.ordering = c.ordering;
  options.threads = threads;
  options.engine = EngineKind::kCpu;
  return options;
}

std::vector<double> solve_columns(const SparseCholesky<double>& solver, const LowerMatrix& a,
                                  SolveReport* report = nullptr) {
  const Index n = a.pattern.n;
  const std::vector<double> b = test::random_vector(n * kColumns, kSeed);
  std::vector<double> x(b.size());
  const SolveReport told = solver.solve(DenseView<const double>{b.data(), n, kColumns, n},
                                        DenseView<double>{x.data(), n, kColumns, n});
  if (report != nullptr) *report = told;
  return x;
}

void expect_same_factor(const SparseCholesky<double>& a, const SparseCholesky<double>& b) {
  const CholeskyFactor<double> l = a.factor(), expected = b.factor();
  EXPECT_EQ(l.colptr, expected.colptr);
  EXPECT_EQ(l.rowind, expected.rowind);
  EXPECT_TRUE(test::same_bits(l.values, expected.values));
  EXPECT_TRUE(test::same_bits(a.diagonal(), b.diagonal()));
  EXPECT_EQ(a.log_determinant(), b.log_determinant());
  EXPECT_EQ(a.permutation(), b.permutation());
  EXPECT_EQ(a.scaling(), b.scaling());
  const FactorReport &r = a.factor_report(), &s = b.factor_report();
  EXPECT_EQ(r.status, s.status);
  EXPECT_EQ(r.precision, s.precision);
  EXPECT_EQ(r.scaled, s.scaled);
  EXPECT_EQ(r.rcond, s.rcond);
}

class SavedFactor : public testing::TestWithParam<Case> {
 protected:
  SavedFactor() : saved_(test::factored<double>(a(), options_of(GetParam()))) {
    EXPECT_EQ(saved_.save_factor(path()), Status::kOk);
  }
  const LowerMatrix& a() const { return GetParam().a; }
  std::string path() const { return folder_.file("f"); }

  test::TemporaryFolder folder_;
  SparseCholesky<double> saved_;
};

TEST_P(SavedFactor, IsTheSameWithItsMatrixAndRefines) {
  for (const int threads : {1, 3}) {
    SparseCholesky<double> loaded(options_of(GetParam(), threads));
    ASSERT_EQ(loaded.load_factor(test::view_of(a()), path()), Status::kOk);

    expect_same_factor(loaded, saved_);
    EXPECT_TRUE(loaded.factor_report().loaded);
    EXPECT_GT(loaded.factor_report().load_s, 0);
    EXPECT_EQ(loaded.factor_report().factor_s, 0);
    EXPECT_EQ(loaded.analysis_report().nnz, saved_.analysis_report().nnz);
    SolveReport report;
    static_cast<void>(solve_columns(loaded, a(), &report));
    EXPECT_LE(report.backward_error.value(), 1e-15);
    EXPECT_GE(report.backward_error.value(), 0);
  }
}

// Without A there is no refinement: x has the backward error of the triangular solves, a small
// multiple of the rounding error of the factor's precision.
TEST_P(SavedFactor, SolvesWithoutItsMatrix) {
  SparseCholesky<double> loaded(options_of(GetParam(), 2));

  ASSERT_EQ(loaded.load_factor(path()), Status::kOk);

  expect_same_factor(loaded, saved_);
  EXPECT_EQ(loaded.analysis_report().n, a().pattern.n);
  SolveReport report;
  const std::vector<double> x = solve_columns(loaded, a(), &report);
  EXPECT_EQ(report.status, Status::kOk);
  EXPECT_EQ(report.refine_steps, 0);
  EXPECT_EQ(report.backward_error, std::nullopt);
  EXPECT_EQ(report.componentwise_error, std::nullopt);
  const Index n = a().pattern.n;
  const std::vector<double> b = test::random_vector(n * kColumns, kSeed);
  const double eps = saved_.factor_report().precision == Precision::kDouble
                         ? std::numeric_limits<double>::epsilon()
                         : static_cast<double>(std::numeric_limits<float>::epsilon());
  for (Index r = 0; r < kColumns; ++r) {
    const auto column = [&](const std::vector<double>& v) {
      return std::vector<double>(v.begin() + r * n, v.begin() + (r + 1) * n);
    };
    EXPECT_LE(test::backward_error(a(), column(b), column(x)), 30 * eps);
  }
}

TEST_P(SavedFactor, HasTheSameBytesForAnyNumberOfThreadsAndWhenSavedAgain) {
  const SparseCholesky<double> other = test::factored<double>(a(), options_of(GetParam(), 3));
  SparseCholesky<double> loaded(options_of(GetParam()));
  ASSERT_EQ(loaded.load_factor(test::view_of(a()), path()), Status::kOk);

  ASSERT_EQ(other.save_factor(folder_.file("other")), Status::kOk);
  ASSERT_EQ(loaded.save_factor(folder_.file("again")), Status::kOk);

  // EXPECT_EQ would print the bytes.
  EXPECT_TRUE(test::file_content(folder_.file("other")) == test::file_content(path()));
  EXPECT_TRUE(test::file_content(folder_.file("again")) == test::file_content(path()));
}

TEST_P(SavedFactor, MakesWayForANewFactorization) {
  LowerMatrix twice = a();
  for (double& value : twice.values) value *= 2;
  SparseCholesky<double> expected = test::factored<double>(twice, options_of(GetParam()));
  SparseCholesky<double> loaded(options_of(GetParam()));
  ASSERT_EQ(loaded.load_factor(test::view_of(a()), path()), Status::kOk);

  ASSERT_EQ(loaded.refactorize(test::view_of(twice)), Status::kOk);

  EXPECT_FALSE(loaded.factor_report().loaded);
  expect_same_factor(loaded, expected);
  EXPECT_TRUE(test::same_bits(solve_columns(loaded, twice), solve_columns(expected, twice)));
}

INSTANTIATE_TEST_SUITE_P(Cases, SavedFactor, testing::ValuesIn(cases()),
                         [](const auto& p) { return p.param.name; });

// ---- one small factor ---------------------------------------------------------------------------

LowerMatrix small_matrix() { return test::grid2d(4, 3); }

class SmallSavedFactor : public testing::Test {
 protected:
  SmallSavedFactor() : saved_(test::factored<double>(small_matrix())) {
    EXPECT_EQ(saved_.save_factor(path()), Status::kOk);
    bytes_ = test::file_content(path());
  }
  std::string path() const { return folder_.file("f"); }
  /// The message with which load_factor(), without a matrix, refuses a file of these bytes.
  std::string refusal(const std::string& bytes) const {
    test::put_file(folder_.file("damaged"), bytes);
    SparseCholesky<double> solver(test::one_thread());
    return refusal_of([&] { solver.load_factor(folder_.file("damaged")); });
  }
  std::string prefix() const { return folder_.file("damaged") + ": "; }

  test::TemporaryFolder folder_;
  SparseCholesky<double> saved_;
  std::string bytes_;
};

TEST_F(SmallSavedFactor, OfFloatServesDoubleWithoutItsMatrixAlone) {
  SparseCholesky<float> of_float(test::one_thread());
  const auto input = test::lower_input<float>(small_matrix());
  ASSERT_EQ(of_float.factorize(input.view()), Status::kOk);
  ASSERT_EQ(of_float.save_factor(folder_.file("g")), Status::kOk);
  SparseCholesky<double> solver(test::one_thread());

  EXPECT_EQ(
      refusal_of([&] { solver.load_factor(test::view_of(small_matrix()), folder_.file("g")); }),
      folder_.file("g") + ": is the factor of a matrix in single precision");
  EXPECT_EQ(solver.load_factor(folder_.file("g")), Status::kOk);
  EXPECT_EQ(solver.factor_report().precision, Precision::kSingle);
  EXPECT_EQ(of_float.load_factor(path()), Status::kOk);
  EXPECT_EQ(of_float.factor_report().precision, Precision::kDouble);
}

TEST_F(SmallSavedFactor, KeepsThatItsMatrixIsSingular) {
  Options options = test::one_thread();
  options.factor.estimate_condition = true;
  // The Laplacian of a path, up to rounding.
  LowerMatrix a = test::tridiagonal(10);
  for (Index j = 0; j < 10; ++j) {
    for (Offset p = a.pattern.colptr[j]; p < a.pattern.colptr[j + 1]; ++p) {
      const Index i = a.pattern.rowind[p];
      a.values[p] = i != j ? -1 : j == 0 || j == 9 ? 1 + 1e-16 * j : 2;
    }
  }
  a.values[a.pattern.colptr[9]] = std::nextafter(1.0, 2.0);
  SparseCholesky<double> solver(options);
  ASSERT_EQ(solver.factorize(test::view_of(a)), Status::kSingular);
  ASSERT_EQ(solver.save_factor(folder_.file("s")), Status::kOk);
  const FactorReport before = solver.factor_report();

  ASSERT_EQ(solver.load_factor(test::view_of(a), folder_.file("s")), Status::kOk);

  EXPECT_EQ(solver.factor_report().status, Status::kSingular);
  EXPECT_EQ(solver.factor_report().message, before.message);
}

TEST_F(SmallSavedFactor, WithoutItsMatrixRefusesWhatNeedsTheMatrix) {
  SparseCholesky<double> solver(test::one_thread());
  ASSERT_EQ(solver.load_factor(path()), Status::kOk);
  const std::function<void()> refused[] = {
      [&] { solver.refactorize(test::view_of(small_matrix())); },
      [&] { solver.refactorize(std::span<const double>()); },
      [&] { static_cast<void>(solver.save_analysis()); },
      [&] { solver.save_analysis("never written"); },
      [&] { solver.save_factor("never written"); },
      [&] { static_cast<void>(solver.predict_device_bytes()); },
      [&] { static_cast<void>(solver.device_modes()); },
  };

  for (const auto& call : refused) {
    EXPECT_THAT(refusal_of(call), HasSubstr("the factor was loaded without its matrix"));
  }
  EXPECT_TRUE(test::same_bits(solver.diagonal(), saved_.diagonal()));
  EXPECT_EQ(solver.factorize(test::view_of(small_matrix())), Status::kOk);
  EXPECT_FALSE(solver.analysis_report().loaded);
}

TEST_F(SmallSavedFactor, LeavesTheSolverAsItWasWhenItIsRefused) {
  const LowerMatrix a = test::tridiagonal(9);
  const std::vector<double> b = test::random_vector(9, kSeed);
  SparseCholesky<double> solver = test::factored<double>(a);
  const std::vector<double> x = test::solve(solver, b);
  LowerMatrix other = small_matrix();
  other.values[3] *= 1.5;
  test::put_file(folder_.file("damaged"), bytes_.substr(0, bytes_.size() - 1));

  const auto load = [&](const LowerMatrix& of, const std::string& name) {
    return refusal_of([&] { solver.load_factor(test::view_of(of), folder_.file(name)); });
  };
  EXPECT_THAT(load(a, "f"), HasSubstr("belongs to a matrix of another pattern"));
  EXPECT_EQ(load(other, "f"), path() + ": is the factor of a matrix with other values");
  EXPECT_THAT(load(small_matrix(), "damaged"), HasSubstr("is truncated or damaged"));
  EXPECT_THAT(load(small_matrix(), "none"), HasSubstr("cannot open the file"));
  EXPECT_THAT(refusal_of([&] { solver.load_factor(folder_.file("damaged")); }),
              HasSubstr("is truncated or damaged"));

  EXPECT_TRUE(test::same_bits(test::solve(solver, b), x));
  EXPECT_EQ(solver.refactorize(test::view_of(a)), Status::kOk);
}

TEST_F(SmallSavedFactor, EndsWhenItIsCancelled) {
  const std::atomic<bool> cancel{true};
  Options options = test::one_thread();
  options.cancel = &cancel;
  SparseCholesky<double> solver(options);
  saved_.options().cancel = &cancel;

  EXPECT_EQ(solver.load_factor(path()), Status::kInterrupted);
  EXPECT_EQ(saved_.save_factor(folder_.file("g")), Status::kInterrupted);

  EXPECT_EQ(solver.factor_report().status, Status::kInterrupted);
  EXPECT_THROW(static_cast<void>(solver.permutation()), InvalidArgument);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"f"});
}

TEST_F(SmallSavedFactor, KeepsWithinTheBudget) {
  SparseCholesky<double> solver(test::one_thread());
  solver.options().memory.host = 100;
  try {
    solver.load_factor(path());
    FAIL() << "was loaded";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), HasSubstr("are the limit given"));
  }
}

TEST_F(SmallSavedFactor, IsNotWrittenWhereItCannotBe) {
  const SparseCholesky<double> nothing(test::one_thread());
  EXPECT_EQ(refusal_of([&] { nothing.save_factor(folder_.file("g")); }),
            "save_factor: no matrix has been factored");
  EXPECT_THAT(refusal_of([&] { saved_.save_factor(folder_.file("g.gz")); }),
              HasSubstr("a factor is not compressed"));
  EXPECT_EQ(refusal_of([&] { saved_.save_factor("/no/such/f"); }),
            "/no/such/f: cannot create a file in the folder: No such file or directory");
  EXPECT_EQ(refusal_of([&] { saved_.save_factor("/dev/full"); }),
            "/dev/full: cannot write the file: No space left on device");
  test::put_file(folder_.file("old"), "old");
  {
    const test::FileSizeLimit limit(5000);
    EXPECT_EQ(refusal_of([&] { saved_.save_factor(folder_.file("old")); }),
              folder_.file("old") + ": cannot write the file: File too large");
  }
  EXPECT_EQ(test::file_content(folder_.file("old")), "old");
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"f", "old"}));
}

// ---- damage -------------------------------------------------------------------------------------

// Flips one bit in each third byte only: writing the files takes most of the time.
TEST_F(SmallSavedFactor, IsRefusedWithAFlippedBit) {
  for (std::size_t k = 0; k < bytes_.size(); k += 3) {
    std::string damaged = bytes_;
    damaged[k] = static_cast<char>(damaged[k] ^ (1 << (k % 8)));
    ASSERT_THAT(refusal(damaged), StartsWith(prefix())) << k;
  }
}

TEST_F(SmallSavedFactor, IsRefusedWhenTruncatedOrContinued) {
  for (std::size_t size = 0; size < bytes_.size(); size += size < 20 ? 1 : 37) {
    const std::string told = refusal(bytes_.substr(0, size));
    const std::string expected = size == 0     ? "the file is empty, expected a saved factor"
                                 : size < 4096 ? "is no saved factor"
                                               : "is truncated or damaged";
    ASSERT_THAT(told, StartsWith(prefix() + expected)) << size;
  }
  EXPECT_THAT(refusal(bytes_ + "x"), StartsWith(prefix() + "is truncated or damaged"));
}

TEST_F(SmallSavedFactor, SaysWhatIsForeign) {
  std::string other = bytes_;
  other[8] = 1, other[9] = 2, other[10] = 3, other[11] = 4;
  EXPECT_EQ(refusal(other), prefix() + "was saved on a machine of the other byte order");
  other = bytes_;
  other[12] = 9;
  EXPECT_EQ(refusal(other), prefix() + "has version 9, this library reads version 1");
  EXPECT_EQ(refusal(std::string(5000, 'a')), prefix() + "is no saved factor");
  SparseCholesky<double> solver(test::one_thread());
  EXPECT_EQ(refusal_of([&] { solver.load_factor("/dev/zero"); }), "/dev/zero: is no regular file");
}

// Checksums can be forged.  Even then, no number in the first page may lead to a large allocation
// or to an access outside an array.
TEST_F(SmallSavedFactor, IsRefusedWithImpossibleNumbersBehindAGoodChecksum) {
  const Offset first = sizeof(solver::FilePrefix) + sizeof(std::uint64_t);
  const Offset last = sizeof(solver::FilePrefix) + offsetof(format::Header, rcond);
  for (Offset at = first; at < last; at += sizeof(std::int64_t)) {
    for (const std::int64_t value :
         {std::int64_t{-1}, std::int64_t{3}, std::int64_t{5000}, std::int64_t{1} << 40,
          std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
      if (at == last - 2 * Offset{sizeof value} && std::abs(value) <= format::kMostExponent) {
        continue;  // Other exponents within this bound are valid.
      }
      std::string forged = bytes_;
      std::memcpy(forged.data() + at, &value, sizeof value);
      const std::uint64_t sum =
          format::checksum_of(forged.data(), offsetof(format::FirstPage, checksum));
      std::memcpy(forged.data() + offsetof(format::FirstPage, checksum), &sum, sizeof sum);
      ASSERT_THAT(refusal(forged), StartsWith(prefix())) << at << ": " << value;
    }
  }
}

class LargeSavedFactor : public testing::Test {
 protected:
  LargeSavedFactor() {
    EXPECT_EQ(test::factored<double>(test::dense_spd(1100, kSeed)).save_factor(path()),
              Status::kOk);
  }
  std::string path() const { return folder_.file("f"); }
  /// The message with which reading the panels of an open file is refused.
  static std::string refusal(const solver::FactorFile& file) {
    const symbolic::SymbolicFactor symbolic = file.read_analysis(nullptr, 1).symbolic;
    const numeric::PanelTable table = numeric::make_panel_table(symbolic);
    return refusal_of([&] { static_cast<void>(file.read_panels<double>(symbolic, table, 2)); });
  }

  test::TemporaryFolder folder_;
};

TEST_F(LargeSavedFactor, NamesTheBlockThatIsDamaged) {
  std::string damaged = test::file_content(path());
  damaged[format::kPageBytes + format::kBlockBytes + 12345] ^= 4;
  test::put_file(path(), damaged);

  EXPECT_EQ(refusal(solver::FactorFile(path(), nullptr)),
            path() + ": is damaged: the checksum of block 1, at byte 4198400, does not fit");
}

TEST_F(LargeSavedFactor, SaysThatItWasTruncatedMeanwhile) {
  const solver::FactorFile file(path(), nullptr);
  const symbolic::SymbolicFactor symbolic = file.read_analysis(nullptr, 1).symbolic;
  const numeric::PanelTable table = numeric::make_panel_table(symbolic);
  ASSERT_EQ(::truncate(path().c_str(), 4500000), 0);

  EXPECT_EQ(refusal_of([&] { static_cast<void>(file.read_panels<double>(symbolic, table, 2)); }),
            path() + ": is truncated: bytes are missing from 4500000 on");
}

}  // namespace
}  // namespace clchol
