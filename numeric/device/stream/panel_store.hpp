// Stores the panels of L that a device computes and solves with, in slabs, which stay on the device
// or go to host memory and come back.
//
// A plan (plan.hpp) says which slabs stay, which transfers to enqueue after each group, and all
// offsets.  A factorization follows the plan, group after group:
//
//   store.begin_factorization(queue);
//   for each group g:
//     store.begin_group(g, queue);
//     ... enqueue kernels that write store.written(slab of g) ...
//     store.end_group(g, queue);      // enqueues the plan's transfers after this group
//   store.end_factorization(queue);
//
// Afterwards, a reader of a slab holds a lease, which has the slab's device memory and the event to
// wait for:
//
//   PanelLease<T> lease = store.acquire(slab);
//   queue.wait_for(lease.ready);
//   ... enqueue kernels that read lease.panels ...
//   store.release(lease, queue);
//
// Slabs that do not stay take turns at the two ends of one range of device memory, the ring: one
// slab arrives while kernels read the slab before.
//
//   ring:  | slab a  ->              <-  slab b |      dropped:  | slab factored again |
//
// Slabs that the plan puts into a file go there through slots in host memory (filed_chunks.hpp).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/runtime/device_runtime.hpp"
#include "numeric/device/stream/filed_chunks.hpp"
#include "numeric/device/stream/pinned_chunks.hpp"
#include "numeric/device/stream/plan.hpp"

namespace clchol::numeric {

/// The right to read a slab until release() or abandon().
template <class T>
struct PanelLease {
  Index slab = kNone;
  gpu::DeviceView<T> panels;
  /// Device memory for data computed from the panels (inverted diagonal blocks).  Empty for slabs
  /// that stay.
  gpu::DeviceView<T> beside;
  /// Whether the slab was brought for this lease, so that the data in `beside` must be computed.
  bool is_new = false;
  /// Whether the slab was dropped, so that its panels must be computed again.
  bool is_empty = false;
  /// Event that must be complete before the panels are used; empty: they may be used at once.
  gpu::Event ready;
};

/// The scratch file of slabs that host memory has no room for.
struct ScratchPlace {
  std::string directory;
  const FileCalls* calls = &system_file_calls();  ///< Must outlive the store.
  /// Bytes per second that plans assume; 0: the measured rate (file_rate.hpp).
  double rate = 0;
};

/// For one thread at a time, and kernels of one queue.  T: double, float.
/// With slabs in a file, each function may throw FileError.
template <class T>
class PanelStore {
 public:
  /// @param slab_sizes  entries of each slab.
  /// @param stream      the plan, which is copied.  None: all slabs stay, each in its own buffer.
  explicit PanelStore(std::vector<Offset> slab_sizes, std::optional<StreamPlan> stream = {})
      : sizes_(std::move(slab_sizes)), plan_(stream ? std::move(*stream) : StreamPlan{}) {}

  /// Allocates device memory and pinned host memory.  Must be called once, before any function
  /// below.  With two threads or more, one of them allocates the host memory, chunk after chunk,
  /// while the caller goes on; functions that need a chunk wait until it is ready.
  /// @param arena    device memory for the plan's arena; it must outlive the store.
  /// @param copies   queues for transfers beside the kernels; may be null when all slabs stay.  The
  ///                 queues and the context must outlive the store.
  /// @param threads  number of threads that touch the pages of host memory.
  /// @param scratch  used when the plan has slabs in a file.
  /// Throws DeviceError.  When the host cannot allocate a chunk, the functions that need the chunk
  /// throw OutOfMemory; each such call tries to allocate it again.
  void allocate(const gpu::Context& context, gpu::DeviceView<T> arena,
                const gpu::CopyQueues& copies, int threads, const ScratchPlace& scratch = {});

  // ---- Factorization ----

  /// Must be called before panels are written anew.  Invalidates the slabs in the ring.
  void begin_factorization(gpu::Queue& user);
  /// Must be called before the group's kernels are enqueued in `user`.
  void begin_group(Index group, gpu::Queue& user);
  /// The device memory in which kernels write the slab's panels, between begin_group() and
  /// end_group() of the slab's groups.
  gpu::DeviceView<T> written(Index slab);
  /// Must be called after the group's last command was enqueued.  Enqueues the plan's transfers
  /// after this group.  Throws DeviceError, OutOfMemory.
  void end_group(Index group, gpu::Queue& user);
  /// Commands that are enqueued in `user` after this call may overwrite the arena, except for the
  /// slabs that stay.  Blocks until the slabs of the file are in it.
  void end_factorization(gpu::Queue& user);

  // ---- Reading ----

  /// Sets the device memory of slabs that do not stay.
  /// @param ring     memory to which slabs are brought.
  /// @param dropped  memory in which dropped slabs are factored again.
  /// @param beside   entries of PanelLease::beside of each slab that does not stay.
  void set_ring(gpu::DeviceView<T> ring, gpu::DeviceView<T> dropped, std::vector<Offset> beside);

  /// Announces the slabs for which acquire() will be called next, in this order, so that slabs in
  /// the file are prefetched.
  void will_acquire(const std::vector<Index>& order);
  /// Enqueues the transfers that bring the slab to the device.  Blocks while chunks are read from
  /// the file.  Only one lease of a slab that does not stay may exist at a time.  Throws
  /// DeviceError.
  PanelLease<T> acquire(Index slab);
  /// Ends a lease.  Must be called after the last command that uses the panels was enqueued in
  /// `user`.  Throws DeviceError.
  void release(const PanelLease<T>& lease, gpu::Queue& user);
  /// Ends a lease after an error, in place of release(), when not all commands may have been
  /// enqueued.  Waits for all commands of `user`; the next acquire() brings the slab again.
  void abandon(const PanelLease<T>& lease, gpu::Queue& user) noexcept;

  /// The reason why the first unpinned chunk of host memory, of those that are ready, is not
  /// pinned; empty: all of these are pinned.
  std::string pin_refusal() const { return host_.refusal(); }

  Index num_slabs() const { return static_cast<Index>(sizes_.size()); }
  bool is_resident(Index slab) const { return slab >= plan_.first_resident; }
  bool is_dropped(Index slab) const { return plan_.is_dropped(slab); }

  /// Returns a copy of the panels of a slab that is not dropped, from whichever memory holds them.
  /// Blocking.
  /// @param user  queue of the kernels that wrote the slab.
  /// Throws DeviceError.
  std::vector<T> read(Index slab, gpu::Queue& user);
  /// For each slab that the CPU solves with: its address in host memory, where kPanelSlack more
  /// entries may be read behind the slab.  For each other slab: null.  Blocking.  Throws as read().
  std::vector<T*> left_to_host(gpu::Queue& user);

 private:
  /// One end of the ring, or the memory beside it for dropped slabs.
  struct End {
    Index slab = kNone;        // Slab in this memory; kNone: none.
    gpu::DeviceView<T> place;  // Memory of the slab and of the data beside it.
    gpu::Event copied;         // End of the last transfer to this memory.
    gpu::Event used;           // End of the last kernels that use this memory.
  };
  Offset size_of(Index slab) const { return sizes_[static_cast<std::size_t>(slab)]; }
  Offset beside(Index slab) const { return beside_[static_cast<std::size_t>(slab)]; }
  std::vector<Offset> host_sizes() const;
  // Numbers of chunks in host_: first one for each slab before first_resident, then these two.
  Index shared_chunk() const { return plan_.first_resident; }
  Index slots_chunk() const { return plan_.first_resident + 1; }
  Index host_chunk_of(Index slab) const { return plan_.shares_host(slab) ? shared_chunk() : slab; }
  /// The panels of a slab in host memory.
  std::span<T> on_host(Index slab);
  void make_file(const ScratchPlace& scratch);
  FiledChunks& filed();
  /// The host memory of a slot, which holds one chunk of the file.
  std::span<T> file_slot(Index slot);
  /// For a slab in the file: calls use(chunk of the file, first entry, number of entries) for each
  /// chunk that holds some of the slab's entries [begin, end).
  template <class Use>
  void for_chunks(Index slab, Offset begin, Offset end, const Use& use);
  void send_to_file(const StreamTransfer& transfer, gpu::Event& done);
  void upload_slab(Index slab, End& to);
  void finish_unless_pinned(Index host_chunk, gpu::Queue& queue);
  void enqueue(const StreamTransfer& transfer, gpu::Event& done);
  End& end_of(Index slab) {
    return ends_[static_cast<std::size_t>(end_of_[static_cast<std::size_t>(slab)])];
  }
  void bring(Index slab, End& to);
  void free_ring(gpu::Queue& user);
  void wait_for_copies(gpu::Queue& user);

  std::vector<Offset> sizes_;
  StreamPlan plan_;
  gpu::DeviceView<T> arena_;
  PinnedChunks<T> host_;                // Host memory: chunks of host_sizes() entries.
  std::unique_ptr<FiledChunks> filed_;  // The scratch file.  Null: no slab is in it.
  std::vector<Index> first_chunk_;      // First chunk of each slab in the file.  Length: slabs + 1.
  std::vector<gpu::DeviceBuffer<T>> apart_;  // Buffers of the slabs from first_apart on.
  std::vector<gpu::Event> done_;             // Event of each transfer of the plan.
  gpu::DeviceView<T> ring_, dropped_;
  std::vector<Offset> beside_;  // Entries beside each slab: set_ring().
  // For each slab before first_resident: number in ends_ of its memory; kNone: none.
  std::vector<Index> end_of_;
  std::array<End, 3> ends_;  // The two ends of the ring, then the memory for dropped slabs.
  gpu::BorrowedQueue to_host_, to_device_;
};

}  // namespace clchol::numeric
