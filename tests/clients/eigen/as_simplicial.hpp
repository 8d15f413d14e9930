// Included before Eigen's own test/simplicial_cholesky.cpp: its solvers are clchol's.
#pragma once

#include <Eigen/Sparse>
#include <clchol/eigen.hpp>

#define SimplicialCholesky clchol::EigenCholesky
#define SimplicialLLT clchol::EigenCholesky
#define SimplicialLDLT clchol::EigenCholesky
