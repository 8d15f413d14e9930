#include "base/memory_info.hpp"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/control_group.hpp"

namespace clchol {
namespace {

constexpr std::int64_t kUnknown = -1;

/// Reads the line `key: <number> kB` of a file.  Returns the number in bytes, or kUnknown.
std::int64_t read_kilobytes(const char* path, const char* key) noexcept {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return kUnknown;
  std::int64_t result = kUnknown;
  char line[256];
  const std::size_t length = std::strlen(key);
  while (result == kUnknown && std::fgets(line, sizeof line, file) != nullptr) {
    long long kilobytes = 0;
    if (std::strncmp(line, key, length) == 0 &&
        std::sscanf(line + length, ": %lld kB", &kilobytes) == 1) {
      result = kilobytes * 1024;
    }
  }
  std::fclose(file);
  return result;
}

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

std::int64_t resident_bytes() noexcept {
  return std::max<std::int64_t>(read_kilobytes("/proc/self/status", "VmRSS"), 0);
}

std::int64_t peak_resident_bytes() noexcept {
  return std::max<std::int64_t>(read_kilobytes("/proc/self/status", "VmHWM"), 0);
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
  lower_to(read_kilobytes("/proc/meminfo", "MemAvailable"));
  static const std::vector<std::string> kFolders = control_group_folders("memory");
  for (const std::string& folder : kFolders) lower_to(left_in_group(folder));
  return least;
}

}  // namespace clchol
