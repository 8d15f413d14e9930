// Checksums of 64 bits by the hash function XXH3.  The checksums detect accidental damage, and are
// computed as fast as memory is read.  They do not protect against deliberate forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace clchol {

/// The checksum of a stream of bytes that the caller passes piece by piece.
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
