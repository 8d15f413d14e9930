// Memory plan of a factor, its factorization and its solves: requests with lifetimes, and their
// memory ranges in buffers.
//
// A prediction of memory adds up the buffers.  The code that allocates takes the sizes of the
// buffers and the ranges in them from the same plan, so prediction and allocation cannot differ.
//
// Time is counted in steps: first the groups of fronts, one after another (device/groups.hpp), then
// the solves.  Requests of one buffer may have the same memory range when their lifetimes do not
// overlap.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace clchol::numeric {

/// Kind of memory.
enum class Tier : unsigned char { kDevice, kHost, kFile };

/// A request for bytes from step `first` to step `last`, inclusive.
struct MemoryRequest {
  Index buffer = 0;      ///< Buffer of the request; grows where the request needs it.
  Index within = kNone;  ///< Buffer to use instead where the request fits without growing it.
  Offset bytes = 0;
  Index first = 0, last = 0;
};

class MemoryPlan {
 public:
  /// Memory range of a request: bytes [begin, begin + bytes) of a buffer.
  struct Place {
    Index buffer = kNone;
    Offset begin = 0, bytes = 0;
  };

  /// Memory ranges begin at multiples of this number of bytes, a sector of a device's memory.
  static constexpr Offset kAlignment = 32;

  /// Adds a buffer.
  /// @param what   Name of the buffer in messages.
  /// @param most   Most bytes that the buffer may have; check() compares.
  /// @param bytes  Least bytes of the buffer.
  /// @return number of the buffer.
  Index add_buffer(std::string what, Tier tier, Offset most = std::numeric_limits<Offset>::max(),
                   Offset bytes = 0);

  /// Gives a request the lowest memory range of its buffer that is free during its lifetime: a gap
  /// among the earlier requests whose lifetimes overlap its own, or the range behind them.  Earlier
  /// requests keep their ranges.  Cost O(requests of the buffer).
  /// @return memory range of the request.
  Place add(const MemoryRequest& request);
  /// Gives a request the memory range that begins at byte `begin`, without a search for a free
  /// range.
  void add_at(Offset begin, const MemoryRequest& request);

  Offset bytes(Index buffer) const { return buffers_[buffer].bytes; }
  Offset bytes(Tier tier) const;
  /// Throws OutOfMemory when a buffer has more bytes than it may have.
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
    std::vector<Placed> placed;  // Requests in the buffer, ascending by begin.
  };

  /// @return first byte of the lowest free range for the request, in a buffer that may grow.
  static Offset find_place(const Buffer& buffer, const MemoryRequest& request);
  void put(const Place& place, const MemoryRequest& request);

  std::vector<Buffer> buffers_;
};

}  // namespace clchol::numeric
