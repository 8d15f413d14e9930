#include "numeric/device/stream/filed_slabs.hpp"

#include <algorithm>
#include <utility>

namespace clchol::numeric {
namespace {

std::vector<Offset> whole_pages(const std::vector<Offset>& bytes) {
  std::vector<Offset> padded;
  padded.reserve(bytes.size());
  for (const Offset of : bytes) padded.push_back(FiledSlabs::slot_bytes(of));
  return padded;
}

}  // namespace

FiledSlabs::FiledSlabs(const std::string& directory, const std::vector<Offset>& bytes,
                       const FileCalls& calls)
    : file_(directory, whole_pages(bytes), calls) {}

Offset FiledSlabs::slot_bytes(Offset bytes) {
  constexpr Offset kPage = ScratchFile::kAlignment;
  return (bytes + kPage - 1) / kPage * kPage;
}

void FiledSlabs::set_slots(std::vector<char*> slots) {
  slots_.resize(slots.size());
  for (std::size_t k = 0; k < slots.size(); ++k) slots_[k].place = slots[k];
}

/// Of what is under way, blocks that are being moved are waited for; others are left.
void FiledSlabs::begin_pass() {
  transfers_.reset();
  order_.clear();
  turn_ = ahead_ = 0;
  for (Slot& slot : slots_) slot.slab = kNone;
  transfers_ = std::make_unique<SlabTransfers>(file_);
}

// ---- Writing ------------------------------------------------------------------------------------

void FiledSlabs::begin_writing() { begin_pass(); }

Index FiledSlabs::slot_to_fill(Index slab) {
  Slot& slot = slot_of(turn_);
  if (slot.slab != slab) {
    if (slot.slab != kNone) transfers_->wait(slot.slab);
    slot.slab = slab;
  }
  return static_cast<Index>(&slot - slots_.data());
}

void FiledSlabs::write(gpu::Event filled) {
  const Slot& slot = slot_of(turn_);
  const auto event = std::make_shared<const gpu::Event>(std::move(filled));
  transfers_->write(slot.slab, slot.place, [event] { event->wait(); });
  ++turn_;
}

void FiledSlabs::finish_writing() {
  const std::size_t written = std::min(turn_, slots_.size());
  for (std::size_t k = 1; k <= written; ++k) {
    Slot& slot = slot_of(turn_ - k);
    transfers_->wait(slot.slab);
    slot.slab = kNone;
  }
}

// ---- Reading ------------------------------------------------------------------------------------

void FiledSlabs::begin_reading(const std::vector<Index>& order) {
  begin_pass();
  for (const Index s : order) {
    if (file_.slab_bytes(s) > 0) order_.push_back(s);
  }
  read_ahead();
}

void FiledSlabs::read_ahead() {
  for (; ahead_ < std::min(order_.size(), turn_ + slots_.size()); ++ahead_) {
    const Slot& slot = slot_of(ahead_);
    std::function<void()> is_free;
    if (slot.emptied) is_free = [event = slot.emptied] { event->wait(); };
    transfers_->read(order_[ahead_], slot.place, std::move(is_free));
  }
}

Index FiledSlabs::read(Index slab) {
  if (std::find(order_.begin() + static_cast<std::ptrdiff_t>(turn_), order_.end(), slab) ==
      order_.end()) {
    begin_reading({slab});
  }
  try {
    while (order_[turn_] != slab) {
      transfers_->wait(order_[turn_]);
      ++turn_;
      read_ahead();
    }
    transfers_->wait(slab);
  } catch (...) {
    order_.clear();  // The next call begins anew.
    turn_ = 0;
    throw;
  }
  return static_cast<Index>(turn_ % slots_.size());
}

void FiledSlabs::give_back(gpu::Event emptied) {
  slot_of(turn_).emptied =
      emptied.empty() ? nullptr : std::make_shared<const gpu::Event>(std::move(emptied));
  ++turn_;
  read_ahead();
}

}  // namespace clchol::numeric
