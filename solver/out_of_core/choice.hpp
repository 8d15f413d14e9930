// Chooses whether the CPU computes a factor in memory, or out of core with a scratch file.
#pragma once

#include <memory>

#include "solver/analysis.hpp"
#include "solver/engine.hpp"

namespace clchol::solver {

/// Makes the CPU engine: in memory if the factor fits, otherwise out of core if the options name a
/// scratch directory.
/// F is the precision of the factor: float or double.
/// @param copies_values  whether a factorization copies the values of A, because they are scaled or
///                       converted to another precision.
/// Throws OutOfMemory, whose message names the bytes that would be enough; std::bad_alloc,
/// FileError.
template <class F>
std::unique_ptr<Engine<F>> make_cpu_engine(const Analysis& analysis, const Options& options,
                                           bool copies_values);

/// Returns the modes of SparseCholesky::host_modes().  Makes their plans, but no engine and no
/// file.
/// @param double_factor  whether the factor will be in double; otherwise in single precision.
std::vector<HostMode> predict_host_modes(const Analysis& analysis, const Options& options,
                                         bool double_factor);

}  // namespace clchol::solver
