// Names that code blocks of README.md and docs/*.md use without declaring them.
//
// tests/docs_test.py compiles every block that is not a whole program behind this header, after the
// headers that the page includes.  Nothing is defined here: blocks are compiled, not linked.
#pragma once

#include <CL/cl.h>

#include <Eigen/SparseCore>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "clchol/clchol.hpp"

// ---- A system A X = B in memory -----------------------------------------------------------------

extern const clchol::Index n;             // Rows of A.
extern const std::vector<int> colptr;     // Start of each column of A's lower triangle.
extern const std::vector<int> rowind;     // Zero-based rows of A's lower triangle.
extern const std::vector<double> values;  // Entries of A's lower triangle.
extern const std::vector<double> b;       // One right-hand side, n entries.
extern std::vector<double> x;             // One solution, n entries.

extern const clchol::Index nrhs;     // Columns of B and X.
extern const std::vector<double> B;  // Right-hand sides, n x nrhs entries by columns.
extern std::vector<double> X;        // Solutions, n x nrhs entries by columns.

extern const clchol::SparseView<double> a;     // The matrix above.
extern clchol::SparseCholesky<double> solver;  // A solver with a factor of `a`.
extern std::atomic<bool> cancelled;            // A flag that another thread sets.

// ---- The system on an OpenCL device -------------------------------------------------------------

extern cl_command_queue queue;  // An in-order queue of the caller.
extern cl_mem values_buffer;    // Entries of A's lower triangle.
extern cl_mem b_buffer;         // The right-hand side.
extern cl_mem x_buffer;         // The solution.

// ---- The system in Eigen's types ----------------------------------------------------------------

extern const Eigen::SparseMatrix<double> A;  // The matrix, at least its lower triangle.
extern const Eigen::VectorXd z;              // A vector of A.rows() entries.
