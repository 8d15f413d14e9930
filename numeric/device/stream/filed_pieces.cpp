#include "numeric/device/stream/filed_pieces.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace clchol::numeric {

void FiledPieces::set_slots(std::vector<char*> slots) {
  slots_.resize(slots.size());
  for (std::size_t k = 0; k < slots.size(); ++k) slots_[k].place = slots[k];
}

/// Blocks that are being moved are waited for; blocks whose turn has not come are left.
void FiledPieces::begin_pass() {
  transfers_.reset();
  order_.clear();
  turn_ = ahead_ = 0;
  for (Slot& slot : slots_) slot.piece = kNone;
  transfers_ = std::make_unique<SlabTransfers>(file_, watch_);
}

// ---- Writing ------------------------------------------------------------------------------------

void FiledPieces::begin_writing() { begin_pass(); }

Index FiledPieces::slot_to_fill(Index piece) {
  Slot& slot = slot_of(turn_);
  if (slot.piece != piece) {
    if (slot.piece != kNone) transfers_->wait(slot.piece);
    slot.piece = piece;
  }
  return static_cast<Index>(&slot - slots_.data());
}

void FiledPieces::write(gpu::Event filled) {
  const Slot& slot = slot_of(turn_);
  const auto event = std::make_shared<const gpu::Event>(std::move(filled));
  transfers_->write(slot.piece, slot.place, [event] { event->wait(); });
  ++turn_;
}

void FiledPieces::finish_writing() {
  const std::size_t written = std::min(turn_, slots_.size());
  for (std::size_t k = 1; k <= written; ++k) {
    Slot& slot = slot_of(turn_ - k);
    transfers_->wait(slot.piece);
    slot.piece = kNone;
  }
}

// ---- Reading ------------------------------------------------------------------------------------

void FiledPieces::begin_reading(std::vector<Index> order) {
  begin_pass();
  order_ = std::move(order);
  read_ahead();
}

void FiledPieces::read_ahead() {
  for (; ahead_ < std::min(order_.size(), turn_ + slots_.size()); ++ahead_) {
    const Slot& slot = slot_of(ahead_);
    std::function<void()> is_free;
    if (slot.emptied) is_free = [event = slot.emptied] { event->wait(); };
    transfers_->read(order_[ahead_], slot.place, std::move(is_free));
  }
}

Index FiledPieces::read(Index piece) {
  const auto ahead = std::span(order_).subspan(std::min(turn_, order_.size()));
  if (std::ranges::find(ahead, piece) == ahead.end()) begin_reading({piece});
  try {
    while (order_[turn_] != piece) {
      transfers_->wait(order_[turn_]);
      ++turn_;
      read_ahead();
    }
    transfers_->wait(piece);
  } catch (...) {
    order_.clear();  // The next call begins anew.
    turn_ = 0;
    throw;
  }
  return static_cast<Index>(turn_ % slots_.size());
}

void FiledPieces::give_back(gpu::Event emptied) {
  slot_of(turn_).emptied =
      emptied.empty() ? nullptr : std::make_shared<const gpu::Event>(std::move(emptied));
  ++turn_;
  read_ahead();
}

}  // namespace clchol::numeric
