// Loads a matrix by its name on a command line: a model problem, or a file in a supported format.
#pragma once

#include <string>

#include "solver/matrix_market.hpp"

namespace clchol::solver {

/// Generates the model problem `name` (solver/generate.hpp), or reads the file `name`.  The content
/// of the file determines its format: Matrix Market or Harwell-Boeing, plain or gzip.  A file with
/// the name of a model problem needs a directory before its name: "./grid2d:5".
/// For a model problem, only ReadNotes::seconds is set.
/// @throws InvalidArgument, OutOfMemory, and Interrupted while reading a file.
SymmetricMatrix load_matrix(const std::string& name, const ReadOptions& options = {});

}  // namespace clchol::solver
