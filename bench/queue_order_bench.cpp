// What the queues of a device wait for: markers beside a transfer that is under way.
//
//   clchol_queue_order_bench NAME [REPS]
//
// NAME names an OpenCL device.  In each of REPS repetitions (default: 20), one queue uploads 256 MB
// from page-locked host memory.  Then a second queue fills 16 MB and gets a marker, and a third
// queue downloads the 16 MB as soon as the marker is complete.  The three queues belong to one
// context.  The program prints one JSON line for each kind of marker
// (gpu_kernels/runtime/queue.hpp) with medians, in milliseconds from the end of the fill:
//
//   download_ms  begin of the download: near 0, if the download does not wait for the upload
//   upload_ms    end of the upload
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "bench/median.hpp"
#include "gpu_kernels/devices/device_choice.hpp"
#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/pinned_pages.hpp"

namespace {

namespace gpu = clchol::gpu;
using clchol::Index;
using clchol::Offset;

constexpr Offset kUpload = Offset{256} << 20, kDownload = Offset{16} << 20;  // Bytes.

void measure(const gpu::Context& context, bool is_timed, Index reps) {
  gpu::Queue kernels(context, {"kernels", true}), up(context, {"up", true}),
      down(context, {"down", true});
  const gpu::DeviceBuffer<char> target(context, kUpload), source(context, kDownload);
  gpu::PinnedPages<char> host(context, kUpload + kDownload, 1);
  const auto uploaded = host.span().first(kUpload), downloaded = host.span().subspan(kUpload);
  std::vector<double> download_ms, upload_ms;
  for (Index k = 0; k < reps; ++k) {
    const gpu::Event upload = gpu::upload_async<char>(up, uploaded, target);
    up.flush();
    const gpu::Event filled = gpu::fill<char>(kernels, source, 'x');
    const gpu::Event marker = is_timed ? kernels.timed_marker() : kernels.marker();
    kernels.flush();
    down.wait_for(marker);
    const gpu::Event download = gpu::download_async<char>(down, source, downloaded);
    down.finish();
    up.finish();
    kernels.finish();
    const auto after_fill = [&](std::uint64_t nanoseconds) {
      return (static_cast<double>(nanoseconds) - static_cast<double>(filled.times().end)) * 1e-6;
    };
    download_ms.push_back(after_fill(download.times().start));
    upload_ms.push_back(after_fill(upload.times().end));
  }
  std::printf("{\"marker\": \"%s\", \"download_ms\": %.3f, \"upload_ms\": %.3f}\n",
              is_timed ? "timed_marker" : "marker", clchol::median(download_ms),
              clchol::median(upload_ms));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: clchol_queue_order_bench NAME [REPS]\n");
    return 2;
  }
  try {
    const gpu::DeviceList list = gpu::list_devices();
    const Index device = gpu::choose_devices(list, gpu::split_names(argv[1])).front();
    const gpu::Context context(gpu::open_device(gpu::device_at(list, device)));
    const Index reps = argc > 2 ? std::atoi(argv[2]) : 20;
    for (const bool is_timed : {true, false}) measure(context, is_timed, std::max<Index>(reps, 1));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clchol_queue_order_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
