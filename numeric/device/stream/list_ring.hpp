// Brings the lists of a streamed factor's groups to the device, where device memory has no room for
// the lists of all groups.  Kernels read the lists of their group only.
//
// All lists are in pinned host memory.  On the device is a ring: the lists of one group after
// another, from the beginning of a buffer to its end, and again from the beginning.  The lists of
// groups ahead are uploaded while kernels read the lists of their own group:
//
//   ring   | group 4  | group 5 |  group 1 | group 2  | group 3 |  |
//             uploaded           overwritten  read now
//
// A pass is a sequence of groups: all groups for a factorization, or the groups of the slabs that a
// solve factors again.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpu_kernels/runtime/packed_lists.hpp"
#include "gpu_kernels/runtime/pinned_pages.hpp"

namespace clchol::numeric {

/// The lists of all groups, and the ring.  Not thread-safe.  All kernels that read the ring must be
/// enqueued in one in-order queue, the argument `user` of member functions.
class ListRing {
 public:
  /// @param sizes     Bytes of each group's lists.  0: the group has no lists.
  /// @param capacity  Bytes of the ring.  If the ring is too small for the two largest lists, it
  ///                  gets room for them.
  ListRing(const std::vector<Offset>& sizes, Offset capacity);

  /// Bytes of device memory of the ring.
  Offset device_bytes() const { return capacity_; }
  /// Bytes of host memory of the lists of all groups.
  Offset host_bytes() const { return host_begin_.back(); }

  /// Allocates the ring, and host memory of zeros.  Must be called once, before any function below.
  /// If the driver refuses to pin the host memory, uploads are slower.
  /// @param copies   Queue of the uploads.  It must outlive this object.
  /// @param threads  Number of host threads that write the zeros.
  /// Throws DeviceError, std::bad_alloc.
  void allocate(gpu::Queue& copies, int threads);
  /// Host memory of the lists of a group.  The caller writes the lists before the first pass.
  std::span<std::byte> lists(Index group);

  /// Begins a pass over groups, and begins to upload the lists of its first groups.  The previous
  /// pass may end early.  Cost O(groups).
  /// @param groups  Groups, in the order in which acquire() will be called.  Each group once.
  void begin(std::vector<Index> groups, gpu::Queue& user);
  /// Returns whether acquire() may be called for the group: it is in the pass, after the groups for
  /// which acquire() was called.
  bool is_ahead(Index group) const;
  /// Returns the lists of a group on the device.  Commands that are enqueued in `user` afterwards
  /// wait until the lists are there.  Begins to upload the lists of later groups of the pass, as
  /// many as the ring has room for.  Throws DeviceError.
  /// @param group  A group for which is_ahead() is true.  Groups before it may be left out.
  gpu::DeviceView<std::byte> acquire(Index group, gpu::Queue& user);
  /// Must be called when the last command that reads the lists of the group was enqueued in `user`.
  void release(Index group, gpu::Queue& user);

 private:
  /// Lists of one group.
  struct Lists {
    Offset size = 0;  // Bytes of the lists.

    // ---- In the current pass ----
    Index turn = kNone;   // Index of the group in pass_; kNone: the group is not in the pass.
    Offset begin = 0;     // Offset of the lists' place in the ring.
    Index after = kNone;  // Last turn before whose place in the ring overlaps; kNone: no turn.
    gpu::Event uploaded;  // Event of the upload.
    gpu::Event used;      // Marker after the commands that read the lists.
  };
  Lists& of(Index group) { return lists_[static_cast<std::size_t>(group)]; }
  /// Returns the lists of the group that is number `turn` of the pass.
  Lists& at_turn(Index turn) { return of(pass_[static_cast<std::size_t>(turn)]); }
  void place_lists();
  void upload_ahead();
  void upload(Index group);

  std::vector<Lists> lists_;        // One element for each group.
  std::vector<Offset> host_begin_;  // Offset of each group's lists in host memory; last: the end.
  Offset capacity_ = 0;             // Bytes of the ring.
  gpu::PinnedPages<std::byte> on_host_;
  gpu::DeviceBuffer<std::byte> ring_;

  // ---- State of the current pass ----
  std::vector<Index> pass_;  // The groups of the pass, in order.
  Index turn_ = 0;           // Number of the last group for which acquire() was called, plus 1.
  Index next_ = 0;           // First turn whose lists were not uploaded yet.
  gpu::Event begun_;         // Marker after the commands that were enqueued before the pass.

  gpu::BorrowedQueue copies_;
};

}  // namespace clchol::numeric
