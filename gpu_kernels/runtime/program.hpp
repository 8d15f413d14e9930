// A built program and its kernels.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "gpu_kernels/runtime/context.hpp"
#include "gpu_kernels/runtime/handle.hpp"

namespace clchol::gpu {

/// The compiler refused a program: what() has call, code, device, program, options and the log.
/// Whoever has a plainer variant of the kernel tries that one next.
class BuildError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// One kernel object.  Setting arguments is the one thing that OpenCL does not allow in two threads
/// at once: one object for each thread, and for each use that keeps arguments.
class Kernel {
 public:
  Kernel() = default;
  /// Throws DeviceError when the program has no such kernel.
  Kernel(const Context& context, cl_program program, const char* name);

  const Context& context() const { return *context_; }
  const std::string& name() const { return name_; }
  cl_kernel get() const { return kernel_.get(); }

  std::uint32_t num_arguments() const { return num_arguments_; }
  /// Local memory that its source declares, in bytes.
  std::uint64_t static_local_bytes() const { return static_local_bytes_; }
  /// Largest work-group on this device, registers considered.
  std::uint64_t max_work_group_size() const { return max_work_group_size_; }
  /// Work-groups of a multiple of this waste nothing: wave width or SIMD width.
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

/// Immutable; kernels may be made in several threads at once.
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

/// A program's text, as it is handed to the compiler.
struct ProgramText {
  std::string_view name;  // In errors: the file's.
  std::string_view source;
  std::string_view options;  // "-DREAL=double ..."
};

/// Throws BuildError.
Program build_from_source(const Context& context, const ProgramText& text);
/// Empty when the driver does not take the binary (any more).
Handle<cl_program> build_from_binary(const Context& context, std::string_view binary,
                                     std::string_view options);
/// The device's binary of a built program; empty when the driver has none.
std::string binary_of(const Context& context, const Program& program);

}  // namespace clchol::gpu
