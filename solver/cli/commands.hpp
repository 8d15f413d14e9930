// The subcommands of clchol.
#pragma once

#include "solver/cli/session.hpp"

namespace clchol::cli {

/// Solves A x = b and writes x.  Returns outcomes that have a solution; throws for other outcomes.
Verdict run_solve(Session& session);

/// Analyses the matrix and predicts work and memory, without a factorization.
Verdict run_analyze(Session& session);

/// Reads or generates a matrix and writes it as a Matrix Market file: generate and convert.
Verdict run_convert(Session& session);

/// Draws a matrix, its assembly tree or a trace.
Verdict run_plot(Session& session);

/// Lists the CPU and the OpenCL devices.  @return the exit code.
int run_devices(const Arguments& arguments);

/// Measures the OpenCL kernels on a device.  @return the exit code.  Throws on other outcomes than
/// kOk.
int run_bench_kernels(const Arguments& arguments);

/// Searches for the fastest parameters of kernels on a device and writes them to a file.  @return
/// the exit code.  Throws on other outcomes than kOk.
int run_tune(const Arguments& arguments);

}  // namespace clchol::cli
