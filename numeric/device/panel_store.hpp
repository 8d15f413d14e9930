// The panels of L that a device makes and solves with: by slabs, which stay on the device or go to
// host memory and come back.
//
// The last slabs stay, as many as the plan says: the backward solve begins with them, and the
// forward solve ends there.  Earlier ones take turns in a few places of the device ("slots").
// Whoever works with a slab holds a lease, which says where the slab is and what to wait for:
//
//   PanelLease<T> lease = store.acquire(slab, PanelAccess::kWrite);
//   queue.wait_for(lease.ready);
//   ... enqueue kernels that write lease.panels ...
//   store.release(lease, queue);
//
// A slab that has been written leaves for host memory on the copy queue, beside the kernels of the
// next group; a slab that is read comes the same way, beside those of the range before.
#pragma once

#include <future>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "gpu_kernels/runtime/pinned_pages.hpp"

namespace clchol::numeric {

/// Which slabs stay on the device, and the slots of the others.
struct PanelPlaces {
  Index first_resident = 0;  ///< This slab and all later ones stay.
  Index num_slots = 0;       ///< Two at least where a slab does not stay.
  Offset slot = 0;           ///< Values of a slot: of the largest slab that does not stay.

  /// Place of a slab that stays; those of the slots come before.
  Index place_of_resident(Index slab) const { return num_slots + slab - first_resident; }
};

/// The slabs from first_resident on stay; earlier ones take turns in two slots.
PanelPlaces panel_places(std::span<const Offset> slab_sizes, Index first_resident);

/// Values on the device, and on the host.
Offset device_entries(std::span<const Offset> slab_sizes, const PanelPlaces& places);
Offset host_entries(std::span<const Offset> slab_sizes, const PanelPlaces& places);

enum class PanelAccess : unsigned char { kRead, kWrite };

/// The right to use a slab until it is given back.
template <class T>
struct PanelLease {
  Index slab = kNone;
  PanelAccess access = PanelAccess::kRead;
  /// Where the slab is: what is made from its panels, and kept, is kept by place.
  Index place = kNone;
  gpu::DeviceView<T> panels;
  gpu::Event ready;  ///< To be waited for before the panels are used; empty: at once.
};

/// For one thread at a time, and kernels of one queue.  T: double, float.
template <class T>
class PanelStore {
 public:
  /// @param slab_sizes  values of each slab.
  PanelStore(std::vector<Offset> slab_sizes, const PanelPlaces& places)
      : sizes_(std::move(slab_sizes)), places_(places) {}

  /// Takes memory, on the device and, pinned, on the host, whose pages are touched by so many
  /// threads: once, before the rest.  With two threads or more the host's is taken by one of them,
  /// slab after slab, while the caller goes on; whoever needs a slab that is not there waits for
  /// it.
  /// @param copies  a queue for transfers beside the kernels; may be null where all slabs stay.
  ///                It and the context outlive the store.
  /// Throws DeviceError.  What the host refuses is thrown where a slab is needed, as DeviceError or
  /// OutOfMemory; it is asked for again the next time.
  void allocate(const gpu::Context& context, gpu::Queue* copies, int threads);

  /// Slabs are about to be written anew, all of them: what slots hold is void.
  void begin_factorization();

  /// Enqueues what brings the slab.  One lease at a time of a slab that does not stay.
  /// Throws DeviceError.
  PanelLease<T> acquire(Index slab, PanelAccess access);
  /// After the last command of `user` that uses the panels is enqueued.  Throws DeviceError.
  void release(const PanelLease<T>& lease, gpu::Queue& user);

  Index num_slabs() const { return static_cast<Index>(sizes_.size()); }
  /// Places on the device that a lease may name: [0, num_places()).
  Index num_places() const { return places_.place_of_resident(num_slabs()); }
  bool is_resident(Index slab) const { return slab >= places_.first_resident; }

  /// The values of a slab, wherever it is.  Blocking.
  /// @param user  the queue of the kernels that have written it.
  /// Throws DeviceError.
  std::vector<T> read(Index slab, gpu::Queue& user);

 private:
  struct Slot {
    gpu::DeviceBuffer<T> buffer;
    Index slab = kNone;  // That it holds.
    gpu::Event copied;   // Its last transfer, one way or the other, has ended;
    gpu::Event used;     // and so have the last kernels that use it.
  };

  Offset size_of(Index slab) const { return sizes_[static_cast<std::size_t>(slab)]; }
  Slot& slot(Index place) { return slots_[static_cast<std::size_t>(place)]; }
  std::span<T> host(Index slab);
  Index slot_with(Index slab) const;
  void bring(Index slab, Slot& to);

  std::vector<Offset> sizes_;
  PanelPlaces places_;
  const gpu::Context* context_ = nullptr;
  int threads_ = 1;  // That touch pages.
  std::vector<std::shared_future<gpu::PinnedPages<T>>>
      host_;  // Host memory of each slab that moves.
  std::vector<Slot> slots_;
  std::vector<gpu::DeviceBuffer<T>> resident_;
  Index next_slot_ = 0;
  // Not owned; its transfers end before the memory goes that they read and write.
  struct Finish {
    void operator()(gpu::Queue* queue) const;
  };
  std::unique_ptr<gpu::Queue, Finish> copies_;
  std::jthread pinning_;  // Fills host_.
};

}  // namespace clchol::numeric
