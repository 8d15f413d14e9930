// Decides where the panels of a streamed factor go that do not stay on the device: which slabs go
// to host memory and which to a scratch file, and at which offsets of host memory.
#pragma once

#include "numeric/device/stream/schedule.hpp"

namespace clchol::numeric {

/// A layout of host memory and file for the slabs that do not stay on the device.  Sizes and
/// offsets count entries of the scalar type.
struct FarSlabs {
  /// Offsets in the range of host memory that update matrices and slabs share.
  HostPlaces places;
  /// Entries of host memory in all: panels, update matrices, and slots for transfers to the file.
  Offset host = 0;
  /// Slabs [way.first_on_device, first_on_host) are in the file, unless they are dropped.  Without
  /// a file, first_on_host = way.first_on_device.
  Index first_on_host = 0;
  /// Entries of a chunk, the unit of transfers to and from the file.  0: no file.
  Offset file_chunk = 0;
  /// Number of slots in host memory, each for one chunk.  0: no file.
  Index num_file_slots = 0;
  /// Predicted seconds to write all slabs of the file once, or to read them once.
  double file_s = 0;
};

/// Chooses the first of three layouts that fits into budget.host:
///   1. each slab has a range of host memory of its own, beside the memory of update matrices;
///   2. slabs that the device solves with share memory with update matrices: the range of a slab
///      may hold update matrices until the first group of the slab is factored;
///   3. if budget.has_file: as many of the last slabs as fit have memory as in layout 2, and the
///      slabs before are in the file.
/// When none fits, returns layout 3, or layout 2 without a file: the caller must compare
/// FarSlabs::host with the budget.
/// @param way       The choices that `schedule` was made for.
/// @param schedule  A schedule whose run() has returned true.
FarSlabs divide_far(const StreamGroups& groups, const StreamWay& way,
                    const StreamSchedule& schedule, const StreamBudget& budget,
                    const StreamRates& rates);

}  // namespace clchol::numeric
