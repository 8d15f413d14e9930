#include "numeric/device/stream/list_ring.hpp"

#include <algorithm>
#include <utility>

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
}

/// Places the lists of the pass one after another.  A group that has no room before the end of the
/// ring begins again at the beginning of the ring.  There it must not overwrite the group directly
/// before, whose lists are read while its own are uploaded: the group before leaves room for it.
void ListRing::place_lists() {
  const auto turns = static_cast<Index>(pass_.size());
  const auto room = [&](Index t) { return t < turns ? room_of(at_turn(t).size) : 0; };
  Offset end = 0;         // End of the lists before in the ring.
  Index overwritten = 0;  // First turn whose lists are still whole in the ring.
  for (Index t = 0; t < turns; ++t) {
    Lists& lists = at_turn(t);
    const Offset size = room(t), next_size = room(t + 1);
    if (end + size > capacity_) end = 0;
    // The ring has room for any two lists, so a group at the beginning has the next one behind it.
    if (end + size + next_size > capacity_) end = std::max(end, next_size);
    lists.turn = t;
    lists.begin = end;
    lists.after = kNone;
    lists.uploaded = {};
    lists.used = {};
    end += size;
    // Lists that were placed before the last return to the beginning lie behind those after it, in
    // ascending order of turns.
    for (Index before = overwritten; before < t; ++before) {
      const Lists& other = at_turn(before);
      const bool overlaps = other.begin < end && other.begin + room_of(other.size) > lists.begin;
      if (other.size == 0 || !overlaps) continue;
      lists.after = before;
      overwritten = before + 1;
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

void ListRing::begin(std::vector<Index> groups, gpu::Queue& user) {
  for (const Index group : pass_) of(group).turn = kNone;
  pass_ = std::move(groups);
  place_lists();
  turn_ = next_ = 0;
  begun_ = user.marker();
  user.flush();
  upload_ahead();
}

bool ListRing::is_ahead(Index group) const {
  const Index turn = lists_[static_cast<std::size_t>(group)].turn;
  return turn != kNone && turn >= turn_;
}

/// Uploads the lists of the turns before turn_, and of later turns as long as release() was called
/// for the lists whose place they take.
void ListRing::upload_ahead() {
  const auto is_free = [&](Index after) { return after == kNone || after < turn_ - 1; };
  while (next_ < static_cast<Index>(pass_.size()) &&
         (next_ < turn_ || is_free(at_turn(next_).after))) {
    upload(pass_[static_cast<std::size_t>(next_++)]);
  }
}

gpu::DeviceView<std::byte> ListRing::acquire(Index group, gpu::Queue& user) {
  turn_ = of(group).turn + 1;
  upload_ahead();
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
  // Groups that were left out have no event; `used` of an earlier group ended before.
  Index read = to.after;
  while (read != kNone && at_turn(read).used.empty()) --read;
  copies_->wait_for(read == kNone ? begun_ : at_turn(read).used);
  // The driver may copy memory that is not pinned at any time until the transfer has ended.
  const bool is_pinned = on_host_.refusal().empty();
  if (!is_pinned) copies_->finish();
  to.uploaded = gpu::upload_async<std::byte>(*copies_, lists(group), ring_.part(to.begin, to.size));
  if (!is_pinned) copies_->finish();
  copies_->flush();
}

}  // namespace clchol::numeric
