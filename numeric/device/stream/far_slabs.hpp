// Divides the slabs that do not stay on the device between host memory and a scratch file.
#pragma once

#include "numeric/device/stream/schedule.hpp"

namespace clchol::numeric {

/// Sizes count entries of the scalar type.
struct FarSlabs {
  /// Offsets in the host memory that update matrices and slabs share.
  HostPlaces places;
  /// Entries of host memory: panels, update matrices and slots for the file.
  Offset host = 0;
  /// StreamPlan::first_on_host.  Without a file it equals StreamPlan::first_on_device.
  Index first_on_host = 0;
  /// Entries of a chunk of the file, StreamPlan::file_chunk.  0: no file.
  Offset file_chunk = 0;
  /// StreamPlan::num_file_slots.  0: no file.
  Index num_file_slots = 0;
  /// Seconds to write the slabs in the file, or to read them, once.
  double file_s = 0;
};

/// Returns the first of three layouts that fits into the host memory of the budget:
///   1. each slab has memory of its own, beside the update matrices;
///   2. slabs and update matrices share memory: a slab overwrites updates that were read last;
///   3. with a file: as many of the last slabs as fit are laid out as in 2, the others in the file.
/// Without a file layout 2 is returned even if it does not fit.
/// @param schedule  a schedule whose run() has returned true.
FarSlabs divide_far(const StreamGroups& groups, const StreamWay& way,
                    const StreamSchedule& schedule, const StreamBudget& budget,
                    const StreamRates& rates);

}  // namespace clchol::numeric
