// The plan of a streamed factor, which is larger than a device's memory: which panels stay on the
// device, which panels and update matrices go to host memory and when, and the offset of each.
//
//   slabs, in the order of groups:
//
//   0        first_on_device    first_on_host      first_resident     first_apart
//   |  host,        |     file,        |    host,         |    arena,      |  own buffers  |
//   |  CPU solves   |  or dropped      |  or dropped      |    resident    |  resident     |
//
// A plan with a file leaves no slab to the CPU: first_on_device is 0.
//
// The plan is complete before any memory is allocated.  Panels and update matrices share one device
// buffer, the arena (arena.hpp), in which group after group allocates its ranges:
//   - A slab that does not stay is sent to the host when its last group has ended.  It is dropped
//     instead if factoring it again takes less time than bringing it back: subtrees at the bottom
//     of the tree hold much of L and few of the flops.
//   - An update matrix whose memory is needed, and whose parent is factored late, waits in host
//     memory.
//   - The last slabs stay: the forward solve ends with them, the backward solve begins with them.
//   - The CPU solves with the first slabs in host memory while the device solves with others: this
//     takes less time than sending the first slabs to the device.
//   - Where host memory is too small and there is a file, slabs go on to the file, the first ones
//     first.
//
// Transfers run beside kernels; the transfers of each direction run one after another, in the order
// of the plan.  The plan holds all dependences between kernels and transfers, and its time by a
// simple model.  The fastest of the plans that fit is taken.
//
// Sizes and offsets count entries of the scalar type.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gpu_kernels/runtime/slab_plan.hpp"
#include "numeric/device/groups.hpp"
#include "numeric/device/stream/groups.hpp"

namespace clchol::numeric {

/// What a plan may use.
struct StreamBudget {
  Offset arena = 0;         ///< Entries of the arena, which panels and update matrices share.
  Offset apart = 0;         ///< Entries of all buffers beside the arena; each holds one slab.
  Offset largest = 0;       ///< Most entries of one buffer.
  Offset host = 0;          ///< Entries of host memory.
  bool has_file = false;    ///< Whether slabs that host memory has no room for go to a file.
  Index columns = 1;        ///< Right-hand sides that the arena must have room for in a solve.
  bool has_strips = false;  ///< Whether kernels can compute some columns of a front.
  bool by_tickets = false;  ///< Whether solves go by tickets, not by waves.
};

/// A transfer of panels of a slab, or of entries of an update matrix, between arena and host
/// memory.
struct StreamTransfer {
  enum class What : unsigned char { kPanels, kUpdate };
  What what = What::kPanels;
  bool to_host = true;
  Index of = 0;        ///< Slab of the panels, or supernode of the update matrix.
  Offset device = 0;   ///< Offset in the arena.
  Offset host = 0;     ///< Offset in the slab, or for an update in the host memory that is shared.
  Offset entries = 0;  ///< Entries that are moved.
  Index after = 0;     ///< Group whose kernels must have ended before the transfer begins.
  /// Transfers to the host that must have ended before this transfer to the device begins: those
  /// that sent the same data, and those that read the memory which this transfer overwrites.
  std::vector<Index> follows = {};
};

struct StreamPlan {
  FrontGroups groups;   // Groups of fronts; offsets of their update matrices in the arena.
  gpu::SlabPlan slabs;  // Slab of each group's panels, and their offset in the slab.

  /// This slab and all later ones stay on the device.
  Index first_resident = 0;
  /// This slab and all later ones have a buffer of their own on the device.
  Index first_apart = 0;
  /// Offset in the arena of each slab before first_apart.
  std::vector<Offset> panels;
  /// The CPU solves with the slabs before this one, in host memory (host_solve.hpp).
  Index first_on_device = 0;
  /// Slabs [first_on_device, first_on_host) are in a file, unless they are dropped.
  Index first_on_host = 0;

  Offset file_chunk = 0;     // Entries of a chunk, in which slabs go to the file.
  Index num_file_slots = 0;  // Slots in host memory, of one chunk each.  0: no file.
  SolveOrder solve_order;    // Order of the slabs from first_on_device on in solves.

  /// Whether each slab is dropped.  Its groups are then factored again whenever the slab is read.
  /// Length first_resident.
  std::vector<char> dropped;
  /// For each group of a dropped slab: offset in the arena at which its update matrices begin when
  /// it is factored first.  When it is factored again they are in a workspace of `scratch` entries.
  /// Length: number of groups.
  std::vector<Offset> scratch_places;
  /// Entries of the workspace for the update matrices of a group that is factored again.
  Offset scratch = 0;

  /// Entries of the arena.
  Offset arena = 0;
  /// Entries of the range of host memory that update matrices and slabs share.
  Offset host_shared = 0;
  /// Offset of each slab in the shared host memory; kNone: the slab is not in it.  Length: number
  /// of slabs.
  std::vector<Offset> host_places;
  /// Entries of all host memory of the factor.
  Offset host = 0;

  /// Transfers in the order in which they are enqueued.
  std::vector<StreamTransfer> transfers;
  /// Transfers [transfer_ptr[g], transfer_ptr[g + 1]) are enqueued after group g.
  std::vector<Index> transfer_ptr;
  /// For each group: transfers that must have ended before its kernels begin.
  std::vector<std::vector<Index>> waits;
  /// Predicted seconds of each group's kernels.
  std::vector<double> seconds;

  /// Predicted seconds of a factorization, and of a solve with one right-hand side.
  double factor_s = 0, solve_s = 0;
  /// Right-hand sides that solves must have room for.
  Index columns = 1;
  /// Entries of panels sent to the device in a solve, forward and backward together.
  Offset solve_entries = 0;

  /// Whether the slab is in the host memory that update matrices share.
  bool shares_host(Index slab) const {
    return host_places[static_cast<std::size_t>(slab)] != kNone;
  }
  bool is_in_file(Index slab) const {
    return slab >= first_on_device && slab < first_on_host && !is_dropped(slab);
  }
  /// Entries of all slots and of the padding before the first slot, which begins at a page.
  static constexpr Offset slots_entries(Index num_slots, Offset chunk) {
    constexpr Offset kPage = 1024;
    return num_slots > 0 ? num_slots * chunk + kPage : 0;
  }
  bool is_dropped(Index slab) const {
    return slab < first_resident && dropped[static_cast<std::size_t>(slab)] != 0;
  }
  /// Entries that a factorization sends to the host, or to the device.
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

/// Entries of device memory for slabs that do not stay.  In a solve they take turns at the two ends
/// of one range, the ring: where two slabs fit, one arrives while the kernels read the one before.
struct StreamRing {
  Offset both = 0;     ///< Ring in which any two consecutive slabs fit together.
  Offset largest = 0;  ///< Ring in which any one slab fits.
  Offset dropped = 0;  ///< Range beside the ring in which any one dropped slab fits.
};
/// Entries that a slab takes in the ring: its panels, then the data computed from them (inverted
/// diagonal blocks), each rounded up to a multiple of 8 entries.
constexpr Offset slot_entries(Offset panels, Offset beside) {
  return (panels + 7) / 8 * 8 + (beside + 7) / 8 * 8;
}
/// @param sizes    slot_entries() of each slab that does not stay, in the order of solves.
/// @param dropped  whether each of these slabs is dropped; may be empty: none is.
StreamRing stream_ring(std::span<const Offset> sizes, std::span<const char> dropped);

/// Returns the fastest of the plans tried that fit into the budget.  When none fits into host
/// memory, returns the one that needs the least host memory; when none fits into the device,
/// nothing.  The plan does not depend on the number of threads.
/// Cost O(nsuper + groups * segments of the arena) for each of some hundred tries at most.
std::optional<StreamPlan> plan_stream(const symbolic::SymbolicFactor& factor,
                                      const StreamBudget& budget, const StreamRates& rates,
                                      int threads = 1);

}  // namespace clchol::numeric
