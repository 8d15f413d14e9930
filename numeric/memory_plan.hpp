// Plans memory for a factor, its factorization and its solves.  Each request for memory has a
// lifetime and gets a range of a buffer.  The ranges of two requests of one buffer may overlap if
// the lifetimes of the two requests do not overlap.
//
// The predicted memory is the sum of the buffers of the plan.  The code that allocates takes the
// sizes of the buffers and the ranges in them from the same plan, so that prediction and allocation
// cannot differ.
//
// Lifetimes are counted in steps: first one step for each group of fronts, in the order in which
// the groups are factored (device/groups.hpp), then steps for solves.
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
  /// Number of the buffer in which the request gets its range.  The plan enlarges the buffer if
  /// necessary.
  Index buffer = 0;
  /// Number of another buffer, which MemoryPlan::add() uses instead of `buffer` if this other
  /// buffer has a free range without being enlarged.  kNone: no other buffer.
  Index within = kNone;
  Offset bytes = 0;           ///< Bytes requested.
  Index first = 0, last = 0;  ///< Lifetime: from step `first` to step `last`, inclusive.
};

/// Sizes of buffers, and the ranges of all requests in the buffers.  Allocates no memory itself.
class MemoryPlan {
 public:
  /// A memory range: bytes [begin, begin + bytes) of a buffer.
  struct Place {
    Index buffer = kNone;
    Offset begin = 0, bytes = 0;
  };

  /// Ranges that add() gives begin at multiples of this number of bytes: the size of a sector,
  /// which is the smallest unit of a device's memory transfers.
  static constexpr Offset kAlignment = 32;

  /// Adds a buffer.
  /// @param what   Plural noun that names the contents in error messages, such as "panels".
  /// @param tier   Kind of memory of the buffer.
  /// @param most   Greatest number of bytes that the buffer may have.  add() may exceed the limit;
  ///               check() throws then.
  /// @param bytes  Bytes that the buffer has before any request.
  /// @return number of the buffer.
  Index add_buffer(std::string what, Tier tier, Offset most = std::numeric_limits<Offset>::max(),
                   Offset bytes = 0);

  /// Adds a request and gives it the lowest range that is free during the request's lifetime: in
  /// the buffer request.within if this buffer has room, otherwise in request.buffer.  Ranges of
  /// earlier requests do not change.  Cost O(requests of the buffer).
  /// @return range of the request.
  Place add(const MemoryRequest& request);
  /// Adds a request and gives it the range of request.buffer that begins at byte `begin`.  The
  /// range must be free during the request's lifetime, which the function does not check.
  /// Ignores request.within.
  void add_at(Offset begin, const MemoryRequest& request);

  /// Forgets the requests whose lifetimes end before `step`, so that later calls of add() are
  /// faster.  All later requests must begin at `step` or later, and used() must not be called for
  /// earlier steps.  Cost O(requests).
  void forget_before(Index step);

  /// Returns the bytes of one buffer.
  Offset bytes(Index buffer) const { return buffers_[buffer].bytes; }
  /// Returns the bytes of the ranges of one buffer that are in use in a step.
  Offset used(Index buffer, Index step) const;
  /// Returns the total bytes of the buffers in one kind of memory.
  Offset bytes(Tier tier) const;
  /// Throws OutOfMemory when a buffer has more bytes than its limit, the argument `most` of
  /// add_buffer().
  void check() const;

 private:
  /// A request that has a range of a buffer.
  struct Placed {
    Place place;        // Range of the request.
    Index first, last;  // First and last step of the request's lifetime.
  };
  struct Buffer {
    std::string what;            // Name of the contents in error messages.
    Tier tier;                   // Kind of memory.
    Offset most, bytes;          // Limit that check() enforces; current size.  Both in bytes.
    std::vector<Placed> placed;  // Requests of the buffer, in ascending order of Place::begin.
  };

  /// Returns the first byte of the lowest range of the buffer that is free during the request's
  /// lifetime.  The range may end after the buffer's current end.
  static Offset find_place(const Buffer& buffer, const MemoryRequest& request);
  /// Records a request and its range, and enlarges the buffer if necessary.
  void put(const Place& place, const MemoryRequest& request);

  std::vector<Buffer> buffers_;
};

}  // namespace clchol::numeric
