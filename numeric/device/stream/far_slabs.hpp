// Decides which slabs of panels of a streamed factor go to host memory and which slabs go to a
// scratch file, and chooses the offsets of slabs in host memory.  plan.hpp decides which slabs stay
// on the device, and which slabs are dropped: a dropped slab is not stored anywhere, but computed
// again when a solve needs it.
#pragma once

#include "numeric/device/stream/schedule.hpp"

namespace clchol::numeric {

/// A layout of host memory and file for the slabs that do not stay on the device.  Sizes and
/// offsets count entries of the scalar type.  The slabs lie, by number (`way` is the argument of
/// divide_far()):
///
///   [0, way.first_on_device)               in host memory; the CPU solves with these slabs
///   [way.first_on_device, first_on_host)   in the file, or dropped
///   [first_on_host, way.first_resident)    in host memory, or dropped
///   from way.first_resident on             on the device; not part of the layout
struct FarSlabs {
  /// Offsets of update matrices and of some slabs in one range of host memory, the shared range.
  HostPlaces places;
  /// Entries of all host memory together: for panels, for update matrices, and for the slots, which
  /// are buffers between the device and the file (num_file_slots).
  Offset host = 0;
  /// Number of the first slab after the slabs in the file.  If no slab is in a file, equal to
  /// way.first_on_device.
  Index first_on_host = 0;
  /// Entries of a file chunk.  Slabs move to the file and back one file chunk at a time.  The last
  /// file chunk of a slab may be shorter.  0: no slab is in a file.
  Offset file_chunk = 0;
  /// Number of slots.  A slot is a buffer in host memory, with room for one file chunk, through
  /// which file chunks move between the device and the file.  0: no slab is in a file.
  Index num_file_slots = 0;
  /// Predicted seconds to write all slabs that are in the file once.  To read these slabs once is
  /// predicted to take the same time.
  double file_s = 0;
};

/// Chooses the first of these layouts that fits into budget.host:
///   1. Each slab has a range of host memory of its own.  Update matrices have a range, too.
///   2. Slabs that the device solves with are in the shared range, together with update matrices.
///      The memory of a slab may hold update matrices until the slab's first group is factored.
///      Slabs that the CPU solves with have ranges of their own.
///   3. Only if budget.has_file: of the slabs that the device solves with, the last slabs, as many
///      as fit, are in the shared range, and the earlier slabs are in the file.  Slabs that the CPU
///      solves with have ranges of their own, as in layout 2.
/// When no layout fits, returns layout 3 if budget.has_file, otherwise layout 2.  The caller must
/// therefore compare FarSlabs::host with budget.host.
/// @param way       Says which slabs the CPU solves with, which slabs stay on the device, and which
///                  slabs are dropped.  Equal to the StreamWay with which `schedule` was made.
/// @param schedule  Schedule of the factorization.  Its run() must have returned true.
FarSlabs divide_far(const StreamGroups& groups, const StreamWay& way,
                    const StreamSchedule& schedule, const StreamBudget& budget,
                    const StreamRates& rates);

}  // namespace clchol::numeric
