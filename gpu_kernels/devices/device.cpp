#include "gpu_kernels/devices/device.hpp"

#include <algorithm>
#include <sstream>

#include "gpu_kernels/devices/cl_info.hpp"
#include "gpu_kernels/devices/device_query.hpp"

namespace clchol::gpu {
namespace {

// Registered numbers of the queries of cl_nv_device_attribute_query and
// cl_amd_device_attribute_query.  Not every cl_ext.h defines them.
constexpr cl_device_info kComputeCapabilityMajorNv = 0x4000;
constexpr cl_device_info kComputeCapabilityMinorNv = 0x4001;
constexpr cl_device_info kWarpSizeNv = 0x4003;
constexpr cl_device_info kWavefrontWidthAmd = 0x4043;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

void query_vendor(const InfoCall& asked, Device& device) {
  const auto number = [&](cl_device_info what) {
    return static_cast<int>(info_value<cl_uint>(asked, clGetDeviceInfo, what, device.id));
  };
  if (device.has_extension("cl_nv_device_attribute_query")) {
    device.compute_capability =
        10 * number(kComputeCapabilityMajorNv) + number(kComputeCapabilityMinorNv);
    device.warp_width = number(kWarpSizeNv);
  } else if (device.has_extension("cl_amd_device_attribute_query")) {
    device.warp_width = number(kWavefrontWidthAmd);
  }
}

void query_limits(const InfoCall& asked, Device& device) {
  device.extensions = words_of(info_text(asked, clGetDeviceInfo, CL_DEVICE_EXTENSIONS, device.id));
  const auto sizes =
      info_list<std::size_t>(asked, clGetDeviceInfo, CL_DEVICE_MAX_WORK_ITEM_SIZES, device.id);
  std::copy_n(sizes.begin(), std::min(sizes.size(), device.max_work_item_sizes.size()),
              device.max_work_item_sizes.begin());
  device.base_alignment_bytes =
      info_value<cl_uint>(asked, clGetDeviceInfo, CL_DEVICE_MEM_BASE_ADDR_ALIGN, device.id) / 8;
  device.dedicated_local_memory =
      info_value<cl_device_local_mem_type>(asked, clGetDeviceInfo, CL_DEVICE_LOCAL_MEM_TYPE,
                                           device.id) == CL_LOCAL;
}

Device described(cl_device_id id, DeviceDescription description) {
  if (!description.error.empty()) throw DeviceError(description.error);
  Device device;
  device.id = id;
  device.description = std::move(description);
  const InfoCall asked{"clGetDeviceInfo", device.name()};
  device.platform = info_value<cl_platform_id>(asked, clGetDeviceInfo, CL_DEVICE_PLATFORM, id);
  const InfoCall of_platform{"clGetPlatformInfo", device.name()};
  device.platform_name =
      info_text(of_platform, clGetPlatformInfo, CL_PLATFORM_NAME, device.platform);
  device.platform_version =
      info_text(of_platform, clGetPlatformInfo, CL_PLATFORM_VERSION, device.platform);
  query_limits(asked, device);
  query_vendor(asked, device);
  return device;
}

}  // namespace

bool Device::has_extension(std::string_view extension) const {
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

Device open_device(const DeviceDescription& listed) {
  if (!listed.error.empty()) throw DeviceError(listed.error);
  return described(find_device(QueryCalls{}, listed), listed);
}

Device device_of(cl_device_id id) {
  DeviceDescription description = describe_device(QueryCalls{}, id);
  description.flat_index = description.platform = description.index = kNone;
  return described(id, std::move(description));
}

}  // namespace clchol::gpu
