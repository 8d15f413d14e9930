// XXH3, 64 bits: finds damage at the speed of memory; no protection against whoever wants to
// deceive.
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

  /// The next bytes; how they are divided among calls makes no difference.
  void update(const void* bytes, std::size_t size);
  /// Of all bytes so far.
  std::uint64_t value() const;

 private:
  struct State;  // The library's own, aligned as it wants.
  std::unique_ptr<State> state_;
};

/// Of one run of bytes.
inline std::uint64_t checksum_of(const void* bytes, std::size_t size) {
  Checksum sum;
  sum.update(bytes, size);
  return sum.value();
}

}  // namespace clchol
