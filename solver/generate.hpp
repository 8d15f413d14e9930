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

#include <string>

#include "solver/matrix_market.hpp"

namespace clchol::solver {

/// Whether `name` asks for a model problem: one of the kinds above and a colon.
bool is_model_problem(const std::string& name);

/// The matrix, every column's rows ascending.
/// Throws InvalidArgument for a bad N, std::bad_alloc.  Cost O(entries).
SymmetricMatrix make_model_problem(const std::string& name);

}  // namespace clchol::solver
