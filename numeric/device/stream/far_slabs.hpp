// What of the slabs that do not stay on the device is in host memory, and what goes on to a file.
#pragma once

#include "numeric/device/stream/schedule.hpp"

namespace clchol::numeric {

struct FarSlabs {
  HostPlaces places;
  Offset host = 0;  // Values of all that is in host memory.
  // StreamPlan's; without a file no slab is between first_on_device and first_on_host.
  Index first_on_host = 0;
  Offset file_chunk = 0;
  Index num_file_slots = 0;
  double file_s = 0;  // Seconds of one pass over the file.
};

/// Slabs have memory of their own, if there is enough; else the place of update matrices is theirs
/// afterwards; else, with a file, as many slabs of the end as have room are in host memory.
/// @param schedule  that has run.
FarSlabs divide_far(const StreamGroups& groups, const StreamWay& way,
                    const StreamSchedule& schedule, const StreamBudget& budget,
                    const StreamRates& rates);

}  // namespace clchol::numeric
