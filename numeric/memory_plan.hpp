// What a factor, its making and its solves take of memory: requests with lifetimes, and their
// places in buffers.
//
// A prediction adds up the buffers, and whoever allocates takes their sizes and the places in them
// from the same plan, so that the two cannot differ.
//
// Time is counted in steps: the groups of fronts one after another (device/groups.hpp), then the
// solves.  Requests of one buffer whose lifetimes do not meet may lie in the same place.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace clchol::numeric {

/// Where memory is.
enum class Tier : unsigned char { kDevice, kHost, kFile };

/// Bytes that are needed from step `first` to step `last`.
struct MemoryRequest {
  Index buffer = 0;      ///< The buffer that they lie in, which grows as far as it has to.
  Index within = kNone;  ///< A buffer that takes them instead, where it has room as it is.
  Offset bytes = 0;
  Index first = 0, last = 0;
};

class MemoryPlan {
 public:
  /// Where a request lies.
  struct Place {
    Index buffer = kNone;
    Offset begin = 0, bytes = 0;
  };

  /// Places begin at multiples of so many bytes: a sector of a device's memory.
  static constexpr Offset kAlignment = 32;

  /// A new buffer.
  /// @param what   names it in messages.
  /// @param most   bytes that it may have: check().
  /// @param bytes  bytes that it has in any case.
  Index add_buffer(std::string what, Tier tier, Offset most = std::numeric_limits<Offset>::max(),
                   Offset bytes = 0);

  /// Places a request behind all earlier ones of its buffer whose lifetimes meet its own, or in the
  /// lowest gap among them that has room.  Earlier places stay.  Cost O(requests of the buffer).
  /// @return where it lies.
  Place add(const MemoryRequest& request);
  /// The same for a request whose first byte is given.
  void add_at(Offset begin, const MemoryRequest& request);

  Offset bytes(Index buffer) const { return buffers_[buffer].bytes; }
  Offset bytes(Tier tier) const;
  /// @throws OutOfMemory when a buffer would be larger than it may be.
  void check() const;

 private:
  struct Placed {
    Place place;
    Index first, last;
  };
  struct Buffer {
    std::string what;
    Tier tier;
    Offset most, bytes;
    std::vector<Placed> placed;  // By begin.
  };

  /// Where `bytes` may begin in a buffer that grows.
  static Offset find_place(const Buffer& buffer, const MemoryRequest& request);
  void put(const Place& place, const MemoryRequest& request);

  std::vector<Buffer> buffers_;
};

}  // namespace clchol::numeric
