#include "gpu_kernels/devices/device_list.hpp"

#ifdef CLCHOL_HAVE_OPENCL
#include "gpu_kernels/devices/device_query.hpp"
#endif

namespace clchol::gpu {

const char* to_string(DeviceKind kind) noexcept {
  switch (kind) {
    case DeviceKind::kGpu:
      return "gpu";
    case DeviceKind::kCpu:
      return "cpu";
    case DeviceKind::kAccelerator:
      return "accelerator";
    case DeviceKind::kOther:
      return "other";
  }
  return "other";
}

Index DeviceList::num_devices() const {
  std::size_t count = 0;
  for (const PlatformDescription& platform : platforms) count += platform.devices.size();
  return static_cast<Index>(count);
}

#ifdef CLCHOL_HAVE_OPENCL
bool opencl_built() noexcept { return true; }
DeviceList list_devices() { return list_devices(QueryCalls{}); }
#else
bool opencl_built() noexcept { return false; }
DeviceList list_devices() { return {}; }
#endif

}  // namespace clchol::gpu
