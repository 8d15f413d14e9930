#include "numeric/cpu/out_of_core/stores.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/update_layout.hpp"
#include "numeric/dense/kernels.hpp"

namespace clchol::numeric {

std::vector<Offset> file_slabs(const OutOfCorePlan& plan, Offset entry_bytes) {
  std::vector<Offset> bytes;
  bytes.reserve(plan.first_kept + plan.spilled.size());
  for (Index g = 0; g < plan.first_kept; ++g) bytes.push_back(plan.slab_size[g] * entry_bytes);
  for (const SpilledUpdate& of : plan.spilled) bytes.push_back(of.size * entry_bytes);
  return bytes;
}

template <class T>
SendingStore<T>::SendingStore(const OutOfCorePlan& plan, int threads, T* buffer, SlabFile& file,
                              NumericFactor<T>& factor, T* diagonal, const StoreLog& log)
    : plan_(plan),
      threads_(threads),
      buffer_(buffer),
      factor_(factor),
      diagonal_(diagonal),
      spill_(factor.symbolic().nsuper, kNone),
      log_(log),
      transfers_(file, log.watch([this](const auto& block) { return stays(block); })) {
  for (std::size_t k = plan.spilled.size(); k-- > 0;) {
    spill_[plan.spilled[k].front] = static_cast<Index>(k);
  }
  if (log_.log == nullptr) return;
  use_ = buffer_use(plan, factor.symbolic(), threads);
  log_.begin(0);
}

template <class T>
void SendingStore<T>::wait_for_room(Index g) {
  for (const OutOfCorePlan::Range& range : plan_.written(factor_.symbolic(), threads_, g)) {
    std::erase_if(moving_, [&](const Moving& of) {
      if (!of.range.overlaps(range)) return false;
      log_.wait(transfers_, of.slab);
      return true;
    });
  }
}

template <class T>
void SendingStore<T>::send(Index slab, Offset begin, Offset size) {
  transfers_.write(slab, bytes_at(begin));
  moving_.push_back({slab, {begin, begin + size}});
}

template <class T>
void SendingStore<T>::open(Index g) {
  group_ = g;
  factor_.set_slab(g, buffer_ + plan_.slab_begin[g]);
  if (closed_ < g) {
    // The factorization has failed: an earlier group was not closed, so its data is not in the
    // file.  Transfers that were begun may still use memory that group g overwrites.
    const std::size_t slabs = static_cast<std::size_t>(plan_.first_kept) + plan_.spilled.size();
    for (std::size_t s = 0; s < slabs; ++s) transfers_.wait(static_cast<Index>(s));
    return;
  }
  wait_for_room(g);
  count_entries(g);
  if (!use_.taken.empty()) log_.change(use_.taken[g] * Offset{sizeof(T)});
  for (std::size_t k = 0; k < plan_.spilled.size(); ++k) {
    const SpilledUpdate& of = plan_.spilled[k];
    if (of.fetched != g) continue;
    log_.wait(transfers_, spill_slab(k));  // The write must have ended before the read begins.
    transfers_.read(spill_slab(k), bytes_at(of.back_at));
  }
  for (std::size_t k = 0; k < plan_.spilled.size(); ++k) {
    const SpilledUpdate& of = plan_.spilled[k];
    if (of.needed == g && of.fetched != kNone) log_.wait(transfers_, spill_slab(k));
  }
}

template <class T>
void SendingStore<T>::close(Index g) {
  ++closed_;
  open_slab_ = kNone;
  log_.change(-written_.exchange(0));
  if (!use_.freed.empty()) log_.change(-use_.freed[g] * Offset{sizeof(T)});
  copy_diagonal(g);
  for (std::size_t k = 0; k < plan_.spilled.size(); ++k) {
    const SpilledUpdate& of = plan_.spilled[k];
    if (of.made == g) send(spill_slab(k), of.made_at, of.size);
  }
  if (g >= plan_.first_kept) return;
  for (Index b = 0; b < static_cast<Index>(unfinished_.size()); ++b) {
    if (unfinished_[b] > 0) send_block(b);
  }
  moving_.push_back({g, {plan_.slab_begin[g], plan_.slab_begin[g] + plan_.slab_size[g]}});
}

template <class T>
void SendingStore<T>::copy_diagonal(Index g) {
  const symbolic::SymbolicFactor& symbolic = factor_.symbolic();
  const TreeGroup group = plan_.groups[g];
  for_each_front(symbolic, factor_.plan().tasks, group, [&](Index s) {
    const PanelColumns<T> columns = factor_.columns(s, g, group.strip);
    for (Index k = columns.begin; k < columns.end; ++k) {
      diagonal_[symbolic.super_ptr[s] + k] = columns.data[k * (columns.ld + 1)];
    }
  });
}

template <class T>
bool SendingStore<T>::stays(const SlabTransfers::Moved& block) {
  if (block.slab != open_slab_) return false;
  written_ += block.bytes;
  return true;
}

template <class T>
void SendingStore<T>::count_entries(Index g) {
  unfinished_ = std::vector<std::atomic<Offset>>();
  if (g >= plan_.first_kept) return;
  open_slab_ = g;
  const Offset size = plan_.slab_size[g];
  unfinished_ = std::vector<std::atomic<Offset>>((size + kBlockEntries - 1) / kBlockEntries);
  // The last block also has entries behind the panels, so that it waits for close().
  for (std::size_t b = 0; b < unfinished_.size(); ++b) {
    unfinished_[b] = std::min(kBlockEntries, size - static_cast<Offset>(b) * kBlockEntries);
  }
}

template <class T>
void SendingStore<T>::finished(Index s, Index begin, Index end) {
  if (closed_ < group_ || unfinished_.empty()) return;
  const PanelColumns<T> columns = factor_.columns(s, group_, plan_.groups[group_].strip);
  // In a strip, column j begins with the row of the strip's first column.
  const Offset place = columns.data + columns.begin - (buffer_ + plan_.slab_begin[group_]);
  Offset from = place + begin * columns.ld;
  const Offset until = place + end * columns.ld;
  while (from < until) {
    const Offset b = from / kBlockEntries,
                 entries = std::min((b + 1) * kBlockEntries, until) - from;
    if (unfinished_[b].fetch_sub(entries, std::memory_order_acq_rel) == entries) {
      send_block(static_cast<Index>(b));
    }
    from += entries;
  }
}

template <class T>
void SendingStore<T>::send_block(Index b) {
  transfers_.write_blocks(group_, {b, b + 1},
                          bytes_at(plan_.slab_begin[group_] + b * kBlockEntries));
}

template <class T>
GroupArenas<T> SendingStore<T>::arenas() const {
  const ArenaSizes& sizes = plan_.updates.sizes[group_];
  T* const shared = buffer_ + plan_.arena_begin[group_];
  T* const stacks = shared + sizes.shared_size[0] + sizes.shared_size[1];
  const Offset both = sizes.private_size[0] + sizes.private_size[1];
  return {{shared, shared + sizes.shared_size[0]},
          {stacks, stacks + sizes.private_size[0]},
          {both, both}};
}

template <class T>
T* SendingStore<T>::outside(Index s) const {
  const Index k = spill_[s];
  if (k == kNone) return buffer_ + plan_.updates.place[s];
  if (plan_.spilled[k].needed == group_) return buffer_ + plan_.spilled[k].back_at;
  const Strip strip = plan_.groups[group_].strip;
  if (strip.is_none()) return buffer_ + plan_.spilled[k].made_at;
  const Stored of = stored_update({s, strip.begin, strip.end});
  return buffer_ + plan_.spilled[of.slab - plan_.first_kept].made_at + of.origin;
}

template <class T>
auto SendingStore<T>::stored(const FrontColumns& columns) const -> Stored {
  const bool in_panel = columns.begin < factor_.symbolic().ncol(columns.front);
  return in_panel ? stored_strip(columns) : stored_update(columns);
}

template <class T>
auto SendingStore<T>::stored_update(const FrontColumns& columns) const -> Stored {
  const Index s = columns.front, ncol = factor_.symbolic().ncol(s);
  auto k = static_cast<std::size_t>(spill_[s]);
  while (plan_.spilled[k].strip.end <= columns.begin) ++k;
  const SpilledUpdate& of = plan_.spilled[k];
  const Offset before = update_column_begin(factor_.symbolic().nupd(s), of.strip.begin - ncol);
  return {{s, columns.begin, std::min(columns.end, of.strip.end)},
          spill_slab(k),
          of.size,
          0,
          -before,
          0};
}

template <class T>
auto SendingStore<T>::stored_strip(const FrontColumns& columns) const -> Stored {
  const Index s = columns.front;
  Index g = plan_.groups.group_of_top(s);
  while (plan_.groups[g].strip.end <= columns.begin) ++g;
  const Strip strip = plan_.groups[g].strip;
  const Offset ld = factor_.symbolic().nrow(s) - strip.begin;
  return {{s, columns.begin, std::min(columns.end, strip.end)},
          g < plan_.first_kept ? g : kNone,
          plan_.slab_size[g],
          plan_.slab_begin[g],
          -strip.begin * (ld + 1),
          ld};
}

template <class T>
Offset SendingStore<T>::entries_before(const Stored& of, Index j) const {
  const symbolic::SymbolicFactor& symbolic = factor_.symbolic();
  const Index s = of.columns.front;
  // A strip with leading dimension ld begins with column nrow - ld.
  if (of.ld > 0) return (j - (symbolic.nrow(s) - of.ld)) * of.ld;
  return of.origin + update_column_begin(symbolic.nupd(s), j - symbolic.ncol(s));
}

template <class T>
Index SendingStore<T>::end_of_block(const Stored& of, Index j) const {
  const Index s = of.columns.front, ncol = factor_.symbolic().ncol(s);
  const Index end = of.ld > 0 ? dense::column_blocks<T>(factor_.symbolic().nrow(s), ncol).end_of(j)
                              : ncol + ((j - ncol) / kUpdateBlock + 1) * kUpdateBlock;
  return std::min(end, of.columns.end);
}

template <class T>
typename SendingStore<T>::Portion SendingStore<T>::first_portion(Stored of) const {
  if (of.slab == kNone) return {.of = of, .begin = of.begin};
  const Offset first = entries_before(of, of.columns.begin) / kBlockEntries;
  const auto blocks_until = [&](Index end) {
    return (entries_before(of, end) + kBlockEntries - 1) / kBlockEntries;
  };
  const auto fits = [&](Index end) {
    const Offset entries = std::min(blocks_until(end) * kBlockEntries, of.size);
    return entries - first * kBlockEntries <= plan_.slot_size[group_];
  };
  Index end = end_of_block(of, of.columns.begin);
  while (end < of.columns.end && fits(end_of_block(of, end))) end = end_of_block(of, end);
  of.columns.end = end;
  return {.of = of, .blocks = {static_cast<Index>(first), static_cast<Index>(blocks_until(end))}};
}

template <class T>
void SendingStore<T>::append(Portion portion) {
  if (!portions_.empty()) portion.load = portions_.back().load;
  if (portion.of.slab != kNone) {
    const Offset entries = entries_of(portion);
    if (slot_used_ + entries > plan_.slot_size[group_]) {
      ++portion.load;
      slot_used_ = 0;
    }
    portion.begin = slot_of(portion.load) + slot_used_;
    slot_used_ += entries;
  }
  portions_.push_back(portion);
}

template <class T>
void SendingStore<T>::read_load() {
  if (begun_ == portions_.size()) return;
  for (const std::size_t load = portions_[begun_].load;
       begun_ < portions_.size() && portions_[begun_].load == load; ++begun_) {
    const Portion& portion = portions_[begun_];
    if (portion.of.slab == kNone) continue;
    // The write of a slab must have ended before its first read begins.
    const bool is_first = begun_ == 0 || portions_[begun_ - 1].of.slab != portion.of.slab;
    if (is_first) log_.wait(transfers_, portion.of.slab);
    transfers_.read_blocks(portion.of.slab, portion.blocks, bytes_at(portion.begin));
  }
}

template <class T>
void SendingStore<T>::begin_gather(std::span<const FrontColumns> wanted) {
  portions_.clear();
  begun_ = 0;
  slot_used_ = 0;
  if (closed_ < group_) return;
  for (FrontColumns columns : wanted) {
    while (columns.begin < columns.end) {
      append(first_portion(stored(columns)));
      columns.begin = portions_.back().of.columns.end;
    }
  }
  for (int slot = 0; slot < 2; ++slot) read_load();
}

template <class T>
void SendingStore<T>::gather(const typename FactorStore<T>::UseColumns& use) {
  for (std::size_t k = 0; k < portions_.size(); ++k) {
    const Portion& portion = portions_[k];
    if (portion.of.slab != kNone) log_.wait(transfers_, portion.of.slab, portion.blocks);
    const Offset slab = portion.begin - portion.blocks.first * kBlockEntries;
    if (!use(portion.of.columns, {buffer_ + (slab + portion.of.origin), portion.of.ld})) return;
    const bool is_last = k + 1 == portions_.size() || portions_[k + 1].load != portion.load;
    if (is_last) read_load();
  }
}

template <class T>
void SendingStore<T>::finish() {
  for (Index g = 0; g < plan_.first_kept; ++g) log_.wait(transfers_, g);
  log_.change(-written_.exchange(0));
}

template <class T>
FetchingStore<T>::FetchingStore(const OutOfCorePlan& plan, T* buffer, SlabFile& file,
                                NumericFactor<T>& factor, std::vector<Index> order,
                                const StoreLog& log)
    : plan_(plan),
      buffer_(buffer),
      factor_(factor),
      log_(log),
      order_(std::move(order)),
      transfers_(file, log.watch()) {
  std::erase_if(order_, [&](Index g) { return !is_fetched(g); });
  fetch();
}

template <class T>
FetchingStore<T>::~FetchingStore() {
  try {
    for (const Fetched& of : ring_) log_.change(-(of.end - of.begin) * Offset{sizeof(T)});
  } catch (const std::bad_alloc&) {
    return;  // The log lacks the end of a slab's use.
  }
}

template <class T>
Offset FetchingStore<T>::find_room(Offset size) const {
  const Offset first = plan_.kept_size, end = plan_.size - kPanelSlack;
  if (ring_.empty()) return first;
  const Offset used_begin = ring_.front().begin, used_end = ring_.back().end;
  if (used_end > used_begin) {
    // The used entries are one range.  Free entries are behind the range or before it.
    if (used_end + size <= end) return used_end;
    return first + size <= used_begin ? first : -1;
  }
  return used_end + size <= used_begin ? used_end : -1;
}

template <class T>
void FetchingStore<T>::fetch() {
  while (next_ < order_.size()) {
    const Index g = order_[next_];
    const Offset begin = find_room(plan_.slab_size[g]);
    if (begin < 0) return;
    ring_.push_back({g, begin, begin + plan_.slab_size[g], 0});
    // Where a backward walk follows a forward walk, the same slab is opened twice in a row.
    for (; next_ < order_.size() && order_[next_] == g; ++next_) ++ring_.back().uses;
    log_.change(plan_.slab_size[g] * Offset{sizeof(T)});
    transfers_.read(g, reinterpret_cast<char*>(buffer_ + begin));
  }
}

template <class T>
void FetchingStore<T>::open(Index g) {
  if (!is_fetched(g)) {
    factor_.set_slab(g, buffer_ + plan_.slab_begin[g]);
    return;
  }
  log_.wait(transfers_, g);
  factor_.set_slab(g, buffer_ + ring_.front().begin);
}

template <class T>
void FetchingStore<T>::close(Index g) {
  if (!is_fetched(g)) return;
  if (--ring_.front().uses > 0) return;
  log_.change(-plan_.slab_size[g] * Offset{sizeof(T)});
  ring_.pop_front();
  fetch();
}

template class SendingStore<double>;
template class SendingStore<float>;
template class FetchingStore<double>;
template class FetchingStore<float>;

}  // namespace clchol::numeric
