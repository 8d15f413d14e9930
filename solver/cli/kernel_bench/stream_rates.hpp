// Measures the rates from which the time of a streamed factorization is predicted: of transfers, of
// host memory and of arithmetic (StreamRates in numeric/device/stream/groups.hpp).
#pragma once

#include "solver/cli/kernel_bench/measure.hpp"

namespace clchol::cli {

/// Measures the parameters of the row of kernel "stream" in a tuning file:
///   mb_per_s          MB/s of a transfer between host and device, in the slower direction
///   thread_mb_per_s   MB/s at which one thread reads host memory
///   host_mb_per_s     MB/s at which all threads together read host memory
///   gflops            Gflop/s of a factorization, estimated from the fastest product
/// Other parameters of the row are copied from the tuning data that the session has read.
/// @param quick  true: the measurement uses little memory and small products.
/// Throws DeviceError, std::bad_alloc, Failure(kInterrupted).
gpu::KernelTuning measure_stream_rates(DeviceSession& session, bool quick);

}  // namespace clchol::cli
