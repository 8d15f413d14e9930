// Model problems by name, for trials and benchmarks that need no file.
//
//   grid2d:N     5-point Laplacian of the N x N grid                     n = N^2
//   grid3d:N     7-point Laplacian of the N x N x N grid                 n = N^3
//   grid3d27:N   27-point Laplacian of the N x N x N grid                n = N^3
//   elast3d:N    linear elasticity, unit cube of N^3 trilinear bricks,   n = 3 N (N + 1)^2
//                E = 1, nu = 0.3, the face x = 0 clamped
//
// Laplacians have -1 for every neighbour and d + 1e-3 on the diagonal, d = 26 for grid3d27 and 6
// for the others (in the plane too).  Points are numbered with x fastest, then y, then z.
#pragma once

#include <cstdint>
#include <string>

#include "solver/matrix_market.hpp"

namespace clchol::solver {

/// Whether `name` asks for a model problem: one of the kinds above and a colon.
bool is_model_problem(const std::string& name);

/// Rows of a matrix, and entries of its lower triangle.
struct ModelProblemSize {
  Index n = 0;
  Offset nnz = 0;

  /// What the matrix takes.
  std::int64_t bytes() const {
    return (Offset{n} + 1) * static_cast<Offset>(sizeof(Offset)) +
           nnz * static_cast<Offset>(sizeof(Index) + sizeof(double));
  }
};

/// The size of the matrix that make_model_problem() would return; throws InvalidArgument as it
/// does.
ModelProblemSize model_problem_size(const std::string& name);

/// The matrix, every column's rows ascending.
/// Throws InvalidArgument for an unknown kind or an N of more than 2^31 - 2 unknowns,
/// std::bad_alloc.  Cost O(entries).
SymmetricMatrix make_model_problem(const std::string& name);

}  // namespace clchol::solver
