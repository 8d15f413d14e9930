// Typed device memory, and pinned host memory for fast transfers.
//
//   DeviceView<T>    elements [offset, offset + size) of a buffer; does not own the buffer
//   DeviceBuffer<T>  owns a buffer, or a reference to a caller's buffer
//   PinnedBuffer<T>  host memory for transfers, mapped from its construction to its destruction
//
// Sizes and offsets count elements, in 64 bits.  A range that passes the end throws
// InvalidArgument; an OpenCL call that fails throws DeviceError.  A driver may allocate a buffer at
// its first use only: "out of device memory" can also come from the first transfer or launch.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include "gpu_kernels/runtime/queue.hpp"

namespace clchol::gpu {

/// Creates a buffer; an empty handle for 0 bytes.  Throws DeviceError for more bytes than one
/// allocation of the device may have, and when the allocation fails.
Handle<cl_mem> create_buffer(const Context& context, std::uint64_t bytes, cl_mem_flags flags);
/// Retains a caller's buffer.  Throws InvalidArgument for a buffer of another context.
/// @return the buffer and its size in bytes.
std::pair<Handle<cl_mem>, std::uint64_t> retained_buffer(const Context& context, cl_mem callers);
/// Bytes of `count` elements of `element_bytes` each.  Throws InvalidArgument when the count is
/// negative or the product overflows 64 bits.
std::uint64_t bytes_of(Offset count, std::size_t element_bytes);
/// Throws InvalidArgument unless 0 <= first, 0 <= count, first + count <= size.
void check_range(Offset first, Offset count, Offset size);

/// Bytes of the elements of a list.
template <class List>
Offset bytes_in(const List& list) {
  return static_cast<Offset>(list.size() * sizeof(typename List::value_type));
}

/// Elements [offset, offset + size) of a buffer, which the view does not own.  A kernel takes a
/// view as two arguments: `__global T* x, long x_offset`.
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

/// Owns a buffer of `size` elements.  Must be destroyed before its context.
template <class T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>);

 public:
  DeviceBuffer() = default;
  /// The contents are undefined.
  DeviceBuffer(const Context& context, Offset size)
      : buffer_(create_buffer(context, bytes_of(size, sizeof(T)), CL_MEM_READ_WRITE)),
        size_(size) {}
  /// Retains a caller's buffer.  The size is the number of whole elements that fit into the buffer.
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

// Call with the element type, as upload<double>(queue, values, buffer), so that vectors and buffers
// convert.  The host span's size is the number of elements that are moved; the view must have at
// least as many.

/// Copies `source` to the first elements of `target`.  Blocking.
template <class T>
void upload(Queue& queue, std::span<const T> source, DeviceView<T> target) {
  queue.write(target.part(0, static_cast<Offset>(source.size())).bytes(), source.data());
}

/// Allocates a buffer and uploads the values.  Blocking.
template <class T>
DeviceBuffer<T> uploaded(Queue& queue, std::span<const T> values) {
  DeviceBuffer<T> buffer(queue.context(), static_cast<Offset>(values.size()));
  upload<T>(queue, values, buffer);
  return buffer;
}

/// Copies the first elements of `source` to `target`.  Blocking.
template <class T>
void download(Queue& queue, DeviceView<const T> source, std::span<T> target) {
  queue.read(source.part(0, static_cast<Offset>(target.size())).bytes(), target.data());
}

/// As upload(), without waiting.  `source` must not change until the event is complete.
template <class T>
Event upload_async(Queue& queue, std::span<const T> source, DeviceView<T> target) {
  return queue.write_async(target.part(0, static_cast<Offset>(source.size())).bytes(),
                           source.data());
}

/// As download(), without waiting.  `target` must not be used until the event is complete.
template <class T>
Event download_async(Queue& queue, DeviceView<const T> source, std::span<T> target) {
  return queue.read_async(source.part(0, static_cast<Offset>(target.size())).bytes(),
                          target.data());
}

/// Copies all of `source` to the first elements of `target`, on the device.
template <class T>
Event copy(Queue& queue, DeviceView<const T> source, DeviceView<T> target) {
  return queue.copy(source.bytes(), target.part(0, source.size).bytes());
}

/// Sets every element to `value`.
template <class T>
Event fill(Queue& queue, DeviceView<T> target, T value) {
  return queue.fill(target.bytes(), std::as_bytes(std::span<const T, 1>(&value, 1)));
}

// ---- Pinned memory ------------------------------------------------------------------------------

/// The mapped bytes of a PinnedBuffer.
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

/// Pinned host memory of `size` elements.  Transfers from and to it are asynchronous and fast, on
/// any queue and any device.  Not page aligned.  Its transfers must be complete before it is
/// destroyed.
template <class T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedBuffer() = default;
  /// The contents are undefined.  The queue maps the memory until the buffer is destroyed.
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
