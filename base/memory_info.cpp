#include "base/memory_info.hpp"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/control_group.hpp"

namespace clchol {
namespace {

constexpr std::int64_t kUnknown = -1;

/// The first kilobytes of a file of the system; empty where there is no such file.
class FileHead {
 public:
  explicit FileHead(const char* path) noexcept {
    std::FILE* file = std::fopen(path, "re");
    if (file == nullptr) return;
    text_[std::fread(text_.data(), 1, text_.size() - 1, file)] = '\0';
    std::fclose(file);
  }
  /// Returns the number in the line `key <number> kB`, in bytes, or kUnknown.  `key` ends in ":".
  std::int64_t bytes(const char* key) const noexcept {
    const char* const line = std::strstr(text_.data(), key);
    if (line == nullptr) return kUnknown;
    return std::strtoll(line + std::strlen(key), nullptr, 10) * 1024;
  }

 private:
  std::array<char, 4096> text_{};
};

/// Reads the number at the start of a file.  Returns kUnknown for other contents, such as "max".
std::int64_t read_number(const char* path) noexcept {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return kUnknown;
  long long number = 0;
  const bool ok = std::fscanf(file, "%lld", &number) == 1;
  std::fclose(file);
  return ok ? number : kUnknown;
}

/// Bytes left under the memory limit of the control group with this directory, or kUnknown.
std::int64_t left_in_group(const std::string& folder) {
  std::int64_t limit = read_number((folder + "/memory.max").c_str());
  std::int64_t usage = read_number((folder + "/memory.current").c_str());
  if (limit == kUnknown || usage == kUnknown) {  // Names of the files in cgroup version 1.
    limit = read_number((folder + "/memory.limit_in_bytes").c_str());
    usage = read_number((folder + "/memory.usage_in_bytes").c_str());
  }
  if (limit == kUnknown || usage == kUnknown) return kUnknown;
  return std::max<std::int64_t>(limit - usage, 0);
}

}  // namespace

ResidentBytes resident_bytes() noexcept {
  const FileHead status("/proc/self/status");
  return {.now = std::max<std::int64_t>(status.bytes("VmRSS:"), 0),
          .peak = std::max<std::int64_t>(status.bytes("VmHWM:"), 0)};
}

std::int64_t free_heap_bytes() noexcept {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  return static_cast<std::int64_t>(mallinfo2().fordblks);
#else
  return 0;
#endif
}

std::int64_t available_bytes() {
  std::int64_t least = std::numeric_limits<std::int64_t>::max() / 4;
  const auto lower_to = [&least](std::int64_t bytes) {
    if (bytes != kUnknown) least = std::min(least, bytes);
  };
  lower_to(FileHead("/proc/meminfo").bytes("MemAvailable:"));
  static const std::vector<std::string> kFolders = control_group_folders("memory");
  for (const std::string& folder : kFolders) lower_to(left_in_group(folder));
  return least;
}

}  // namespace clchol
