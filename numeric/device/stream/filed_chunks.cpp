#include "numeric/device/stream/filed_chunks.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace clchol::numeric {

void FiledChunks::set_slots(std::vector<char*> slots) {
  slots_.resize(slots.size());
  for (std::size_t k = 0; k < slots.size(); ++k) slots_[k].place = slots[k];
}

/// Ends the pass before: waits for blocks that are being moved, drops blocks that are still queued.
void FiledChunks::begin_pass() {
  transfers_.reset();
  order_.clear();
  turn_ = ahead_ = 0;
  for (Slot& slot : slots_) slot.chunk = kNone;
  transfers_ = std::make_unique<SlabTransfers>(file_, watch_);
}

// ---- Writing ------------------------------------------------------------------------------------

void FiledChunks::begin_writing() { begin_pass(); }

Index FiledChunks::slot_to_fill(Index chunk) {
  Slot& slot = slot_of(turn_);
  if (slot.chunk != chunk) {
    if (slot.chunk != kNone) transfers_->wait(slot.chunk);
    slot.chunk = chunk;
  }
  return static_cast<Index>(&slot - slots_.data());
}

void FiledChunks::write(gpu::Event filled) {
  const Slot& slot = slot_of(turn_);
  const auto event = std::make_shared<const gpu::Event>(std::move(filled));
  transfers_->write(slot.chunk, slot.place, [event] { event->wait(); });
  ++turn_;
}

void FiledChunks::finish_writing() {
  const std::size_t written = std::min(turn_, slots_.size());
  for (std::size_t k = 1; k <= written; ++k) {
    Slot& slot = slot_of(turn_ - k);
    transfers_->wait(slot.chunk);
    slot.chunk = kNone;
  }
}

// ---- Reading ------------------------------------------------------------------------------------

void FiledChunks::begin_reading(std::vector<Index> order) {
  begin_pass();
  order_ = std::move(order);
  read_ahead();
}

void FiledChunks::read_ahead() {
  for (; ahead_ < std::min(order_.size(), turn_ + slots_.size()); ++ahead_) {
    const Slot& slot = slot_of(ahead_);
    std::function<void()> is_free;
    if (slot.emptied) is_free = [event = slot.emptied] { event->wait(); };
    transfers_->read(order_[ahead_], slot.place, std::move(is_free));
  }
}

Index FiledChunks::read(Index chunk) {
  const auto ahead = std::span(order_).subspan(std::min(turn_, order_.size()));
  if (std::ranges::find(ahead, chunk) == ahead.end()) begin_reading({chunk});
  try {
    while (order_[turn_] != chunk) {
      transfers_->wait(order_[turn_]);
      ++turn_;
      read_ahead();
    }
    transfers_->wait(chunk);
  } catch (...) {
    order_.clear();  // The next call of read() begins a new order.
    turn_ = 0;
    throw;
  }
  return static_cast<Index>(turn_ % slots_.size());
}

void FiledChunks::give_back(gpu::Event emptied) {
  slot_of(turn_).emptied =
      emptied.empty() ? nullptr : std::make_shared<const gpu::Event>(std::move(emptied));
  ++turn_;
  read_ahead();
}

}  // namespace clchol::numeric
