// Schedules a streamed factorization (plan.hpp): allocates ranges of the arena for panels and
// update matrices, and decides which transfers between the arena and host memory follow each group.
//
// The schedule takes the groups of fronts in their order.  For each group it
//   1. allocates a range for the slab's panels, if the group is the first of its slab;
//   2. allocates ranges for the update matrices that the group writes;
//   3. schedules uploads of the children's update matrices that are in host memory;
//   4. frees the ranges of the children's update matrices, and schedules downloads of finished
//      panels, if their slab does not stay on the device.
// Where the arena is full, update matrices that are read late are sent to host memory ("spilled").
// The schedule predicts when kernels and transfers end: freed ranges whose last users end first are
// reused first.
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
  /// How to get a range of the arena if transfers still read every free range.  true: wait for
  /// transfers to end.  false: free the range of an update matrix by sending it to the host.
  bool waits_first = false;
  /// Nonzero for each slab that is dropped, if drops() agrees.  Length: number of slabs.  Empty: no
  /// slab is dropped.
  std::vector<char> dropped = {};

  /// Whether the slab is dropped.  Slabs outside [first_on_device, first_resident) never are.
  bool drops(Index slab) const {
    return slab >= first_on_device && slab < first_resident && !dropped.empty() &&
           dropped[static_cast<std::size_t>(slab)] != 0;
  }
};

/// Layout of the range of host memory that update matrices and slabs share.
struct HostPlaces {
  /// For each unit of StreamGroups::units: offset of the update matrix of the unit's root.  kNone:
  /// this update matrix never goes to the host, or belongs to an earlier strip of the same front.
  std::vector<Offset> units;
  /// Offset of each slab.  kNone: the slab is not in the shared range.
  std::vector<Offset> slabs;
  /// Entries of the shared range.
  Offset size = 0;
};

/// Makes the schedule for one StreamWay, and then the plan.
class StreamSchedule {
 public:
  /// The factor and the groups must outlive this object.
  /// @param arena  Entries of the arena.
  /// @param rates  Rates from which times are predicted.
  StreamSchedule(const symbolic::SymbolicFactor& factor, const StreamGroups& groups, Offset arena,
                 const StreamWay& way, const StreamRates& rates);

  /// Makes the schedule.  Must be called once.  Cost O(groups * segments of the arena).
  /// @return false when a group does not fit into the arena.
  bool run();

  // ---- Results, which exist only after run() has returned true ----

  /// Predicts the seconds of a factorization.  The model has three in-order queues: for kernels,
  /// for transfers to the host and for transfers to the device.  Kernels and transfers begin when
  /// all commands for which they wait have ended.
  double seconds() const;
  /// Computes offsets in the shared range of host memory for all update matrices that are sent to
  /// the host, and for the slabs [first_sharing, first_resident) that are not dropped.  A slab may
  /// overwrite update matrices that no later group reads.
  HostPlaces host_places(Index first_sharing) const;
  /// Returns the plan, which takes the vectors of this object.  The caller has to set the plan's
  /// members that depend on the file, on the budget or on solves: `host`, `first_on_host`,
  /// `file_chunk`, `num_file_slots`, `factor_s`, `solve_s`, `columns` and `solve_entries`.
  /// @param places  Result of host_places().
  StreamPlan plan(HostPlaces places) &&;

 private:
  /// Memory that holds an update matrix.  kNone: no memory is allocated for the update matrix yet.
  enum class State : unsigned char { kNone, kOnDevice, kOnHost };
  /// First user of a new range of the arena: kernels of the current group, or a transfer to the
  /// device.  Only kernels are ordered behind the kernels of earlier groups in any case.
  enum class User : unsigned char { kKernels, kTransfer };

  const StreamUnit& unit(Index u) const { return groups_.units[static_cast<std::size_t>(u)]; }
  /// First unit of the current group, and one past the group's last unit.
  std::pair<Index, Index> units_of_group() const;
  /// Calls use(c) for each unit c outside unit u whose root's update matrix unit u reads.  Ends
  /// when a call returns false.
  /// @return false if a call has returned false.
  template <class Use>
  bool for_children(Index u, const Use& use) const;

  // ---- Predicted times, in seconds from the beginning of the factorization ----
  // They are estimates, because sort_transfers() changes the order of the transfers afterwards.

  /// Time at which the kernels of the group before the current group end.
  double now() const { return group_ == 0 ? 0 : ends_[static_cast<std::size_t>(group_ - 1)]; }
  void compute_group();
  double transfer_seconds(const StreamTransfer& transfer) const {
    return static_cast<double>(transfer.entries * rates_.value_bytes) / rates_.bytes_per_s;
  }

  // ---- Ranges of the arena ----

  bool is_cold(const Arena::Use& use, User user) const;
  std::optional<Arena::Place> take_cold(Offset size, User user, Arena::From from);
  std::optional<Arena::Place> take_soonest(Offset size, Arena::From from);
  std::optional<Arena::Place> take(Offset size, User user, Arena::From from);
  std::optional<Offset> take_for_kernels(Offset size, Arena::From from = Arena::From::kBottom);
  void wait_for(const Arena::Place& place);
  bool spill_any(Offset needed, Index made_before);
  void spill(Index u);

  // ---- The steps of one group ----

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

  Index add_transfer(const StreamTransfer& transfer);
  void sort_transfers();

  const symbolic::SymbolicFactor& factor_;
  const StreamGroups& groups_;
  StreamWay way_;
  StreamRates rates_;
  Arena arena_;
  Index group_ = 0;  // The current group.

  // ---- Vectors with one element for each unit of StreamGroups::units ----
  // If a front is computed in strips, its update matrix belongs to the unit of its first strip.

  // Offset in the arena at which the unit writes its update matrices, and offset at which the
  // parent of the unit's root reads the root's update matrix.
  std::vector<Offset> written_, read_;
  // Index in transfers_ of the last transfer of the root's update matrix to the host.  kNone: there
  // is no such transfer.
  std::vector<Index> left_;
  std::vector<State> state_;  // Memory that holds the root's update matrix.

  // ---- State after the groups so far ----

  // Units whose root's update matrix lies in the arena and waits for its reader.
  std::vector<Index> waiting_;
  std::vector<Offset> panels_;   // StreamPlan::panels.
  std::vector<Offset> scratch_;  // StreamPlan::scratch_places.
  Offset sent_ = 0;              // Entries of the current slab that were sent to the host.
  Index last_sent_ = kNone;      // Index in transfers_ of the last transfer of panels to the host.
  std::map<Index, FrontStrip> strips_;  // Strips, by group; their offsets are offsets in the arena.

  // ---- State of the current group, if it is a strip ----

  // Range of the arena for the window of the front's update matrix that the strip writes.  It is
  // freed after the strip.  Empty: the arena has the whole update matrix, or nothing is written.
  UpdateWindow write_;
  // For each child: range of the arena for the window of the child's update matrix that comes from
  // host memory.  It is freed after the strip.  Empty: no window comes from host memory.
  std::vector<UpdateWindow> windows_;
  // Units whose update matrices the strip reads in the arena, so that they must not be spilled.
  std::vector<Index> bound_;

  // ---- Transfers and times ----

  std::vector<StreamTransfer> transfers_;  // All transfers.  run() sorts them at its end.
  std::vector<double> done_;               // Predicted time at which each transfer ends.
  std::vector<double> ends_;               // Predicted time at which each group's kernels end.
  // Predicted time at which the last transfer to the host, or to the device, ends.
  double to_host_s_ = 0, to_device_s_ = 0;
  // For each group: indices in transfers_ of transfers that must have ended before the group's
  // kernels begin.
  std::vector<std::vector<Index>> waits_;
};

}  // namespace clchol::numeric
