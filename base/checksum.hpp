// Checksums of 64 bits and fingerprints of 128 bits by the hash function XXH3, which are computed
// as fast as memory is read.  Checksums detect accidental damage.  Equal fingerprints are taken for
// equal contents: those of two given contents agree by accident with a probability of 2^-128.
// Neither protects against deliberate forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

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

/// The fingerprint of a range of bytes.
struct Fingerprint {
  std::uint64_t low = 0, high = 0;

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};
Fingerprint fingerprint_of(std::span<const std::byte> bytes) noexcept;

}  // namespace clchol
