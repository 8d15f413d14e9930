#include "gpu_kernels/runtime/pinned_pages.hpp"

namespace clchol::gpu {

Handle<cl_mem> pin_pages(const Context& context, void* data, std::uint64_t bytes) {
  if (bytes == 0) return {};
  cl_int code = CL_SUCCESS;
  Handle<cl_mem> pinned(context.calls().create_buffer(
      context.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, data, &code));
  check(code, "clCreateBuffer", context.name());
  return pinned;
}

}  // namespace clchol::gpu
