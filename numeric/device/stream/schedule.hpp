// Schedules a streamed factorization (plan.hpp): chooses ranges of the arena, the device buffer for
// panels and update matrices, and decides which transfers between the arena and host memory follow
// the kernels of each group of fronts.
//
// StreamSchedule simulates the factorization, one group after another.  For each group it
//   1. allocates a range for the slab's panels, if the group is the first of its slab;
//   2. allocates ranges for the update matrices that the group writes;
//   3. schedules uploads of the update matrices that the group reads, if they are in host memory;
//   4. frees the ranges of the update matrices that the group has read, and schedules downloads of
//      the panels that are finished, if their slab does not stay on the device.
// If the arena is full, update matrices are "spilled": sent to host memory.  Matrices at least as
// large as the needed range are spilled first; among such matrices, the one that is read last.
//
// The schedule predicts when kernels and transfers end.  The users of a range are the kernels and
// transfers that read or write it.  A free range is "cold" if its last users are predicted to have
// ended when the current group begins.  Cold ranges are taken first, because the new users need not
// wait for the old users.
//
// All offsets and sizes count entries of the scalar type.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "numeric/device/stream/arena.hpp"
#include "numeric/device/stream/groups.hpp"
#include "numeric/device/stream/plan.hpp"

namespace clchol::numeric {

/// Choices for which a schedule is made.
struct StreamWay {
  /// StreamPlan::first_resident: first slab that stays on the device.
  Index first_resident = 0;
  /// StreamPlan::first_apart: first slab that has a device buffer of its own.
  Index first_apart = 0;
  /// StreamPlan::first_on_device: first slab that the CPU does not solve with.
  Index first_on_device = 0;
  /// What run() tries first if it needs a range of the arena, but transfers still read all free
  /// ranges.  true: the range's new user waits for these transfers.  false: run() spills an update
  /// matrix; the new user waits only if no update matrix can be spilled.
  bool waits_first = false;
  /// For each slab, nonzero to drop the slab.  Elements for slabs outside [first_on_device,
  /// first_resident) have no effect.  Length: number of slabs.  Empty: no slab is dropped.
  std::vector<char> dropped = {};

  /// Returns whether the slab is dropped: not stored, but factored again when a solve reads it.
  bool drops(Index slab) const {
    return slab >= first_on_device && slab < first_resident && !dropped.empty() &&
           dropped[static_cast<std::size_t>(slab)] != 0;
  }
};

/// Layout of the shared range: one range of host memory for update matrices and some slabs.
struct HostPlaces {
  /// Offset, in the shared range, of the update matrix of each unit's root.  Indexed as
  /// StreamGroups::units.  kNone: this update matrix never goes to the host, or the unit is a strip
  /// but not the first strip of its front.
  std::vector<Offset> units;
  /// Offset of each slab in the shared range.  kNone: the slab is not in the shared range.  Length:
  /// number of slabs.
  std::vector<Offset> slabs;
  /// Entries of the shared range.
  Offset size = 0;
};

/// A schedule of the factorization, for one division into groups and one StreamWay.  run() makes
/// the schedule, and plan() turns it into a StreamPlan.
class StreamSchedule {
 public:
  /// Stores the arguments.  The factor and the groups must outlive this object.
  /// @param arena  Greatest number of entries of the arena.
  /// @param rates  Rates from which times are predicted.
  StreamSchedule(const symbolic::SymbolicFactor& factor, const StreamGroups& groups, Offset arena,
                 const StreamWay& way, const StreamRates& rates);

  /// Makes the schedule.  Must be called once.  Cost O(groups * segments of the arena).
  /// @return false when the panels and update matrices that one group needs do not fit into the
  ///         arena together.
  bool run();

  // ---- Results: these functions may be called only after run() has returned true ----

  /// Predicts the seconds of a factorization.  The model has three in-order queues: for kernels,
  /// for transfers to the host and for transfers to the device.  Kernels and transfers begin when
  /// all commands for which they wait have ended.
  double seconds() const;
  /// Returns the offset in the arena of each slab that has no buffer of its own.
  std::span<const Offset> panels() const { return panels_; }
  /// Computes offsets in the shared range of host memory, for all update matrices that are sent to
  /// the host, and for slabs [first_sharing, first_resident) that are not dropped.  A slab may
  /// overwrite update matrices that no later group reads.
  /// @param first_sharing  First slab that is in the shared range.
  HostPlaces host_places(Index first_sharing) const;
  /// Returns the plan.  Moves the vectors of this object into the plan, so this object cannot be
  /// used afterwards.  The caller must set the members of the plan that depend on the file, on the
  /// budget or on solves: `host`, `first_on_host`, `file_chunk`, `num_file_slots`, `factor_s`,
  /// `solve_s`, `columns` and `solve_entries`.
  /// @param places  Result of host_places().
  StreamPlan plan(HostPlaces places) &&;

 private:
  /// Kind of memory that holds an update matrix.  kNone: no memory has been chosen yet.
  enum class State : unsigned char { kNone, kOnDevice, kOnHost };
  /// First user of a range of the arena: kernels of the current group, or a transfer to the device.
  /// Kernels run after the kernels of earlier groups in any case, because all kernels are in one
  /// in-order queue.  A transfer is in another queue, and the plan must let it wait for kernels.
  enum class User : unsigned char { kKernels, kTransfer };

  const StreamUnit& unit(Index u) const { return groups_.units[static_cast<std::size_t>(u)]; }
  /// Returns the first unit of the current group, and one past the group's last unit.
  std::pair<Index, Index> units_of_group() const;
  /// Calls use(c) for each unit c != u such that unit u reads the update matrix of c's root.  Stops
  /// after a call of use() that returns false.
  /// @return false if a call of use() has returned false, otherwise true.
  template <class Use>
  bool for_children(Index u, const Use& use) const;

  // ---- Predicted times, in seconds from the beginning of the factorization ----
  // The times are estimates: sort_transfers() changes the order of the transfers afterwards.

  /// Returns the time at which the kernels of the group before the current group end.
  double now() const { return group_ == 0 ? 0 : ends_[static_cast<std::size_t>(group_ - 1)]; }
  void compute_group();
  double transfer_seconds(const StreamTransfer& transfer) const {
    return static_cast<double>(transfer.moved() * rates_.value_bytes) / rates_.bytes_per_s;
  }

  // ---- Ranges of the arena ----
  // Functions named take_...() return no range if there is none of the kind that they look for.

  bool is_cold(const Arena::Use& use, User user) const;
  std::optional<Arena::Place> take_cold(Offset size, User user, Arena::From from);
  std::optional<Arena::Place> take_soonest(Offset size, Arena::From from);
  std::optional<Arena::Place> take(Offset size, User user, Arena::From from);
  std::optional<Offset> take_for_kernels(Offset size, Arena::From from = Arena::From::kBottom);
  void wait_for(const Arena::Place& place);
  /// Frees a range of the arena.
  void give_back(Offset begin, Offset size, const Arena::Use& use) {
    arena_.give_back(begin, size, use);
    add_change({-size, use.group, use.transfer});
  }
  void add_change(const ArenaChange& change) {
    if (change.entries != 0) arena_changes_.push_back(change);
  }
  bool spill_any(Offset needed, Index made_before);
  void spill(Index u);

  // ---- The steps of one group ----
  // bring_...(), bring() and place_...() return false or nothing if the arena has no room.

  bool bring_updates();
  bool bring_children(Index u);
  bool bring_windows(Index u);
  bool is_bound(Index u) const;
  std::optional<Offset> bring(Index u, const UpdateWindow& window);
  bool place_units();
  bool place_dropped();
  bool place_strip(Index u);
  bool has_room_for_whole(Index u) const;
  bool place_panels();
  void end_group();
  void end_unit(Index u);
  void end_strip(Index u);
  void give_back_children(Index u);
  void send_panels();
  std::pair<Offset, Offset> finished_panels() const;

  Index add_transfer(const StreamTransfer& transfer);
  void sort_transfers();

  const symbolic::SymbolicFactor& factor_;
  const StreamGroups& groups_;
  StreamWay way_;
  StreamRates rates_;
  Arena arena_;
  Index group_ = 0;  // The current group.

  // ---- Vectors with one element for each unit of StreamGroups::units ----
  // If a front is computed in strips, the data of its update matrix are in the element of the
  // front's first strip.

  // `written_`: offset in the arena of the range in which the unit's update matrices are computed.
  // `read_`: offset in the arena at which the parent of the unit's root reads the root's update
  // matrix.  The two offsets differ if the matrix went to the host and came back.
  std::vector<Offset> written_, read_;
  // Index in transfers_ of the last transfer of the root's update matrix to the host.  kNone: there
  // is no such transfer.
  std::vector<Index> left_;
  std::vector<State> state_;  // Kind of memory that holds the root's update matrix.

  // ---- State after the groups that were simulated so far ----

  // Units whose root's update matrix is in the arena and will be read by a later group.
  std::vector<Index> waiting_;
  // Offset in the arena of each slab before StreamWay::first_apart; 0 until the slab's first group
  // is simulated.  Becomes StreamPlan::panels.
  std::vector<Offset> panels_;
  // For each group of a dropped slab: offset in the arena of the range of the group's update
  // matrices.  0 for other groups.  Becomes StreamPlan::scratch_places.
  std::vector<Offset> scratch_;
  // `sent_`: the entries [0, sent_) of the current slab were sent to the host.
  // `not_moved_`: number of these entries that were not moved (StreamTransfer::not_moved).
  Offset sent_ = 0, not_moved_ = 0;
  Index last_sent_ = kNone;  // Index in transfers_ of the last transfer of panels to the host.
  // Map from a group that is a strip to the strip.  FrontStrip::update and FrontStrip::read are
  // offsets in the arena.
  std::map<Index, FrontStrip> strips_;

  // ---- State of the current group, if it is a strip ----

  // Range of the arena for the window that the strip writes of its front's update matrix.  The
  // range is freed after the strip.  Empty: the whole update matrix has a range of the arena, or
  // the strip writes no entries of the update matrix.
  UpdateWindow write_;
  // For each child that has update rows: range of the arena for the window of the child's update
  // matrix that is uploaded from host memory.  The range is freed after the strip.  Empty: nothing
  // is uploaded.
  std::vector<UpdateWindow> windows_;
  // Units whose update matrices the strip reads in the arena.  These matrices must not be spilled.
  std::vector<Index> bound_;

  // ---- Transfers and times ----

  std::vector<StreamTransfer> transfers_;   // All transfers so far.  At its end, run() sorts them.
  std::vector<ArenaChange> arena_changes_;  // All ranges that were taken and freed so far.
  std::vector<double> done_;                // Predicted time at which each transfer ends.
  std::vector<double> ends_;                // Predicted time at which each group's kernels end.
  // `to_host_s_`: predicted time at which the last transfer to the host ends.
  // `to_device_s_`: predicted time at which the last transfer to the device ends.
  double to_host_s_ = 0, to_device_s_ = 0;
  // For each group: indices in transfers_ of transfers that must have ended before the group's
  // kernels begin.
  std::vector<std::vector<Index>> waits_;
};

}  // namespace clchol::numeric
