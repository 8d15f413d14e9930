// Finds ranges of one device buffer, the arena, for the panels and update matrices of a streamed
// factor, while a plan goes through the groups of fronts in the order of the factorization.
//
// The class only records which ranges are taken.  It allocates and accesses no memory, because
// plans are made before the buffer is allocated.  Offsets and sizes count entries of the scalar
// type.
//
//   0                                                        capacity
//   | taken | free, used by A | free, used by B |    taken    | free |
//
// A free segment records its last users (A, B): the kernels of a group, and a transfer that may
// still read the segment.  Commands that overwrite the segment must wait for these kernels and this
// transfer.  Whoever takes a range says, by a predicate, which last users are acceptable.  A
// planner can thus ask first for ranges whose users have ended.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace clchol::numeric {

/// The entries [0, capacity) of a buffer, divided into segments, each of which is taken or free.
class Arena {
 public:
  /// The last users of a free segment.
  struct Use {
    /// Last group whose kernels used the segment; kNone: no kernels used it.
    Index group = kNone;
    /// Number of the transfer to host memory that reads the segment; kNone: no transfer does.
    Index transfer = kNone;
    friend bool operator==(const Use&, const Use&) = default;
  };
  /// A range that was taken.  Commands that overwrite the range must wait for its last users.
  struct Place {
    Offset begin = 0;     ///< First entry of the range.
    Index group = kNone;  ///< Last group whose kernels used entries of the range; kNone: none did.
    std::vector<Index> transfers;  ///< Transfers that may still read entries of the range.
  };
  /// Whether a search for a free range begins at entry 0 (kBottom) or at the capacity (kTop).
  enum class From : unsigned char { kBottom, kTop };

  /// Makes an arena of `capacity` free entries without users.
  explicit Arena(Offset capacity) {
    if (capacity > 0) segments_.push_back({0, capacity, true, {}});
  }

  /// Takes a range of `size` contiguous free entries: the lowest one (kBottom) or the highest one
  /// (kTop) of the ranges in which may_reuse(use) is true for each segment's last users `use`.
  /// Cost O(segments).
  /// @return the range; nothing when there is no such range.
  template <class May>
  std::optional<Place> take(Offset size, From from, const May& may_reuse) {
    if (size == 0) return Place{};
    const std::optional<Offset> begin =
        from == From::kBottom ? find_lowest(size, may_reuse) : find_highest(size, may_reuse);
    if (!begin) return std::nullopt;
    return take_at(*begin, size);
  }

  /// Frees the entries [begin, begin + size) and records their last users.
  /// Cost O(segments).
  void give_back(Offset begin, Offset size, const Use& use);

  Offset capacity() const { return segments_.empty() ? 0 : segments_.back().end(); }
  /// Size of the buffer that suffices for all ranges taken so far: the highest end of such a range.
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
    Offset begin = 0;  // First entry of the acceptable free segments that end with segment s.
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

  std::vector<Segment> segments_;  // All segments, ascending: they cover [0, capacity).
  Offset most_ = 0;                // most().
};

}  // namespace clchol::numeric
