// Checksums by XXH3 with 64 bits.  They detect accidental damage at the speed of memory, but do not
// protect against deliberate forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace clchol {

class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(const Checksum&) = delete;
  Checksum& operator=(const Checksum&) = delete;

  /// Appends bytes to the checksummed stream.  The division of the stream into calls has no effect
  /// on the checksum.
  void update(const void* bytes, std::size_t size);
  /// Checksum of all bytes appended so far.
  std::uint64_t value() const;

 private:
  struct State;  // XXH3_state_t of the xxHash library, which needs a special alignment.
  std::unique_ptr<State> state_;
};

/// Checksum of one contiguous range of bytes.
inline std::uint64_t checksum_of(const void* bytes, std::size_t size) {
  Checksum sum;
  sum.update(bytes, size);
  return sum.value();
}

}  // namespace clchol
