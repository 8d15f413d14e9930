// Measures the rates from which the time of a streamed factorization is predicted (StreamRates in
// numeric/device/stream/groups.hpp).
#pragma once

#include "solver/cli/kernel_bench/measure.hpp"

namespace clchol::cli {

/// Measures the row of kernel "stream" in a tuning file.  Its parameters are:
///   mb_per_s          MB/s of a transfer between host and device, in the slower direction
///   thread_mb_per_s   MB/s at which one thread reads host memory
///   host_mb_per_s     MB/s at which all threads read host memory
///   gflops            Gflop/s of a factorization, estimated from the fastest product
/// Other parameters are copied from the row that the library has.
/// @param quick  uses little memory and small products.
/// Throws DeviceError, std::bad_alloc, Failure(kInterrupted).
gpu::KernelTuning measure_stream_rates(DeviceSession& session, bool quick);

}  // namespace clchol::cli
