// Typed memory of a device, and host memory that it reaches at full speed.
//
//   DeviceView<T>    elements [offset, offset + size) of a buffer; not owned
//   DeviceBuffer<T>  owns a buffer, ours or a caller's
//   PinnedBuffer<T>  host memory for transfers: mapped once, until it is destroyed
//
// Sizes and offsets count elements, in 64 bits.  A range that passes the end throws
// InvalidArgument; what OpenCL refuses throws DeviceError.  Drivers may allocate at first use only:
// "out of device memory" can come from the first transfer or launch too.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include "gpu_kernels/runtime/queue.hpp"

namespace clchol::gpu {

/// Throws DeviceError for more bytes than one allocation of the device may have, and when the
/// allocation fails.  No buffer (null) for no bytes.
Handle<cl_mem> create_buffer(const Context& context, std::uint64_t bytes, cl_mem_flags flags);
/// A caller's buffer, retained, and its size in bytes.  Throws InvalidArgument for another context.
std::pair<Handle<cl_mem>, std::uint64_t> retained_buffer(const Context& context, cl_mem callers);
/// `count` elements of `element_bytes` each.  Throws InvalidArgument when the count is negative or
/// the product passes 64 bits.
std::uint64_t bytes_of(Offset count, std::size_t element_bytes);
/// Throws InvalidArgument unless 0 <= first, 0 <= count, first + count <= size.
void check_range(Offset first, Offset count, Offset size);

/// Bytes that a list takes on a device.
template <class List>
Offset bytes_in(const List& list) {
  return static_cast<Offset>(list.size() * sizeof(typename List::value_type));
}

/// Not owned.  A kernel takes it as two arguments: `__global T* x, long x_offset`.
template <class T>
struct DeviceView {
  cl_mem buffer = nullptr;
  Offset offset = 0;
  Offset size = 0;

  /// Elements [first, first + count) of this view.
  DeviceView part(Offset first, Offset count) const {
    check_range(first, count, size);
    return {buffer, offset + first, count};
  }
  ByteRange bytes() const {
    return {buffer, static_cast<std::uint64_t>(offset) * sizeof(T),
            static_cast<std::uint64_t>(size) * sizeof(T)};
  }
  operator DeviceView<const T>() const { return {buffer, offset, size}; }
};

/// Owner of `size` elements.  Destroyed before its context.
template <class T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>);

 public:
  DeviceBuffer() = default;
  /// Contents undefined.
  DeviceBuffer(const Context& context, Offset size)
      : buffer_(create_buffer(context, bytes_of(size, sizeof(T)), CL_MEM_READ_WRITE)),
        size_(size) {}
  /// A caller's buffer, retained: as many whole elements as it holds.
  static DeviceBuffer retained(const Context& context, cl_mem callers) {
    auto [handle, bytes] = retained_buffer(context, callers);
    DeviceBuffer buffer;
    buffer.buffer_ = std::move(handle);
    buffer.size_ = static_cast<Offset>(bytes / sizeof(T));
    return buffer;
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : buffer_(std::move(other.buffer_)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(size_, other.size_);
    return *this;
  }

  Offset size() const { return size_; }
  cl_mem get() const { return buffer_.get(); }
  DeviceView<T> view() const { return {get(), 0, size_}; }
  DeviceView<T> part(Offset first, Offset count) const { return view().part(first, count); }
  operator DeviceView<T>() const { return view(); }
  operator DeviceView<const T>() const { return view(); }

 private:
  Handle<cl_mem> buffer_;
  Offset size_ = 0;
};

// ---- Transfers ----------------------------------------------------------------------------------

// Called with the element type, upload<double>(queue, values, buffer): vectors and buffers convert.
// The host's side decides how many elements move; the view must have that many, and may have more.

/// Blocking.
template <class T>
void upload(Queue& queue, std::span<const T> source, DeviceView<T> target) {
  queue.write(target.part(0, static_cast<Offset>(source.size())).bytes(), source.data());
}

/// A buffer that holds the values; blocking.
template <class T>
DeviceBuffer<T> uploaded(Queue& queue, std::span<const T> values) {
  DeviceBuffer<T> buffer(queue.context(), static_cast<Offset>(values.size()));
  upload<T>(queue, values, buffer);
  return buffer;
}

/// Blocking.
template <class T>
void download(Queue& queue, DeviceView<const T> source, std::span<T> target) {
  queue.read(source.part(0, static_cast<Offset>(target.size())).bytes(), target.data());
}

/// `source` stays as it is until the event is complete.
template <class T>
Event upload_async(Queue& queue, std::span<const T> source, DeviceView<T> target) {
  return queue.write_async(target.part(0, static_cast<Offset>(source.size())).bytes(),
                           source.data());
}

/// `target` is left alone until the event is complete.
template <class T>
Event download_async(Queue& queue, DeviceView<const T> source, std::span<T> target) {
  return queue.read_async(source.part(0, static_cast<Offset>(target.size())).bytes(),
                          target.data());
}

/// All of `source` to the beginning of `target`, on the device.
template <class T>
Event copy(Queue& queue, DeviceView<const T> source, DeviceView<T> target) {
  return queue.copy(source.bytes(), target.part(0, source.size).bytes());
}

/// Every element becomes `value`.
template <class T>
Event fill(Queue& queue, DeviceView<T> target, T value) {
  return queue.fill(target.bytes(), std::as_bytes(std::span<const T, 1>(&value, 1)));
}

// ---- Pinned memory ------------------------------------------------------------------------------

/// The mapping behind a PinnedBuffer, in bytes.
class PinnedBytes {
 public:
  PinnedBytes() = default;
  PinnedBytes(const Queue& queue, std::uint64_t bytes);
  PinnedBytes(PinnedBytes&& other) noexcept
      : buffer_(std::move(other.buffer_)),
        queue_(std::move(other.queue_)),
        data_(std::exchange(other.data_, nullptr)) {}
  PinnedBytes& operator=(PinnedBytes&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(queue_, other.queue_);
    std::swap(data_, other.data_);
    return *this;
  }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  ~PinnedBytes();

  void* data() const { return data_; }

 private:
  Handle<cl_mem> buffer_;
  Handle<cl_command_queue> queue_;
  void* data_ = nullptr;
};

/// Host memory of `size` elements from and to which transfers are asynchronous and fast, on any
/// queue and any device.  Not page aligned.  Its transfers are complete before it is destroyed.
template <class T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedBuffer() = default;
  /// Contents undefined.  The queue maps it and keeps it so.
  PinnedBuffer(const Queue& queue, Offset size)
      : bytes_(queue, bytes_of(size, sizeof(T))), size_(size) {}
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return static_cast<T*>(bytes_.data()); }
  Offset size() const { return size_; }
  std::span<T> span() const { return {data(), static_cast<std::size_t>(size_)}; }

 private:
  PinnedBytes bytes_;
  Offset size_ = 0;
};

}  // namespace clchol::gpu
