// Heat in a plate: one analysis, one factorization for each step size, one solve for each step.
//
// The unit square is held at zero along its edges, and its temperature follows
//
//   du/dt = d2u/dx2 + d2u/dy2.
//
// Differences of five points on a grid of spacing h turn this into du/dt = -K u, and a step of
// implicit Euler, of length dt, solves
//
//   (I + dt K) u_next = u.
//
// The pattern of this matrix never changes, and its values change with dt alone.
//
// The check: u = sin(pi x) sin(pi y), at the points of the grid, is an eigenvector of K with the
// eigenvalue lambda = 8 / h^2 sin^2(pi h / 2).  Each step multiplies it by 1 / (1 + dt lambda).
#include <algorithm>
#include <clchol/clchol.hpp>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

int main() {
  constexpr int kSide = 99, kUnknowns = kSide * kSide, kSteps = 100;
  constexpr double kPi = std::numbers::pi, kSpacing = 1.0 / (kSide + 1);

  // The lower triangle by columns: each point with itself, its right and its upper neighbour.
  // I and K share one pattern, so that I + dt K is a sum of two arrays.
  std::vector<int> colptr{0}, rowind;
  std::vector<double> identity, laplacian, initial;
  const auto add = [&](int row, double i, double k) {
    rowind.push_back(row);
    identity.push_back(i);
    laplacian.push_back(k / (kSpacing * kSpacing));
  };
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const int point = y * kSide + x;
      add(point, 1, 4);
      if (x + 1 < kSide) add(point + 1, 0, -1);
      if (y + 1 < kSide) add(point + kSide, 0, -1);
      colptr.push_back(static_cast<int>(rowind.size()));
      initial.push_back(std::sin(kPi * (x + 1) * kSpacing) * std::sin(kPi * (y + 1) * kSpacing));
    }
  }

  // What is known of the use ahead helps the analysis to choose an order.  All solves with one
  // factor are alike, so that it is enough to look at the errors of the first.
  clchol::SparseCholesky<double> solver(
      {.analysis = {.expected_factorizations = 2, .expected_solves = kSteps},
       .solve = {.error_checks = clchol::ErrorChecks::kFirstSolve}});
  std::vector<double> values(rowind.size());
  if (solver.analyze(clchol::SparseView<double>{kUnknowns, colptr, rowind, values}) !=
      clchol::Status::kOk) {
    std::fprintf(stderr, "the analysis has failed\n");
    return 1;
  }

  const double lambda = 8 / (kSpacing * kSpacing) * std::pow(std::sin(kPi * kSpacing / 2), 2);
  std::vector<double> u = initial;
  double exact = 1, tolerance = 0;
  for (const double dt : {1e-4, 1e-3}) {
    for (std::size_t p = 0; p < values.size(); ++p) values[p] = identity[p] + dt * laplacian[p];
    if (solver.refactorize(values) != clchol::Status::kOk) {
      std::fprintf(stderr, "%s\n", solver.factor_report().message.c_str());
      return 1;
    }
    for (int step = 0; step < kSteps; ++step) {
      if (const auto report = solver.solve(u, u); report.status != clchol::Status::kOk) {
        std::fprintf(stderr, "%s\n", report.message.c_str());
        return 1;
      }
      exact /= 1 + dt * lambda;
    }
    // A solve has a relative error of up to twice its backward error (1e-15) times the condition
    // of the matrix, here 1 + 8 dt / h^2.  No other mode decays more slowly than this one, so that
    // beside it earlier errors at most double.
    tolerance += kSteps * 4e-15 * (1 + 8 * dt / (kSpacing * kSpacing));
    std::printf("%d steps of %g: factored in %.1f ms, %.6f in the centre\n", kSteps, dt,
                1e3 * solver.factor_report().factor_s, *std::max_element(u.begin(), u.end()));
  }

  double error = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    error = std::max(error, std::abs(u[i] / exact - initial[i]));
  }
  if (!(error <= tolerance)) {
    std::fprintf(stderr, "relative error %.1e, allowed %.1e\n", error, tolerance);
    return 1;
  }
  std::printf("the mode has decayed to %.6f as it should, relative error %.1e (allowed %.1e)\n",
              exact, error, tolerance);
  return 0;
}
