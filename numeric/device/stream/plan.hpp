// Plans the memory and the transfers of a streamed factor: a factor that is larger than the
// device's memory.  The plan says which panels stay on the device, when other panels and update
// matrices move to host memory and back, and at which offsets they lie.
//
// Fronts are factored in groups, one group after another.  A slab holds the panels of consecutive
// groups.  Slabs are numbered in the order of the groups.  The names above the drawing are members
// of StreamPlan: slab numbers.  After a factorization, the slabs are in these kinds of memory:
//
//   slab 0   first_on_device    first_on_host      first_resident     first_apart
//   |  host memory; |  scratch file,   |  host memory,    |  device:       |  device:      |
//   |  CPU solves   |  or dropped      |  or dropped      |  arena         |  own buffers  |
//
// If slabs are in a file, the CPU solves with no slab: first_on_device is 0.
//
// The plan is complete before any memory is allocated.  Panels and update matrices share one device
// buffer, the arena (arena.hpp).  The plan follows these rules:
//   - A slab before first_resident is sent to the host: the panels of each group when the group has
//     been factored, and the panel of a front in strips strip by strip.  Instead the slab may be
//     dropped: its panels are overwritten, and factored again whenever a solve reads them.  A slab
//     is dropped if solves are then predicted to be faster.  Only slabs of whole subtrees are
//     dropped: subtrees at the bottom of the tree hold much of L, but take few of the flops.
//   - An update matrix is sent to host memory, and back later, if the parent of its front is
//     factored late and other data need its range of the arena.
//   - The last slabs stay on the device, because a forward solve ends with them and a backward
//     solve begins with them.
//   - The CPU solves with the first slabs, in host memory, while the device solves with all later
//     slabs, if this takes less time than sending the first slabs to the device.
//   - If the host memory is too small and a file is allowed, as many slabs as fit are in host
//     memory: those directly before first_resident.  All earlier slabs go to the file.
//
// Transfers run at the same time as kernels.  Transfers to the host run one after another, in the
// order of the plan.  Transfers to the device run one after another, too.  For the kernels of each
// group, and for each transfer, the plan lists the transfers that must have ended before.
// plan_stream() predicts the time of many plans by a simple model and chooses the fastest plan that
// fits.
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
  Offset arena = 0;  ///< Greatest number of entries of the arena.
  /// Greatest number of entries of all device buffers outside the arena together.  Each of these
  /// buffers holds one slab.
  Offset apart = 0;
  Offset largest = 0;     ///< Greatest number of entries of one device buffer.
  Offset host = 0;        ///< Greatest number of entries in host memory.
  bool has_file = false;  ///< Whether slabs may go to a file when host memory is too small.
  /// Number of right-hand sides of a solve for whose workspace the arena must have room.
  Index columns = 1;
  /// Whether the device's kernels can compute a strip, that is, some columns of a front.
  bool has_strips = false;
  /// Whether the kernels of solves work by tickets: DeviceSolve::is_by_tickets().
  bool by_tickets = false;
  /// Columns of a block column of a wide panel (wide_panels.hpp).  0: no panel is wide.
  Index transfer_block = 0;
  /// true: any plan that fits will do, so that the search ends early.
  bool any_will_do = false;
};

/// A transfer between the arena and host memory during a factorization.  It moves a range of
/// entries of the panels of one slab (kPanels) or of one update matrix (kUpdate).
struct StreamTransfer {
  enum class What : unsigned char { kPanels, kUpdate };
  What what = What::kPanels;
  bool to_host = true;  ///< true: from the arena to host memory; false: in the other direction.
  Index of = 0;  ///< For kPanels, number of the slab.  For kUpdate, supernode of the update matrix.
  Offset device = 0;  ///< Offset in the arena of the first entry that is moved.
  /// Offset, outside of the device, of the first entry that is moved.  For kPanels, counted from
  /// the beginning of the slab, which is in host memory or in the file.  For kUpdate, counted from
  /// the beginning of the range of host memory that update matrices and slabs share
  /// (StreamPlan::host_shared).
  Offset host = 0;
  Offset entries = 0;  ///< Number of entries of the range.
  /// Number of entries of the range that are not moved, because they are above the diagonal of a
  /// wide panel (wide_panels.hpp).
  Offset not_moved = 0;
  /// Number of a group.  The transfer begins only when the kernels of this group have ended.
  Index after = 0;
  /// Transfers to the host that must have ended before this transfer begins, as indices in
  /// StreamPlan::transfers.  For a transfer to the device, these are the transfer that sent the
  /// last entries of the update matrix to the host, and the transfers that read the range of the
  /// arena which this transfer overwrites.  Empty for a transfer to the host.
  std::vector<Index> follows = {};

  /// Returns the number of entries that are moved.
  Offset moved() const { return entries - not_moved; }
};

/// Entries of the arena that come into use, or become free, during a factorization.
struct ArenaChange {
  /// Number of entries.  Positive: a range comes into use.  Negative: a range becomes free.
  Offset entries = 0;
  /// A range comes into use when the kernels of this group begin, and becomes free when the kernels
  /// of this group have ended.  kNone: no kernels use the range.
  Index group = kNone;
  /// Index in StreamPlan::transfers.  A range comes into use when this transfer begins, and does
  /// not become free before this transfer has ended.  kNone: no transfer uses the range.
  Index transfer = kNone;
};

/// The plan of one streamed factor.
struct StreamPlan {
  FrontGroups groups;   // Groups of fronts; offset of each update matrix in the arena.
  gpu::SlabPlan slabs;  // Size of each slab; for each group, its slab and its offset in the slab.

  /// First slab that stays on the device.  All later slabs stay, too.
  Index first_resident = 0;
  /// First slab that has a device buffer of its own.  All later slabs have own buffers, too.
  Index first_apart = 0;
  /// Offset in the arena of each slab before first_apart.  Length first_apart.
  std::vector<Offset> panels;
  /// First slab that the device solves with.  The CPU solves with all earlier slabs, which are in
  /// host memory (host_solve.hpp).
  Index first_on_device = 0;
  /// One past the last slab in the file.  Slabs [first_on_device, first_on_host) are in the file,
  /// except for dropped slabs.  Equal to first_on_device if no slab is in the file.
  Index first_on_host = 0;

  // Entries of a file chunk.  Slabs move to the file and back one file chunk at a time.  The last
  // file chunk of a slab may be shorter.
  Offset file_chunk = 0;
  // Number of slots: buffers in host memory, with room for one file chunk each, through which file
  // chunks go to the file and back.  0: no slab is in a file.
  Index num_file_slots = 0;
  SolveOrder solve_order;  // Order in which the device solves with slabs.

  /// 1 for a slab that is dropped: its groups are factored again whenever a solve reads the slab.
  /// 0 for other slabs.  Length first_resident.
  std::vector<char> dropped;
  /// For each group of a dropped slab: offset in the arena of the range that holds the group's
  /// update matrices during the factorization.  When the group is factored again, its update
  /// matrices are instead in a workspace of `scratch` entries.  An update matrix at offset
  /// scratch_places[group] + d of the arena is then at offset d of the workspace.
  /// 0 for other groups.  Length: number of groups.
  std::vector<Offset> scratch_places;
  /// Entries of the workspace for the update matrices of one group that is factored again: the
  /// maximum over all groups of dropped slabs.
  Offset scratch = 0;

  /// Entries of the arena.
  Offset arena = 0;
  /// If large fronts are divided into chains (symbolic/front_chains.hpp): greatest number of
  /// entries of the panel of a link.  The plan is then one of the divided factor.  0: no front is
  /// divided.
  Offset link = 0;
  /// Columns of a block column of a wide panel (wide_panels.hpp).  0: no panel is wide.
  Index transfer_block = 0;
  /// Entries of the shared range: one range of host memory for update matrices and some slabs.
  Offset host_shared = 0;
  /// Offset of each slab in the shared range.  kNone: the slab is not in the shared range.
  /// Length: number of slabs.
  std::vector<Offset> host_places;
  /// Entries of all host memory together: for panels, for update matrices, and for the slots.
  Offset host = 0;

  /// Transfers of a factorization, in the order in which they are enqueued.
  std::vector<StreamTransfer> transfers;
  /// Transfers [transfer_ptr[g], transfer_ptr[g + 1]) are enqueued after the kernels of group g.
  /// Length: number of groups + 1.
  std::vector<Index> transfer_ptr;
  /// For each group: indices in `transfers` of the transfers that must have ended before the
  /// group's kernels begin.
  std::vector<std::vector<Index>> waits;
  /// All ranges of the arena that come into use or become free, for a timeline.
  std::vector<ArenaChange> arena_changes;
  /// Predicted seconds of each group's kernels in a factorization.  Length: number of groups.
  std::vector<double> seconds;

  /// `factor_s`: predicted seconds of a factorization.
  /// `solve_s`: predicted seconds of a solve with one right-hand side.
  double factor_s = 0, solve_s = 0;
  /// Number of right-hand sides of a solve for whose workspace the arena has room:
  /// StreamBudget::columns.
  Index columns = 1;
  /// Entries of panels that one solve sends to the device, forward and backward together.
  Offset solve_entries = 0;

  /// Returns whether the slab is in the shared range of host memory.
  bool shares_host(Index slab) const {
    return host_places[static_cast<std::size_t>(slab)] != kNone;
  }
  /// Returns whether the slab is in the scratch file.
  bool is_in_file(Index slab) const {
    return slab >= first_on_device && slab < first_on_host && !is_dropped(slab);
  }
  /// Returns the number of entries of host memory that num_slots slots of `chunk` entries each
  /// need, with room to let the first slot begin at the beginning of a page.
  static constexpr Offset slots_entries(Index num_slots, Offset chunk) {
    constexpr Offset kPage = 1024;
    return num_slots > 0 ? num_slots * chunk + kPage : 0;
  }
  bool is_dropped(Index slab) const {
    return slab < first_resident && dropped[static_cast<std::size_t>(slab)] != 0;
  }
  /// Returns the number of entries that a factorization sends to the host, if to_host is true, or
  /// to the device, if to_host is false.
  Offset transfer_entries(bool to_host) const {
    Offset sum = 0;
    for (const StreamTransfer& transfer : transfers) {
      if (transfer.to_host == to_host) sum += transfer.moved();
    }
    return sum;
  }
  /// Returns the transfers that are enqueued after the group's kernels.
  std::span<const StreamTransfer> transfers_after(Index group) const {
    const auto begin = static_cast<std::size_t>(transfer_ptr[static_cast<std::size_t>(group)]);
    const auto end = static_cast<std::size_t>(transfer_ptr[static_cast<std::size_t>(group) + 1]);
    return std::span(transfers).subspan(begin, end - begin);
  }
};

/// Sizes of the device memory that a solve needs for slabs that do not stay on the device.  Slabs
/// that are uploaded lie alternately at the beginning and at the end of one range, the ring.  If
/// the ring has room for two slabs, one slab is uploaded while kernels read the other.  Dropped
/// slabs are factored again in a second range.
struct StreamRing {
  /// Entries of a ring that has room for any two slabs that are read one after the other.
  Offset both = 0;
  Offset largest = 0;  ///< Entries of a ring that has room for each single slab.
  Offset dropped = 0;  ///< Entries of the second range, which has room for each dropped slab.
};
/// Returns the number of entries that one slab occupies in the ring: `panels` plus `beside`, each
/// rounded up to a multiple of 8.
/// @param panels  Entries of the slab's panels.
/// @param beside  Entries of the inverted diagonal blocks of the slab's fronts, which follow the
///                panels in memory.
constexpr Offset slot_entries(Offset panels, Offset beside) {
  return (panels + 7) / 8 * 8 + (beside + 7) / 8 * 8;
}
/// Computes the sizes of the ring and of the range for dropped slabs.
/// @param sizes    Result of slot_entries() for each slab that does not stay on the device, in the
///                 order in which the forward solve on the device reads the slabs.
/// @param dropped  For each element of `sizes`, nonzero if the slab is dropped.  Empty: no slab is
///                 dropped.
StreamRing stream_ring(std::span<const Offset> sizes, std::span<const char> dropped);

/// Tries plans and returns the plan with the least predicted time of a factorization and a solve
/// among the plans that fit into the budget.  If some plans fit into the device memory but none of
/// them fits into the host memory (StreamBudget::host), returns the plan that needs the least host
/// memory.  The caller must therefore compare StreamPlan::host with StreamBudget::host.
/// @param threads  Number of host threads that try plans at the same time.  The result does not
///                 depend on this number.
/// @return the plan; nothing if no plan fits into the device memory.
/// Cost O(nsuper + groups * segments of the arena) for each plan.  At most a few thousand plans are
/// tried.
std::optional<StreamPlan> plan_stream(const symbolic::SymbolicFactor& factor,
                                      const StreamBudget& budget, const StreamRates& rates,
                                      int threads = 1);

}  // namespace clchol::numeric
