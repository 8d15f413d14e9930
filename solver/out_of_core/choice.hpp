// Chooses whether the CPU computes a factor in memory, or out of core with a scratch file.
#pragma once

#include <memory>

#include "solver/analysis.hpp"
#include "solver/engine.hpp"

namespace clchol::solver {

/// Makes the CPU engine: in memory if the factor fits, otherwise out of core if the options name a
/// scratch directory.
/// @param copies_values  whether a factorization copies the values, because they are scaled or
///                       converted to another precision.
/// Throws OutOfMemory, which names the memory that would be enough; std::bad_alloc, FileError.
template <class F>
std::unique_ptr<Engine<F>> make_cpu_engine(const Analysis& analysis, const Options& options,
                                           bool copies_values);

/// Predicts the modes that SparseCholesky::host_modes() returns.  Allocates nothing but the plans.
std::vector<HostMode> predict_host_modes(const Analysis& analysis, const Options& options,
                                         bool double_factor);

}  // namespace clchol::solver
