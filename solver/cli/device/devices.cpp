// clchol devices: lists the CPU and the OpenCL devices of the machine.
#include "base/thread_limit.hpp"
#include "numeric/dense/kernels.hpp"
#include "solver/cli/commands.hpp"
#include "solver/cli/device/device_choice.hpp"
#include "solver/cli/output.hpp"
#include "solver/cli/summary.hpp"

namespace clchol::cli {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json device_json(const gpu::DeviceDescription& d) {
  Json json;
  json["index"] = d.flat_index;
  json["address"] = std::to_string(d.platform) + ":" + std::to_string(d.index);
  json["name"] = d.name;
  json["vendor"] = d.vendor;
  json["version"] = d.version;
  json["driver_version"] = d.driver_version;
  json["kind"] = to_string(d.kind);
  json["fp64"] = d.fp64;
  json["global_memory_bytes"] = d.global_memory_bytes;
  json["max_allocation_bytes"] = d.max_allocation_bytes;
  json["local_memory_bytes"] = d.local_memory_bytes;
  json["compute_units"] = d.compute_units;
  json["max_work_group_size"] = d.max_work_group_size;
  json["error"] = or_null(d.error);
  return json;
}

Json platform_json(const gpu::PlatformDescription& platform) {
  Json json;
  json["name"] = platform.name;
  json["vendor"] = platform.vendor;
  json["version"] = platform.version;
  json["error"] = or_null(platform.error);
  json["devices"] = Json::array();
  for (const gpu::DeviceDescription& device : platform.devices) {
    json["devices"].push_back(device_json(device));
  }
  return json;
}

Json to_json(const std::string& cpu, const ThreadLimit& limit, const gpu::DeviceList& list) {
  Json json;
  json["cpu"] = {{"name", cpu},
                 {"cores", limit.cores},
                 {"threads", limit.threads},
                 {"threads_limit", limit.reason},
                 {"simd", numeric::dense::simd_target()}};
  Json opencl;
  opencl["built"] = gpu::opencl_built();
  opencl["error"] = or_null(list.error);
  opencl["platforms"] = Json::array();
  for (const gpu::PlatformDescription& platform : list.platforms) {
    opencl["platforms"].push_back(platform_json(platform));
  }
  json["opencl"] = opencl;
  json["exit_code"] = 0;
  json["status"] = status_word(Outcome::kOk);
  json["message"] = "";
  json["version"] = version();
  return json;
}

}  // namespace

int run_devices(const Arguments& arguments) {
  const std::string cpu = cpu_name();
  const ThreadLimit& limit = thread_limit();
  const gpu::DeviceList list = gpu::list_devices();
  std::string text;
  if (arguments.json) {
    text = to_line(to_json(cpu, limit, list)) + "\n";
  } else if (!arguments.quiet) {
    text = device_summary(cpu, limit, list);
  }
  if (!print(text)) throw Failure(Outcome::kUsage, "cannot write to standard output");
  return exit_code(Outcome::kOk);
}

}  // namespace clchol::cli
