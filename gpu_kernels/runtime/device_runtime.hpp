// A device with all objects that factorizations and solves on the device need: context, queues,
// program cache, capabilities and tuning data.
#pragma once

#include <filesystem>
#include <optional>

#include "base/timer.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Pointers to three queues for transfers between host and device.  The queues are not owned.  Null
/// pointers go to objects that need no such queues, for example to a factor that stays in device
/// memory.
struct CopyQueues {
  Queue* to_host = nullptr;    // Queue for downloads.
  Queue* to_device = nullptr;  // Queue for uploads.
  // Queue for uploads of lists, which do not wait for transfers that only later kernels need.
  Queue* lists = nullptr;
};

/// A device that is ready for use.  Not thread-safe.  A DeviceRuntime must outlive all objects that
/// are made with it.
class DeviceRuntime {
 public:
  /// Creates a context and a queue, and probes the device by probe_capabilities().  Takes up to
  /// some seconds the first time, and some milliseconds when the probes' programs are in the cache
  /// on disk.  Throws DeviceError; InvalidArgument when CLCHOL_DEVICE_TIMEOUT is not a number of
  /// seconds.
  /// @param options  options of the queue.
  /// @param cache    folder of the program cache on disk.  Empty: no cache on disk.
  /// @param calls    OpenCL functions that the context uses.  Tests pass functions that fail.
  explicit DeviceRuntime(Device device, const QueueOptions& options = {},
                         const std::filesystem::path& cache = default_cache_folder(),
                         const ContextCalls& calls = {});
  /// Retains `callers`, a queue that a caller of the library has created, and the queue's context,
  /// and probes the queue's device.  Throws InvalidArgument for an out-of-order queue, DeviceError
  /// when an OpenCL call fails.
  /// @param cache  folder of the program cache on disk.  Empty: no cache on disk.
  explicit DeviceRuntime(cl_command_queue callers,
                         const std::filesystem::path& cache = default_cache_folder());
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  Context& context() { return context_; }
  const Context& context() const { return context_; }
  Queue& queue() { return queue_; }
  /// Returns queues for transfers, so that uploads, downloads and the kernels of queue() overlap.
  /// The first call creates the queues.  Throws DeviceError.
  CopyQueues copy_queues();
  /// Raises the limit of waits (Context::wait_limit()) for work that is predicted to take `seconds`
  /// on the device.  The limit is 10 minutes, plus 100 times the longest work.  CPU devices have no
  /// limit.  If the environment variable CLCHOL_DEVICE_TIMEOUT is set, its number of seconds is the
  /// limit for any work and device, and 0 means no limit.
  void expect_work(double seconds);
  /// Records in `log` all commands that are enqueued in the queues of queue() and copy_queues()
  /// after this call.  Null: stops recording.  `log` must outlive this object, unless another log
  /// or null is set before.  Throws InvalidArgument when `log` is not null and the queues have no
  /// profiling.
  void set_log(EventLog* log);
  ProgramCache& programs() { return programs_; }
  const ProgramCache& programs() const { return programs_; }
  const Device& device() const { return context_.device(); }
  const Capabilities& capabilities() const { return capabilities_; }
  /// Replaces the capabilities.  Objects that were created before keep the old capabilities.
  void set_capabilities(const Capabilities& capabilities) { capabilities_ = capabilities; }
  /// Makes all capabilities that need inline PTX absent.  Callers use this function when a kernel
  /// with inline PTX could not be built although the probes were built.
  /// @param reason  new Capability::reason of the capabilities that become absent.
  /// @return false when inline PTX was absent already, otherwise true.
  bool do_without_ptx(const std::string& reason);
  const Tuning& tuning() const { return tuning_; }
  /// Limits on the number of work-items and the local memory of a work-group.  Callers choose tile
  /// sizes within these limits.
  WorkGroupLimits work_group_limits() const {
    return {capabilities_.max_work_group_size, capabilities_.static_local_bytes};
  }
  /// Duration of the constructor, in seconds.
  double seconds() const { return seconds_; }

 private:
  Timer timer_;
  Context context_;
  Queue queue_;
  std::optional<Queue> to_host_, to_device_, lists_;
  EventLog* log_ = nullptr;
  ProgramCache programs_;
  Capabilities capabilities_;
  Tuning tuning_;
  double seconds_ = 0;
  bool is_limit_given_ = false;  // Whether the environment has set the limit of waits.

  void probe();
  void choose_wait_limit();
};

}  // namespace clchol::gpu
