// The subcommands.
#pragma once

#include "solver/cli/session.hpp"

namespace clchol::cli {

/// Solves and writes x.  Outcomes with a solution are returned, others thrown.
Verdict run_solve(Session& session);

/// Analyses and predicts; nothing is factored.
Verdict run_analyze(Session& session);

/// Writes the matrix, read or made, as a Matrix Market file: generate and convert.
Verdict run_convert(Session& session);

/// Draws a matrix, its assembly tree or a trace.
Verdict run_plot(Session& session);

/// Lists the CPU and the OpenCL devices.  @return the exit code.
int run_devices(const Arguments& arguments);

/// Measures the OpenCL kernels on a device.  @return the exit code.  Other ends are thrown.
int run_bench_kernels(const Arguments& arguments);

/// Searches parameters of kernels for a device and writes them.  The same.
int run_tune(const Arguments& arguments);

}  // namespace clchol::cli
