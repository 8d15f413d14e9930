// All combinations of ordering, precision, threads and amalgamation against CHOLMOD and dense
// Cholesky; random systems.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/CholmodSupport>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>

#include "tests/solver/solver_support.hpp"

namespace clchol {
namespace {

using test::LowerMatrix;

constexpr std::uint64_t kSeed = 110;

struct Problem {
  const char* name;
  LowerMatrix a;
};

const std::vector<Problem>& problems() {
  static const std::vector<Problem> kAll = {
      {"grid2d", test::grid2d(23, 19)},
      {"grid3d", test::grid3d(9, 8, 7)},
      {"random", test::random_spd(400, 4, kSeed)},
      {"dense", test::dense_spd(150, kSeed)},
      {"diagonal", test::diagonal(40)},
      {"disconnected", test::two_grids(11, 9, 7)},
      {"arrow", test::arrow_first(200)},
      {"bundle", test::bundle_adjustment(5, 60, 3, kSeed)},
  };
  return kAll;
}

std::vector<Index> shuffled(Index n) {
  std::vector<Index> p(n);
  std::iota(p.begin(), p.end(), 0);
  std::mt19937_64 random(kSeed);
  std::shuffle(p.begin(), p.end(), random);
  return p;
}

Eigen::SparseMatrix<double> eigen_of(const LowerMatrix& a) {
  const std::vector<test::Triplet> t = test::triplets_of(a);
  std::vector<Eigen::Triplet<double>> entries;
  for (const test::Triplet& e : t) entries.emplace_back(e.row, e.col, e.value);
  Eigen::SparseMatrix<double> result(a.pattern.n, a.pattern.n);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

Eigen::VectorXd eigen_of(const std::vector<double>& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

using Configuration = std::tuple<Ordering, Precision, int, bool>;

std::string name_of(const testing::TestParamInfo<Configuration>& p) {
  const auto [ordering, precision, threads, amalgamate] = p.param;
  const char* orderings[] = {
      "Auto",    "Amd",  "MinimumDegree", "MultipleMinimumDegree", "NestedDissection",
      "Natural", "Given"};
  const char* precisions[] = {"Auto", "Double", "Single", "Mixed"};
  return std::string(orderings[static_cast<int>(ordering)]) + "_" +
         precisions[static_cast<int>(precision)] + "_" + std::to_string(threads) + "Threads_" +
         (amalgamate ? "Amalgamated" : "Exact");
}

class Product : public testing::TestWithParam<Configuration> {
 protected:
  Options options(Index n) const {
    Options o;
    std::tie(o.analysis.ordering, o.factor.precision, o.threads, o.analysis.amalgamate) =
        GetParam();
    if (o.analysis.ordering == Ordering::kGiven) o.analysis.permutation = shuffled(n);
    return o;
  }
  /// Bound of the backward error.
  double tolerance() const {
    return std::get<Precision>(GetParam()) == Precision::kSingle ? 1e-6 : 1e-15;
  }
};

TEST_P(Product, HasSmallBackwardErrors) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.name);
    const std::vector<double> b = test::random_vector(p.a.pattern.n, kSeed);
    const SparseCholesky<double> solver = test::factored<double>(p.a, options(p.a.pattern.n));

    EXPECT_LE(test::backward_error(p.a, b, test::solve(solver, b)), tolerance());
  }
}

TEST_P(Product, AgreesWithCholmod) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.name);
    const std::vector<double> b = test::random_vector(p.a.pattern.n, kSeed);
    const Eigen::CholmodSupernodalLLT<Eigen::SparseMatrix<double>> cholmod(eigen_of(p.a));
    const Eigen::VectorXd expected = cholmod.solve(eigen_of(b));

    const Eigen::VectorXd x =
        eigen_of(test::solve(test::factored<double>(p.a, options(p.a.pattern.n)), b));

    // The condition numbers are below 1e5; `tolerance` and 1e-14 bound the two backward errors.
    EXPECT_LE((x - expected).norm(), 1e5 * std::max(tolerance(), 1e-14) * expected.norm());
  }
}

TEST_P(Product, AgreesWithDenseCholesky) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.name);
    const std::vector<double> b = test::random_vector(p.a.pattern.n, kSeed);
    const Eigen::LLT<Eigen::MatrixXd> dense(test::dense_of(p.a));
    const Eigen::VectorXd expected = dense.solve(eigen_of(b));
    const Eigen::MatrixXd l = dense.matrixL();
    const double log_determinant = 2 * l.diagonal().array().log().sum();

    const SparseCholesky<double> solver = test::factored<double>(p.a, options(p.a.pattern.n));

    EXPECT_LE((eigen_of(test::solve(solver, b)) - expected).norm(),
              1e5 * std::max(tolerance(), 1e-14) * expected.norm());
    const bool single = solver.factor_report().precision == Precision::kSingle;
    EXPECT_NEAR(solver.log_determinant(), log_determinant, (single ? 1e-4 : 1e-12) * p.a.pattern.n);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Product,
    testing::Combine(testing::Values(Ordering::kAmd, Ordering::kMinimumDegree,
                                     Ordering::kMultipleMinimumDegree, Ordering::kNestedDissection,
                                     Ordering::kNatural, Ordering::kGiven),
                     testing::Values(Precision::kDouble, Precision::kSingle, Precision::kMixed),
                     testing::Values(1, 3), testing::Bool()),
    name_of);

// ---- fill ---------------------------------------------------------------------------------------

TEST(Fill, EqualsCholmodsForTheSamePermutation) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.name);
    Options options = test::one_thread();
    options.analysis.ordering = Ordering::kGiven;
    options.analysis.permutation = shuffled(p.a.pattern.n);
    SparseCholesky<double> solver(options);
    solver.analyze(test::view_of(p.a));
    cholmod_common common;
    cholmod_start(&common);
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_GIVEN;
    Eigen::SparseMatrix<double> lower = eigen_of(p.a);
    cholmod_sparse view = Eigen::viewAsCholmod(lower);
    view.stype = -1;

    cholmod_factor* factor =
        cholmod_analyze_p(&view, options.analysis.permutation.data(), nullptr, 0, &common);

    EXPECT_EQ(static_cast<double>(solver.analysis_report().nnz_l), common.lnz);
    EXPECT_EQ(solver.analysis_report().flops, common.fl);
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
  }
}

// ---- random systems -----------------------------------------------------------------------------

/// Random diagonally dominant matrices, scaled so that the diagonal spans up to 29 decades.
rc::Gen<LowerMatrix> spd_matrices() {
  return rc::gen::exec([] {
    const Index n = *rc::gen::inRange(1, 120);
    const double degree = *rc::gen::inRange(0, 12);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    LowerMatrix a = test::random_spd(n, degree, seed);
    const int decades = *rc::gen::inRange(0, 30);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> exponent(-decades / 4.0, decades / 4.0);
    std::vector<double> d(n);
    for (double& v : d) v = std::pow(10.0, exponent(random));
    for (Index j = 0; j < n; ++j) {
      for (Offset p = a.pattern.colptr[j]; p < a.pattern.colptr[j + 1]; ++p) {
        a.values[p] *= d[j] * d[a.pattern.rowind[p]];
      }
    }
    return a;
  });
}

/// Bound of the rounding error of residuals that the library sums in double: (k + 2) 2^-53, where k
/// is the number of entries of the longest row.
double residual_rounding(const LowerMatrix& a) {
  std::vector<int> entries(a.pattern.n, 0);
  for (const test::Triplet& t : test::triplets_of(a)) {
    ++entries[t.row];
    if (t.row != t.col) ++entries[t.col];
  }
  return (*std::ranges::max_element(entries) + 2) * 0x1p-53;
}

RC_GTEST_PROP(RandomSystems, AreSolvedWithSmallBackwardError, ()) {
  const LowerMatrix a = *spd_matrices();
  Options options;
  options.threads = *rc::gen::inRange(1, 4);
  options.analysis.ordering =
      *rc::gen::element(Ordering::kAmd, Ordering::kNestedDissection, Ordering::kNatural);
  options.factor.precision = *rc::gen::element(Precision::kDouble, Precision::kMixed);
  options.analysis.amalgamate = *rc::gen::arbitrary<bool>();
  SparseCholesky<double> solver(options);
  RC_ASSERT(solver.factorize(test::view_of(a)) == Status::kOk);
  const std::vector<double> b = test::random_vector(a.pattern.n, kSeed);
  std::vector<double> x(b.size());

  const SolveReport report = solver.solve(std::span<const double>(b), std::span<double>(x));

  RC_ASSERT(report.status == Status::kOk);
  RC_ASSERT(test::backward_error(a, b, x) <= 1e-15 + residual_rounding(a));
}

RC_GTEST_PROP(RandomSystems, HaveThePermutationTheyAreGiven, ()) {
  // The solver may renumber fronts as long as the fill stays; the order remains a permutation.
  const LowerMatrix a = *spd_matrices();
  const Index n = a.pattern.n;
  Options options = test::one_thread();
  options.analysis.ordering = Ordering::kGiven;
  options.analysis.permutation.resize(n);
  std::iota(options.analysis.permutation.begin(), options.analysis.permutation.end(), 0);
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::shuffle(options.analysis.permutation.begin(), options.analysis.permutation.end(), random);
  SparseCholesky<double> solver(options);
  RC_ASSERT(solver.factorize(test::view_of(a)) == Status::kOk);

  std::vector<Index> sorted = solver.permutation();
  std::sort(sorted.begin(), sorted.end());

  for (Index i = 0; i < n; ++i) RC_ASSERT(sorted[i] == i);
}

}  // namespace
}  // namespace clchol
