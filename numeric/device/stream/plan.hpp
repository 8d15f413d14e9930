// The plan of a streamed factor, which is larger than a device's memory.  The plan says which
// panels stay on the device, when other panels and update matrices move to host memory and back,
// and where each of them lies.
//
// A slab holds the panels of consecutive groups of fronts.  Slabs are numbered in the order of the
// groups.  After a factorization, they lie in these memories:
//
//   slab 0   first_on_device    first_on_host      first_resident     first_apart
//   |  host memory; |  scratch file,   |  host memory,    |  device:       |  device:      |
//   |  CPU solves   |  or dropped      |  or dropped      |  arena         |  own buffers  |
//
// If slabs are in a file, the CPU solves with no slab: first_on_device is 0.
//
// The plan is complete before any memory is allocated.  Panels and update matrices share one device
// buffer, the arena (arena.hpp).  Each group in turn allocates its ranges of the arena:
//   - A slab before first_resident is sent to the host when its last group has been factored.  The
//     slab may be dropped instead, and factored again whenever a solve reads it, where this makes
//     solves faster: subtrees at the bottom of the tree hold much of L and few of the flops.
//   - An update matrix is sent to host memory, and back later, if its parent is factored late and
//     other data need its range of the arena.
//   - The last slabs stay on the device, because a forward solve ends with them and a backward
//     solve begins with them.
//   - The CPU solves with the first slabs, in host memory, while the device solves with others, if
//     this takes less time than sending the first slabs to the device.
//   - If the host memory is too small and there may be a file, the first slabs go to the file, and
//     the last slabs that fit are kept in host memory.
//
// Transfers run at the same time as kernels.  Transfers to the host run one after another, in the
// order of the plan; so do transfers to the device.  The plan lists which kernels and transfers
// wait for which others.  plan_stream() predicts the time of plans by a simple model and chooses
// the fastest plan that fits.
//
// All sizes and offsets count entries of the scalar type.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gpu_kernels/runtime/slab_plan.hpp"
#include "numeric/device/groups.hpp"
#include "numeric/device/stream/groups.hpp"

namespace clchol::numeric {

/// Memory that a plan may use, and properties of the device's kernels.
struct StreamBudget {
  Offset arena = 0;         ///< Entries of the arena, which panels and update matrices share.
  Offset apart = 0;         ///< Total entries of all buffers outside the arena, one slab in each.
  Offset largest = 0;       ///< Greatest number of entries of one device buffer.
  Offset host = 0;          ///< Entries of host memory.
  bool has_file = false;    ///< Whether slabs may go to a file when host memory is too small.
  Index columns = 1;        ///< Right-hand sides for whose solve the arena must have room.
  bool has_strips = false;  ///< Whether kernels can compute a strip: some columns of a front.
  bool by_tickets = false;  ///< Whether solve kernels use tickets: DeviceSolve::is_by_tickets().
};

/// A transfer between the arena and host memory during a factorization.  It moves contiguous
/// entries of one slab's panels (kPanels) or of one update matrix (kUpdate).
struct StreamTransfer {
  enum class What : unsigned char { kPanels, kUpdate };
  What what = What::kPanels;
  bool to_host = true;  ///< true: from the arena to host memory; false: in the other direction.
  Index of = 0;         ///< kPanels: the slab.  kUpdate: the supernode of the update matrix.
  Offset device = 0;    ///< Offset of the first moved entry in the arena.
  /// Offset of the first moved entry: for kPanels in the slab, for kUpdate in the range of host
  /// memory that update matrices and slabs share.
  Offset host = 0;
  Offset entries = 0;  ///< Number of moved entries.
  Index after = 0;     ///< The transfer begins after the kernels of this group have ended.
  /// Earlier transfers to the host that must have ended before this transfer begins, as indices in
  /// StreamPlan::transfers.  For a transfer to the device: the transfers that sent the same data to
  /// the host, and the transfers that read the range of the arena which this transfer overwrites.
  /// Empty for a transfer to the host.
  std::vector<Index> follows = {};
};

/// The plan of one streamed factor.
struct StreamPlan {
  FrontGroups groups;   // Groups of fronts; offsets of their update matrices in the arena.
  gpu::SlabPlan slabs;  // Size of each slab; slab of each group's panels and their offset in it.

  /// First slab that stays on the device.  All later slabs stay, too.
  Index first_resident = 0;
  /// First slab that has a device buffer of its own.  All later slabs have one, too.
  Index first_apart = 0;
  /// Offset in the arena of each slab before first_apart.  Length first_apart.
  std::vector<Offset> panels;
  /// First slab that the device solves with.  The CPU solves with all earlier slabs, which are in
  /// host memory (host_solve.hpp).
  Index first_on_device = 0;
  /// One past the last slab in the file.  Slabs [first_on_device, first_on_host) are in the file,
  /// except for dropped slabs.
  Index first_on_host = 0;

  Offset file_chunk = 0;     // Entries of a chunk, in which slabs move to the file and back.
  Index num_file_slots = 0;  // Slots in host memory, each with room for one chunk.  0: no file.
  SolveOrder solve_order;    // Order in which the device solves with slabs.

  /// 1 for a slab that is dropped: its groups are factored again whenever a solve reads the slab.
  /// 0 for other slabs.  Length first_resident.
  std::vector<char> dropped;
  /// For each group of a dropped slab: offset in the arena of the range in which its update
  /// matrices lie during the factorization.  When the group is factored again, its update matrices
  /// lie in a workspace of `scratch` entries instead, in the same order.  0 for other groups.
  /// Length: number of groups.
  std::vector<Offset> scratch_places;
  /// Entries of the workspace for update matrices of a group that is factored again.
  Offset scratch = 0;

  /// Entries of the arena.
  Offset arena = 0;
  /// Entries of the range of host memory that update matrices and some slabs share.
  Offset host_shared = 0;
  /// Offset of each slab in the shared range of host memory.  kNone: the slab is not in the shared
  /// range.  Length: number of slabs.
  std::vector<Offset> host_places;
  /// Entries of host memory for panels, update matrices and slots of the file together.
  Offset host = 0;

  /// Transfers of a factorization, in the order in which they are enqueued.
  std::vector<StreamTransfer> transfers;
  /// Transfers [transfer_ptr[g], transfer_ptr[g + 1]) are enqueued after the kernels of group g.
  /// Length: number of groups + 1.
  std::vector<Index> transfer_ptr;
  /// For each group: indices in `transfers` of the transfers that must have ended before the
  /// group's kernels begin.
  std::vector<std::vector<Index>> waits;
  /// Predicted seconds of each group's kernels in a factorization.  Length: number of groups.
  std::vector<double> seconds;

  /// Predicted seconds of a factorization, and of a solve with one right-hand side.
  double factor_s = 0, solve_s = 0;
  /// Right-hand sides for whose solve the arena has room: StreamBudget::columns.
  Index columns = 1;
  /// Entries of panels that one solve sends to the device, forward and backward together.
  Offset solve_entries = 0;

  /// Whether the slab is in the range of host memory that update matrices and slabs share.
  bool shares_host(Index slab) const {
    return host_places[static_cast<std::size_t>(slab)] != kNone;
  }
  /// Whether the slab is in the scratch file.
  bool is_in_file(Index slab) const {
    return slab >= first_on_device && slab < first_on_host && !is_dropped(slab);
  }
  /// Entries of host memory that num_slots slots of `chunk` entries need.  Includes room to move
  /// the first slot to the beginning of a page.
  static constexpr Offset slots_entries(Index num_slots, Offset chunk) {
    constexpr Offset kPage = 1024;
    return num_slots > 0 ? num_slots * chunk + kPage : 0;
  }
  bool is_dropped(Index slab) const {
    return slab < first_resident && dropped[static_cast<std::size_t>(slab)] != 0;
  }
  /// Entries that a factorization sends to the host (to_host) or to the device (!to_host).
  Offset transfer_entries(bool to_host) const {
    Offset sum = 0;
    for (const StreamTransfer& transfer : transfers) {
      if (transfer.to_host == to_host) sum += transfer.entries;
    }
    return sum;
  }
  /// Transfers that are enqueued after the group's kernels.
  std::span<const StreamTransfer> transfers_after(Index group) const {
    const auto begin = static_cast<std::size_t>(transfer_ptr[static_cast<std::size_t>(group)]);
    const auto end = static_cast<std::size_t>(transfer_ptr[static_cast<std::size_t>(group) + 1]);
    return std::span(transfers).subspan(begin, end - begin);
  }
};

/// Sizes of the device memory that a solve needs for slabs that do not stay on the device.  Slabs
/// that are uploaded take turns at the two ends of one range, the ring.  If two slabs fit, one is
/// uploaded while kernels read the other.  Dropped slabs are factored again in a second range.
struct StreamRing {
  Offset both = 0;     ///< Entries of a ring that holds any two slabs which are read in succession.
  Offset largest = 0;  ///< Entries of a ring that holds any one slab.
  Offset dropped = 0;  ///< Entries of the second range, which holds any one dropped slab.
};
/// Entries of the ring that one slab occupies: `panels` entries of panels, followed by `beside`
/// entries of inverted diagonal blocks, which solves need.  Each of the two numbers is rounded up
/// to a multiple of 8.
constexpr Offset slot_entries(Offset panels, Offset beside) {
  return (panels + 7) / 8 * 8 + (beside + 7) / 8 * 8;
}
/// Computes the sizes of the ring and of the range for dropped slabs.
/// @param sizes    slot_entries() of each slab that does not stay on the device, in the order in
///                 which the device's forward solve reads the slabs.
/// @param dropped  Nonzero for each slab of `sizes` that is dropped.  Empty: no slab is dropped.
StreamRing stream_ring(std::span<const Offset> sizes, std::span<const char> dropped);

/// Tries plans and returns the plan with the least predicted time of a factorization and a solve
/// among the plans that fit into the budget.  If no plan fits into the host memory, returns the
/// plan that needs the least host memory.
/// @param threads  Host threads that try plans at the same time.  The result does not depend on
///                 their number.
/// @return the plan; nothing if no plan fits into the device memory.
/// Cost O(nsuper + groups * segments of the arena) for each plan tried: a few thousand plans at
/// most.
std::optional<StreamPlan> plan_stream(const symbolic::SymbolicFactor& factor,
                                      const StreamBudget& budget, const StreamRates& rates,
                                      int threads = 1);

}  // namespace clchol::numeric
