#include "numeric/cpu/out_of_core/stores.hpp"

#include <algorithm>
#include <utility>

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
                              NumericFactor<T>& factor, T* diagonal)
    : plan_(plan),
      threads_(threads),
      buffer_(buffer),
      factor_(factor),
      diagonal_(diagonal),
      transfers_(file) {}

template <class T>
void SendingStore<T>::wait_for_room(Index g) {
  for (const OutOfCorePlan::Range& range : plan_.written(factor_.symbolic(), threads_, g)) {
    std::erase_if(moving_, [&](const Moving& of) {
      if (!of.range.overlaps(range)) return false;
      transfers_.wait(of.slab);
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
  // The factorization has failed: an earlier group was not closed, so its data is not in the file.
  if (closed_ < g) return;
  wait_for_room(g);
  for (std::size_t k = 0; k < plan_.spilled.size(); ++k) {
    const SpilledUpdate& of = plan_.spilled[k];
    if (of.fetched != g) continue;
    transfers_.wait(spill_slab(k));  // The write must have ended before the read begins.
    transfers_.read(spill_slab(k), bytes_at(of.back_at));
  }
  for (std::size_t k = 0; k < plan_.spilled.size(); ++k) {
    if (plan_.spilled[k].needed == g) transfers_.wait(spill_slab(k));
  }
}

template <class T>
void SendingStore<T>::close(Index g) {
  ++closed_;
  const symbolic::SymbolicFactor& symbolic = factor_.symbolic();
  for_each_front(symbolic, factor_.plan().tasks, plan_.groups[g], [&](Index s) {
    for (Index j = symbolic.super_ptr[s]; j < symbolic.super_ptr[s + 1]; ++j) {
      diagonal_[j] = factor_.diagonal(j);
    }
  });
  for (std::size_t k = 0; k < plan_.spilled.size(); ++k) {
    const SpilledUpdate& of = plan_.spilled[k];
    if (of.made == g) send(spill_slab(k), plan_.updates.place[of.front], of.size);
  }
  if (g < plan_.first_kept) send(g, plan_.slab_begin[g], plan_.slab_size[g]);
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
  if (plan_.groups.group_of_top(s) != group_) {
    for (const SpilledUpdate& of : plan_.spilled) {
      if (of.front == s) return buffer_ + of.back_at;
    }
  }
  return buffer_ + plan_.updates.place[s];
}

template <class T>
void SendingStore<T>::finish() {
  for (Index g = 0; g < plan_.first_kept; ++g) transfers_.wait(g);
}

template <class T>
FetchingStore<T>::FetchingStore(const OutOfCorePlan& plan, T* buffer, SlabFile& file,
                                NumericFactor<T>& factor, std::vector<Index> order)
    : plan_(plan), buffer_(buffer), factor_(factor), order_(std::move(order)), transfers_(file) {
  std::erase_if(order_, [&](Index g) { return g >= plan_.first_kept; });
  fetch();
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
    transfers_.read(g, reinterpret_cast<char*>(buffer_ + begin));
  }
}

template <class T>
void FetchingStore<T>::open(Index g) {
  if (g >= plan_.first_kept) {
    factor_.set_slab(g, buffer_ + plan_.slab_begin[g]);
    return;
  }
  transfers_.wait(g);
  factor_.set_slab(g, buffer_ + ring_.front().begin);
}

template <class T>
void FetchingStore<T>::close(Index g) {
  if (g >= plan_.first_kept) return;
  if (--ring_.front().uses > 0) return;
  ring_.pop_front();
  fetch();
}

template class SendingStore<double>;
template class SendingStore<float>;
template class FetchingStore<double>;
template class FetchingStore<float>;

}  // namespace clchol::numeric
