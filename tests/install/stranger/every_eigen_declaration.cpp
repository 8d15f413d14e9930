// Calls every function that clchol/eigen.hpp and its own headers declare, as every_declaration.cpp
// does for the other headers.
#include <clchol/eigen.hpp>

#include <cstdint>
#include <cstdio>
#include <sstream>
#include <type_traits>
#include <utility>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "failed: %s\n", what);
}

template <class Solver, class Matrix>
void call_solver(const Matrix& a) {
  using Scalar = typename Matrix::Scalar;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  const auto expression = Scalar(2) * a;

  clchol::Options options;
  options.threads = 1;
  Solver first(options), of_matrix(a), of_expression(expression);
  Solver solver(std::move(first));
  first = std::move(of_matrix);
  solver.swap(of_expression);
  solver.compute(expression).compute(a);
  solver.analyzePattern(expression);
  solver.factorize(expression);
  solver.analyzePattern(a);
  solver.factorize(a);
  expect(solver.info() == Eigen::Success, "info");
  expect(solver.lastErrorMessage().empty(), "lastErrorMessage");
  expect(solver.rows() == 3 && solver.cols() == 3, "rows");
  expect(solver.determinant() > 0 && solver.logDeterminant() > 0, "determinant");

  const Vector ones = Vector::Ones(3), b = a.template selfadjointView<Solver::UpLo>() * ones;
  const Vector x = solver.solve(b);
  expect((x - ones).norm() < Scalar(1e-4), "solve");
  const typename Solver::MatrixL::Columns sparse_b(a), sparse_x = solver.solve(sparse_b);
  expect(sparse_x.rows() == 3, "solve of sparse columns");
  expect(solver.solve_report().status == clchol::Status::kOk, "solve_report");

  const auto l = solver.matrixL();
  const auto u = solver.matrixU();
  Vector y = solver.permutationP() * b;
  l.solveInPlace(y);
  y = solver.permutationPinv() * Vector(u.solve(y));
  expect((y - ones).norm() < Scalar(1e-4), "matrixL, matrixU");
  typename Solver::MatrixL::Columns columns = l, transposed = u;
  expect(l.rows() == 3 && l.cols() == 3 && u.rows() == 3 && u.cols() == 3, "matrixL");
  expect(l.nonZeros() == u.nonZeros(), "nonZeros");
  expect(l.nestedExpression().nonZeros() == u.nestedExpression().nonZeros(), "nestedExpression");
  l.transpose().solveInPlace(columns);
  u.adjoint().solveInPlace(transposed);

  std::ostringstream stream;
  solver.dumpMemory(stream);
  expect(stream.str().find("TOTAL") != std::string::npos, "dumpMemory");
  solver.setShift(1).options().threads = 1;
  expect(std::as_const(solver).options().threads == 1, "options");
  expect(solver.solver().analysis_report().n == 3, "solver");
}

template <class Scalar, int Order, class StorageIndex>
Eigen::SparseMatrix<Scalar, Order, StorageIndex> tridiagonal() {
  Eigen::SparseMatrix<Scalar, Order, StorageIndex> a(3, 3);
  for (StorageIndex i = 0; i < 3; ++i) {
    a.insert(i, i) = 4;
    if (i > 0) a.insert(i, i - 1) = a.insert(i - 1, i) = -1;
  }
  a.makeCompressed();
  return a;
}

}  // namespace

int main() {
  using clchol::EigenCholesky;
  using Eigen::Lower;
  using Eigen::Upper;
  const auto a = tridiagonal<double, Eigen::ColMajor, int>();
  const auto b = tridiagonal<float, Eigen::RowMajor, int>();
  const auto c = tridiagonal<double, Eigen::RowMajor, std::int64_t>();
  using MatrixA = std::remove_const_t<decltype(a)>;
  using MatrixB = std::remove_const_t<decltype(b)>;
  using MatrixC = std::remove_const_t<decltype(c)>;
  call_solver<EigenCholesky<MatrixA>>(a);
  call_solver<EigenCholesky<MatrixA, Lower, Eigen::COLAMDOrdering<int>>>(a);
  call_solver<EigenCholesky<MatrixB, Upper, Eigen::NaturalOrdering<int>>>(b);
  call_solver<EigenCholesky<MatrixC, (Lower | Upper), Eigen::AMDOrdering<std::int64_t>>>(c);
  return failures;
}
