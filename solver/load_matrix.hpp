// Loads a matrix by the name that a user gives on a command line: the name of a model problem, or
// the name of a file.
#pragma once

#include <string>

#include "solver/matrix_market.hpp"

namespace clchol::solver {

/// Generates the model problem `name` (solver/generate.hpp), or reads the file `name`.  The content
/// of the file, not its name, determines its format: Matrix Market or Harwell-Boeing, plain or
/// gzip.  A file that has the name of a model problem must be named with a directory: "./grid2d:5".
/// For a model problem, SymmetricMatrix::notes has only `seconds` set.
/// @throws InvalidArgument, OutOfMemory, and Interrupted while reading a file.
SymmetricMatrix load_matrix(const std::string& name, const ReadOptions& options = {});

}  // namespace clchol::solver
