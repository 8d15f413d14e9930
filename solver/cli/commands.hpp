// The subcommands of clchol.  solver/cli/main.cpp calls one of these functions, and handles the
// exceptions that they throw.
#pragma once

#include "solver/cli/session.hpp"

namespace clchol::cli {

/// Solves A x = b and writes x.
/// @return kOk, kSingular or kAccuracyNotReached: the outcomes in which x exists.  Throws Failure,
///         or an exception of the library, for the other outcomes.
Verdict run_solve(Session& session);

/// Analyses the matrix and predicts work and memory, without a factorization.
Verdict run_analyze(Session& session);

/// The subcommands `generate` and `convert`: makes a model problem or reads a matrix, and writes
/// the matrix as a Matrix Market file.
Verdict run_convert(Session& session);

/// Draws a matrix, its assembly tree or a trace.
Verdict run_plot(Session& session);

/// Lists the CPU and the OpenCL devices.  @return the exit code.
int run_devices(const Arguments& arguments);

/// Measures the OpenCL kernels on a device.  Throws Failure, or an exception of the library, for
/// outcomes other than kOk.
/// @return the exit code.
int run_bench_kernels(const Arguments& arguments);

/// Searches for the fastest parameters of kernels on a device and writes the parameters to a tuning
/// file.  Throws Failure, or an exception of the library, for outcomes other than kOk.
/// @return the exit code.
int run_tune(const Arguments& arguments);

}  // namespace clchol::cli
