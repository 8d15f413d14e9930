// Places of panels and update matrices in one buffer of a device, while groups of fronts are
// factored one after another.
//
// A place that was given back remembers who used it last: the kernels of a group, and a transfer
// that still reads it.  Whoever takes it next waits for them; so a place that nobody waits for is
// looked for first.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace clchol::numeric {

/// Values [0, capacity) of a buffer, in segments that are taken or free.
class Arena {
 public:
  /// Who used a free segment last.
  struct Use {
    Index group = kNone;     ///< Kernels of this group, or of none.
    Index transfer = kNone;  ///< A transfer to host memory that reads it, or none.
    friend bool operator==(const Use&, const Use&) = default;
  };
  /// A place that was taken.
  struct Place {
    Offset begin = 0;
    Index group = kNone;           ///< The last group that used any part of it.
    std::vector<Index> transfers;  ///< That still read a part of it.
  };
  enum class From : unsigned char { kBottom, kTop };

  explicit Arena(Offset capacity) {
    if (capacity > 0) segments_.push_back({0, capacity, true, {}});
  }

  /// Takes the first `size` values in a row, from the bottom or the top, whose last uses all pass
  /// may_reuse(use).  Cost O(segments).
  template <class May>
  std::optional<Place> take(Offset size, From from, const May& may_reuse) {
    if (size == 0) return Place{};
    const std::optional<Offset> begin =
        from == From::kBottom ? find_lowest(size, may_reuse) : find_highest(size, may_reuse);
    if (!begin) return std::nullopt;
    return take_at(*begin, size);
  }

  /// The place is free from here on.  Cost O(segments).
  void give_back(Offset begin, Offset size, const Use& use);

  Offset capacity() const { return segments_.empty() ? 0 : segments_.back().end(); }
  /// Where the highest place that was ever taken ends.
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
    Offset begin = 0;  // Of the free run that ends with the segment at hand.
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

  std::vector<Segment> segments_;  // One behind the other, from 0 to the capacity.
  Offset most_ = 0;
};

}  // namespace clchol::numeric
