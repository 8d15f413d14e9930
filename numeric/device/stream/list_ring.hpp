// Brings the lists of a streamed factor's groups to the device, where device memory has no room for
// the lists of all groups.  Kernels read the lists of their group only.
//
// All lists are in pinned host memory.  On the device are two slots.  While the kernels of one
// group read one slot, the lists of the next group are uploaded to the other slot:
//
//   kernels   | group 0, slot 0 | group 1, slot 1 | group 2, slot 0 |
//   uploads   | lists 1         | lists 2         | lists 3         |
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "gpu_kernels/runtime/pinned_pages.hpp"

namespace clchol::numeric {

/// The lists of all groups, and the two slots.  Not thread-safe.  All kernels that read slots must
/// be enqueued in one in-order queue, the argument `user` of member functions.
class ListRing {
 public:
  /// @param sizes  Bytes of each group's lists.  0: the group has no lists.
  explicit ListRing(std::vector<Offset> sizes);

  /// Bytes of device memory of both slots.
  Offset device_bytes() const { return 2 * slot_; }
  /// Bytes of host memory of the lists of all groups.
  Offset host_bytes() const { return begin_.back(); }

  /// Allocates the slots, and host memory of zeros.  Must be called once, before any function
  /// below.  If the driver refuses to pin the host memory, uploads are slower.
  /// @param to_device  Queue of uploads.  It must outlive this object.
  /// @param threads    Number of host threads that write the zeros.
  /// Throws DeviceError, std::bad_alloc.
  void allocate(gpu::Queue& to_device, int threads);
  /// Host memory of the lists of a group.  The caller writes the lists before the first pass.
  std::span<std::byte> lists(Index group);

  /// Begins a pass over groups in ascending order.  Must be called before each pass, also after an
  /// error.
  /// @param end  One past the last group of the pass: acquire() uploads the lists of no later group
  ///             ahead of their use.
  void begin(Index end, gpu::Queue& user);
  /// Returns the slot with the lists of a group.  Commands that are enqueued in `user` afterwards
  /// wait until the lists are there.  Begins to upload the lists of the next group that has lists.
  /// Throws DeviceError.
  gpu::DeviceView<std::byte> acquire(Index group, gpu::Queue& user);
  /// Must be called when the last command that reads the slot of acquire() was enqueued in `user`.
  void release(gpu::Queue& user);

 private:
  struct Slot {
    gpu::DeviceBuffer<std::byte> memory;
    Index group = kNone;  // Group whose lists are in the slot; kNone: no lists.
    gpu::Event uploaded;  // Event of the last upload.
    gpu::Event used;      // Marker after the last commands that read the slot.
  };
  Offset size_of(Index group) const { return size_[static_cast<std::size_t>(group)]; }
  Slot& other() { return slots_[1 - current_]; }  // The slot that acquire() did not return last.
  void upload(Index group, Slot& to);

  std::vector<Offset> size_;   // Bytes of each group's lists.
  std::vector<Offset> begin_;  // Offset of each group's lists in host memory; last: their sum.
  Offset slot_ = 0;            // Bytes of one slot: the largest of size_.
  gpu::PinnedPages<std::byte> on_host_;
  std::array<Slot, 2> slots_;
  std::size_t current_ = 0;  // Index of the slot that acquire() returned last.
  Index end_ = 0;            // End of the pass.
  gpu::BorrowedQueue to_device_;
};

}  // namespace clchol::numeric
