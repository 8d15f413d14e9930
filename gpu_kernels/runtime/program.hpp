// A built OpenCL program and its kernels.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "gpu_kernels/runtime/context.hpp"
#include "gpu_kernels/runtime/handle.hpp"

namespace clchol::gpu {

/// The compiler refused a program.  what() names the call, error code, device, program and options,
/// and has the build log.  A caller with a plainer variant of the kernel tries the variant next.
class BuildError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// One kernel object.  OpenCL does not allow two threads to set arguments of one kernel object at
/// the same time: make one object for each thread, and for each use that keeps its arguments.
class Kernel {
 public:
  Kernel() = default;
  /// Throws DeviceError when the program has no such kernel.
  Kernel(const Context& context, cl_program program, const char* name);

  const Context& context() const { return *context_; }
  const std::string& name() const { return name_; }
  cl_kernel get() const { return kernel_.get(); }

  std::uint32_t num_arguments() const { return num_arguments_; }
  /// Bytes of local memory that the kernel's source declares.
  std::uint64_t static_local_bytes() const { return static_local_bytes_; }
  /// Most work-items of a work-group on this device, given the kernel's use of registers.
  std::uint64_t max_work_group_size() const { return max_work_group_size_; }
  /// Work-groups should have a multiple of this number of work-items: the warp width or SIMD width.
  std::uint64_t preferred_multiple() const { return preferred_multiple_; }

 private:
  const Context* context_ = nullptr;
  std::string name_;
  Handle<cl_kernel> kernel_;
  std::uint32_t num_arguments_ = 0;
  std::uint64_t static_local_bytes_ = 0;
  std::uint64_t max_work_group_size_ = 0;
  std::uint64_t preferred_multiple_ = 0;
};

/// A built program.  Immutable: several threads may make kernels of it at the same time.
class Program {
 public:
  Program(const Context& context, Handle<cl_program> built)
      : context_(&context), program_(std::move(built)) {}

  Kernel kernel(const char* name) const { return {*context_, program_.get(), name}; }
  cl_program get() const { return program_.get(); }

 private:
  const Context* context_;
  Handle<cl_program> program_;
};

/// A program's text and options for the compiler.
struct ProgramText {
  std::string_view name;  // Name of the file, for error messages.
  std::string_view source;
  std::string_view options;  // "-DREAL=double ..."
};

/// Compiles a program.  Throws BuildError.
Program build_from_source(const Context& context, const ProgramText& text);
/// Builds a program from a device's binary; empty when the driver does not accept the binary, for
/// example after an update.
Handle<cl_program> build_from_binary(const Context& context, std::string_view binary,
                                     std::string_view options);
/// The binary of a built program for the context's device; empty when the driver has none.
std::string binary_of(const Context& context, const Program& program);

}  // namespace clchol::gpu
