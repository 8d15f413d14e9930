#include "numeric/device/panel_store.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/number_text.hpp"

namespace clchol::numeric {
namespace {

/// One slot is written while the one before leaves.
constexpr Index kSlots = 2;

/// A thread that does the work; none where the system refuses one.
template <class Work>
std::jthread thread_for(const Work& work) {
  try {
    return std::jthread(work);
  } catch (const std::system_error&) {
    return {};
  }
}

template <class T>
gpu::PinnedPages<T> pinned_pages(const gpu::Context& context, Offset size, int threads) {
  try {
    return gpu::PinnedPages<T>(context, size, threads);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("not enough host memory: " + gigabytes_text(size * Offset{sizeof(T)}) +
                      " for a slab of panels are refused");
  }
}

Offset sum(std::span<const Offset> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), Offset{0});
}

}  // namespace

Offset device_entries(std::span<const Offset> slab_sizes, const PanelPlaces& places) {
  return places.num_slots * places.slot +
         sum(slab_sizes.subspan(static_cast<std::size_t>(places.first_resident)));
}

Offset host_entries(std::span<const Offset> slab_sizes, const PanelPlaces& places) {
  return sum(slab_sizes.first(static_cast<std::size_t>(places.first_resident)));
}

PanelPlaces panel_places(std::span<const Offset> slab_sizes, Index first_resident) {
  PanelPlaces places{.first_resident = first_resident};
  if (first_resident == 0) return places;
  places.num_slots = kSlots;
  places.slot =
      *std::ranges::max_element(slab_sizes.first(static_cast<std::size_t>(first_resident)));
  return places;
}

template <class T>
void PanelStore<T>::allocate(const gpu::Context& context, gpu::Queue* copies, int threads) {
  copies_.reset(copies);
  context_ = &context;
  threads_ = threads;
  for (Index s = places_.first_resident; s < num_slabs(); ++s) {
    resident_.emplace_back(context, size_of(s));
  }
  if (places_.num_slots == 0) return;
  slots_.resize(static_cast<std::size_t>(places_.num_slots));
  for (Slot& slot : slots_) slot.buffer = gpu::DeviceBuffer<T>(context, places_.slot);
  std::vector<std::promise<gpu::PinnedPages<T>>> promised(
      static_cast<std::size_t>(places_.first_resident));
  for (auto& slab : promised) host_.push_back(slab.get_future().share());
  // Its own copies: the store may be moved meanwhile.
  const auto pin = [&context, threads, sizes = sizes_,
                    slabs = std::make_shared<decltype(promised)>(std::move(promised))](
                       const std::stop_token& stop) {
    for (std::size_t s = 0; s < slabs->size() && !stop.stop_requested(); ++s) {
      try {
        (*slabs)[s].set_value(pinned_pages<T>(context, sizes[s], threads));
      } catch (...) {
        (*slabs)[s].set_exception(std::current_exception());
      }
    }
  };
  if (threads > 1) pinning_ = thread_for(pin);
  if (!pinning_.joinable()) pin({});
}

template <class T>
std::span<T> PanelStore<T>::host(Index slab) {
  auto& pages = host_[static_cast<std::size_t>(slab)];
  try {
    return pages.get().span();
  } catch (const std::exception&) {
    // What was refused may be there now.
    std::promise<gpu::PinnedPages<T>> again;
    again.set_value(pinned_pages<T>(*context_, size_of(slab), threads_));
    pages = again.get_future().share();
    return pages.get().span();
  }
}

template <class T>
void PanelStore<T>::Finish::operator()(gpu::Queue* queue) const {
  gpu::check_in_destructor(clFinish(queue->get()), "clFinish");
}

template <class T>
void PanelStore<T>::begin_factorization() {
  for (Slot& slot : slots_) slot.slab = kNone;
}

template <class T>
Index PanelStore<T>::slot_with(Index slab) const {
  const auto found = std::ranges::find(slots_, slab, &Slot::slab);
  return found == slots_.end() ? kNone : static_cast<Index>(found - slots_.begin());
}

template <class T>
PanelLease<T> PanelStore<T>::acquire(Index slab, PanelAccess access) {
  if (is_resident(slab)) {
    const auto k = static_cast<std::size_t>(slab - places_.first_resident);
    return {slab, access, places_.place_of_resident(slab), resident_[k], {}};
  }
  Index place = slot_with(slab);
  if (place == kNone) {
    place = next_slot_;
    next_slot_ = (next_slot_ + 1) % places_.num_slots;
    if (access == PanelAccess::kRead) bring(slab, this->slot(place));
  }
  Slot& at = this->slot(place);
  at.slab = slab;
  return {slab, access, place, at.buffer.part(0, size_of(slab)), at.copied.share()};
}

template <class T>
void PanelStore<T>::bring(Index slab, Slot& to) {
  copies_->wait_for(to.used);
  to.slab = kNone;
  to.copied = gpu::upload_async<T>(*copies_, host(slab), to.buffer);
  copies_->flush();
}

template <class T>
void PanelStore<T>::release(const PanelLease<T>& lease, gpu::Queue& user) {
  if (is_resident(lease.slab)) return;
  Slot& at = slot(lease.place);
  at.used = user.marker();
  user.flush();
  if (lease.access == PanelAccess::kRead) return;
  copies_->wait_for(at.used);
  at.copied = gpu::download_async<T>(*copies_, lease.panels, host(lease.slab));
  copies_->flush();
}

template <class T>
std::vector<T> PanelStore<T>::read(Index slab, gpu::Queue& user) {
  std::vector<T> values(static_cast<std::size_t>(size_of(slab)));
  if (is_resident(slab)) {
    gpu::download<T>(user, acquire(slab, PanelAccess::kRead).panels, values);
    return values;
  }
  user.finish();
  copies_->finish();
  std::ranges::copy(host(slab), values.begin());
  return values;
}

template class PanelStore<double>;
template class PanelStore<float>;

}  // namespace clchol::numeric
