#include "numeric/device/stream/panel_store.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "numeric/panel_table.hpp"

namespace clchol::numeric {

// ---- Memory -------------------------------------------------------------------------------------

/// Entries of each chunk of host memory: slabs that have memory of their own, then the memory that
/// update matrices and other slabs share, then the slots for the file.
template <class T>
std::vector<Offset> PanelStore<T>::host_sizes() const {
  std::vector<Offset> sizes;
  sizes.reserve(static_cast<std::size_t>(plan_.first_resident) + 2);
  for (Index s = 0; s < plan_.first_resident; ++s) {
    const bool is_elsewhere = is_dropped(s) || plan_.is_in_file(s) || plan_.shares_host(s);
    const Offset slack = s < plan_.first_on_device ? kPanelSlack : 0;
    sizes.push_back(is_elsewhere ? 0 : size_of(s) + slack);
  }
  sizes.push_back(plan_.host_shared);
  sizes.push_back(StreamPlan::slots_entries(plan_.num_file_slots, plan_.file_chunk));
  return sizes;
}

/// The host chunks in the order in which a factorization needs them first, then all others.
template <class T>
std::vector<Index> PanelStore<T>::host_order() const {
  std::vector<Index> order;
  std::vector<char> is_taken(static_cast<std::size_t>(slots_chunk()) + 1, 0);
  const auto take = [&](Index chunk) {
    if (!std::exchange(is_taken[static_cast<std::size_t>(chunk)], 1)) order.push_back(chunk);
  };
  for (const StreamTransfer& transfer : plan_.transfers) {
    if (transfer.what == StreamTransfer::What::kUpdate) {
      take(shared_chunk());
    } else {
      take(plan_.is_in_file(transfer.of) ? slots_chunk() : host_chunk_of(transfer.of));
    }
  }
  for (Index chunk = 0; chunk <= slots_chunk(); ++chunk) take(chunk);
  return order;
}

template <class T>
void PanelStore<T>::allocate(const gpu::Context& context, gpu::DeviceView<T> arena,
                             const gpu::CopyQueues& copies, int threads,
                             const ScratchPlace& scratch) {
  to_host_.reset(copies.to_host);
  to_device_.reset(copies.to_device);
  arena_ = arena;
  for (Index s = plan_.first_apart; s < num_slabs(); ++s) apart_.emplace_back(context, size_of(s));
  done_.resize(plan_.transfers.size());
  if (plan_.num_file_slots > 0) make_file(scratch);
  if (to_host_) host_ = PinnedChunks<T>(context, host_sizes(), host_order(), threads);
}

template <class T>
void PanelStore<T>::make_file(const ScratchPlace& scratch) {
  constexpr Offset kPage = ScratchFile::kAlignment;
  std::vector<Offset> bytes;  // Bytes of each chunk of the file.
  first_chunk_ = {0};
  for (Index s = 0; s < num_slabs(); ++s) {
    Offset left = plan_.is_in_file(s) ? size_of(s) : 0;
    for (; left > 0; left -= plan_.file_chunk) {
      const Offset values = std::min(left, plan_.file_chunk);
      bytes.push_back((values * Offset{sizeof(T)} + kPage - 1) / kPage * kPage);
    }
    first_chunk_.push_back(static_cast<Index>(bytes.size()));
  }
  // Captures the queue, not `this`: the queue outlives the store, and the store may be moved.
  const auto watch = [queue = to_host_.get()](const SlabTransfers::Moved& block) {
    if (!queue->logging()) return;
    HostLog& log = queue->log()->host();
    if (block.is_write) log.record({.tier = kFileTier, .bytes = block.bytes}, block.end);
    log.record(SlabTransfers::work_of(block));
  };
  filed_ = std::make_unique<FiledChunks>(scratch.directory, bytes, *scratch.calls, watch);
}

template <class T>
std::span<T> PanelStore<T>::on_host(Index slab) {
  const Offset begin =
      plan_.shares_host(slab) ? plan_.host_places[static_cast<std::size_t>(slab)] : 0;
  return host_[host_chunk_of(slab)].subspan(static_cast<std::size_t>(begin),
                                            static_cast<std::size_t>(size_of(slab)));
}

/// The chunks in the file.  The first call waits for the slots' host memory.
template <class T>
FiledChunks& PanelStore<T>::filed() {
  if (!filed_->has_slots()) {
    std::vector<char*> slots;
    slots.reserve(static_cast<std::size_t>(plan_.num_file_slots));
    for (Index k = 0; k < plan_.num_file_slots; ++k) {
      slots.push_back(reinterpret_cast<char*>(file_slot(k).data()));
    }
    filed_->set_slots(std::move(slots));
  }
  return *filed_;
}

template <class T>
std::span<T> PanelStore<T>::file_slot(Index slot) {
  const std::span<T> all = host_[slots_chunk()];
  void* begin = all.data();
  std::size_t bytes = all.size_bytes();
  T* const first = static_cast<T*>(std::align(ScratchFile::kAlignment, 1, begin, bytes));
  return {first + slot * plan_.file_chunk, static_cast<std::size_t>(plan_.file_chunk)};
}

/// Must be called before and after a transfer of a chunk of host memory: when the memory is not
/// pinned, the driver may copy it at any time until the transfer has ended.
template <class T>
void PanelStore<T>::finish_unless_pinned(Index host_chunk, gpu::Queue& queue) {
  if (!host_.is_pinned(host_chunk)) queue.finish();
}

// ---- Factorization ------------------------------------------------------------------------------

template <class T>
void PanelStore<T>::begin_factorization(gpu::Queue& user) {
  if (!to_host_) return;
  for (End& end : ends_) end.slab = kNone;
  for (gpu::Event& done : done_) done = {};
  wait_for_copies(user);
  if (filed_) filed().begin_writing();
  memory_log_.begin(plan_, user, sizeof(T));
  if (filed_ && user.logging()) {
    user.log()->host().record({.tier = kFileTier, .bytes = filed_->bytes()});
  }
}

/// Makes commands that are enqueued in `user` from now on wait for all transfers under way.
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
  memory_log_.begin_group(user);
}

template <class T>
gpu::DeviceView<T> PanelStore<T>::written(Index slab) {
  if (slab >= plan_.first_apart) return apart_[static_cast<std::size_t>(slab - plan_.first_apart)];
  return arena_.part(plan_.panels[static_cast<std::size_t>(slab)], size_of(slab));
}

template <class T>
void PanelStore<T>::end_group(Index group, gpu::Queue& user) {
  if (to_host_) memory_log_.end_group(user);
  if (plan_.transfers.empty()) return;
  const auto transfers = plan_.transfers_after(group);
  if (transfers.empty()) return;
  const gpu::Event computed = user.marker();
  user.flush();
  to_host_->wait_for(computed);
  to_device_->wait_for(computed);
  auto done = static_cast<std::size_t>(plan_.transfer_ptr[static_cast<std::size_t>(group)]);
  for (const StreamTransfer& transfer : transfers) {
    // Transfers to the host precede; those to the device wait for them on another queue.
    if (!transfer.to_host) to_host_->flush();
    enqueue(transfer, done_[done++]);
  }
  to_host_->flush();
  to_device_->flush();
}

template <class T>
void PanelStore<T>::enqueue(const StreamTransfer& transfer, gpu::Event& done) {
  const bool is_update = transfer.what == StreamTransfer::What::kUpdate;
  gpu::Queue& queue = transfer.to_host ? *to_host_ : *to_device_;
  for (const Index t : transfer.follows) queue.wait_for(done_[static_cast<std::size_t>(t)]);
  if (!is_update && plan_.is_in_file(transfer.of)) {
    send_to_file(transfer, done);
    return;
  }
  const gpu::DeviceView<T> device = arena_.part(transfer.device, transfer.entries);
  const Index chunk = is_update ? shared_chunk() : host_chunk_of(transfer.of);
  const std::span<T> at_host = (is_update ? host_[chunk] : on_host(transfer.of))
                                   .subspan(static_cast<std::size_t>(transfer.host),
                                            static_cast<std::size_t>(transfer.entries));
  finish_unless_pinned(chunk, queue);
  if (!is_update) {
    done = move_panels(transfer.of, transfer.host, device, at_host, transfer.to_host);
  } else {
    done = transfer.to_host ? gpu::download_async<T>(queue, device, at_host)
                            : gpu::upload_async<T>(queue, at_host, device);
  }
  finish_unless_pinned(chunk, queue);
}

/// Enqueues the transfers of consecutive entries of a slab.
/// @param begin   offset in the slab of the first entry.
/// @param device  device memory of the entries.
/// @param host    host memory of the entries.
/// @return event of the last transfer.
template <class T>
gpu::Event PanelStore<T>::move_panels(Index slab, Offset begin, gpu::DeviceView<T> device,
                                      std::span<T> host, bool to_host) {
  gpu::Event done;
  const auto move = [&](const SlabRectangle& of) {
    const gpu::MatrixShape shape{of.rows, of.columns, of.ld};
    const gpu::DeviceView<T> there = device.part(of.begin - begin, shape.extent());
    const std::span<T> here = host.subspan(static_cast<std::size_t>(of.begin - begin),
                                           static_cast<std::size_t>(shape.extent()));
    done = to_host ? gpu::download_matrix_async<T>(*to_host_, there, here, shape)
                   : gpu::upload_matrix_async<T>(*to_device_, here, there, shape);
  };
  wide_.for_rectangles(slab, begin, begin + device.size, move);
  return done;
}

template <class T>
template <class Use>
void PanelStore<T>::for_chunks(Index slab, Offset begin, Offset end, const Use& use) {
  const Offset size = plan_.file_chunk;
  while (begin < end) {
    const Offset k = begin / size, to = std::min(end, (k + 1) * size);
    use(first_chunk_[static_cast<std::size_t>(slab)] + static_cast<Index>(k), begin, to - begin);
    begin = to;
  }
}

template <class T>
void PanelStore<T>::send_to_file(const StreamTransfer& transfer, gpu::Event& done) {
  gpu::Queue& queue = *to_host_;
  const Offset slab_size = size_of(transfer.of);
  for_chunks(
      transfer.of, transfer.host, transfer.host + transfer.entries,
      [&](Index chunk, Offset begin, Offset count) {
        Index slot = kNone;
        queue.on_host("wait for the file", [&] { slot = filed().slot_to_fill(chunk); });
        const Offset at = begin % plan_.file_chunk;
        finish_unless_pinned(slots_chunk(), queue);
        done = gpu::download_async<T>(
            queue, arena_.part(transfer.device + begin - transfer.host, count),
            file_slot(slot).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count)));
        finish_unless_pinned(slots_chunk(), queue);
        queue.flush();
        const bool is_whole = at + count == plan_.file_chunk || begin + count == slab_size;
        if (is_whole) filed().write(done.share());
      });
}

template <class T>
void PanelStore<T>::end_factorization(gpu::Queue& user) {
  if (!to_host_) return;
  wait_for_copies(user);
  memory_log_.end(plan_, user, done_, sizeof(T));
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

/// Empties the ring.  The next transfers to it wait for all commands that `user` has by now.
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
  if (!filed_) return;
  std::vector<Index> chunks;
  for (const Index s : order) {
    const auto slab = static_cast<std::size_t>(s);
    for (Index p = first_chunk_[slab]; p < first_chunk_[slab + 1]; ++p) chunks.push_back(p);
  }
  filed().begin_reading(std::move(chunks));
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
  const Offset before = ring_entries();
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
  record_ring(before, to.copied);
}

template <class T>
Offset PanelStore<T>::ring_entries() const {
  Offset entries = 0;
  for (const End& end : std::span(ends_).first(2)) {
    entries += end.slab == kNone ? 0 : end.place.size;
  }
  return entries;
}

/// Records, in the log of the queue, the change of ring_entries() at the beginning of an upload.
template <class T>
void PanelStore<T>::record_ring(Offset before, const gpu::Event& upload) {
  if (!to_device_->logging() || upload.empty()) return;
  const Offset entries = ring_entries() - before;
  to_device_->log()->record_change_at_start(
      {.tier = kDeviceTier, .bytes = entries * Offset{sizeof(T)}}, upload.share());
}

template <class T>
void PanelStore<T>::upload_slab(Index slab, End& to) {
  gpu::Queue& queue = *to_device_;
  if (!plan_.is_in_file(slab)) {
    finish_unless_pinned(host_chunk_of(slab), queue);
    to.copied = move_panels(slab, 0, to.place.part(0, size_of(slab)), on_host(slab), false);
    finish_unless_pinned(host_chunk_of(slab), queue);
    queue.flush();
    return;
  }
  for_chunks(slab, 0, size_of(slab), [&](Index chunk, Offset begin, Offset count) {
    Index slot = kNone;
    queue.on_host("wait for the file", [&] { slot = filed().read(chunk); });
    finish_unless_pinned(slots_chunk(), queue);
    to.copied = gpu::upload_async<T>(queue, file_slot(slot).first(static_cast<std::size_t>(count)),
                                     to.place.part(begin, count));
    finish_unless_pinned(slots_chunk(), queue);
    queue.flush();
    filed().give_back(to.copied.share());
  });
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
  user.finish_in_destructor();
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
  if (!plan_.is_in_file(slab)) {
    std::ranges::copy(on_host(slab), values.begin());
    return values;
  }
  for_chunks(slab, 0, size_of(slab), [&](Index chunk, Offset begin, Offset count) {
    std::copy_n(file_slot(filed().read(chunk)).data(), count, values.data() + begin);
    filed().give_back({});
  });
  return values;
}

template <class T>
std::vector<T*> PanelStore<T>::left_to_host(gpu::Queue& user) {
  user.finish();
  to_host_->finish();
  std::vector<T*> slabs(sizes_.size(), nullptr);
  for (Index s = 0; s < plan_.first_on_device; ++s) {
    slabs[static_cast<std::size_t>(s)] = host_[s].data();
  }
  return slabs;
}

template class PanelStore<double>;
template class PanelStore<float>;

}  // namespace clchol::numeric
