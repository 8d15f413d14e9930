// Linear elasticity in three dimensions by finite elements, from the mesh to the patch test.
//
// A box of isotropic material is displaced by u, and no forces act in its interior:
//
//   div sigma = 0,   sigma = lambda tr(e) I + 2 mu e,   e = (grad u + (grad u)') / 2.
//
// The box is divided into hexahedra of eight nodes; nodes inside are moved a little at random.  N_a
// is the trilinear shape function of node a, and row (a, i), column (b, j) of an element's matrix
// is the integral, by 2 x 2 x 2 Gauss points, of
//
//   lambda dN_a/dx_i dN_b/dx_j + mu dN_a/dx_j dN_b/dx_i + mu (i == j) grad N_a . grad N_b.
//
// The nodes of the boundary are clamped at u = G x, G a constant matrix.
//
// The check: u = G x is the solution, since its stress is constant, and trilinear elements of any
// shape reproduce it.  The computed displacements inside may differ from it by rounding alone.
#include <algorithm>
#include <array>
#include <clchol/clchol.hpp>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

namespace {

using Vector = std::array<double, 3>;
using EightVectors = std::array<Vector, 8>;                    // One for each node of an element.
using ElementMatrix = std::array<std::array<double, 24>, 24>;  // Row 3 a + i: node a, direction i.

constexpr std::size_t kElements = 12, kNodes = kElements + 1;  // Along an edge of the box.
constexpr double kLambda = 1.5, kMu = 1;                       // Lame's constants.
constexpr std::array<Vector, 3> kG{{{0.01, 0.02, -0.01}, {0.005, -0.01, 0.03}, {0.02, 0, 0.015}}};

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Coordinate k of node a of the cube [-1, 1]^3, in which xi lies: bit k of a says which end.
double corner(std::size_t a, std::size_t k) { return (a >> k & 1) != 0 ? 1 : -1; }
/// N_a is the product of three factors (1 + corner(a, k) xi_k) / 2: the k-th at Gauss point g,
/// where xi_k = corner(g, k) / sqrt(3).
double factor(std::size_t a, std::size_t g, std::size_t k) {
  return (1 + corner(a, k) * corner(g, k) / std::sqrt(3)) / 2;
}

ElementMatrix element_matrix(const EightVectors& nodes) {
  ElementMatrix matrix{};
  for (std::size_t g = 0; g < 8; ++g) {  // The Gauss points, all of weight 1.
    EightVectors slope{}, gradient{};    // dN_a/dxi_k and dN_a/dx_i.
    std::array<Vector, 3> tangent{};     // tangent[k] = dx/dxi_k.
    for (std::size_t a = 0; a < 8; ++a) {
      for (std::size_t k = 0; k < 3; ++k) {
        slope[a][k] = corner(a, k) / 2 * factor(a, g, (k + 1) % 3) * factor(a, g, (k + 2) % 3);
        for (std::size_t i = 0; i < 3; ++i) tangent[k][i] += slope[a][k] * nodes[a][i];
      }
    }
    // dx = volume dxi, for volumes, and grad xi_k = normal / volume.
    const double volume = dot(tangent[0], cross(tangent[1], tangent[2]));
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector normal = cross(tangent[(k + 1) % 3], tangent[(k + 2) % 3]);
      for (std::size_t a = 0; a < 8; ++a) {
        for (std::size_t i = 0; i < 3; ++i) gradient[a][i] += slope[a][k] * normal[i] / volume;
      }
    }
    for (std::size_t r = 0; r < 24; ++r) {
      for (std::size_t c = 0; c < 24; ++c) {
        const std::size_t a = r / 3, i = r % 3, b = c / 3, j = c % 3;
        matrix[r][c] += volume * (kLambda * gradient[a][i] * gradient[b][j] +
                                  kMu * gradient[a][j] * gradient[b][i] +
                                  (i == j ? kMu * dot(gradient[a], gradient[b]) : 0));
      }
    }
  }
  return matrix;
}

}  // namespace

int main() {
  // Elements 3 node + i of `exact` and `number` belong to component i of the node's displacement:
  // its exact value, and its number among the n unknowns.
  constexpr std::size_t kClamped =
      kNodes * kNodes * kNodes * 3;  // Number of a displacement that is given.
  std::vector<Vector> position;
  std::vector<double> exact;
  std::vector<std::size_t> number;
  std::size_t n = 0;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> shift(-0.2, 0.2);
  for (std::size_t node = 0; node < kNodes * kNodes * kNodes; ++node) {
    const std::array<std::size_t, 3> grid{node % kNodes, node / kNodes % kNodes,
                                          node / kNodes / kNodes};
    const bool is_inside =
        std::all_of(grid.begin(), grid.end(), [](std::size_t k) { return k > 0 && k < kElements; });
    Vector x{};
    for (std::size_t i = 0; i < 3; ++i) {
      x[i] = static_cast<double>(grid[i]) + (is_inside ? shift(random) : 0);
    }
    position.push_back(x);
    for (std::size_t i = 0; i < 3; ++i) {
      exact.push_back(dot(kG[i], x));
      number.push_back(is_inside ? n++ : kClamped);
    }
  }

  // The lower triangle, column by column; clamped displacements go to the right-hand side.
  // Elements that share nodes add to the same entries: the library sums duplicates.
  std::vector<std::vector<int>> rows(n);
  std::vector<std::vector<double>> entries(n);
  std::vector<double> b(n), u(n);
  for (std::size_t element = 0; element < kElements * kElements * kElements; ++element) {
    const std::size_t x = element % kElements, y = element / kElements % kElements,
                      z = element / kElements / kElements;
    EightVectors nodes{};
    std::array<std::size_t, 24> at{};  // The displacements of the element's rows.
    for (std::size_t a = 0; a < 8; ++a) {
      const std::size_t node =
          x + (a & 1) + kNodes * (y + (a >> 1 & 1) + kNodes * (z + (a >> 2 & 1)));
      nodes[a] = position[node];
      for (std::size_t i = 0; i < 3; ++i) at[3 * a + i] = 3 * node + i;
    }
    const ElementMatrix matrix = element_matrix(nodes);
    for (std::size_t r = 0; r < 24; ++r) {
      const std::size_t row = number[at[r]];
      if (row == kClamped) continue;
      for (std::size_t c = 0; c < 24; ++c) {
        const std::size_t column = number[at[c]];
        if (column == kClamped) {
          b[row] -= matrix[r][c] * exact[at[c]];
        } else if (column <= row) {
          rows[column].push_back(static_cast<int>(row));
          entries[column].push_back(matrix[r][c]);
        }
      }
    }
  }
  std::vector<int> colptr{0}, rowind;
  std::vector<double> values;
  for (std::size_t column = 0; column < n; ++column) {
    rowind.insert(rowind.end(), rows[column].begin(), rows[column].end());
    values.insert(values.end(), entries[column].begin(), entries[column].end());
    colptr.push_back(static_cast<int>(rowind.size()));
  }

  clchol::SparseCholesky<double> solver({.factor = {.estimate_condition = true}});
  const clchol::SparseView<double> matrix{static_cast<clchol::Index>(n), colptr, rowind, values};
  if (solver.factorize(matrix) != clchol::Status::kOk) {
    std::fprintf(stderr, "%s\n", solver.factor_report().message.c_str());
    return 1;
  }
  const clchol::SolveReport report = solver.solve(b, u);
  if (report.status != clchol::Status::kOk) {
    std::fprintf(stderr, "%s\n", report.message.c_str());
    return 1;
  }
  const clchol::AnalysisReport& analysis = solver.analysis_report();
  std::printf("n %d, nnz(L) %.2e, %.2e flops, factored in %.0f ms, backward error %.1e\n",
              analysis.n, static_cast<double>(analysis.nnz_l), analysis.flops,
              1e3 * solver.factor_report().factor_s, report.backward_error.value());

  // Entries of the matrix and of b are sums of some hundred products, and so within 100 eps of the
  // exact ones; the condition multiplies that.  It is 1 / rcond, as the diagonal hardly varies.
  const double tolerance =
      100 * std::numeric_limits<double>::epsilon() / solver.factor_report().rcond.value();
  double error = 0, largest = 0;
  for (std::size_t d = 0; d < number.size(); ++d) {
    if (number[d] == kClamped) continue;
    error = std::max(error, std::abs(u[number[d]] - exact[d]));
    largest = std::max(largest, std::abs(exact[d]));
  }
  if (!(error <= tolerance * largest)) {
    std::fprintf(stderr, "relative error %.1e, allowed %.1e\n", error / largest, tolerance);
    return 1;
  }
  std::printf("patch test: relative error %.1e (allowed %.1e)\n", error / largest, tolerance);
  return 0;
}
