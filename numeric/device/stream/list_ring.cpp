#include "numeric/device/stream/list_ring.hpp"

#include <algorithm>
#include <utility>

namespace clchol::numeric {
namespace {

/// Bytes to which the places of lists in host memory are aligned: a cache line.
constexpr Offset kAlignment = 64;

}  // namespace

ListRing::ListRing(std::vector<Offset> sizes) : size_(std::move(sizes)) {
  begin_.reserve(size_.size() + 1);
  begin_.push_back(0);
  for (const Offset size : size_) {
    begin_.push_back(begin_.back() + (size + kAlignment - 1) / kAlignment * kAlignment);
    slot_ = std::max(slot_, size);
  }
}

void ListRing::allocate(gpu::Queue& to_device, int threads) {
  to_device_.reset(&to_device);
  on_host_ = gpu::PinnedPages<std::byte>(to_device.context(), host_bytes(), threads);
  for (Slot& slot : slots_) slot.memory = {to_device.context(), slot_};
}

std::span<std::byte> ListRing::lists(Index group) {
  return on_host_.span().subspan(static_cast<std::size_t>(begin_[static_cast<std::size_t>(group)]),
                                 static_cast<std::size_t>(size_of(group)));
}

/// After an error, commands that read a slot may have been enqueued without release().
void ListRing::begin(Index end, gpu::Queue& user) {
  end_ = end;
  for (Slot& slot : slots_) slot.used = user.marker();
  user.flush();
}

gpu::DeviceView<std::byte> ListRing::acquire(Index group, gpu::Queue& user) {
  Slot& slot = slots_[0].group == group   ? slots_[0]
               : slots_[1].group == group ? slots_[1]
                                          : other();
  if (slot.group != group) upload(group, slot);
  current_ = static_cast<std::size_t>(&slot - slots_.data());
  user.wait_for(slot.uploaded);
  Index next = group + 1;
  while (next < end_ && size_of(next) == 0) ++next;
  if (next < end_ && other().group != next) upload(next, other());
  return slot.memory.part(0, size_of(group));
}

void ListRing::release(gpu::Queue& user) {
  slots_[current_].used = user.marker();
  user.flush();
}

void ListRing::upload(Index group, Slot& to) {
  to.group = kNone;
  to_device_->wait_for(to.used);
  // The driver may copy memory that is not pinned at any time until the transfer has ended.
  const bool is_pinned = on_host_.refusal().empty();
  if (!is_pinned) to_device_->finish();
  to.uploaded = gpu::upload_async<std::byte>(*to_device_, lists(group), to.memory);
  if (!is_pinned) to_device_->finish();
  to_device_->flush();
  to.group = group;
}

}  // namespace clchol::numeric
