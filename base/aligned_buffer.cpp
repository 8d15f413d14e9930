#include "base/aligned_buffer.hpp"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace clchol {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= kHugePage ? kHugePage : kCacheLine};
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  void* const data = ::operator new(bytes, alignment_of(bytes));
#if defined(__linux__)
  // The result is ignored: after a refusal the memory has ordinary pages.
  if (bytes >= kHugePage) static_cast<void>(madvise(data, bytes, MADV_HUGEPAGE));
#endif
  return data;
}

void free_aligned(void* data, std::size_t bytes) noexcept {
  ::operator delete(data, alignment_of(bytes));
}

}  // namespace clchol
