// Launches kernels: sets arguments by their types and checks sizes before it enqueues.  All kernel
// launches use this file.
//
//   launch(queue, kernel, work_groups_of(256, num_tiles), n, x.view(), LocalMemory{bytes});
//
// Arguments and what the kernel declares for them:
//   DeviceView<T>                    __global T* x, long x_offset   (two arguments)
//   DeviceBuffer<T>                  __global T* x
//   LocalMemory{bytes}               __local T* x
//   number, trivially copyable struct (*_args.h)          an argument of the same type and size
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "gpu_kernels/runtime/device_buffer.hpp"
#include "gpu_kernels/runtime/program.hpp"
#include "gpu_kernels/runtime/queue.hpp"

namespace clchol::gpu {

/// Work-items of a work-group and number of work-groups, in three dimensions.  All work-groups have
/// the same size: kernels guard their loads and stores at the edges.
struct Grid {
  std::array<std::uint64_t, 3> local{1, 1, 1};
  std::array<std::uint64_t, 3> groups{1, 1, 1};
};

/// One dimension: `groups` work-groups of `local` work-items.
inline Grid work_groups_of(Offset local, Offset groups) {
  return {{static_cast<std::uint64_t>(local), 1, 1}, {static_cast<std::uint64_t>(groups), 1, 1}};
}

/// The fewest work-groups of this shape that hold `items` work-items in every dimension.
Grid covering(const std::array<std::uint64_t, 3>& items, const std::array<std::uint64_t, 3>& local);

/// The same for one dimension.
inline Grid covering(Offset items, Offset local) {
  return covering({static_cast<std::uint64_t>(items), 1, 1},
                  {static_cast<std::uint64_t>(local), 1, 1});
}

/// An argument that is an array in local memory; its contents are undefined.
struct LocalMemory {
  std::uint64_t bytes = 0;
};

/// Sets the arguments of one launch in order, and adds up the local memory of the arguments.
class ArgumentSetter {
 public:
  explicit ArgumentSetter(const Kernel& kernel) : kernel_(&kernel) {}

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

  /// Number of arguments set so far.
  std::uint32_t count() const { return next_; }
  std::uint64_t local_bytes() const { return local_bytes_; }

 private:
  void set_buffer(cl_mem buffer);
  void set_bytes(std::size_t size, const void* value);

  const Kernel* kernel_;
  std::uint32_t next_ = 0;
  std::uint64_t local_bytes_ = 0;
};

/// Enqueues the kernel with the arguments that were set.  Throws as launch().
Event enqueue(Queue& queue, const Kernel& kernel, const Grid& grid, const ArgumentSetter& set,
              bool wants_event);

/// Enqueues the kernel and returns.  Enqueues nothing for a grid without work-groups.
/// Throws InvalidArgument when the number of arguments is not the kernel's, when the queue is of
/// another context, or when the work-group or its local memory is larger than the device or the
/// kernel allows (the message names kernel, value and bound); DeviceError when OpenCL fails.
template <class... Arguments>
void launch(Queue& queue, const Kernel& kernel, const Grid& grid, const Arguments&... arguments) {
  ArgumentSetter set(kernel);
  (set.set(arguments), ...);
  enqueue(queue, kernel, grid, set, false);
}

/// As launch().  @return the launch's event; empty for a grid without work-groups.
template <class... Arguments>
Event launch_event(Queue& queue, const Kernel& kernel, const Grid& grid,
                   const Arguments&... arguments) {
  ArgumentSetter set(kernel);
  (set.set(arguments), ...);
  return enqueue(queue, kernel, grid, set, true);
}

}  // namespace clchol::gpu
