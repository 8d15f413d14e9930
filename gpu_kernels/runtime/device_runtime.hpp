// A device with all that engines need of it: a queue, its programs, what it can do, what was tuned
// for it.
#pragma once

#include <filesystem>
#include <optional>

#include "base/timer.hpp"
#include "gpu_kernels/devices/tuning.hpp"
#include "gpu_kernels/runtime/capabilities.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Not owned; null: there are none.
struct CopyQueues {
  Queue* to_host = nullptr;
  Queue* to_device = nullptr;
};

/// For one thread at a time.  Outlives what is made with it.
class DeviceRuntime {
 public:
  /// A context and a queue of our own.  Probes the device: up to some seconds the first time, some
  /// milliseconds when the programs are cached.  Throws DeviceError.
  explicit DeviceRuntime(Device device, const QueueOptions& options = {},
                         const std::filesystem::path& cache = default_cache_folder(),
                         const ContextCalls& calls = {});
  /// A caller's queue, retained, with its context and device.  Throws InvalidArgument for a queue
  /// that is out of order, DeviceError.
  explicit DeviceRuntime(cl_command_queue callers,
                         const std::filesystem::path& cache = default_cache_folder());
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  Context& context() { return context_; }
  const Context& context() const { return context_; }
  Queue& queue() { return queue_; }
  /// Queues for transfers beside the kernels of queue(), one for each direction: they go side by
  /// side.  Made when they are first asked for.  Throws DeviceError.
  CopyQueues copy_queues();
  /// Records the commands of all queues: Queue::set_log().
  void set_log(EventLog* log);
  ProgramCache& programs() { return programs_; }
  const ProgramCache& programs() const { return programs_; }
  const Device& device() const { return context_.device(); }
  const Capabilities& capabilities() const { return capabilities_; }
  /// What engines that are made from now on take the device to have.
  void set_capabilities(const Capabilities& capabilities) { capabilities_ = capabilities; }
  /// After a kernel for this device's own instructions did not build, though its probe did: from
  /// now on there are none, for this reason.  False when there were none before.
  bool do_without_ptx(const std::string& reason);
  const Tuning& tuning() const { return tuning_; }
  /// What the device allows a work-group: what tiles are chosen for.
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
