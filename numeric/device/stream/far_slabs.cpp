#include "numeric/device/stream/far_slabs.hpp"

#include <algorithm>

#include "numeric/file/scratch_file.hpp"

namespace clchol::numeric {
namespace {

// Least and most bytes of a chunk, which a file reads or writes at a time; multiples of a page.
constexpr Offset kLeastChunk = Offset{1} << 20, kMostChunk = Offset{1} << 25;
// Most bytes of all slots together: the file stays busy for a while after the kernels of the next
// group have begun.
constexpr Offset kMostSlots = Offset{1} << 30;
static_assert(kLeastChunk % ScratchFile::kAlignment == 0);

/// Calls use(entries of the slab) for each of the slabs [first, last) that is not dropped.
template <class Use>
void for_kept(const StreamGroups& groups, const StreamWay& way, Index first, Index last,
              const Use& use) {
  for (Index s = first; s < last; ++s) {
    if (!way.drops(s)) use(groups.slabs.slab_sizes[static_cast<std::size_t>(s)]);
  }
}

/// Chooses the chunk size and the number of slots.  Slots get a quarter of the free host memory,
/// but at least 1/32 of the budget, since update matrices may leave little free.
/// @param largest  entries of the largest slab.
/// @param room     entries of host memory that are free.
/// @param host     entries of host memory of the whole budget.
void make_slots(Offset largest, Offset room, Offset host, Offset value_bytes, FarSlabs& made) {
  const Offset page = ScratchFile::kAlignment / value_bytes;
  const Offset all_slots = std::min(std::max(room / 4, host / 32) * value_bytes, kMostSlots);
  const Offset usual = std::clamp(all_slots / 8, kLeastChunk, kMostChunk) / value_bytes;
  made.file_chunk = std::min(usual, largest + page - 1) / page * page;
  // At least two: the device fills or empties one slot while the file writes or reads the other.
  const Offset slots = all_slots / (made.file_chunk * value_bytes);
  made.num_file_slots = static_cast<Index>(std::clamp<Offset>(slots, 2, kMostSlots / kMostChunk));
}

}  // namespace

FarSlabs divide_far(const StreamGroups& groups, const StreamWay& way,
                    const StreamSchedule& schedule, const StreamBudget& budget,
                    const StreamRates& rates) {
  const Index begin = way.first_on_device, end = way.first_resident;
  Offset of_cpu = 0, far = 0, largest = 0;
  for_kept(groups, way, 0, begin, [&](Offset size) { of_cpu += size; });
  for_kept(groups, way, begin, end, [&](Offset size) {
    far += size;
    largest = std::max(largest, size);
  });
  FarSlabs made{.places = schedule.host_places(end), .host = 0, .first_on_host = begin};
  const Offset updates = made.places.size;
  made.host = of_cpu + far + updates;
  if (made.host <= budget.host || far == 0) return made;
  made.places = schedule.host_places(begin);
  made.host = of_cpu + made.places.size;
  if (made.host <= budget.host || !budget.has_file) return made;

  make_slots(largest, budget.host - of_cpu - updates, budget.host, rates.value_bytes, made);
  const Offset others = of_cpu + StreamPlan::slots_entries(made.num_file_slots, made.file_chunk);
  Index enough = end;
  for (Index least = begin; least < enough;) {
    const Index middle = least + (enough - least) / 2;
    if (others + schedule.host_places(middle).size <= budget.host) {
      enough = middle;
    } else {
      least = middle + 1;
    }
  }
  made.first_on_host = enough;
  made.places = schedule.host_places(enough);
  made.host = others + made.places.size;
  Offset filed = 0;
  for_kept(groups, way, begin, enough, [&](Offset size) { filed += size; });
  made.file_s = static_cast<double>(filed * rates.value_bytes) / rates.file_bytes_per_s;
  return made;
}

}  // namespace clchol::numeric
