// The panels of L that a device makes and solves with: by slabs, which stay on the device or go to
// host memory and come back.
//
// Which slabs stay, and where everything lies, a plan says (plan.hpp).  A factorization goes
// by it, group after group:
//
//   store.begin_factorization(queue);
//   for each group g:
//     store.begin_group(g, queue);
//     ... enqueue kernels that write store.written(slab of g) ...
//     store.end_group(g, queue);      // what may leave leaves, what will be read comes
//   store.end_factorization(queue);
//
// Afterwards, whoever reads a slab holds a lease, which says where the slab is and what to wait
// for:
//
//   PanelLease<T> lease = store.acquire(slab);
//   queue.wait_for(lease.ready);
//   ... enqueue kernels that read lease.panels ...
//   store.release(lease, queue);
//
// Slabs that do not stay take turns at the two ends of one range of the device's memory, the ring:
// one comes beside the kernels that read the one before.  Where the plan says so, they go on from
// host memory to a file, and come from there (filed_chunks.hpp).
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

/// The right to read a slab until it is given back.
template <class T>
struct PanelLease {
  Index slab = kNone;
  gpu::DeviceView<T> panels;
  /// Of a slab that came: values beside it for what is made from its panels,
  gpu::DeviceView<T> beside;
  bool is_new = false;    ///< which is not there yet: the slab came for this lease,
  bool is_empty = false;  ///< or was dropped: then its panels are yet to be made.
  gpu::Event ready;       ///< To be waited for before the panels are used; empty: at once.
};

/// Where slabs go that host memory has no room for.
struct ScratchPlace {
  std::string directory;
  const FileCalls* calls = &system_file_calls();  ///< Outlives the store.
  /// Bytes a second, for plans; 0: as measured (file_rate.hpp).
  double rate = 0;
};

/// For one thread at a time, and kernels of one queue.  T: double, float.
/// Where slabs are in a file, each call below may throw FileError.
template <class T>
class PanelStore {
 public:
  /// @param slab_sizes  values of each slab.
  /// @param stream      the plan; a copy is kept.  None: all slabs stay, each in its own buffer.
  explicit PanelStore(std::vector<Offset> slab_sizes, std::optional<StreamPlan> stream = {})
      : sizes_(std::move(slab_sizes)), plan_(stream ? std::move(*stream) : StreamPlan{}) {}

  /// Takes memory, on the device and, pinned, on the host, whose pages are touched by so many
  /// threads: once, before the rest.  With two threads or more the host's is taken by one of them,
  /// chunk after chunk, while the caller goes on; whoever needs a chunk that is not there waits for
  /// it.
  /// @param arena   the plan's; it outlives the store.
  /// @param copies  queues for transfers beside the kernels; may be null where all slabs stay.
  ///                They and the context outlive the store.
  /// @param scratch  used where the plan has slabs in a file.
  /// Throws DeviceError.  What the host refuses is thrown where it is needed, as OutOfMemory; it is
  /// asked for again the next time.
  void allocate(const gpu::Context& context, gpu::DeviceView<T> arena,
                const gpu::CopyQueues& copies, int threads, const ScratchPlace& scratch = {});

  // ---- Factorization ----

  /// All panels are about to be written anew; what the ring holds is void.
  void begin_factorization(gpu::Queue& user);
  void begin_group(Index group, gpu::Queue& user);
  /// Where kernels write a slab's panels, between begin_group() and end_group() of its groups.
  gpu::DeviceView<T> written(Index slab);
  /// After the group's last command is enqueued.  Throws DeviceError, OutOfMemory.
  void end_group(Index group, gpu::Queue& user);
  /// The arena is free for others but for the slabs that stay, after what `user` does next.
  void end_factorization(gpu::Queue& user);

  // ---- Reading ----

  /// Where slabs come from here on, where dropped ones are made, and how many values beside each.
  void set_ring(gpu::DeviceView<T> ring, gpu::DeviceView<T> dropped, std::vector<Offset> beside);

  /// Slabs for which acquire() will be called next, in this order: those in the file are read
  /// ahead.
  void will_acquire(const std::vector<Index>& order);
  /// Enqueues what brings the slab, which is waited for where it comes from the file.  One lease at
  /// a time of a slab that does not stay.  Throws DeviceError.
  PanelLease<T> acquire(Index slab);
  /// After the last command of `user` that uses the panels is enqueued.  Throws DeviceError.
  void release(const PanelLease<T>& lease, gpu::Queue& user);
  /// In its place where those commands are not known to be whole: the slab comes anew, after all
  /// that `user` was told to do.
  void abandon(const PanelLease<T>& lease, gpu::Queue& user) noexcept;

  /// Why host memory is not pinned, of the first chunk that is there and is not; empty: all are.
  std::string pin_refusal() const { return host_.refusal(); }

  Index num_slabs() const { return static_cast<Index>(sizes_.size()); }
  bool is_resident(Index slab) const { return slab >= plan_.first_resident; }
  bool is_dropped(Index slab) const { return plan_.is_dropped(slab); }

  /// The values of a slab that is not dropped, wherever it is.  Blocking.
  /// @param user  the queue of the kernels that have written it.
  /// Throws DeviceError.
  std::vector<T> read(Index slab, gpu::Queue& user);
  /// For each slab that the plan leaves to the CPU, its place in host memory, with kPanelSlack
  /// values behind the slab; for each other slab null.  Blocking; throws as read().
  std::vector<T*> left_to_host(gpu::Queue& user);

 private:
  /// One end of the ring, or the place of slabs that are made again.
  struct End {
    Index slab = kNone;  // That it holds.
    gpu::DeviceView<T> place;
    gpu::Event copied;  // Its last transfer has ended,
    gpu::Event used;    // and so have the last kernels that use it.
  };
  Offset size_of(Index slab) const { return sizes_[static_cast<std::size_t>(slab)]; }
  Offset beside(Index slab) const { return beside_[static_cast<std::size_t>(slab)]; }
  std::vector<Offset> host_sizes() const;
  // Numbers of chunks of host memory.
  Index shared_chunk() const { return plan_.first_resident; }
  Index slots_chunk() const { return plan_.first_resident + 1; }
  Index host_chunk_of(Index slab) const { return plan_.shares_host(slab) ? shared_chunk() : slab; }
  /// A slab in host memory.
  std::span<T> on_host(Index slab);
  void make_file(const ScratchPlace& scratch);
  FiledChunks& filed();
  std::span<T> file_slot(Index slot);
  /// Of a slab that is in the file: calls use(chunk, first value in the slab, values) for each
  /// chunk that has some of the values [begin, end).
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
  PinnedChunks<T> host_;                     // host_sizes().
  std::unique_ptr<FiledChunks> filed_;       // Null: no slab is in a file.
  std::vector<Index> first_chunk_;           // Of each slab.  Length slabs + 1.
  std::vector<gpu::DeviceBuffer<T>> apart_;  // Slabs with buffers of their own.
  std::vector<gpu::Event> done_;             // The plan's transfers of this factorization.
  gpu::DeviceView<T> ring_, dropped_;
  std::vector<Offset> beside_;
  std::vector<Index> end_of_;  // The end of the ring that a slab comes to.
  std::array<End, 3> ends_;    // The ring's two, and the place beside it.
  gpu::BorrowedQueue to_host_, to_device_;
};

}  // namespace clchol::numeric
