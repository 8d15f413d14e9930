// Typed device memory, transfers from and to it, and pinned host memory for fast transfers.
//
//   DeviceView<T>    elements [offset, offset + size) of a buffer; does not own the buffer
//   DeviceBuffer<T>  owns a buffer, or a reference to a caller's buffer
//   PinnedBuffer<T>  owns page-locked host memory, which OpenCL has allocated
//
// Sizes and offsets count elements of type T, unless a comment says bytes.  All functions throw
// InvalidArgument for a range that exceeds its buffer or view, and DeviceError when an OpenCL call
// fails.  A driver may postpone the allocation of a buffer to the buffer's first use.  Then, if
// device memory is exhausted, the first transfer or launch fails instead of the allocation.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include "gpu_kernels/runtime/queue.hpp"

namespace clchol::gpu {

/// Creates a buffer of `bytes` bytes.  Returns an empty handle for 0 bytes.  Throws DeviceError
/// when `bytes` exceeds the device's limit for one allocation, and when the allocation fails.
Handle<cl_mem> create_buffer(const Context& context, std::uint64_t bytes, cl_mem_flags flags);
/// Retains `callers`, a buffer that a caller of the library has created.  Throws InvalidArgument
/// when the buffer belongs to another context.
/// @return a handle of the buffer, and the buffer's size in bytes.
std::pair<Handle<cl_mem>, std::uint64_t> retained_buffer(const Context& context, cl_mem callers);
/// @return count * element_bytes.  Throws InvalidArgument when `count` is negative or the product
/// exceeds the largest Offset.
std::uint64_t bytes_of(Offset count, std::size_t element_bytes);
/// Throws InvalidArgument unless 0 <= first, 0 <= count and first + count <= size.
void check_range(Offset first, Offset count, Offset size);

/// @return the number of bytes of all elements of `list`, for example of a std::vector.
template <class List>
Offset bytes_in(const List& list) {
  return static_cast<Offset>(list.size() * sizeof(typename List::value_type));
}

/// Refers to elements [offset, offset + size) of a buffer.  Does not own the buffer.  A kernel
/// receives a view as two arguments: `__global T* x, long x_offset`.
template <class T>
struct DeviceView {
  cl_mem buffer = nullptr;
  Offset offset = 0;
  Offset size = 0;

  /// @return a view of elements [first, first + count) of this view.
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
  /// Allocates a buffer with undefined contents.
  DeviceBuffer(const Context& context, Offset size)
      : buffer_(create_buffer(context, bytes_of(size, sizeof(T)), CL_MEM_READ_WRITE)),
        size_(size) {}
  /// Retains `callers`, a buffer that a caller of the library has created.  size() is then the
  /// number of whole elements that fit into the buffer.
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

// Calls should name the element type, for example upload<double>(queue, values, buffer): only then
// do arguments of types std::vector and DeviceBuffer convert to std::span and DeviceView.

/// Copies `source` in host memory to the first source.size() elements of `target`.  Blocking.
template <class T>
void upload(Queue& queue, std::span<const T> source, DeviceView<T> target) {
  queue.write(target.part(0, static_cast<Offset>(source.size())).bytes(), source.data());
}

/// Allocates a buffer of values.size() elements and uploads `values` to it.  Blocking.
template <class T>
DeviceBuffer<T> uploaded(Queue& queue, std::span<const T> values) {
  DeviceBuffer<T> buffer(queue.context(), static_cast<Offset>(values.size()));
  upload<T>(queue, values, buffer);
  return buffer;
}

/// Copies the first target.size() elements of `source` to `target` in host memory.  Blocking.
template <class T>
void download(Queue& queue, DeviceView<const T> source, std::span<T> target) {
  queue.read(source.part(0, static_cast<Offset>(target.size())).bytes(), target.data());
}

/// Enqueues an upload of `source` to the first source.size() elements of `target`.  `source` must
/// not change until the returned event is complete.
template <class T>
Event upload_async(Queue& queue, std::span<const T> source, DeviceView<T> target) {
  return queue.write_async(target.part(0, static_cast<Offset>(source.size())).bytes(),
                           source.data());
}

/// Enqueues a download of the first target.size() elements of `source` to `target`, which must not
/// be used until the returned event is complete.
template <class T>
Event download_async(Queue& queue, DeviceView<const T> source, std::span<T> target) {
  return queue.read_async(source.part(0, static_cast<Offset>(target.size())).bytes(),
                          target.data());
}

/// Shape of a column-major matrix: `columns` columns of `rows` contiguous elements.  The first
/// elements of consecutive columns are `ld` elements apart.
struct MatrixShape {
  Offset rows = 0, columns = 0, ld = 0;

  /// Returns the number of elements from the first element of the matrix to its last element.
  Offset extent() const { return columns > 0 ? (columns - 1) * ld + rows : 0; }
};

/// @return the bytes of a matrix that begins at the first element of `view`.
template <class T>
ByteRectangle matrix_bytes(DeviceView<T> view, const MatrixShape& shape) {
  const ByteRange range = view.part(0, shape.extent()).bytes();
  return {range.buffer, range.offset, bytes_of(shape.rows, sizeof(T)),
          static_cast<std::uint64_t>(shape.columns), bytes_of(shape.ld, sizeof(T))};
}

/// Enqueues an upload of a matrix.  The matrix begins at the first element of `source` and of
/// `target`.  Elements between its columns are not written.  `source` must not change until the
/// returned event is complete.
template <class T>
Event upload_matrix_async(Queue& queue, std::span<const T> source, DeviceView<T> target,
                          const MatrixShape& shape) {
  check_range(0, shape.extent(), static_cast<Offset>(source.size()));
  return queue.write_async(matrix_bytes(target, shape), source.data());
}

/// Enqueues a download of a matrix.  The matrix begins at the first element of `source` and of
/// `target`.  Elements between its columns are not written.  `target` must not be used until the
/// returned event is complete.
template <class T>
Event download_matrix_async(Queue& queue, DeviceView<const T> source, std::span<T> target,
                            const MatrixShape& shape) {
  check_range(0, shape.extent(), static_cast<Offset>(target.size()));
  return queue.read_async(matrix_bytes(source, shape), target.data());
}

/// Enqueues a copy of `source` to the first source.size elements of `target`.  `source` and
/// `target` are in device memory; the ranges must not overlap.
template <class T>
Event copy(Queue& queue, DeviceView<const T> source, DeviceView<T> target) {
  return queue.copy(source.bytes(), target.part(0, source.size).bytes());
}

/// Enqueues a command that sets every element of `target` to `value`.
template <class T>
Event fill(Queue& queue, DeviceView<T> target, T value) {
  return queue.fill(target.bytes(), std::as_bytes(std::span<const T, 1>(&value, 1)));
}

// ---- Pinned memory ------------------------------------------------------------------------------

/// The page-locked host memory of a PinnedBuffer: an OpenCL buffer with CL_MEM_ALLOC_HOST_PTR,
/// which stays mapped until the PinnedBytes object is destroyed.
class PinnedBytes {
 public:
  PinnedBytes() = default;
  /// Allocates a buffer of `bytes` bytes and maps it through the queue.  Blocking.
  PinnedBytes(const Queue& queue, std::uint64_t bytes);
  PinnedBytes(PinnedBytes&& other) noexcept
      : buffer_(std::move(other.buffer_)),
        queue_(std::move(other.queue_)),
        context_(other.context_),
        data_(std::exchange(other.data_, nullptr)) {}
  PinnedBytes& operator=(PinnedBytes&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(queue_, other.queue_);
    std::swap(context_, other.context_);
    std::swap(data_, other.data_);
    return *this;
  }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  /// Unmaps the buffer, then waits for all commands of the queue; does neither for a lost device.
  ~PinnedBytes();

  void* data() const { return data_; }

 private:
  Handle<cl_mem> buffer_;
  Handle<cl_command_queue> queue_;
  cl_context context_ = nullptr;
  void* data_ = nullptr;
};

/// Owns pinned host memory of `size` elements.  Do not rely on page alignment of the memory.  In
/// all queues of the context in which the memory was allocated, transfers from and to the memory
/// are fast, and asynchronous transfers do not block the host.  All transfers must be complete
/// before the object is destroyed.
template <class T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedBuffer() = default;
  /// Allocates memory with undefined contents and maps it through the queue.  Blocking.
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
