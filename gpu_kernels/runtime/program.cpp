#include "gpu_kernels/runtime/program.hpp"

#include <algorithm>
#include <vector>

#include "gpu_kernels/devices/cl_info.hpp"

namespace clchol::gpu {
namespace {

// Characters of a build log that are kept: later messages mostly repeat the first ones.
constexpr std::size_t kLongestLog = 4000;

std::string build_log(const Context& context, cl_program program) try {
  std::string log = info_text({"clGetProgramBuildInfo", context.name()}, clGetProgramBuildInfo,
                              CL_PROGRAM_BUILD_LOG, program, context.device().id);
  if (log.size() > kLongestLog) log.replace(kLongestLog, std::string::npos, "\n...");
  return log.empty() ? "(no build log)" : log;
} catch (const DeviceError& error) {
  return std::string("(no build log: ") + error.what() + ")";
}

cl_int build(const Context& context, cl_program program, std::string_view options) {
  const std::string terminated(options);
  const cl_device_id device = context.device().id;
  return context.calls().build_program(program, 1, &device, terminated.c_str(), nullptr, nullptr);
}

template <class T>
T kernel_info(const Kernel& kernel, cl_kernel_work_group_info what) {
  const Context& context = kernel.context();
  return info_value<T>({"clGetKernelWorkGroupInfo", context.name()}, clGetKernelWorkGroupInfo, what,
                       kernel.get(), context.device().id);
}

}  // namespace

Kernel::Kernel(const Context& context, cl_program program, const char* name)
    : context_(&context), name_(name) {
  cl_int code = CL_SUCCESS;
  kernel_ = Handle<cl_kernel>(clCreateKernel(program, name, &code));
  check(code, ("clCreateKernel(" + name_ + ")").c_str(), context.name());
  num_arguments_ = info_value<cl_uint>({"clGetKernelInfo", context.name()}, clGetKernelInfo,
                                       CL_KERNEL_NUM_ARGS, get());
  // Before any argument is set, this is the local memory that the source declares.
  static_local_bytes_ = kernel_info<cl_ulong>(*this, CL_KERNEL_LOCAL_MEM_SIZE);
  max_work_group_size_ = kernel_info<std::size_t>(*this, CL_KERNEL_WORK_GROUP_SIZE);
  preferred_multiple_ =
      kernel_info<std::size_t>(*this, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
}

Program build_from_source(const Context& context, const ProgramText& text) {
  const char* source = text.source.data();
  const std::size_t size = text.source.size();
  cl_int code = CL_SUCCESS;
  Handle<cl_program> program(clCreateProgramWithSource(context.get(), 1, &source, &size, &code));
  check(code, "clCreateProgramWithSource", context.name());
  code = build(context, program.get(), text.options);
  if (code != CL_SUCCESS) {
    throw BuildError("clBuildProgram failed: " + error_name(code) + " [device: " + context.name() +
                     "] [program: " + std::string(text.name) + "] [options: " +
                     std::string(text.options) + "]\n" + build_log(context, program.get()));
  }
  return {context, std::move(program)};
}

Handle<cl_program> build_from_binary(const Context& context, std::string_view binary,
                                     std::string_view options) {
  const cl_device_id device = context.device().id;
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  cl_int status = CL_SUCCESS, code = CL_SUCCESS;
  Handle<cl_program> program(
      clCreateProgramWithBinary(context.get(), 1, &device, &size, &bytes, &status, &code));
  if (code != CL_SUCCESS || status != CL_SUCCESS) return {};
  if (build(context, program.get(), options) != CL_SUCCESS) return {};
  return program;
}

std::string binary_of(const Context& context, const Program& program) try {
  // A caller's context may have several devices; binaries are in the order of CL_PROGRAM_DEVICES.
  const InfoCall asked{"clGetProgramInfo", context.name()};
  const auto devices =
      info_list<cl_device_id>(asked, clGetProgramInfo, CL_PROGRAM_DEVICES, program.get());
  const auto sizes =
      info_list<std::size_t>(asked, clGetProgramInfo, CL_PROGRAM_BINARY_SIZES, program.get());
  const auto ours = static_cast<std::size_t>(
      std::find(devices.begin(), devices.end(), context.device().id) - devices.begin());
  if (ours >= sizes.size() || sizes[ours] == 0) return {};
  std::string binary(sizes[ours], '\0');
  std::vector<char*> targets(sizes.size(), nullptr);  // Null: this binary is not copied.
  targets[ours] = binary.data();
  check(clGetProgramInfo(program.get(), CL_PROGRAM_BINARIES, targets.size() * sizeof(char*),
                         targets.data(), nullptr),
        asked.call, asked.device);
  return binary;
} catch (const DeviceError&) {
  return {};  // Only the cache needs the binary.
}

}  // namespace clchol::gpu
