// What the planner of streamed factors reckons with, measured (numeric/device/stream/groups.hpp).
#pragma once

#include "solver/cli/kernel_bench/measure.hpp"

namespace clchol::cli {

/// Row "stream" of a tuning file: "mb_per_s" of a transfer, the slower way; "thread_mb_per_s" and
/// "host_mb_per_s" of reading host memory by one thread and by all; "gflops" of a factorization, by
/// those of the fastest product.  Other parameters are those of the row that the library has.
/// @param quick  little memory and small products.
/// Throws DeviceError, std::bad_alloc, Failure(kInterrupted).
gpu::KernelTuning measure_stream_rates(DeviceSession& session, bool quick);

}  // namespace clchol::cli
