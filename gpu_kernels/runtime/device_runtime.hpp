// A device with everything that engines need: context, queues, programs, capabilities and tuning.
#pragma once

#include <filesystem>
#include <optional>

#include "base/timer.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Queues for transfers, which somebody else owns; null: there are none.
struct CopyQueues {
  Queue* to_host = nullptr;
  Queue* to_device = nullptr;
};

/// For one thread at a time.  Must outlive all objects that are made with it.
class DeviceRuntime {
 public:
  /// Creates a context and a queue.  Probes the device, which takes up to some seconds the first
  /// time and some milliseconds when the programs are cached.  Throws DeviceError.
  explicit DeviceRuntime(Device device, const QueueOptions& options = {},
                         const std::filesystem::path& cache = default_cache_folder(),
                         const ContextCalls& calls = {});
  /// Retains a caller's queue, its context and device, and probes the device.  Throws
  /// InvalidArgument for an out-of-order queue, DeviceError.
  explicit DeviceRuntime(cl_command_queue callers,
                         const std::filesystem::path& cache = default_cache_folder());
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  Context& context() { return context_; }
  const Context& context() const { return context_; }
  Queue& queue() { return queue_; }
  /// Queues for transfers beside the kernels of queue(), one for each direction, so that both
  /// directions overlap.  The first call creates them.  Throws DeviceError.
  CopyQueues copy_queues();
  /// Records the commands of all queues in `log`: Queue::set_log().
  void set_log(EventLog* log);
  ProgramCache& programs() { return programs_; }
  const ProgramCache& programs() const { return programs_; }
  const Device& device() const { return context_.device(); }
  const Capabilities& capabilities() const { return capabilities_; }
  /// Sets the capabilities that engines created from now on use.
  void set_capabilities(const Capabilities& capabilities) { capabilities_ = capabilities; }
  /// Makes all capabilities that need inline PTX absent.  To be called when a kernel with inline
  /// PTX did not build although its probe did.
  /// @param reason  Capability::reason from now on.
  /// @return false when inline PTX was absent already.
  bool do_without_ptx(const std::string& reason);
  const Tuning& tuning() const { return tuning_; }
  /// Limits of a work-group on this device, for which tiles are chosen.
  WorkGroupLimits work_group_limits() const {
    return {capabilities_.max_work_group_size, capabilities_.static_local_bytes};
  }
  /// Seconds that the constructor took.
  double seconds() const { return seconds_; }

 private:
  Timer timer_;
  Context context_;
  Queue queue_;
  std::optional<Queue> to_host_, to_device_;
  EventLog* log_ = nullptr;
  ProgramCache programs_;
  Capabilities capabilities_;
  Tuning tuning_;
  double seconds_ = 0;

  void probe();
};

}  // namespace clchol::gpu
