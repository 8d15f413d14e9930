// Whether the CPU makes a factor in memory or out of core, with a scratch file.
#pragma once

#include <memory>

#include "solver/analysis.hpp"
#include "solver/engine.hpp"

namespace clchol::solver {

/// The CPU's engine: in memory where the factor fits, else out of core where options name a scratch
/// directory.
/// @param copies_values  whether the values are copied for a factorization: scaled, or in another
///                       precision.
/// Throws OutOfMemory, which says what would do; std::bad_alloc, FileError.
template <class F>
std::unique_ptr<Engine<F>> make_cpu_engine(const Analysis& analysis, const Options& options,
                                           bool copies_values);

/// SparseCholesky::host_modes().  Allocates nothing but the plans.
std::vector<HostMode> predict_host_modes(const Analysis& analysis, const Options& options,
                                         bool double_factor);

}  // namespace clchol::solver
