// Generates model problems by name, for trials and benchmarks without a matrix file.
//
//   name         matrix                                                  order n
//
//   grid2d:N     5-point Laplacian of the N x N grid                     N^2
//   grid3d:N     7-point Laplacian of the N x N x N grid                 N^3
//   grid3d27:N   27-point Laplacian of the N x N x N grid                N^3
//   elast3d:N    linear elasticity, unit cube of N^3 trilinear bricks,   3 N (N + 1)^2
//                E = 1, nu = 0.3, the face x = 0 clamped
//
// Laplacians have -1 for every neighbour and d + 1e-3 on the diagonal, where d = 26 for grid3d27
// and d = 6 for grid2d and grid3d.  Points are numbered with x fastest, then y, then z.
#pragma once

#include <cstdint>
#include <string>

#include "solver/matrix_market.hpp"

namespace clchol::solver {

/// Whether `name` begins with grid2d, grid3d, grid3d27 or elast3d, and a colon.
bool is_model_problem(const std::string& name);

/// The size of a model problem's matrix.
struct ModelProblemSize {
  Index n = 0;     // Order of the matrix.
  Offset nnz = 0;  // Number of entries of the lower triangle.

  /// Bytes of memory of the matrix: column pointers, row indices and values.
  std::int64_t bytes() const {
    return (Offset{n} + 1) * static_cast<Offset>(sizeof(Offset)) +
           nnz * static_cast<Offset>(sizeof(Index) + sizeof(double));
  }
};

/// @return the size of the matrix that make_model_problem() would return.
/// Throws InvalidArgument like make_model_problem().
ModelProblemSize model_problem_size(const std::string& name);

/// @return the matrix, with ascending rows in every column.
/// Throws InvalidArgument for an unknown kind or an N with more than 2^31 - 2 unknowns,
/// std::bad_alloc.  Cost O(nnz).
SymmetricMatrix make_model_problem(const std::string& name);

}  // namespace clchol::solver
