// OpenCL programs, built from source or from a binary, and their kernels.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "gpu_kernels/runtime/context.hpp"
#include "gpu_kernels/runtime/handle.hpp"

namespace clchol::gpu {

/// Thrown when a program could not be compiled.  what() names the OpenCL function, error code,
/// device, program and options, and contains the build log.  A caller that has a simpler variant of
/// the kernel can catch this exception and build the simpler variant.
class BuildError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// One kernel object of OpenCL.  A kernel object stores the arguments of the next launch, and
/// OpenCL does not allow two threads to set arguments of one kernel object at the same time.  So
/// each thread needs a Kernel of its own.  A caller that sets arguments once for several launches
/// also needs a Kernel of its own.
class Kernel {
 public:
  Kernel() = default;
  /// Creates the kernel `name` of the program.  Throws DeviceError when the program has no kernel
  /// of this name.
  Kernel(const Context& context, cl_program program, const char* name);

  const Context& context() const { return *context_; }
  const std::string& name() const { return name_; }
  cl_kernel get() const { return kernel_.get(); }

  std::uint32_t num_arguments() const { return num_arguments_; }
  /// Bytes of local memory that the kernel's source declares.  Local memory that is passed as an
  /// argument does not count.
  std::uint64_t static_local_bytes() const { return static_local_bytes_; }
  /// Greatest number of work-items in a work-group of this kernel on the context's device.  The
  /// number depends on the kernel's use of registers.
  std::uint64_t max_work_group_size() const { return max_work_group_size_; }
  /// CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, which is usually the warp width of a GPU or the
  /// SIMD width of a CPU.  The number of work-items in a work-group should be a multiple of it.
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

/// A built program.  Immutable: several threads may call kernel() at the same time.
class Program {
 public:
  /// Takes over `built`, a program that was built for the context's device.
  Program(const Context& context, Handle<cl_program> built)
      : context_(&context), program_(std::move(built)) {}

  /// Creates a kernel object.  Throws DeviceError when the program has no kernel of this name.
  Kernel kernel(const char* name) const { return {*context_, program_.get(), name}; }
  cl_program get() const { return program_.get(); }

 private:
  const Context* context_;
  Handle<cl_program> program_;
};

/// A program's source and the options for the compilation.  Refers to text that the caller owns.
struct ProgramText {
  std::string_view name;     // Name of the kernel file, for error messages.
  std::string_view source;   // OpenCL C.
  std::string_view options;  // Options of clBuildProgram, for example "-DREAL=double".
};

/// Compiles a program for the context's device.  Throws BuildError, and DeviceError when OpenCL
/// cannot create the program.
Program build_from_source(const Context& context, const ProgramText& text);
/// Builds a program from a binary that binary_of() returned.
/// @param options  options of clBuildProgram with which the binary was compiled.
/// @return an empty handle when the driver does not accept the binary, for example after an update
/// of the driver.
Handle<cl_program> build_from_binary(const Context& context, std::string_view binary,
                                     std::string_view options);
/// @return the binary of a built program for the context's device.  Empty when the driver does not
/// give the binary.
std::string binary_of(const Context& context, const Program& program);

}  // namespace clchol::gpu
