// Plans memory for a factor, its factorization and its solves.  Each request for memory has a
// lifetime and gets a range of a buffer.  Requests of one buffer may share memory if their
// lifetimes do not overlap.
//
// Memory is predicted by adding up the buffers of the plan.  The code that allocates takes the
// sizes of the buffers and the ranges in them from the same plan, so that prediction and allocation
// cannot differ.
//
// Time is counted in steps: one step for each group of fronts, in their order (device/groups.hpp),
// then steps for solves.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace clchol::numeric {

/// Kind of memory.
enum class Tier : unsigned char { kDevice, kHost, kFile };

/// A request for memory.
struct MemoryRequest {
  Index buffer = 0;  ///< Buffer that gives the memory.  The plan enlarges it if necessary.
  /// Buffer that gives the memory instead if it is large enough already.  kNone: no such buffer.
  Index within = kNone;
  Offset bytes = 0;           ///< Bytes requested.
  Index first = 0, last = 0;  ///< The memory is in use from step `first` to step `last`, inclusive.
};

/// Sizes of buffers, and the ranges of all requests in the buffers.  Allocates no memory itself.
class MemoryPlan {
 public:
  /// A memory range: bytes [begin, begin + bytes) of a buffer.
  struct Place {
    Index buffer = kNone;
    Offset begin = 0, bytes = 0;
  };

  /// add() begins ranges at multiples of this number of bytes, the size of a sector of a device's
  /// memory.
  static constexpr Offset kAlignment = 32;

  /// Adds a buffer.
  /// @param what   Name of the buffer's contents in messages; a plural noun.
  /// @param most   Greatest number of bytes that the buffer may have.  Only check() reads it.
  /// @param bytes  Bytes that the buffer has before any request.
  /// @return number of the buffer.
  Index add_buffer(std::string what, Tier tier, Offset most = std::numeric_limits<Offset>::max(),
                   Offset bytes = 0);

  /// Adds a request and gives it the lowest range of its buffer that is free during the request's
  /// lifetime.  Ranges of earlier requests do not change.  Cost O(requests of the buffer).
  /// @return range of the request.
  Place add(const MemoryRequest& request);
  /// Adds a request and gives it the range of request.buffer that begins at byte `begin`.  The
  /// caller must know that the range is free during the request's lifetime.
  void add_at(Offset begin, const MemoryRequest& request);

  /// Bytes of one buffer.
  Offset bytes(Index buffer) const { return buffers_[buffer].bytes; }
  /// Bytes of all buffers in one kind of memory.
  Offset bytes(Tier tier) const;
  /// Throws OutOfMemory when a buffer has more bytes than add_buffer() has allowed.
  void check() const;

 private:
  /// A request of a buffer: its range, and its first and last step.
  struct Placed {
    Place place;
    Index first, last;
  };
  struct Buffer {
    std::string what;            // Name of the contents in messages.
    Tier tier;                   // Kind of memory.
    Offset most, bytes;          // Bytes that the buffer may have, and that it has.
    std::vector<Placed> placed;  // Requests of the buffer, in ascending order of their ranges.
  };

  /// Returns the first byte of the lowest range that is free during the request's lifetime.  The
  /// range may end behind the buffer's end.
  static Offset find_place(const Buffer& buffer, const MemoryRequest& request);
  void put(const Place& place, const MemoryRequest& request);

  std::vector<Buffer> buffers_;
};

}  // namespace clchol::numeric
