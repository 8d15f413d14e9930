// The shortest program: solve a small system given by its lower triangle.
#include <clchol/clchol.hpp>
#include <cstdio>
#include <vector>

int main() {
  // [ 4 -1  0 ]       [ 3 ]
  // [-1  4 -1 ] x  =  [ 2 ]      lower triangle, by columns
  // [ 0 -1  4 ]       [ 3 ]
  const std::vector<int> colptr{0, 2, 4, 5}, rowind{0, 1, 1, 2, 2};
  const std::vector<double> values{4, -1, 4, -1, 4}, b{3, 2, 3};
  std::vector<double> x(3);

  clchol::SparseCholesky<double> solver;
  if (solver.factorize(clchol::SparseView<double>{3, colptr, rowind, values}) !=
      clchol::Status::kOk) {
    std::fprintf(stderr, "%s\n", solver.factor_report().message.c_str());
    return 1;
  }
  const clchol::SolveReport report = solver.solve(b, x);

  std::printf("x = %g %g %g, backward error %.1e\n", x[0], x[1], x[2],
              report.backward_error.value_or(1));
  return report.status == clchol::Status::kOk ? 0 : 1;
}
