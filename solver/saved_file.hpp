// Common parts of the two kinds of files that this library saves, an analysis (analysis_file.hpp)
// and a factor (factor_file/): the prefix of 16 bytes with which each file begins, and the writer
// of sections.  A section is a header or an array, stored as the bytes that it has in memory.
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

/// The first bytes of a file, the same in every version of its format.
struct FilePrefix {
  char magic[8];             // Name of the kind of file: 8 characters, without a zero at the end.
  std::uint32_t byte_order;  // kFileByteOrder as the machine that wrote the file stores it.
  std::uint32_t version;     // Version of the format.
};
static_assert(std::has_unique_object_representations_v<FilePrefix> && sizeof(FilePrefix) == 16);

inline constexpr std::uint32_t kFileByteOrder = 0x01020304, kOtherByteOrder = 0x04030201;

/// Returns the prefix of a file that is written on this machine.
/// @param magic  name of the kind of file: 8 characters.
inline FilePrefix make_prefix(std::string_view magic, std::uint32_t version) {
  FilePrefix prefix = {{}, kFileByteOrder, version};
  std::copy_n(magic.begin(), sizeof prefix.magic, prefix.magic);
  return prefix;
}

/// Returns the reason why a file with this prefix cannot be read; empty: it can be read.
/// @param magic    the name of the kind of file that is expected: 8 characters.
/// @param version  the version that this library reads.
/// @param kind     the kind of file that is expected, for the text, such as "saved factor".
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

/// Passes the bytes of sections to a function that writes the file, and computes their checksum.
class SectionWriter {
 public:
  /// @param append  is called once for each section, with its bytes; must outlive the writer.
  explicit SectionWriter(const std::function<void(std::string_view)>& append) : append_(append) {}

  /// Writes the entries of a vector as one section, without their number.
  template <class T, class Allocator>
  void array(const std::vector<T, Allocator>& values) {
    bytes(values.data(), values.size() * sizeof(T));
  }
  void bytes(const void* data, std::size_t size) {
    sum_.update(data, size);
    append_({static_cast<const char*>(data), size});
  }
  /// Writes, as a section of 8 bytes, the checksum of all bytes that this writer wrote before.
  void checksum() {
    const std::uint64_t value = sum_.value();
    bytes(&value, sizeof value);
  }

 private:
  const std::function<void(std::string_view)>& append_;
  Checksum sum_;
};

}  // namespace clchol::solver
