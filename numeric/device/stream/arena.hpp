// Allocates ranges of one device buffer, the arena, for panels and update matrices, while groups of
// fronts are factored one after another.
//
// The arena only keeps the books: plans are made with it before the buffer is allocated.  Offsets
// and sizes count entries of the scalar type.
//
//   0                                                        capacity
//   | taken | free: last use A | free: last use B |   taken   | free |
//
// A free segment remembers who used it last: the kernels of a group, and a transfer that may still
// read it.  The next user has to wait for both.  The caller therefore says, by a predicate, which
// last uses it accepts, and asks first for ranges that nobody has to wait for.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace clchol::numeric {

/// Entries [0, capacity) of a buffer, divided into segments that are taken or free.
class Arena {
 public:
  /// The last users of a free segment.
  struct Use {
    Index group = kNone;     ///< Group whose kernels used it last; kNone: no kernels did.
    Index transfer = kNone;  ///< Transfer to host memory that reads it; kNone: none does.
    friend bool operator==(const Use&, const Use&) = default;
  };
  /// A range that was taken, and whom its new user has to wait for.
  struct Place {
    Offset begin = 0;              ///< First entry of the range.
    Index group = kNone;           ///< Last group that used any part of the range.
    std::vector<Index> transfers;  ///< Transfers that may still read a part of the range.
  };
  /// End of the buffer from which a free range is searched.
  enum class From : unsigned char { kBottom, kTop };

  explicit Arena(Offset capacity) {
    if (capacity > 0) segments_.push_back({0, capacity, true, {}});
  }

  /// Takes `size` contiguous entries: the lowest or the highest such range that is free and whose
  /// segments' last uses all satisfy may_reuse(use).  Cost O(segments).
  /// @return the range; nothing when no range satisfies this.
  template <class May>
  std::optional<Place> take(Offset size, From from, const May& may_reuse) {
    if (size == 0) return Place{};
    const std::optional<Offset> begin =
        from == From::kBottom ? find_lowest(size, may_reuse) : find_highest(size, may_reuse);
    if (!begin) return std::nullopt;
    return take_at(*begin, size);
  }

  /// Frees the entries [begin, begin + size) and records their last use.  Cost O(segments).
  void give_back(Offset begin, Offset size, const Use& use);

  Offset capacity() const { return segments_.empty() ? 0 : segments_.back().end(); }
  /// Entries below the highest end of any range that was ever taken.
  Offset most() const { return most_; }

 private:
  struct Segment {
    Offset begin, size;
    bool is_free;
    Use use;
    Offset end() const { return begin + size; }
  };

  template <class May>
  std::optional<Offset> find_lowest(Offset size, const May& may_reuse) const {
    Offset begin = 0;  // First entry of the run of free segments that ends with segment s.
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

  std::vector<Segment> segments_;  // Ascending and contiguous, from 0 to the capacity.
  Offset most_ = 0;                // Highest end of any range that was ever taken.
};

}  // namespace clchol::numeric
