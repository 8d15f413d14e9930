#include "gpu_kernels/runtime/launch.hpp"

#include <limits>
#include <string>

namespace clchol::gpu {
namespace {

using Sizes = std::array<std::uint64_t, 3>;

[[noreturn]] void refuse(const Kernel& kernel, const std::string& reason) {
  throw InvalidArgument("kernel " + kernel.name() + ": " + reason +
                        " [device: " + kernel.context().name() + "]");
}

void check_at_most(const Kernel& kernel, const char* what, std::uint64_t value,
                   std::uint64_t most) {
  if (value > most) {
    refuse(kernel,
           std::string(what) + " = " + std::to_string(value) + ", at most " + std::to_string(most));
  }
}

// Checks each dimension before the product of all, so that the product does not overflow 64 bits.
void check_work_group(const Kernel& kernel, const Sizes& local) {
  const Device& device = kernel.context().device();
  std::uint64_t items = 1;
  for (std::size_t d = 0; d < local.size(); ++d) {
    if (local[d] == 0) refuse(kernel, "work-group of no work-items");
    check_at_most(kernel, "work-group size of a dimension", local[d],
                  device.max_work_item_sizes[d]);
    check_at_most(kernel, "work-group size", local[d], kernel.max_work_group_size() / items);
    items *= local[d];
  }
}

void check_local_memory(const Kernel& kernel, std::uint64_t dynamic_bytes) {
  const Context& context = kernel.context();
  const std::uint64_t declared = kernel.static_local_bytes();
  check_at_most(kernel, "local memory declared, bytes", declared, context.static_local_bytes());
  // With local memory as an argument, the limit is the one that the device reports.
  if (dynamic_bytes > 0) {
    check_at_most(kernel, "local memory, bytes", dynamic_bytes + declared,
                  context.device().description.local_memory_bytes);
  }
}

Sizes global_sizes(const Kernel& kernel, const Grid& grid) {
  Sizes global{};
  for (std::size_t d = 0; d < global.size(); ++d) {
    check_at_most(kernel, "work-groups", grid.groups[d],
                  std::numeric_limits<std::size_t>::max() / grid.local[d]);
    global[d] = grid.groups[d] * grid.local[d];
  }
  return global;
}

}  // namespace

Grid covering(const Sizes& items, const Sizes& local) {
  Grid grid{local, {}};
  for (std::size_t d = 0; d < items.size(); ++d) {
    grid.groups[d] = local[d] == 0 ? 0 : items[d] / local[d] + (items[d] % local[d] > 0 ? 1 : 0);
  }
  return grid;
}

void ArgumentSetter::set(const LocalMemory& local) {
  local_bytes_ += local.bytes;
  set_bytes(local.bytes, nullptr);
}

void ArgumentSetter::set_buffer(cl_mem buffer) {
  set_bytes(sizeof buffer, &buffer);  // NOLINT(bugprone-sizeof-expression): the handle's own size.
}

void ArgumentSetter::set_bytes(std::size_t size, const void* value) {
  if (next_ >= kernel_->num_arguments()) {
    refuse(*kernel_, "more than its " + std::to_string(kernel_->num_arguments()) + " arguments");
  }
  const cl_int code = clSetKernelArg(kernel_->get(), next_, size, value);
  if (code != CL_SUCCESS) {
    check(code, ("clSetKernelArg(" + kernel_->name() + ", " + std::to_string(next_) + ")").c_str(),
          kernel_->context().name());
  }
  ++next_;
}

Event enqueue(Queue& queue, const Kernel& kernel, const Grid& grid, const ArgumentSetter& set,
              bool wants_event) {
  if (set.count() != kernel.num_arguments()) {
    refuse(kernel, std::to_string(set.count()) + " arguments, it has " +
                       std::to_string(kernel.num_arguments()));
  }
  if (&queue.context() != &kernel.context()) refuse(kernel, "the queue is of another context");
  check_work_group(kernel, grid.local);
  check_local_memory(kernel, set.local_bytes());
  const Sizes global = global_sizes(kernel, grid);
  if (global[0] == 0 || global[1] == 0 || global[2] == 0) return {};

  cl_event event = nullptr;
  const bool keep = wants_event || queue.logging();
  const auto enqueue = queue.context().calls().enqueue_kernel;
  check(enqueue(queue.get(), kernel.get(), 3, nullptr, global.data(), grid.local.data(), 0, nullptr,
                keep ? &event : nullptr),
        "clEnqueueNDRangeKernel", queue.context().name());
  return queue.completed(event, kernel.name().c_str());
}

}  // namespace clchol::gpu
