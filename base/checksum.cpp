#include "base/checksum.hpp"

#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming): header-only use.
#include <xxhash.h>

namespace clchol {

struct Checksum::State {
  XXH3_state_t xxh3;
};

// The XXH3 functions below fail for null pointers only, so their results are ignored.

Checksum::Checksum() : state_(std::make_unique<State>()) {
  static_cast<void>(XXH3_64bits_reset(&state_->xxh3));
}

Checksum::~Checksum() = default;

void Checksum::update(const void* bytes, std::size_t size) {
  if (size > 0) static_cast<void>(XXH3_64bits_update(&state_->xxh3, bytes, size));
}

std::uint64_t Checksum::value() const { return XXH3_64bits_digest(&state_->xxh3); }

Fingerprint fingerprint_of(std::span<const std::byte> bytes) noexcept {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {.low = hash.low64, .high = hash.high64};
}

}  // namespace clchol
