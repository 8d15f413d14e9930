// Stores the panels of L that a device computes and solves with.  Panels are stored in slabs.  A
// slab stays on the device, or goes to host memory or a scratch file and comes back for each half
// of a solve, or is dropped and factored again.
//
// A plan (plan.hpp) decides which slabs stay, which transfers are enqueued after each group, and
// all offsets.  A factorization calls the store for one group after another:
//
//   store.begin_factorization(queue);
//   for each group g:
//     store.begin_group(g, queue);
//     ... enqueue kernels that write store.written(slab of g) ...
//     store.end_group(g, queue);      // enqueues the plan's transfers after this group
//   store.end_factorization(queue);
//
// Afterwards, whoever reads a slab holds a lease: the right to read the slab on the device until
// the lease is released.
//
//   PanelLease<T> lease = store.acquire(slab);
//   queue.wait_for(lease.ready);
//   ... enqueue kernels that read lease.panels ...
//   store.release(lease, queue);
//
// Slabs that do not stay on the device take turns at the two ends of one range of device memory,
// the ring: one slab is uploaded to one end while kernels read another slab at the other end.  A
// dropped slab is factored again in a range of its own.
//
//   ring:  | slab a  ->              <-  slab b |      dropped:  | slab factored again |
//
// Slabs that the plan puts into a file go through slots in host memory (filed_chunks.hpp).
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

/// The right to read a slab on the device, until release() or abandon() is called.
template <class T>
struct PanelLease {
  Index slab = kNone;
  gpu::DeviceView<T> panels;  ///< Device memory of the slab's panels.
  /// Device memory for the inverted diagonal blocks of the slab's fronts.  Empty for slabs that
  /// stay on the device.
  gpu::DeviceView<T> beside;
  /// Whether the slab was not on the device before, so that the caller must compute the data in
  /// `beside`.
  bool is_new = false;
  /// Whether the slab was dropped, so that the caller must compute the panels again.
  bool is_empty = false;
  /// Event for which commands that use `panels` must wait.  Empty: they need not wait.
  gpu::Event ready;
};

/// Where the scratch file is made for slabs that host memory has no room for.
struct ScratchPlace {
  std::string directory;  ///< Empty: there is no file.
  /// System calls of the file.  Must outlive the store.
  const FileCalls* calls = &system_file_calls();
  /// Rate of the file, in bytes per second, that plans assume.  0: the rate is measured
  /// (file_rate.hpp).
  double rate = 0;
};

/// The slabs of one factor, in device memory, host memory and a file.  Not thread-safe.  All
/// kernels that use the slabs go to one in-order queue, which is the argument `user` of member
/// functions.  With slabs in a file, each member function may throw FileError.  T: double, float.
template <class T>
class PanelStore {
 public:
  /// @param slab_sizes  Entries of each slab.
  /// @param stream      The plan.  None: all slabs stay on the device, each in a buffer of its own.
  explicit PanelStore(std::vector<Offset> slab_sizes, std::optional<StreamPlan> stream = {})
      : sizes_(std::move(slab_sizes)), plan_(stream ? std::move(*stream) : StreamPlan{}) {}

  /// Allocates the device buffers of slabs outside of the arena, pinned host memory, and the file.
  /// Must be called once, before any function below.  With two threads or more, one thread
  /// allocates the host memory in chunks after the call has returned; functions that need a chunk
  /// wait until the chunk is ready.
  /// @param arena    Device memory of the plan's arena; it must outlive the store.
  /// @param copies   Queues for transfers, which run beside the kernels; may be null when all slabs
  ///                 stay.  The queues and the context must outlive the store.
  /// @param threads  Number of host threads that touch the pages of host memory first.
  /// @param scratch  Where the file is made, if the plan has slabs in a file.
  /// Throws DeviceError.  When the host cannot allocate a chunk, each function that needs the chunk
  /// tries to allocate it again, and throws OutOfMemory when this fails.
  void allocate(const gpu::Context& context, gpu::DeviceView<T> arena,
                const gpu::CopyQueues& copies, int threads, const ScratchPlace& scratch = {});

  // ---- Factorization ----

  /// Empties the ring, and makes all commands that are enqueued in `user` afterwards wait for the
  /// transfers under way.  Must be called before the first group.
  void begin_factorization(gpu::Queue& user);
  /// Makes all commands that are enqueued in `user` afterwards wait for the transfers on which the
  /// group depends by the plan.  Must be called before the group's kernels are enqueued.
  void begin_group(Index group, gpu::Queue& user);
  /// Returns the device memory in which kernels write the slab's panels.  Valid between
  /// begin_group() and end_group() of each group of the slab.
  gpu::DeviceView<T> written(Index slab);
  /// Enqueues the transfers that follow the group in the plan: panels and update matrices to host
  /// memory and back.  Must be called after the group's last command was enqueued.
  /// Throws DeviceError, OutOfMemory.
  void end_group(Index group, gpu::Queue& user);
  /// Makes all commands that are enqueued in `user` afterwards wait for all transfers, so that they
  /// may overwrite the arena, except for slabs that stay.  Blocks until the slabs that go to the
  /// file have been written.  Must be called after the last group.
  void end_factorization(gpu::Queue& user);

  // ---- Reading ----

  /// Sets the device memory in which slabs that do not stay are read.
  /// @param ring     Memory to which slabs are uploaded.
  /// @param dropped  Memory in which dropped slabs are factored again.
  /// @param beside   Entries of PanelLease::beside of each slab that does not stay.  Length:
  ///                 StreamPlan::first_resident.
  void set_ring(gpu::DeviceView<T> ring, gpu::DeviceView<T> dropped, std::vector<Offset> beside);

  /// Begins to prefetch slabs from the file to host memory.
  /// @param order  The slabs in the order of the following calls of acquire().
  void will_acquire(const std::vector<Index>& order);
  /// Returns a lease of the slab.  If the slab is not on the device, enqueues its upload, and
  /// blocks while chunks of the slab are read from the file.  At most one lease of a slab that does
  /// not stay may exist at a time.  Throws DeviceError, OutOfMemory.
  PanelLease<T> acquire(Index slab);
  /// Ends a lease.  Must be called after the last command that uses the slab was enqueued in
  /// `user`.  Throws DeviceError.
  void release(const PanelLease<T>& lease, gpu::Queue& user);
  /// Ends a lease, instead of release(), after an error that may have left commands out.  Waits for
  /// all commands of `user`.  The next acquire() of the slab uploads it again.
  void abandon(const PanelLease<T>& lease, gpu::Queue& user) noexcept;

  /// Returns why the driver did not pin the first chunk of host memory that is ready but not
  /// pinned.  Empty: all chunks that are ready are pinned.
  std::string pin_refusal() const { return host_.refusal(); }

  Index num_slabs() const { return static_cast<Index>(sizes_.size()); }
  /// Whether the slab stays on the device.
  bool is_resident(Index slab) const { return slab >= plan_.first_resident; }
  bool is_dropped(Index slab) const { return plan_.is_dropped(slab); }

  /// Returns a copy of all entries of a slab that is not dropped.  Blocking.
  /// @param user  Queue of the kernels that wrote the slab.
  /// Throws DeviceError, OutOfMemory.
  std::vector<T> read(Index slab, gpu::Queue& user);
  /// Waits until the slabs that the CPU solves with are in host memory.  Blocking.
  /// @return the address in host memory of each slab that the CPU solves with, with kPanelSlack
  ///         entries that may be read behind the slab; null for all other slabs.
  /// Throws DeviceError, OutOfMemory.
  std::vector<T*> left_to_host(gpu::Queue& user);

 private:
  /// Device memory for one slab at a time: one end of the ring, or the range for dropped slabs.
  struct End {
    Index slab = kNone;        // Slab in this memory; kNone: no slab.
    gpu::DeviceView<T> place;  // Memory of the slab's panels and of PanelLease::beside.
    gpu::Event copied;         // Event of the last upload to this memory.
    gpu::Event used;           // Marker after the last kernels that use this memory.
  };
  Offset size_of(Index slab) const { return sizes_[static_cast<std::size_t>(slab)]; }
  Offset beside(Index slab) const { return beside_[static_cast<std::size_t>(slab)]; }
  std::vector<Offset> host_sizes() const;
  // Chunks of host_: one for each slab before first_resident (empty unless the slab has host memory
  // of its own), then the memory that update matrices and slabs share, then the slots of the file.
  Index shared_chunk() const { return plan_.first_resident; }
  Index slots_chunk() const { return plan_.first_resident + 1; }
  Index host_chunk_of(Index slab) const { return plan_.shares_host(slab) ? shared_chunk() : slab; }
  /// Host memory of a slab's panels.
  std::span<T> on_host(Index slab);
  void make_file(const ScratchPlace& scratch);
  FiledChunks& filed();
  /// Host memory of a slot, which has room for one chunk of the file.
  std::span<T> file_slot(Index slot);
  /// Calls use(chunk, first, count) for each chunk of the file that holds entries of [begin, end)
  /// of a slab: `count` such entries, the first of which is entry `first` of the slab.
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
  PinnedChunks<T> host_;                // Host memory.  Chunk k has host_sizes()[k] entries.
  std::unique_ptr<FiledChunks> filed_;  // The scratch file.  Null: there is no file.
  // Number of each slab's first chunk in the file.  Length: number of slabs + 1.
  std::vector<Index> first_chunk_;
  // Buffers of the slabs from StreamPlan::first_apart on, one for each slab.
  std::vector<gpu::DeviceBuffer<T>> apart_;
  std::vector<gpu::Event> done_;  // Event of each transfer of the plan.
  gpu::DeviceView<T> ring_, dropped_;
  std::vector<Offset> beside_;  // Entries of PanelLease::beside of each slab, from set_ring().
  // For each slab before first_resident: index in ends_ of the memory in which the slab is read;
  // kNone: the CPU solves with the slab.
  std::vector<Index> end_of_;
  std::array<End, 3> ends_;  // The two ends of the ring, then the range for dropped slabs.
  gpu::BorrowedQueue to_host_, to_device_;
};

}  // namespace clchol::numeric
