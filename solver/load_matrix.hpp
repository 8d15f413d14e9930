// A matrix by its name on a command line: a model problem or a file of any format that is read.
#pragma once

#include <string>

#include "solver/matrix_market.hpp"

namespace clchol::solver {

/// Makes the model problem of this name (solver/generate.hpp), or reads the file: Matrix Market or
/// Harwell-Boeing, plain or gzip, told by its content.  A file that is named like a model problem
/// needs a folder before its name: "./grid2d:5".
/// Of the notes on a model problem only the seconds are set.
/// @throws InvalidArgument, OutOfMemory, and from files Interrupted.
SymmetricMatrix load_matrix(const std::string& name, const ReadOptions& options = {});

}  // namespace clchol::solver
