// Functions that launch a kernel: they set the kernel's arguments, check sizes and enqueue the
// kernel.  The library launches all kernels by these functions.  For example, this call launches
// num_tiles work-groups of 256 work-items:
//
//   launch(queue, kernel, work_groups_of(256, num_tiles), n, x.view(), LocalMemory{bytes});
//
//   argument of launch()             parameter of the kernel
//   DeviceView<T>                    __global T* x, long x_offset   (two parameters)
//   DeviceBuffer<T>                  __global T* x
//   LocalMemory{bytes}               __local T* x
//   number                           a number of the same type
//   struct of a header *_args.h      the same struct
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/program.hpp"
#include "gpu_kernels/runtime/queue.hpp"

namespace clchol::gpu {

/// The index space (NDRange) of a launch, in three dimensions.  All work-groups have equal size, so
/// kernels must guard their loads and stores at the edges of matrices.
struct Grid {
  std::array<std::uint64_t, 3> local{1, 1, 1};   // Work-items of a work-group, by dimension.
  std::array<std::uint64_t, 3> groups{1, 1, 1};  // Number of work-groups, by dimension.
};

/// @return a grid of one dimension: `groups` work-groups of `local` work-items.
inline Grid work_groups_of(Offset local, Offset groups) {
  return {{static_cast<std::uint64_t>(local), 1, 1}, {static_cast<std::uint64_t>(groups), 1, 1}};
}

/// @return the smallest grid with at least items[d] work-items in every dimension d, in work-groups
/// of local[d] work-items.
Grid covering(const std::array<std::uint64_t, 3>& items, const std::array<std::uint64_t, 3>& local);

/// @return the smallest grid of one dimension with at least `items` work-items, in work-groups of
/// `local` work-items.
inline Grid covering(Offset items, Offset local) {
  return covering({static_cast<std::uint64_t>(items), 1, 1},
                  {static_cast<std::uint64_t>(local), 1, 1});
}

/// An argument that gives the kernel an array of `bytes` bytes in local memory, with undefined
/// contents.
struct LocalMemory {
  std::uint64_t bytes = 0;
};

/// Sets the arguments of a kernel, one after another, for one launch.
class ArgumentSetter {
 public:
  explicit ArgumentSetter(const Kernel& kernel) : kernel_(&kernel) {}

  /// Each overload of set() sets the kernel's next parameter.  The overload for a DeviceView sets
  /// the next two parameters.  Throws InvalidArgument when the kernel has no further parameter,
  /// DeviceError when an OpenCL call fails.
  template <class T>
  void set(const DeviceView<T>& view) {
    set_buffer(view.buffer);
    set_bytes(sizeof(cl_long), &view.offset);
  }
  template <class T>
  void set(const DeviceBuffer<T>& buffer) {
    set_buffer(buffer.get());
  }
  void set(const LocalMemory& local);
  template <class T>
  void set(const T& value) {
    static_assert(
        std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_same_v<T, bool>,
        "kernels take no bool and no pointer of the host");
    set_bytes(sizeof value, &value);
  }

  /// Number of the kernel's parameters that have been set.
  std::uint32_t count() const { return next_; }
  /// Sum of LocalMemory::bytes over the arguments that have been set.
  std::uint64_t local_bytes() const { return local_bytes_; }

 private:
  void set_buffer(cl_mem buffer);
  void set_bytes(std::size_t size, const void* value);

  const Kernel* kernel_;
  std::uint32_t next_ = 0;
  std::uint64_t local_bytes_ = 0;
};

/// Enqueues the kernel with the arguments that `set` has set.  Throws InvalidArgument and
/// DeviceError in the cases that launch() lists.
/// @param wants_event  true: an event is made.  false: an event is made only if the queue has a
///                     log.
/// @return the launch's event.  Empty if no event is made or the grid has no work-groups.
Event enqueue(Queue& queue, const Kernel& kernel, const Grid& grid, const ArgumentSetter& set,
              bool wants_event);

/// Sets the kernel's arguments and enqueues the kernel.  Enqueues nothing for a grid without
/// work-groups.  Throws InvalidArgument when the number of arguments is wrong, when queue and
/// kernel belong to different contexts, or when the work-group or its local memory is larger than
/// the device and the kernel allow.  Then the message names kernel, value and limit.  Throws
/// DeviceError when an OpenCL call fails.
template <class... Arguments>
void launch(Queue& queue, const Kernel& kernel, const Grid& grid, const Arguments&... arguments) {
  ArgumentSetter set(kernel);
  (set.set(arguments), ...);
  enqueue(queue, kernel, grid, set, false);
}

/// Sets the kernel's arguments and enqueues the kernel, like launch(), with the same exceptions.
/// @return the launch's event.  Empty for a grid without work-groups.
template <class... Arguments>
Event launch_event(Queue& queue, const Kernel& kernel, const Grid& grid,
                   const Arguments&... arguments) {
  ArgumentSetter set(kernel);
  (set.set(arguments), ...);
  return enqueue(queue, kernel, grid, set, true);
}

}  // namespace clchol::gpu
