#include "numeric/device/stream/panel_store.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "base/number_text.hpp"
#include "numeric/panel_table.hpp"

namespace clchol::numeric {
namespace {

/// A thread that does the work; none where the system refuses one.
template <class Work>
std::jthread thread_for(const Work& work) {
  try {
    return std::jthread(work);
  } catch (const std::system_error&) {
    return {};
  }
}

/// Not pinned yet.
template <class T>
gpu::PinnedPages<T> touched_pages(Offset size, int threads) {
  try {
    return gpu::PinnedPages<T>(size, threads);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("not enough host memory: " + gigabytes_text(size * Offset{sizeof(T)}) +
                      " that panels wait in are refused");
  }
}

template <class T>
gpu::PinnedPages<T> pinned_pages(const gpu::Context& context, Offset size, int threads) {
  gpu::PinnedPages<T> pages = touched_pages<T>(size, threads);
  pages.pin(context);
  return pages;
}

/// The same as touched_pages(), by a thread of its own, if there is one: with one thread at get().
template <class T>
std::future<gpu::PinnedPages<T>> touched_meanwhile(Offset size, int threads) {
  const auto touched = [=](std::launch how) {
    return std::async(how, touched_pages<T>, size, threads);
  };
  if (threads == 1) return touched(std::launch::deferred);
  try {
    return touched(std::launch::async);
  } catch (const std::system_error&) {
    return touched(std::launch::deferred);
  }
}

/// Pages of these sizes one after another, each pinned while the pages after it are touched.
template <class T>
void pin_in_turn(const gpu::Context& context, const std::vector<Offset>& sizes, int threads,
                 std::vector<std::promise<gpu::PinnedPages<T>>>& pieces,
                 const std::stop_token& stop) {
  std::future<gpu::PinnedPages<T>> next;
  for (std::size_t s = 0; s < sizes.size() && !stop.stop_requested(); ++s) {
    try {
      auto touched = std::exchange(next, {});
      if (!touched.valid()) touched = touched_meanwhile<T>(sizes[s], threads);
      if (s + 1 < sizes.size()) next = touched_meanwhile<T>(sizes[s + 1], threads);
      gpu::PinnedPages<T> pages = touched.get();
      pages.pin(context);
      pieces[s].set_value(std::move(pages));
    } catch (...) {
      pieces[s].set_exception(std::current_exception());
    }
  }
}

}  // namespace

// ---- Memory -------------------------------------------------------------------------------------

template <class T>
std::vector<Offset> PanelStore<T>::host_sizes() const {
  std::vector<Offset> sizes;
  if (!to_host_) return sizes;  // All slabs stay.
  sizes.reserve(sizes_.size() + 2);
  for (Index s = 0; s < plan_.first_resident; ++s) {
    const Offset slack = s < plan_.first_on_device ? kPanelSlack : 0;
    sizes.push_back(is_dropped(s) || plan_.is_in_file(s) ? 0 : size_of(s) + slack);
  }
  sizes.push_back(plan_.host_updates);
  sizes.push_back(StreamPlan::slots_entries(plan_.num_file_slots, plan_.file_slot));
  return sizes;
}

template <class T>
void PanelStore<T>::allocate(const gpu::Context& context, gpu::DeviceView<T> arena,
                             const gpu::CopyQueues& copies, int threads,
                             const ScratchPlace& scratch) {
  to_host_.reset(copies.to_host);
  to_device_.reset(copies.to_device);
  context_ = &context;
  arena_ = arena;
  threads_ = threads;
  for (Index s = plan_.first_apart; s < num_slabs(); ++s) apart_.emplace_back(context, size_of(s));
  done_.resize(plan_.transfers.size());
  if (plan_.num_file_slots > 0) {
    std::vector<Offset> bytes;
    bytes.reserve(sizes_.size());
    for (Index s = 0; s < num_slabs(); ++s) {
      bytes.push_back(plan_.is_in_file(s) ? size_of(s) * Offset{sizeof(T)} : 0);
    }
    filed_ = std::make_unique<FiledSlabs>(scratch.directory, bytes, *scratch.calls);
  }
  const std::vector<Offset> sizes = host_sizes();
  std::vector<std::promise<gpu::PinnedPages<T>>> promised(sizes.size());
  for (auto& piece : promised) host_.push_back(piece.get_future().share());
  if (sizes.empty()) return;
  // Its own copies: the store may be moved meanwhile.
  const auto pin = [&context, threads, sizes,
                    pieces = std::make_shared<decltype(promised)>(std::move(promised))](
                       const std::stop_token& stop) {
    pin_in_turn<T>(context, sizes, threads, *pieces, stop);
  };
  if (threads > 1) pinning_ = thread_for(pin);
  if (!pinning_.joinable()) pin({});
}

/// The memory of a slab that leaves, or behind all of these, of update matrices.
template <class T>
std::span<T> PanelStore<T>::host(Index piece) {
  Pages& pages = host_[static_cast<std::size_t>(piece)];
  try {
    return pages.get().span();
  } catch (const std::exception&) {
    // What was refused may be there now.
    std::promise<gpu::PinnedPages<T>> again;
    const Offset size = host_sizes()[static_cast<std::size_t>(piece)];
    again.set_value(pinned_pages<T>(*context_, size, threads_));
    pages = again.get_future().share();
    return pages.get().span();
  }
}

/// The slabs in the file, with slots.
template <class T>
FiledSlabs& PanelStore<T>::filed() {
  if (!filed_->has_slots()) {
    std::vector<char*> slots;
    for (Index k = 0; k < plan_.num_file_slots; ++k) {
      slots.push_back(reinterpret_cast<char*>(file_slot(k).data()));
    }
    filed_->set_slots(std::move(slots));
  }
  return *filed_;
}

template <class T>
std::span<T> PanelStore<T>::file_slot(Index slot) {
  const std::span<T> all = host(slots_piece());
  void* begin = all.data();
  std::size_t bytes = all.size_bytes();
  T* const first = static_cast<T*>(std::align(ScratchFile::kAlignment, 1, begin, bytes));
  return {first + slot * plan_.file_slot, static_cast<std::size_t>(plan_.file_slot)};
}

/// To be called before and after a transfer: a driver copies memory that is not pinned at any time
/// until the transfer has ended.
template <class T>
void PanelStore<T>::finish_unless_pinned(Index piece, gpu::Queue& queue) {
  if (!host_[static_cast<std::size_t>(piece)].get().refusal().empty()) queue.finish();
}

template <class T>
std::string PanelStore<T>::pin_refusal() const {
  using namespace std::chrono_literals;
  for (const Pages& pages : host_) {
    if (pages.wait_for(0s) != std::future_status::ready) continue;
    try {
      if (!pages.get().refusal().empty()) return pages.get().refusal();
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  return {};
}

// ---- Factorization ------------------------------------------------------------------------------

template <class T>
void PanelStore<T>::begin_factorization(gpu::Queue& user) {
  if (!to_host_) return;
  for (End& end : ends_) end.slab = kNone;
  for (gpu::Event& done : done_) done = {};
  wait_for_copies(user);
  if (filed_) filed().begin_writing();
}

/// What `user` does from here on follows all transfers that are under way.
template <class T>
void PanelStore<T>::wait_for_copies(gpu::Queue& user) {
  for (gpu::Queue* const queue : {to_host_.get(), to_device_.get()}) {
    user.wait_for(queue->marker());
    queue->flush();
  }
}

template <class T>
void PanelStore<T>::begin_group(Index group, gpu::Queue& user) {
  if (plan_.waits.empty()) return;
  for (const Index t : plan_.waits[static_cast<std::size_t>(group)]) {
    user.wait_for(done_[static_cast<std::size_t>(t)]);
  }
}

template <class T>
gpu::DeviceView<T> PanelStore<T>::written(Index slab) {
  if (slab >= plan_.first_apart) return apart_[static_cast<std::size_t>(slab - plan_.first_apart)];
  return arena_.part(plan_.panels[static_cast<std::size_t>(slab)], size_of(slab));
}

template <class T>
void PanelStore<T>::end_group(Index group, gpu::Queue& user) {
  if (plan_.transfers.empty()) return;
  const auto transfers = plan_.transfers_after(group);
  if (transfers.empty()) return;
  const gpu::Event computed = user.marker();
  user.flush();
  to_host_->wait_for(computed);
  to_device_->wait_for(computed);
  auto done = static_cast<std::size_t>(plan_.transfer_ptr[static_cast<std::size_t>(group)]);
  for (const StreamTransfer& transfer : transfers) {
    // What leaves comes first; what comes waits for it on another queue.
    if (!transfer.to_host) to_host_->flush();
    enqueue(transfer, done_[done++]);
  }
  to_host_->flush();
  to_device_->flush();
}

template <class T>
void PanelStore<T>::enqueue(const StreamTransfer& transfer, gpu::Event& done) {
  const bool is_update = transfer.what == StreamTransfer::What::kUpdate;
  const bool is_filed = !is_update && plan_.is_in_file(transfer.of);
  const gpu::DeviceView<T> device = arena_.part(transfer.device, transfer.entries);
  gpu::Queue& queue = transfer.to_host ? *to_host_ : *to_device_;
  const Index piece = is_update ? updates_piece() : is_filed ? slots_piece() : transfer.of;
  std::span<T> at_host;
  if (is_filed) {
    queue.flush();  // What the slot waits for.
    Index slot = kNone;
    queue.on_host("wait for the file", [&] { slot = filed().slot_to_fill(transfer.of); });
    at_host = file_slot(slot);
  } else {
    at_host = host(piece);
  }
  at_host = at_host.subspan(static_cast<std::size_t>(transfer.host),
                            static_cast<std::size_t>(transfer.entries));
  for (const Index t : transfer.follows) queue.wait_for(done_[static_cast<std::size_t>(t)]);
  finish_unless_pinned(piece, queue);
  done = transfer.to_host ? gpu::download_async<T>(queue, device, at_host)
                          : gpu::upload_async<T>(queue, at_host, device);
  finish_unless_pinned(piece, queue);
  if (is_filed && transfer.host + transfer.entries == size_of(transfer.of)) {
    queue.flush();
    filed().write(done.share());
  }
}

template <class T>
void PanelStore<T>::end_factorization(gpu::Queue& user) {
  if (!to_host_) return;
  wait_for_copies(user);
  free_ring(user);
  if (filed_) user.on_host("wait for the file", [this] { filed().finish_writing(); });
}

// ---- Reading ------------------------------------------------------------------------------------

template <class T>
void PanelStore<T>::set_ring(gpu::DeviceView<T> ring, gpu::DeviceView<T> dropped,
                             std::vector<Offset> beside) {
  ring_ = ring;
  dropped_ = dropped;
  beside_ = std::move(beside);
  for (End& end : ends_) end = {};
  end_of_.assign(static_cast<std::size_t>(plan_.first_resident), kNone);
  Index next = 0;
  for (const Index s : plan_.solve_order.slabs) {
    if (is_resident(s)) continue;
    end_of_[static_cast<std::size_t>(s)] = is_dropped(s) ? 2 : next;
    if (!is_dropped(s)) next = 1 - next;
  }
}

/// What comes next waits for all that is enqueued now.
template <class T>
void PanelStore<T>::free_ring(gpu::Queue& user) {
  for (End& end : ends_) {
    end.slab = kNone;
    end.used = user.marker();
  }
  user.flush();
}

template <class T>
void PanelStore<T>::will_acquire(const std::vector<Index>& order) {
  if (filed_) filed().begin_reading(order);
}

template <class T>
PanelLease<T> PanelStore<T>::acquire(Index slab) {
  if (is_resident(slab)) return {slab, written(slab), {}, false, false, {}};
  End& end = end_of(slab);
  const bool is_new = end.slab != slab;
  if (is_new) bring(slab, end);
  return {slab,
          end.place.part(0, size_of(slab)),
          end.place.part(slot_entries(size_of(slab), 0), beside(slab)),
          is_new,
          is_new && is_dropped(slab),
          end.copied.share()};
}

template <class T>
void PanelStore<T>::bring(Index slab, End& to) {
  const Offset size = slot_entries(size_of(slab), beside(slab));
  to.slab = kNone;
  to.copied = {};
  if (is_dropped(slab)) {
    to.place = dropped_.part(0, size);
    to.slab = slab;
    return;
  }
  const bool is_first = &to == ends_.data();
  End& other = ends_[is_first ? 1 : 0];
  to.place = ring_.part(is_first ? 0 : ring_.size - size, size);
  to_device_->wait_for(to.used);
  if (other.slab != kNone && other.place.size + size > ring_.size) {
    to_device_->wait_for(other.used);
    other.slab = kNone;
  }
  upload_slab(slab, to);
  to.slab = slab;
}

template <class T>
void PanelStore<T>::upload_slab(Index slab, End& to) {
  const bool is_filed = plan_.is_in_file(slab);
  const Index piece = is_filed ? slots_piece() : slab;
  std::span<T> values;
  if (is_filed) {
    Index slot = kNone;
    to_device_->on_host("wait for the file", [&] { slot = filed().read(slab); });
    values = file_slot(slot);
  } else {
    values = host(piece);
  }
  finish_unless_pinned(piece, *to_device_);
  to.copied = gpu::upload_async<T>(*to_device_,
                                   values.first(static_cast<std::size_t>(size_of(slab))), to.place);
  finish_unless_pinned(piece, *to_device_);
  to_device_->flush();
  if (is_filed) filed().give_back(to.copied.share());
}

template <class T>
void PanelStore<T>::release(const PanelLease<T>& lease, gpu::Queue& user) {
  if (is_resident(lease.slab)) return;
  end_of(lease.slab).used = user.marker();
  user.flush();
}

template <class T>
void PanelStore<T>::abandon(const PanelLease<T>& lease, gpu::Queue& user) noexcept {
  if (is_resident(lease.slab)) return;
  end_of(lease.slab).slab = kNone;
  gpu::check_in_destructor(clFinish(user.get()), "clFinish");
}

template <class T>
std::vector<T> PanelStore<T>::read(Index slab, gpu::Queue& user) {
  std::vector<T> values(static_cast<std::size_t>(size_of(slab)));
  if (is_resident(slab)) {
    gpu::download<T>(user, written(slab), values);
    return values;
  }
  user.finish();
  to_host_->finish();
  const std::span<T> there = plan_.is_in_file(slab) ? file_slot(filed().read(slab)) : host(slab);
  std::ranges::copy(there.first(values.size()), values.begin());
  if (plan_.is_in_file(slab)) filed().give_back({});
  return values;
}

template <class T>
std::vector<T*> PanelStore<T>::left_to_host(gpu::Queue& user) {
  user.finish();
  to_host_->finish();
  std::vector<T*> slabs(sizes_.size(), nullptr);
  for (Index s = 0; s < plan_.first_on_device; ++s) {
    slabs[static_cast<std::size_t>(s)] = host(s).data();
  }
  return slabs;
}

template class PanelStore<double>;
template class PanelStore<float>;

}  // namespace clchol::numeric
