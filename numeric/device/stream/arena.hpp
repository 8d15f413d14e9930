// Finds ranges of one device buffer, the arena, for the panels and update matrices of a streamed
// factor.  The planner (schedule.hpp) takes and frees the ranges while it simulates the
// factorization, one group of fronts after another.  numeric/device/groups.cpp uses the same class,
// without last users, for the buffer of update matrices of a factor that is not streamed.
//
// The class only records which ranges are taken.  It does not allocate or access memory, because
// plans are made before the buffer is allocated.  Offsets and sizes count entries of the scalar
// type.
//
//   0                                                                 capacity
//   | taken | free, last users: A | free, last users: B |    taken    | free |
//
// The last users of a free segment are the kernels of one group of fronts, and one transfer to host
// memory.  These users may still be running when the range is taken again, so commands that
// overwrite the segment must wait for its last users.  A call of take() passes a predicate that
// accepts or refuses the last users of a segment: the planner first asks for a range whose last
// users are predicted to have ended.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace clchol::numeric {

/// The record of a buffer's entries [0, capacity), divided into segments that are taken or free.
class Arena {
 public:
  /// The last users of a free segment.
  struct Use {
    /// Last group whose kernels used the segment; kNone: no kernels used the segment.
    Index group = kNone;
    /// Transfer to host memory that reads the segment, as an index in the planner's list of
    /// transfers; kNone: no transfer reads the segment.
    Index transfer = kNone;
    friend bool operator==(const Use&, const Use&) = default;
  };
  /// A range that was taken.  Commands that overwrite the range must wait for its last users.
  struct Place {
    Offset begin = 0;  ///< First entry of the range.
    /// Last group whose kernels used entries of the range; kNone: no kernels used the range.
    Index group = kNone;
    /// Transfers that may still read entries of the range: the values of Use::transfer, other than
    /// kNone, of the segments in the range.
    std::vector<Index> transfers;
  };
  /// End of the arena from which take() searches for a range: kBottom takes the range with the
  /// smallest offset, kTop the range with the greatest offset.
  enum class From : unsigned char { kBottom, kTop };

  /// Makes an arena of `capacity` entries, all of them free and without last users.
  explicit Arena(Offset capacity) {
    if (capacity > 0) segments_.push_back({0, capacity, true, {}});
  }

  /// Takes a range of `size` contiguous free entries: the range nearest to the end `from` in which
  /// the predicate may_reuse accepts the last users of each segment.  Cost O(segments).
  /// @param may_reuse  Called as bool(const Use&) with the last users of free segments.
  /// @return the range; nothing when there is no such range.  For size 0, an empty range.
  template <class May>
  std::optional<Place> take(Offset size, From from, const May& may_reuse) {
    if (size == 0) return Place{};
    const std::optional<Offset> begin =
        from == From::kBottom ? find_lowest(size, may_reuse) : find_highest(size, may_reuse);
    if (!begin) return std::nullopt;
    return take_at(*begin, size);
  }

  /// Frees the entries [begin, begin + size), and records `use` as the last users of these entries.
  /// Cost O(segments).
  void give_back(Offset begin, Offset size, const Use& use);

  Offset capacity() const { return segments_.empty() ? 0 : segments_.back().end(); }
  /// Returns the greatest end (begin + size) of all ranges that were taken so far, including ranges
  /// that were freed again.  This is the number of entries that the buffer must have.
  Offset most() const { return most_; }

 private:
  struct Segment {
    Offset begin, size;
    bool is_free;
    Use use;  // Last users of a free segment.
    Offset end() const { return begin + size; }
  };

  template <class May>
  std::optional<Offset> find_lowest(Offset size, const May& may_reuse) const {
    // First entry of the longest run of accepted free segments that ends with segment s.
    Offset begin = 0;
    for (const Segment& s : segments_) {
      if (!s.is_free || !may_reuse(s.use)) {
        begin = s.end();
      } else if (s.end() - begin >= size) {
        return begin;
      }
    }
    return std::nullopt;
  }
  template <class May>
  std::optional<Offset> find_highest(Offset size, const May& may_reuse) const {
    Offset end = segments_.empty() ? 0 : segments_.back().end();
    for (auto s = segments_.rbegin(); s != segments_.rend(); ++s) {
      if (!s->is_free || !may_reuse(s->use)) {
        end = s->begin;
      } else if (end - s->begin >= size) {
        return end - size;
      }
    }
    return std::nullopt;
  }

  std::size_t cut(Offset at);
  Place take_at(Offset begin, Offset size);
  void join(std::size_t first, std::size_t last);

  std::vector<Segment> segments_;  // All segments in ascending order.  They cover [0, capacity).
  Offset most_ = 0;                // Greatest end of all ranges that were taken so far: most().
};

}  // namespace clchol::numeric
