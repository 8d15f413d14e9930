#include "tests/support/failing_allocator.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace clchol::test {
namespace {

std::atomic<std::int64_t> countdown{0};  // Requests until one fails; 0: no request will fail.
std::atomic<bool> failed{false};
std::atomic<std::int64_t> live{0};
std::atomic<std::int64_t> live_size{0};

bool is_to_fail() noexcept {
  if (countdown.load() <= 0 || countdown.fetch_sub(1) != 1) return false;
  failed = true;
  return true;
}

/// Stored before each block.
struct Header {
  std::size_t size;       // Bytes that the caller asked for.
  std::size_t alignment;  // Bytes from the begin of the allocated memory to the block.
};

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  alignment = std::max(alignment, alignof(std::max_align_t));
  static_assert(sizeof(Header) <= alignof(std::max_align_t));
  // aligned_alloc takes only multiples of the alignment.
  const std::size_t size = (bytes / alignment + 2) * alignment;
  auto* const data = static_cast<std::byte*>(std::aligned_alloc(alignment, size));
  if (data == nullptr) return nullptr;
  ++live;
  live_size += static_cast<std::int64_t>(bytes);
  std::byte* const block = data + alignment;
  new (block - sizeof(Header)) Header{bytes, alignment};
  return block;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* data = is_to_fail() ? nullptr : allocate(bytes, alignment);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

void release(void* data) noexcept {
  if (data == nullptr) return;
  auto* const block = static_cast<std::byte*>(data);
  const Header header = *reinterpret_cast<const Header*>(block - sizeof(Header));
  --live;
  live_size -= static_cast<std::int64_t>(header.size);
  std::free(block - header.alignment);
}

constexpr std::size_t kPlain = 1;

}  // namespace

FailingRequest::FailingRequest(std::int64_t k) {
  failed = false;
  countdown = k;
}
FailingRequest::~FailingRequest() { countdown = 0; }
bool FailingRequest::has_failed() const { return failed; }

std::int64_t live_blocks() { return live; }
std::int64_t live_bytes() { return live_size; }

}  // namespace clchol::test

using clchol::test::allocate;
using clchol::test::allocate_or_throw;
using clchol::test::kPlain;
using clchol::test::release;

void* operator new(std::size_t n) { return allocate_or_throw(n, kPlain); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, kPlain); }
void* operator new(std::size_t n, std::align_val_t a) {
  return allocate_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return allocate_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, kPlain); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, kPlain); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, static_cast<std::size_t>(a));
}

void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { release(p); }
