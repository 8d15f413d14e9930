#include "base/memory_info.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>

namespace clchol {
namespace {

constexpr std::int64_t kMegabyte = std::int64_t{1} << 20;

/// Resident pages by mmap: an allocator might reuse pages that are resident already.
class Pages {
 public:
  explicit Pages(std::int64_t bytes)
      : bytes_(bytes),
        data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {
    EXPECT_NE(data_, MAP_FAILED);
  }
  ~Pages() { munmap(data_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

 private:
  std::size_t bytes_;
  void* data_;
};

TEST(MemoryInfo, ResidentBytesAreThoseOfAProcess) {
  EXPECT_GT(resident_bytes().now, kMegabyte / 2);
  EXPECT_LT(resident_bytes().now, std::int64_t{1} << 40);
}

TEST(MemoryInfo, FreeHeapBytesAreNoMoreThanTheProcessHas) {
  EXPECT_GE(free_heap_bytes(), 0);
  EXPECT_LT(free_heap_bytes(), std::int64_t{1} << 40);
}

TEST(MemoryInfo, ResidentBytesGrowByWhatIsTouched) {
  const std::int64_t before = resident_bytes().now;

  const Pages held(64 * kMegabyte);

  // The system's count of resident pages lags by a few pages for each thread.
  EXPECT_NEAR(static_cast<double>(resident_bytes().now - before), 64.0 * kMegabyte,
              4.0 * kMegabyte);
}

TEST(MemoryInfo, PeakStaysWhenMemoryIsGivenBack) {
  std::int64_t with = 0;
  {
    const Pages held(64 * kMegabyte);
    with = resident_bytes().now;
  }

  EXPECT_LT(resident_bytes().now, with - 32 * kMegabyte);
  EXPECT_GE(resident_bytes().peak, with - kMegabyte);
}

TEST(MemoryInfo, PeakIsNotBelowTheResidentBytes) {
  const std::int64_t now = resident_bytes().now;

  EXPECT_GE(resident_bytes().peak, now - kMegabyte);
}

TEST(MemoryInfo, SomethingIsAvailable) { EXPECT_GT(available_bytes(), kMegabyte); }

}  // namespace
}  // namespace clchol
