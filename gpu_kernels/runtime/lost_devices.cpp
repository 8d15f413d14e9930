#include "gpu_kernels/runtime/lost_devices.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace clchol::gpu {
namespace {

struct LostDevices {
  std::atomic<bool> any = false;
  std::mutex mutex;
  std::vector<cl_context> contexts;
  std::vector<cl_device_id> devices;

  template <class T>
  bool has(const std::vector<T>& lost, T object) {
    if (!any.load(std::memory_order_acquire)) return false;
    const std::lock_guard lock(mutex);
    return std::ranges::find(lost, object) != lost.end();
  }
};

/// Never destroyed: handles in objects of static storage duration ask for it when the program ends.
LostDevices& lost_devices() {
  static LostDevices& devices = *new LostDevices;
  return devices;
}

}  // namespace

void declare_lost(cl_context context, cl_device_id device) {
  LostDevices& lost = lost_devices();
  const std::lock_guard lock(lost.mutex);
  lost.contexts.push_back(context);
  lost.devices.push_back(device);
  lost.any.store(true, std::memory_order_release);
}

bool is_lost(cl_context context) noexcept {
  return lost_devices().has(lost_devices().contexts, context);
}

bool is_lost_device(cl_device_id device) noexcept {
  return lost_devices().has(lost_devices().devices, device);
}

bool is_any_device_lost() noexcept { return lost_devices().any.load(std::memory_order_acquire); }

}  // namespace clchol::gpu
