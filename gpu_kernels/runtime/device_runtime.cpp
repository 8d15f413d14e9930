#include "gpu_kernels/runtime/device_runtime.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "gpu_kernels/devices/cl_info.hpp"

namespace clchol::gpu {
namespace {

constexpr double kWaitLimit = 600;  // Seconds: the limit of waits without expected work.

template <class T>
T queue_info(cl_command_queue queue, cl_command_queue_info what) {
  return info_value<T>({"clGetCommandQueueInfo"}, clGetCommandQueueInfo, what, queue);
}

}  // namespace

DeviceRuntime::DeviceRuntime(Device device, const QueueOptions& options,
                             const std::filesystem::path& cache, const ContextCalls& calls)
    : context_(std::move(device), calls), queue_(context_, options), programs_(context_, cache) {
  probe();
}

DeviceRuntime::DeviceRuntime(cl_command_queue callers, const std::filesystem::path& cache)
    : context_(device_of(queue_info<cl_device_id>(callers, CL_QUEUE_DEVICE)),
               queue_info<cl_context>(callers, CL_QUEUE_CONTEXT)),
      queue_(context_, callers),
      programs_(context_, cache) {
  probe();
}

void DeviceRuntime::probe() {
  choose_wait_limit();
  capabilities_ = probe_capabilities(programs_, queue_);
  context_.set_static_local_bytes(capabilities_.static_local_bytes);
  tuning_ = Tuning(device().name(), tuning_folder(programs_.folder()));
  seconds_ = timer_.seconds();
}

void DeviceRuntime::choose_wait_limit() {
  const char* const text =
      std::getenv("CLCHOL_DEVICE_TIMEOUT");  // NOLINT(concurrency-mt-unsafe): read, never set.
  is_limit_given_ = text != nullptr;
  const bool is_cpu = device().description.kind == DeviceKind::kCpu;
  double limit = is_cpu ? 0 : kWaitLimit;
  if (is_limit_given_) {
    const std::string_view given(text);
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), limit);
    if (error != std::errc() || end != given.data() + given.size() || !(limit >= 0)) {
      throw InvalidArgument("CLCHOL_DEVICE_TIMEOUT = '" + std::string(given) +
                            "': not a number of seconds");
    }
  }
  context_.set_wait_limit(limit);
}

void DeviceRuntime::expect_work(double seconds) {
  constexpr double kSlowest = 100;  // A device that works is at most this many times slower.
  if (is_limit_given_ || context_.wait_limit() == 0) return;
  context_.set_wait_limit(std::max(context_.wait_limit(), kWaitLimit + kSlowest * seconds));
}

CopyQueues DeviceRuntime::copy_queues() {
  const auto made = [this](std::optional<Queue>& queue, const char* name) {
    if (!queue) {
      queue.emplace(context_, QueueOptions{.name = name, .profiling = queue_.profiling()});
      if (log_ != nullptr) queue->set_log(log_);
    }
    return &*queue;
  };
  return {made(to_host_, "copies to the host"), made(to_device_, "copies to the device"),
          made(lists_, "copies of lists")};
}

void DeviceRuntime::set_log(EventLog* log) {
  queue_.set_log(log);
  for (std::optional<Queue>* queue : {&to_host_, &to_device_, &lists_}) {
    if (*queue) (*queue)->set_log(log);
  }
  log_ = log;
}

bool DeviceRuntime::do_without_ptx(const std::string& reason) {
  if (!capabilities_.inline_ptx.present) return false;
  set_ptx(capabilities_, {false, reason});
  return true;
}

}  // namespace clchol::gpu
