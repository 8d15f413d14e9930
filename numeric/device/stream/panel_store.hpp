// Stores the panels of L that a device computes and solves with.  A slab is the panels of
// consecutive groups of fronts, in one range of memory.  There are three kinds of slabs:
//
//   resident   stays on the device
//   sent       goes to host memory or to a scratch file.  The CPU solves with some of these slabs.
//              All others are uploaded for the forward solve and again for the backward solve.
//   dropped    is overwritten after its groups are factored, and is factored again for the forward
//              solve and for the backward solve
//
// A plan (plan.hpp) decides the kind of each slab, the transfers after each group, and all offsets.
// A factorization calls the store for one group after another:
//
//   store.begin_factorization(queue);
//   for each group g:
//     store.begin_group(g, queue);
//     ... enqueue kernels that write store.written(slab of g) ...
//     store.end_group(g, queue);      // enqueues the plan's transfers after this group
//   store.end_factorization(queue);
//
// After the factorization, a caller that reads a slab must hold a lease: the right to read the slab
// on the device until the lease is released.
//
//   PanelLease<T> lease = store.acquire(slab);
//   queue.wait_for(lease.ready);
//   ... enqueue kernels that read lease.panels ...
//   store.release(lease, queue);
//
// Slabs that are uploaded lie alternately at the beginning and at the end of one range of device
// memory, the ring: one slab is uploaded to one end while kernels read another slab at the other
// end.  Dropped slabs are factored again in a second range.
//
//   ring:  | slab a  ->              <-  slab b |      dropped:  | slab factored again |
//
// On their way to the file and back, slabs go through slots: buffers in host memory, with room for
// one file chunk each (filed_chunks.hpp).  A file chunk is a piece of a slab in the file.  A host
// chunk is a range of host memory that is allocated and pinned as a whole (pinned_chunks.hpp).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/runtime/device_runtime.hpp"
#include "numeric/device/stream/filed_chunks.hpp"
#include "numeric/device/stream/memory_log.hpp"
#include "numeric/device/stream/pinned_chunks.hpp"
#include "numeric/device/stream/plan.hpp"
#include "numeric/device/stream/wide_panels.hpp"

namespace clchol::numeric {

/// The right to read a slab on the device, until PanelStore::release() or abandon() is called.
template <class T>
struct PanelLease {
  Index slab = kNone;         ///< Number of the slab.
  gpu::DeviceView<T> panels;  ///< Device memory of the slab's panels.
  /// Device memory next to the panels, for the inverted diagonal blocks of the slab's fronts.
  /// Empty for slabs that stay on the device.
  gpu::DeviceView<T> beside;
  /// Whether the slab was not on the device before this lease.  The caller must then compute the
  /// inverted diagonal blocks in `beside`.
  bool is_new = false;
  /// Whether `panels` has no values, because the slab was dropped.  The caller must then compute
  /// the panels again.
  bool is_empty = false;
  /// Event of the slab's upload.  Commands that use `panels` must wait for this event.  Empty:
  /// commands need not wait.
  gpu::Event ready;
};

/// Directory and properties of the scratch file for slabs that host memory has no room for.
struct ScratchPlace {
  std::string directory;  ///< Directory in which the file is made.  Empty: no file is made.
  /// System calls by which the file is written and read.  They must outlive the PanelStore.
  const FileCalls* calls = &system_file_calls();
  /// Bytes per second at which plans assume that the file is written or read.  0: the rate is
  /// measured (file_rate.hpp).
  double rate = 0;
};

/// The slabs of one factor, in device memory, host memory and a file.  Not thread-safe.  The caller
/// must enqueue all kernels that use the slabs in one in-order queue, and pass this queue as the
/// argument `user` of member functions.  If the plan has slabs in a file, each member function may
/// throw FileError.  T: double, float.
template <class T>
class PanelStore {
 public:
  /// Stores the arguments.  allocate() allocates the memory later.
  /// @param slab_sizes  Entries of each slab.
  /// @param stream      The plan.  nullopt: all slabs stay on the device, each in a buffer of its
  ///                    own.
  /// @param wide        The wide panels, which move between device and host memory without most of
  ///                    the entries above the diagonal.  These entries are then undefined.
  explicit PanelStore(std::vector<Offset> slab_sizes, std::optional<StreamPlan> stream = {},
                      WidePanels wide = {})
      : sizes_(std::move(slab_sizes)),
        plan_(stream ? std::move(*stream) : StreamPlan{}),
        wide_(std::move(wide)) {}

  /// Allocates one device buffer for each slab from StreamPlan::first_apart on, pinned host memory,
  /// and the file.  The resident slabs before first_apart lie in the arena, the plan's buffer of
  /// panels and update matrices.  Must be called once, before any function below.  If `threads` is
  /// greater than 1, a background thread allocates the host memory, one host chunk after another
  /// (pinned_chunks.hpp), also after this call has returned.  Functions that need a host chunk
  /// block until it is allocated.
  /// @param arena    Device memory of the plan's arena.  It must outlive the store.
  /// @param copies   Queues for transfers, which run at the same time as kernels.  They may be null
  ///                 if all slabs stay on the device.  The queues and the context must outlive the
  ///                 store.
  /// @param threads  Number of host threads that write zeros to the host memory, so that the system
  ///                 allocates its pages.
  /// @param scratch  Directory of the file.  Used only if the plan has slabs in a file.
  /// Throws DeviceError.  When a host chunk cannot be allocated, each function that needs the host
  /// chunk tries to allocate it again, and throws OutOfMemory when this fails.
  void allocate(const gpu::Context& context, gpu::DeviceView<T> arena,
                const gpu::CopyQueues& copies, int threads, const ScratchPlace& scratch = {});

  // ---- Factorization ----

  /// Begins a factorization.  Forgets which slabs are in the ring.  Makes all commands that are
  /// enqueued in `user` after this call wait for all transfers that were enqueued before this call.
  /// Must be called before the first group.
  void begin_factorization(gpu::Queue& user);
  /// Makes all commands that are enqueued in `user` afterwards wait for the transfers in
  /// StreamPlan::waits of the group.  Must be called before the group's kernels are enqueued.
  void begin_group(Index group, gpu::Queue& user);
  /// Returns the device memory in which kernels write the slab's panels.  Valid between
  /// begin_group() and end_group() of each group of the slab.
  gpu::DeviceView<T> written(Index slab);
  /// Enqueues the plan's transfers after the group: panels to host memory or to the file, update
  /// matrices to host memory, and update matrices back to the device.  Must be called after the
  /// group's last command was enqueued.
  /// Throws DeviceError, OutOfMemory.
  void end_group(Index group, gpu::Queue& user);
  /// Ends a factorization.  Makes all commands that are enqueued in `user` after this call wait for
  /// all transfers, so that these commands may overwrite the arena, except for resident slabs.
  /// Blocks until all slabs that go to the file have been written.  Must be called after the last
  /// group.
  void end_factorization(gpu::Queue& user);

  // ---- Reading ----

  /// Sets the device memory in which solves read slabs that do not stay on the device.
  /// @param ring     Memory to which slabs are uploaded.
  /// @param dropped  Memory in which dropped slabs are factored again.
  /// @param beside   Number of entries of PanelLease::beside for each slab that is not resident:
  ///                 slabs [0, StreamPlan::first_resident).
  void set_ring(gpu::DeviceView<T> ring, gpu::DeviceView<T> dropped, std::vector<Offset> beside);

  /// Begins to prefetch slabs from the file to host memory.  Returns at once if there is no file.
  /// @param order  Numbers of slabs, in the order in which acquire() will be called for these
  ///               slabs.  Slabs that are not in the file have no effect.
  void will_acquire(const std::vector<Index>& order);
  /// Returns a lease of the slab.  If the slab is neither on the device nor dropped, enqueues the
  /// slab's upload.  If the slab is in the file, blocks while its file chunks are read.  The caller
  /// must release the lease of a slab that is not resident before it acquires another such slab.
  /// Throws DeviceError, OutOfMemory.
  /// @param slab  A slab that the device solves with: at least StreamPlan::first_on_device.
  PanelLease<T> acquire(Index slab);
  /// Ends a lease.  Must be called after the last command that uses the slab was enqueued in
  /// `user`.  Does not wait for these commands.  While the commands still read the released slab,
  /// the next slab can be uploaded to the other end of the ring, if both slabs fit into the ring.
  /// Throws DeviceError.
  void release(const PanelLease<T>& lease, gpu::Queue& user);
  /// Ends a lease after an error, instead of release().  Must be called if some commands that
  /// should write the slab's memory may not have been enqueued.  If the slab is resident, the call
  /// has no effect.  Otherwise the call blocks until all commands of `user` have ended, and the
  /// next lease of the slab has is_new = true.
  void abandon(const PanelLease<T>& lease, gpu::Queue& user) noexcept;

  /// Returns the error message for the first host chunk that could not be allocated or pinned.
  /// Empty: no host chunk has failed until now.
  std::string pin_refusal() const { return host_.refusal(); }

  /// Returns the number of entries that slabs occupy in the ring.
  Offset ring_entries() const;

  Index num_slabs() const { return static_cast<Index>(sizes_.size()); }
  /// Returns whether the slab stays on the device.
  bool is_resident(Index slab) const { return slab >= plan_.first_resident; }
  bool is_dropped(Index slab) const { return plan_.is_dropped(slab); }

  /// Returns a copy of all entries of a slab that is not dropped.  Blocking.
  /// @param user  Queue of the kernels that wrote the slab.
  /// Throws DeviceError, OutOfMemory.
  std::vector<T> read(Index slab, gpu::Queue& user);
  /// Waits until the slabs that the CPU solves with are in host memory.  Blocking.
  /// @return for each slab that the CPU solves with, the slab's address in host memory; null for
  ///         all other slabs.  The caller may also read the kPanelSlack entries
  ///         (numeric/panel_table.hpp) after such a slab, but their values have no meaning.
  /// Throws DeviceError, OutOfMemory.
  std::vector<T*> left_to_host(gpu::Queue& user);

 private:
  /// Device memory for one slab at a time: one of the two ends of the ring, or the range for
  /// dropped slabs.
  struct End {
    Index slab = kNone;        // Slab that is in this memory; kNone: no slab.
    gpu::DeviceView<T> place;  // Memory of the slab's panels and of PanelLease::beside.
    gpu::Event copied;         // Event of the last upload to this memory.
    gpu::Event used;           // Marker after the last kernels that use this memory.
  };
  Offset size_of(Index slab) const { return sizes_[static_cast<std::size_t>(slab)]; }
  Offset beside(Index slab) const { return beside_[static_cast<std::size_t>(slab)]; }
  std::vector<Offset> host_sizes() const;
  std::vector<Index> host_order() const;
  // Contents of host chunk k, a range of host_ (not a chunk of the file):
  //
  //   k < first_resident       slab k; the chunk is empty if the slab is dropped, in the file, or
  //                            in the shared range
  //   k = first_resident       the shared range, for update matrices and slabs; it has
  //                            StreamPlan::host_shared entries
  //   k = first_resident + 1   all slots of the file
  Index shared_chunk() const { return plan_.first_resident; }
  Index slots_chunk() const { return plan_.first_resident + 1; }
  Index host_chunk_of(Index slab) const { return plan_.shares_host(slab) ? shared_chunk() : slab; }
  /// Returns the host memory of a slab's panels.
  std::span<T> on_host(Index slab);
  void make_file(const ScratchPlace& scratch);
  FiledChunks& filed();
  /// Returns the host memory of a slot, which has room for one file chunk.
  std::span<T> file_slot(Index slot);
  /// Divides the entries [begin, end) of a slab by the file chunks that hold these entries.  Calls
  /// use(chunk, first, count) for each such file chunk, in ascending order.  The entries
  /// [first, first + count), counted from the beginning of the slab, are those of [begin, end) that
  /// the file chunk holds: not always the whole file chunk.  `chunk` is the number of the file
  /// chunk among the file chunks of all slabs (first_chunk_).
  template <class Use>
  void for_chunks(Index slab, Offset begin, Offset end, const Use& use);
  void send_to_file(const StreamTransfer& transfer, gpu::Event& done);
  void upload_slab(Index slab, End& to);
  gpu::Event move_panels(Index slab, Offset begin, gpu::DeviceView<T> device, std::span<T> host,
                         bool to_host);
  void finish_unless_pinned(Index host_chunk, gpu::Queue& queue);
  void enqueue(const StreamTransfer& transfer, gpu::Event& done);
  End& end_of(Index slab) {
    return ends_[static_cast<std::size_t>(end_of_[static_cast<std::size_t>(slab)])];
  }
  void bring(Index slab, End& to);
  void free_ring(gpu::Queue& user);
  void wait_for_copies(gpu::Queue& user);
  void record_ring(Offset before, const gpu::Event& upload);

  std::vector<Offset> sizes_;
  StreamPlan plan_;
  WidePanels wide_;
  gpu::DeviceView<T> arena_;
  PinnedChunks<T> host_;  // All host memory.  Host chunk k has host_sizes()[k] entries.
  std::unique_ptr<FiledChunks> filed_;  // The scratch file.  Null: there is no file.
  // Slab s has the file chunks [first_chunk_[s], first_chunk_[s + 1]), an empty range if the slab
  // is not in the file.  File chunks are numbered from 0 over all slabs.  Length: number of
  // slabs + 1.
  std::vector<Index> first_chunk_;
  // Device buffers of slabs [StreamPlan::first_apart, num_slabs()), one buffer for each slab.
  std::vector<gpu::DeviceBuffer<T>> apart_;
  // Event of each transfer in StreamPlan::transfers.  Empty: the transfer was not enqueued yet.
  std::vector<gpu::Event> done_;
  gpu::DeviceView<T> ring_, dropped_;
  // Entries of PanelLease::beside for each slab that is not resident, from set_ring().
  std::vector<Offset> beside_;
  // For each slab before first_resident: index in ends_ of the memory in which the slab is read;
  // kNone: the CPU solves with the slab.
  std::vector<Index> end_of_;
  std::array<End, 3> ends_;  // The two ends of the ring, then the range for dropped slabs.
  gpu::BorrowedQueue to_host_, to_device_;
  StreamMemoryLog memory_log_;
};

}  // namespace clchol::numeric
