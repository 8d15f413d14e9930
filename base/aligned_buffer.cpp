#include "base/aligned_buffer.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace clchol {

void advise_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
  // A refusal leaves ordinary pages: nothing is lost, so the result is not looked at.
  static_cast<void>(madvise(data, bytes, MADV_HUGEPAGE));
#endif
}

}  // namespace clchol
