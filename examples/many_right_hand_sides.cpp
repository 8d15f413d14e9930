// A network of resistors under many currents: the columns of one array, solved in place.
//
// The nodes of a square grid are joined by conductances, kAlong from left to right and kAcross
// from bottom to top, and each leaks to the ground by a conductance kLeak.  Kirchhoff's law for
// the potentials v, with the currents c that are fed into the nodes:
//
//   kLeak v_i + sum over neighbours k of i:  g_ik (v_i - v_k)  =  c_i,      in short  A V = C.
//
// Column r of C feeds one ampere into node 100 r.  C lies in an array with more rows than A has,
// and the potentials take its place.
//
// The check: Kirchhoff's law, node by node, must give the backward error that the library reports.
#include <algorithm>
#include <clchol/clchol.hpp>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace {

constexpr double kAlong = 1, kAcross = 0.1, kLeak = 1e-3;
constexpr clchol::Index kSide = 60, kNodes = kSide * kSide, kColumns = 32;

/// Calls `visit(neighbour, conductance)` for each neighbour of a node.
template <class Visit>
void for_each_neighbour(clchol::Index node, const Visit& visit) {
  const clchol::Index x = node % kSide, y = node / kSide;
  if (y > 0) visit(node - kSide, kAcross);
  if (x > 0) visit(node - 1, kAlong);
  if (x + 1 < kSide) visit(node + 1, kAlong);
  if (y + 1 < kSide) visit(node + kSide, kAcross);
}

}  // namespace

int main() {
  // The lower triangle of A by columns.  The rows of a column may come in any order.
  std::vector<int> colptr{0}, rowind;
  std::vector<double> values;
  double norm_a = 0;  // The largest sum of a row's absolute values.
  for (clchol::Index node = 0; node < kNodes; ++node) {
    double diagonal = kLeak;
    for_each_neighbour(node, [&](clchol::Index neighbour, double conductance) {
      diagonal += conductance;
      if (neighbour < node) return;
      rowind.push_back(neighbour);
      values.push_back(-conductance);
    });
    rowind.push_back(node);
    values.push_back(diagonal);
    colptr.push_back(static_cast<int>(rowind.size()));
    norm_a = std::max(norm_a, 2 * diagonal - kLeak);
  }

  // Columns begin kLeading entries apart, and what lies between them is none of the solver's.
  constexpr clchol::Offset kLeading = kNodes + 4;
  constexpr double kForeign = -7;
  std::vector<double> array(kLeading * kColumns, kForeign);
  const clchol::DenseView<double> v(array.data(), kNodes, kColumns, kLeading);
  for (clchol::Index r = 0; r < kColumns; ++r) {
    std::fill_n(v.column(r), kNodes, 0.0);
    v(100 * r, r) = 1;
  }

  clchol::SparseCholesky<double> solver({.analysis = {.expected_solves = kColumns}});
  if (solver.factorize(clchol::SparseView<double>{kNodes, colptr, rowind, values}) !=
      clchol::Status::kOk) {
    std::fprintf(stderr, "%s\n", solver.factor_report().message.c_str());
    return 1;
  }
  const clchol::SolveReport report = solver.solve(v, v);
  if (report.status != clchol::Status::kOk || !report.backward_error) {
    std::fprintf(stderr, "%s\n", report.message.c_str());
    return 1;
  }

  // The normwise backward error of a column is |c - A v| / (|A| |v| + |c|), in infinity norms.
  double backward_error = 0;
  for (clchol::Index r = 0; r < kColumns; ++r) {
    double norm_residual = 0, norm_v = 0;
    for (clchol::Index node = 0; node < kNodes; ++node) {
      double residual = (node == 100 * r ? 1.0 : 0.0) - kLeak * v(node, r);
      for_each_neighbour(node, [&](clchol::Index neighbour, double conductance) {
        residual -= conductance * (v(node, r) - v(neighbour, r));
      });
      norm_residual = std::max(norm_residual, std::abs(residual));
      norm_v = std::max(norm_v, std::abs(v(node, r)));
    }
    backward_error = std::max(backward_error, norm_residual / (norm_a * norm_v + 1));
  }
  // Both residuals are rounded some eight times and the diagonal of A four times, each by eps / 2.
  const double rounding = 10 * std::numeric_limits<double>::epsilon();
  const auto foreign = std::count(array.begin(), array.end(), kForeign);
  if (!(std::abs(backward_error - *report.backward_error) <= rounding) ||
      foreign != (kLeading - kNodes) * kColumns) {
    std::fprintf(stderr,
                 "backward error reported %.1e, by Kirchhoff's law %.1e; foreign entries %td\n",
                 *report.backward_error, backward_error, foreign);
    return 1;
  }
  std::printf("%d nodes, %d columns, solved in %.1f ms\n", kNodes, kColumns,
              1e3 * (report.solve_s + report.refine_s));
  std::printf("backward error %.1e as reported, %.1e by Kirchhoff's law\n", *report.backward_error,
              backward_error);
  return 0;
}
