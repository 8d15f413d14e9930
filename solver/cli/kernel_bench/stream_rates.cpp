#include "solver/cli/kernel_bench/stream_rates.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/aligned_buffer.hpp"
#include "base/team.hpp"
#include "base/timer.hpp"
#include "gpu_kernels/runtime/pinned_pages.hpp"
#include "solver/analysis.hpp"
#include "solver/cli/kernel_bench/families.hpp"

namespace clchol::cli {
namespace {

constexpr int kTimes = 5;  // Runs of each measurement.
/// Flop rate of a factorization divided by the flop rate of a product, as measured for large 3D
/// problems on an H200.
constexpr double kShareOfProducts = 0.75;

/// Returns the highest rate of kTimes runs, each of which moves `bytes` bytes, in MB/s; at least 1.
template <class Run>
Index megabytes_per_second(const DeviceSession& session, Offset bytes, const Run& run) {
  double best = 0;
  for (int time = 0; time < kTimes; ++time) {
    session.check_interrupt();
    const Timer timer;
    run();
    best = std::max(best, static_cast<double>(bytes) / timer.seconds() * 1e-6);
  }
  return std::max<Index>(static_cast<Index>(best), 1);
}

/// MB/s of transfers between page-locked host memory and the device, in the slower direction.
Index transfer_rate(DeviceSession& session, Offset entries, int threads) {
  gpu::Queue& queue = session.queue();
  const gpu::PinnedPages<float> host(session.context(), entries, threads);
  const gpu::DeviceBuffer<float> device(session.context(), entries);
  const Offset bytes = entries * Offset{sizeof(float)};
  const Index up = megabytes_per_second(session, bytes, [&] {
    gpu::upload_async<float>(queue, host.span(), device);
    queue.finish();
  });
  const Index down = megabytes_per_second(session, bytes, [&] {
    gpu::download_async<float>(queue, device, host.span());
    queue.finish();
  });
  return std::min(up, down);
}

/// MB/s at which `threads` threads read host memory.
Index host_rate(const DeviceSession& session, const AlignedBuffer<double>& memory, int threads) {
  constexpr Offset kChunk = 1 << 16, kSums = 8;
  const Offset num_chunks = memory.size() / kChunk;
  std::vector<double> found(static_cast<std::size_t>(num_chunks));
  return megabytes_per_second(session, num_chunks * kChunk * Offset{sizeof(double)}, [&] {
    parallel_for(num_chunks, threads, [&](Offset chunk) {
      const double* const from = memory.data() + chunk * kChunk;
      std::array<double, kSums> sums{};
      for (Offset k = 0; k < kChunk; k += kSums) {
        for (Offset u = 0; u < kSums; ++u) sums[static_cast<std::size_t>(u)] += from[k + u];
      }
      found[static_cast<std::size_t>(chunk)] = std::accumulate(sums.begin(), sums.end(), 0.0);
    });
  });
}

/// Gflop/s of the fastest product in double precision, or in single precision when the device lacks
/// fp64.
double product_rate(DeviceSession& session, bool quick) {
  const bool has_double = session.device().description.fp64;
  double best = 0;
  for (const Case& c : product_cases(quick)) {
    const bool is_tuned = c.variant == "all" || c.variant == "tensor";
    if (c.kernel != "gemm" || c.on_request || !is_tuned) continue;
    if (c.precision != (has_double ? "double" : "single")) continue;
    const Measurement measured = measure(session, c, quick ? kQuickEffort : Effort());
    if (measured.status == MeasureStatus::kOk) best = std::max(best, measured.tflops * 1e3);
  }
  return best;
}

}  // namespace

gpu::KernelTuning measure_stream_rates(DeviceSession& session, bool quick) {
  const int threads = solver::num_threads({});
  const Offset bytes = Offset{quick ? 16 : 512} << 20;
  gpu::KernelTuning row{"stream", "rates", "double", {}, {}};
  row.params = session.tuning().find("stream", "rates", "double",
                                     [](const gpu::TuningParams&) { return true; });
  row.params["mb_per_s"] = transfer_rate(session, bytes / Offset{sizeof(float)}, threads);
  const AlignedBuffer<double> memory(bytes / Offset{sizeof(double)});
  parallel_for(memory.size(), threads, [&](Offset k) { memory[k] = 1; });
  row.params["thread_mb_per_s"] = host_rate(session, memory, 1);
  row.params["host_mb_per_s"] = host_rate(session, memory, threads);
  const double products = product_rate(session, quick);
  if (products > 0) {
    row.params["gflops"] = std::max<Index>(static_cast<Index>(kShareOfProducts * products), 1);
  }
  return row;
}

}  // namespace clchol::cli
