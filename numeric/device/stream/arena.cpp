#include "numeric/device/stream/arena.hpp"

namespace clchol::numeric {

/// Makes a segment begin at entry `at`: cuts the segment that contains `at`, if there is one.
/// @return the number of the segment that begins at `at`.
std::size_t Arena::cut(Offset at) {
  const auto behind = std::ranges::upper_bound(segments_, at, {}, &Segment::begin);
  const auto k = static_cast<std::size_t>(behind - segments_.begin()) - 1;
  const Segment whole = segments_[k];
  if (whole.begin == at) return k;
  if (whole.end() == at) return k + 1;
  segments_[k].size = at - whole.begin;
  segments_.insert(behind, {at, whole.end() - at, whole.is_free, whole.use});
  return k + 1;
}

Arena::Place Arena::take_at(Offset begin, Offset size) {
  Place place;
  place.begin = begin;
  const std::size_t first = cut(begin), last = cut(begin + size);
  for (std::size_t k = first; k < last; ++k) {
    const Use& use = segments_[k].use;
    place.group = std::max(place.group, use.group);
    if (use.transfer != kNone) place.transfers.push_back(use.transfer);
  }
  segments_[first] = {begin, size, false, {}};
  segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                  segments_.begin() + static_cast<std::ptrdiff_t>(last));
  most_ = std::max(most_, begin + size);
  return place;
}

void Arena::give_back(Offset begin, Offset size, const Use& use) {
  if (size == 0) return;
  const std::size_t first = cut(begin), last = cut(begin + size);
  for (std::size_t k = first; k < last; ++k) {
    segments_[k].is_free = true;
    segments_[k].use = use;
  }
  join(first == 0 ? 0 : first - 1, std::min(last + 1, segments_.size()));
}

/// Merges neighbouring free segments with equal last uses, among segments [first, last).
void Arena::join(std::size_t first, std::size_t last) {
  std::size_t kept = first;
  for (std::size_t k = first + 1; k < last; ++k) {
    Segment& before = segments_[kept];
    const Segment& s = segments_[k];
    if (before.is_free && s.is_free && before.use == s.use) {
      before.size += s.size;
    } else {
      segments_[++kept] = s;
    }
  }
  segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(kept) + 1,
                  segments_.begin() + static_cast<std::ptrdiff_t>(last));
}

}  // namespace clchol::numeric
