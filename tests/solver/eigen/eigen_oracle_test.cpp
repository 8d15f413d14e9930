// EigenCholesky compared with SimplicialLLT and CholmodSupernodalLLT, for every scalar, storage
// order, index type and triangle, with NaN in the triangle that is not named.
#include "tests/solver/eigen/eigen_support.hpp"
// Eigen's headers must follow eigen_support.hpp, which defines eigen_assert.
#include <Eigen/CholmodSupport>
#include <cmath>
#include <string>

namespace clchol {
namespace {

using Eigen::ColMajor;
using Eigen::Lower;
using Eigen::RowMajor;
using Eigen::Upper;

constexpr std::uint64_t kOracleSeed = 140;

template <class ScalarType, int Order, class Ind, int Triangles>
struct Form {
  using Scalar = ScalarType;
  using Matrix = Eigen::SparseMatrix<ScalarType, Order, Ind>;
  using Vector = Eigen::Matrix<ScalarType, Eigen::Dynamic, 1>;
  using Solver = EigenCholesky<Matrix, Triangles>;
  using Simplicial = Eigen::SimplicialLLT<Matrix, Triangles>;
  static constexpr int kTriangles = Triangles;

  static std::string name() {
    return std::string(sizeof(ScalarType) == 4 ? "Float" : "Double") +
           (Order == ColMajor ? "_ByColumns" : "_ByRows") + (sizeof(Ind) == 4 ? "_Int" : "_Long") +
           (Triangles == Lower ? "_Lower" : "_Upper");
  }
  static Matrix matrix(const test::LowerMatrix& a) {
    return test::eigen_matrix<Matrix, Triangles>(a);
  }
  /// eps times a condition number of 1e3.
  static constexpr double kTolerance = sizeof(ScalarType) == 4 ? 1e-4 : 1e-13;
};

struct FormNames {
  template <class F>
  static std::string GetName(int) {  // NOLINT(readability-identifier-naming): GoogleTest's.
    return F::name();
  }
};

using DoubleForms =
    testing::Types<Form<double, ColMajor, int, Lower>, Form<double, ColMajor, int, Upper>,
                   Form<double, ColMajor, long, Lower>, Form<double, ColMajor, long, Upper>,
                   Form<double, RowMajor, int, Lower>, Form<double, RowMajor, int, Upper>,
                   Form<double, RowMajor, long, Lower>, Form<double, RowMajor, long, Upper>>;
using Forms =
    testing::Types<Form<double, ColMajor, int, Lower>, Form<double, ColMajor, int, Upper>,
                   Form<double, ColMajor, long, Lower>, Form<double, ColMajor, long, Upper>,
                   Form<double, RowMajor, int, Lower>, Form<double, RowMajor, int, Upper>,
                   Form<double, RowMajor, long, Lower>, Form<double, RowMajor, long, Upper>,
                   Form<float, ColMajor, int, Lower>, Form<float, ColMajor, int, Upper>,
                   Form<float, ColMajor, long, Lower>, Form<float, ColMajor, long, Upper>,
                   Form<float, RowMajor, int, Lower>, Form<float, RowMajor, int, Upper>,
                   Form<float, RowMajor, long, Lower>, Form<float, RowMajor, long, Upper>>;

template <class F>
class EigenForms : public testing::Test {
 protected:
  static test::LowerMatrix lower() { return test::grid3d(8, 7, 6, 0.02); }
  typename F::Matrix a_ = F::matrix(lower());
  typename F::Vector b_ = test::random_columns<typename F::Scalar>(8 * 7 * 6, 1, kOracleSeed);
};
TYPED_TEST_SUITE(EigenForms, Forms, FormNames);

TYPED_TEST(EigenForms, SolveAsSimplicialLLTDoes) {
  const typename TypeParam::Simplicial peer(this->a_);
  const typename TypeParam::Solver solver(this->a_);
  ASSERT_EQ(solver.info(), Eigen::Success) << solver.lastErrorMessage();

  const typename TypeParam::Vector x = solver.solve(this->b_), expected = peer.solve(this->b_);

  EXPECT_LE((x - expected).norm(), TypeParam::kTolerance * expected.norm());
}

TYPED_TEST(EigenForms, HaveTheLogDeterminantOfSimplicialLLT) {
  const typename TypeParam::Simplicial peer(this->a_);
  const typename TypeParam::Solver solver(this->a_);

  // The determinant itself overflows float.
  const double expected =
      2 * peer.matrixL().nestedExpression().diagonal().array().template cast<double>().log().sum();

  EXPECT_NEAR(static_cast<double>(solver.logDeterminant()) / expected, 1, TypeParam::kTolerance);
}

TYPED_TEST(EigenForms, CanBeFactoredAnew) {
  typename TypeParam::Solver solver;
  solver.analyzePattern(this->a_);
  ASSERT_EQ(solver.info(), Eigen::Success);
  for (const double factor : {1.0, 4.0}) {
    typename TypeParam::Matrix scaled = this->a_ * static_cast<typename TypeParam::Scalar>(factor);
    const typename TypeParam::Simplicial peer(scaled);

    solver.factorize(scaled);

    const typename TypeParam::Vector x = solver.solve(this->b_), expected = peer.solve(this->b_);
    EXPECT_LE((x - expected).norm(), TypeParam::kTolerance * expected.norm());
  }
}

TYPED_TEST(EigenForms, CanBeUncompressed) {
  const typename TypeParam::Solver solver(this->a_);
  const typename TypeParam::Vector expected = solver.solve(this->b_);
  typename TypeParam::Matrix loose = this->a_;
  loose.uncompress();
  loose.reserve(Eigen::VectorXi::Constant(loose.outerSize(), 20));

  const typename TypeParam::Solver of_loose(loose);

  const typename TypeParam::Vector x = of_loose.solve(this->b_);
  EXPECT_EQ(x, expected);
}

TYPED_TEST(EigenForms, CanBeMaps) {
  const typename TypeParam::Solver solver(this->a_);
  const typename TypeParam::Vector expected = solver.solve(this->b_);
  const auto& a = this->a_;
  const Eigen::Map<const typename TypeParam::Matrix> map(
      a.rows(), a.cols(), a.nonZeros(), a.outerIndexPtr(), a.innerIndexPtr(), a.valuePtr());

  const typename TypeParam::Solver of_map(map);

  const typename TypeParam::Vector x = of_map.solve(this->b_);
  EXPECT_EQ(x, expected);
}

TYPED_TEST(EigenForms, CanBeExpressions) {
  using Scalar = typename TypeParam::Scalar;
  typename TypeParam::Matrix identity(this->a_.rows(), this->a_.cols());
  identity.setIdentity();
  const typename TypeParam::Matrix shifted = this->a_ + Scalar(2) * identity;
  const typename TypeParam::Solver of_matrix(shifted);

  const typename TypeParam::Solver solver(this->a_ + Scalar(2) * identity);

  const typename TypeParam::Vector x = solver.solve(this->b_), expected = of_matrix.solve(this->b_);
  EXPECT_EQ(x, expected);
}

TYPED_TEST(EigenForms, AreShiftedAsBySimplicialLLT) {
  using Scalar = typename TypeParam::Scalar;
  typename TypeParam::Simplicial peer;
  peer.setShift(Scalar(0.5), Scalar(3));
  peer.compute(this->a_);
  typename TypeParam::Solver solver;
  solver.setShift(Scalar(0.5), Scalar(3));
  solver.compute(this->a_);

  const typename TypeParam::Vector x = solver.solve(this->b_), expected = peer.solve(this->b_);

  EXPECT_LE((x - expected).norm(), TypeParam::kTolerance * expected.norm());
}

template <class F>
class EigenDoubleForms : public EigenForms<F> {};
TYPED_TEST_SUITE(EigenDoubleForms, DoubleForms, FormNames);

TYPED_TEST(EigenDoubleForms, SolveAsCholmodDoes) {
  const Eigen::CholmodSupernodalLLT<typename TypeParam::Matrix, TypeParam::kTriangles> peer(
      this->a_);
  const typename TypeParam::Solver solver(this->a_);

  const Eigen::VectorXd x = solver.solve(this->b_), expected = peer.solve(this->b_);

  EXPECT_LE((x - expected).norm(), TypeParam::kTolerance * expected.norm());
}

TYPED_TEST(EigenDoubleForms, HaveTheDeterminantsOfCholmod) {
  const typename TypeParam::Matrix a = TypeParam::matrix(test::random_spd(50, 4, kOracleSeed));
  const Eigen::CholmodSupernodalLLT<typename TypeParam::Matrix, TypeParam::kTriangles> peer(a);
  const typename TypeParam::Solver solver(a);

  EXPECT_NEAR(solver.determinant() / peer.determinant(), 1, 1e-11);
  EXPECT_NEAR(solver.logDeterminant(), peer.logDeterminant(), 1e-11);
}

TYPED_TEST(EigenDoubleForms, AreShiftedAsByCholmod) {
  Eigen::CholmodSupernodalLLT<typename TypeParam::Matrix, TypeParam::kTriangles> peer;
  peer.setShift(0.75);
  peer.compute(this->a_);
  typename TypeParam::Solver solver;
  solver.setShift(0.75).compute(this->a_);

  const Eigen::VectorXd x = solver.solve(this->b_), expected = peer.solve(this->b_);

  EXPECT_LE((x - expected).norm(), TypeParam::kTolerance * expected.norm());
}

}  // namespace
}  // namespace clchol
