// clchol in the place of Eigen::SimplicialLLT: a Gaussian random field on a grid.
//
// A field x over the points of a grid has the density  exp(-x' A x / 2)  up to a factor, with
//
//   x' A x = kKappa2 sum x_i^2  +  sum over neighbours (x_i - x_k)^2,
//
// that is, it is normal with mean 0 and covariance A^-1.  With the factor of  P A P' = L L'
// and independent z_i ~ N(0, 1), a sample is  x = P' L'^-1 z:
//
//   E[x x'] = P' L'^-1 E[z z'] L^-1 P = (P' L L' P)^-1 = A^-1.
//
// The checks: the solution of a system whose solution is known; A = P' L L' P; and for the sample
// x' A x = z' z, which holds for every z.
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <clchol/eigen.hpp>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

int main() {
  using SparseMatrix = Eigen::SparseMatrix<double>;
  constexpr int kSide = 80, kPoints = kSide * kSide;
  constexpr double kKappa2 = 0.01;

  std::vector<Eigen::Triplet<double>> entries;
  const auto join = [&](int i, int k) {  // Adds (x_i - x_k)^2.
    entries.emplace_back(i, i, 1);
    entries.emplace_back(k, k, 1);
    entries.emplace_back(i, k, -1);
    entries.emplace_back(k, i, -1);
  };
  for (int point = 0; point < kPoints; ++point) {
    entries.emplace_back(point, point, kKappa2);
    if (point % kSide + 1 < kSide) join(point, point + 1);
    if (point + kSide < kPoints) join(point, point + kSide);
  }
  SparseMatrix a(kPoints, kPoints);
  a.setFromTriplets(entries.begin(), entries.end());

  const clchol::EigenCholesky<SparseMatrix> solver(a);  // Was Eigen::SimplicialLLT<SparseMatrix>.
  if (solver.info() != Eigen::Success) {
    std::fprintf(stderr, "%s\n", solver.lastErrorMessage().c_str());
    return 1;
  }

  // The largest eigenvalue of A is below kKappa2 + 8 and the least is kKappa2: the condition is
  // 801, and a backward error of 1e-15 may become an error of 1e-12.
  const Eigen::VectorXd known = Eigen::VectorXd::LinSpaced(kPoints, -1, 1);
  const Eigen::VectorXd solution = solver.solve(a * known);
  const double solution_error = (solution - known).norm() / known.norm();

  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const Eigen::VectorXd z = Eigen::VectorXd::NullaryExpr(kPoints, [&] { return normal(random); });
  const Eigen::VectorXd sample = solver.permutationPinv() * solver.matrixU().solve(z);
  const double sample_error = std::abs(sample.dot(a * sample) / z.squaredNorm() - 1);

  const SparseMatrix l = solver.matrixL();
  const SparseMatrix product = l * l.transpose();
  const SparseMatrix restored = solver.permutationPinv() * product * solver.permutationP();
  const double factor_error = (a - restored).norm() / a.norm();

  // An entry of L L' is a sum of some hundred products of rounded numbers at most.
  if (!(solution_error < 1e-12 && sample_error < 1e-12 && factor_error < 1e-14)) {
    std::fprintf(stderr, "errors: solution %.1e, sample %.1e, factor %.1e\n", solution_error,
                 sample_error, factor_error);
    return 1;
  }
  std::printf("%d points, %td entries in L\n", kPoints, l.nonZeros());
  std::printf("standard deviation of the sample: %.3f\n", sample.norm() / std::sqrt(kPoints));
  std::printf("solution: error %.1e; x'Ax = z'z to %.1e; A = P'LL'P to %.1e\n", solution_error,
              sample_error, factor_error);
  return 0;
}
