#include "numeric/device/stream/list_ring.hpp"

#include <algorithm>

namespace clchol::numeric {
namespace {

Offset room_of(Offset size) {
  return (size + gpu::kRoomAlignment - 1) / gpu::kRoomAlignment * gpu::kRoomAlignment;
}

}  // namespace

ListRing::ListRing(const std::vector<Offset>& sizes, Offset capacity) {
  Offset largest = 0, sum = 0;
  host_begin_.push_back(0);
  for (const Offset size : sizes) {
    lists_.emplace_back().size = size;
    largest = std::max(largest, room_of(size));
    sum += room_of(size);
    host_begin_.push_back(sum);
  }
  capacity_ = std::min(std::max(room_of(capacity), 2 * largest), sum);
  place_lists();
}

/// Places the lists one after another.  A group that has no room before the end of the ring begins
/// a new turn at the beginning of the ring.
void ListRing::place_lists() {
  Offset end = 0;               // End of the lists before in the ring.
  std::size_t overwritten = 0;  // First group whose lists are still whole in the ring.
  for (std::size_t g = 0; g < lists_.size(); ++g) {
    const Offset size = room_of(lists_[g].size);
    if (end + size > capacity_) end = 0;
    lists_[g].begin = end;
    end += size;
    // Lists of the turn before lie behind those of this turn, in ascending order of groups.
    const auto overlaps = [&](const Lists& before) {
      return before.begin < end && before.begin + room_of(before.size) > lists_[g].begin;
    };
    for (std::size_t h = overwritten; h < g; ++h) {
      if (lists_[h].size == 0 || !overlaps(lists_[h])) continue;
      lists_[g].after = static_cast<Index>(h);
      overwritten = h + 1;
    }
  }
}

void ListRing::allocate(gpu::Queue& copies, int threads) {
  copies_.reset(&copies);
  on_host_ = gpu::PinnedPages<std::byte>(copies.context(), host_bytes(), threads);
  ring_ = {copies.context(), capacity_};
}

std::span<std::byte> ListRing::lists(Index group) {
  return on_host_.span().subspan(
      static_cast<std::size_t>(host_begin_[static_cast<std::size_t>(group)]),
      static_cast<std::size_t>(of(group).size));
}

void ListRing::begin(Index first, Index end, gpu::Queue& user) {
  first_ = next_ = first;
  end_ = end;
  begun_ = user.marker();
  user.flush();
}

gpu::DeviceView<std::byte> ListRing::acquire(Index group, gpu::Queue& user) {
  while (next_ < end_ && (next_ <= group || of(next_).after < group)) upload(next_++);
  user.wait_for(of(group).uploaded);
  return ring_.part(of(group).begin, of(group).size);
}

void ListRing::release(Index group, gpu::Queue& user) {
  of(group).used = user.marker();
  user.flush();
}

void ListRing::upload(Index group) {
  Lists& to = of(group);
  if (to.size == 0) return;
  copies_->wait_for(to.after >= first_ ? of(to.after).used : begun_);
  // The driver may copy memory that is not pinned at any time until the transfer has ended.
  const bool is_pinned = on_host_.refusal().empty();
  if (!is_pinned) copies_->finish();
  to.uploaded = gpu::upload_async<std::byte>(*copies_, lists(group), ring_.part(to.begin, to.size));
  if (!is_pinned) copies_->finish();
  copies_->flush();
}

}  // namespace clchol::numeric
