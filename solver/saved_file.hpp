// What the files of this library that are kept begin with, and how their sections are written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/checksum.hpp"

namespace clchol::solver {

/// The first bytes of a file, in every version of its format.
struct FilePrefix {
  char magic[8];             // Names the kind of file.
  std::uint32_t byte_order;  // kFileByteOrder as the machine that wrote the file stores it.
  std::uint32_t version;     // Of the format.
};
static_assert(std::has_unique_object_representations_v<FilePrefix> && sizeof(FilePrefix) == 16);

inline constexpr std::uint32_t kFileByteOrder = 0x01020304, kOtherByteOrder = 0x04030201;

/// @param magic  8 characters.
inline FilePrefix make_prefix(std::string_view magic, std::uint32_t version) {
  FilePrefix prefix = {{}, kFileByteOrder, version};
  std::copy_n(magic.begin(), sizeof prefix.magic, prefix.magic);
  return prefix;
}

/// Why a file with this prefix is not read; empty: it is.
/// @param kind  of file that is expected: "saved factor".
inline std::string prefix_fault(const FilePrefix& prefix, std::string_view magic,
                                std::uint32_t version, const char* kind) {
  if (std::memcmp(prefix.magic, magic.data(), sizeof prefix.magic) != 0) {
    return std::string("is no ") + kind;
  }
  if (prefix.byte_order == kOtherByteOrder) return "was saved on a machine of the other byte order";
  if (prefix.byte_order != kFileByteOrder) return "is damaged: it has no byte order";
  if (prefix.version == version) return {};
  return "has version " + std::to_string(prefix.version) + ", this library reads version " +
         std::to_string(version);
}

/// Hands the bytes of sections on and sums them up.
class SectionWriter {
 public:
  /// @param append  takes the bytes, piece by piece; outlives the writer.
  explicit SectionWriter(const std::function<void(std::string_view)>& append) : append_(append) {}

  template <class T, class Allocator>
  void array(const std::vector<T, Allocator>& values) {
    bytes(values.data(), values.size() * sizeof(T));
  }
  void bytes(const void* data, std::size_t size) {
    sum_.update(data, size);
    append_({static_cast<const char*>(data), size});
  }
  /// Writes the checksum of all bytes so far.
  void checksum() {
    const std::uint64_t value = sum_.value();
    bytes(&value, sizeof value);
  }

 private:
  const std::function<void(std::string_view)>& append_;
  Checksum sum_;
};

}  // namespace clchol::solver
