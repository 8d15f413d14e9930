// How a factor larger than a device's memory is made: which panels stay on the device, which panels
// and update matrices go to host memory and when, and where everything lies meanwhile.
//
// All of it is decided before anything is allocated.  Panels and update matrices share one buffer,
// the arena (arena.hpp).  Group after group takes its places in it.  A slab of panels that does not
// stay leaves when its last group has ended, or is dropped where it can be made again sooner than
// brought back: subtrees at the bottom hold much of L and few of the flops.  An update matrix that
// stands in the way, and whose parent comes late, waits in host memory.  The last slabs stay: the
// backward solve begins with them, and the forward solve ends there.  With the first slabs the CPU
// solves where they lie, in host memory, meanwhile: which takes less time than sending them.  Where
// host memory is too small and there is a file, slabs go on to it, those of the beginning first.
//
// Transfers run beside kernels, those of each direction one after another in the order of the plan.
// What must wait for what is part of the plan, and so is the time that all of it takes by a simple
// model: of the plans that fit, the fastest is taken.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gpu_kernels/runtime/slab_plan.hpp"
#include "numeric/device/groups.hpp"
#include "numeric/device/stream/groups.hpp"

namespace clchol::numeric {

/// In values.
struct StreamBudget {
  Offset arena = 0;         ///< Of the buffer that panels and update matrices share.
  Offset apart = 0;         ///< Of buffers beside it, each of one slab that stays.
  Offset largest = 0;       ///< Of one buffer.
  Offset host = 0;          ///< Of host memory.
  bool has_file = false;    ///< Whether slabs that host memory has no room for go to a file.
  Index columns = 1;        ///< Right-hand sides that a solve is to have room for, in the arena.
  bool has_strips = false;  ///< Whether kernels can compute some columns of a front.
  bool by_tickets = false;  ///< Whether solves go by tickets, not by waves.
};

/// Panels of a slab, or of an update matrix, on their way between the arena and host memory.
struct StreamTransfer {
  enum class What : unsigned char { kPanels, kUpdate };
  What what = What::kPanels;
  bool to_host = true;
  Index of = 0;        ///< Slab, or supernode.
  Offset device = 0;   ///< Its place in the arena.
  Offset host = 0;     ///< In host memory: in the slab's, or among all updates.
  Offset entries = 0;  ///< Values.
  Index after = 0;     ///< The group after whose kernels it may begin.
  /// Transfers to the host that it follows, of what comes back and of what was in its place.
  std::vector<Index> follows = {};
};

struct StreamPlan {
  FrontGroups groups;
  gpu::SlabPlan slabs;       // Places of the groups' panels.
  Index first_resident = 0;  // This slab and all later ones stay on the device,
  Index first_apart = 0;     // in a buffer of its own from this one on.

  std::vector<Offset> panels;  // Place in the arena of each slab before first_apart.
  /// The CPU solves with slabs before this one where they lie, in host memory (host_solve.hpp).
  Index first_on_device = 0;
  /// Of the slabs between first_on_device and this one, those that are not dropped are in a file,
  Index first_on_host = 0;
  // and go there in chunks of so many values, through slots of host memory.
  Offset file_chunk = 0;
  Index num_file_slots = 0;
  SolveOrder solve_order;  // Of the other slabs.
  /// Of each slab before first_resident, whether it is dropped.  Its groups are factored again
  /// whenever it is read: their update matrices, which began at scratch_places[group] of the
  /// arena, then lie elsewhere, in `scratch` values at most.
  std::vector<char> dropped;
  std::vector<Offset> scratch_places;
  Offset scratch = 0;
  Offset arena = 0;  // Values.
  // Values of host memory that update matrices share with slabs of the end; and where each slab's
  // begin there, kNone: the slab has memory of its own, or needs none.
  Offset host_shared = 0;
  std::vector<Offset> host_places;
  Offset host = 0;  // Values of all that is in host memory.

  /// In the order in which they are enqueued: those after group g are
  /// [transfer_ptr[g], transfer_ptr[g + 1]).
  std::vector<StreamTransfer> transfers;
  std::vector<Index> transfer_ptr;
  std::vector<std::vector<Index>> waits;  // Of each group: transfers that end before it begins.
  std::vector<double> seconds;            // Of each group's kernels, predicted.

  double factor_s = 0, solve_s = 0;  // Predicted; with one right-hand side.
  Index columns = 1;                 // Right-hand sides that solves are to have room for.
  Offset solve_entries = 0;          // Values that come for a solve, in both directions together.

  bool shares_host(Index slab) const {
    return host_places[static_cast<std::size_t>(slab)] != kNone;
  }
  bool is_in_file(Index slab) const {
    return slab >= first_on_device && slab < first_on_host && !is_dropped(slab);
  }
  /// Values that all slots take; the first begins at a page.
  static constexpr Offset slots_entries(Index num_slots, Offset chunk) {
    constexpr Offset kPage = 1024;
    return num_slots > 0 ? num_slots * chunk + kPage : 0;
  }
  bool is_dropped(Index slab) const {
    return slab < first_resident && dropped[static_cast<std::size_t>(slab)] != 0;
  }
  /// Values that a factorization sends one way or the other.
  Offset transfer_entries(bool to_host) const {
    Offset sum = 0;
    for (const StreamTransfer& transfer : transfers) {
      if (transfer.to_host == to_host) sum += transfer.entries;
    }
    return sum;
  }
  std::span<const StreamTransfer> transfers_after(Index group) const {
    const auto begin = static_cast<std::size_t>(transfer_ptr[static_cast<std::size_t>(group)]);
    const auto end = static_cast<std::size_t>(transfer_ptr[static_cast<std::size_t>(group) + 1]);
    return std::span(transfers).subspan(begin, end - begin);
  }
};

/// Room for the slabs that come for a solve, in values: they take turns at the two ends of one
/// range, so that one comes while the one before is used, where both have room.
struct StreamRing {
  Offset both = 0;     ///< For any two slabs that follow one another.
  Offset largest = 0;  ///< For any one.
  Offset dropped = 0;  ///< Of the slabs that are made again, any one: a place beside the ring.
};
/// Values of a slab in the ring, and beside it of what is made from its panels, both at multiples
/// of 8 values.
constexpr Offset slot_entries(Offset panels, Offset beside) {
  return (panels + 7) / 8 * 8 + (beside + 7) / 8 * 8;
}
/// @param sizes    slot_entries() of the slabs that come, in the order of solves.
/// @param dropped  whether each is made again; may be empty: none.
StreamRing stream_ring(std::span<const Offset> sizes, std::span<const char> dropped);

/// The fastest plan within the budget of those tried; where the host has room for none, the one
/// that needs least of it; none where none fits the device.  The same for any number of threads.
/// Cost O(nsuper + groups * places) for each of some hundred tries at most.
std::optional<StreamPlan> plan_stream(const symbolic::SymbolicFactor& factor,
                                      const StreamBudget& budget, const StreamRates& rates,
                                      int threads = 1);

}  // namespace clchol::numeric
