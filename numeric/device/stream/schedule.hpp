// Schedules a streamed factorization: walks through the groups in order, allocates ranges of the
// arena for their panels and update matrices, and decides which transfers bring what to host memory
// and back.
//
// For each group the walk
//   1. allocates the slab's panels, if the group is the slab's first;
//   2. allocates the update matrices that the group writes;
//   3. brings the children's update matrices that are in host memory;
//   4. frees the children's update matrices, and sends the slab's finished panels to the host.
// Where the arena is full, update matrices that are read late are sent to the host ("spilled").
// Times are predicted meanwhile: they decide which freed ranges are reused first.
//
// Offsets and sizes count entries of the scalar type.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "numeric/device/stream/arena.hpp"
#include "numeric/device/stream/groups.hpp"
#include "numeric/device/stream/plan.hpp"

namespace clchol::numeric {

/// The choices that a schedule is made for.
struct StreamWay {
  /// This slab and all later ones stay on the device.
  Index first_resident = 0;
  /// This slab and all later ones have a buffer of their own.
  Index first_apart = 0;
  /// The CPU solves with the slabs before this one.
  Index first_on_device = 0;
  /// Where every free range is still in use: true waits for transfers that are under way, false
  /// sends an update matrix to the host to free its range.
  bool waits_first = false;
  /// Whether each slab is dropped, where drops() allows it; empty: none is.
  std::vector<char> dropped = {};

  bool drops(Index slab) const {
    return slab >= first_on_device && slab < first_resident && !dropped.empty() &&
           dropped[static_cast<std::size_t>(slab)] != 0;
  }
};

/// Offsets in the range of host memory that update matrices and slabs share.
struct HostPlaces {
  std::vector<Offset> units;  // For each unit: offset of its update; kNone: it stays on the device.
  std::vector<Offset> slabs;  // For each slab: its offset; kNone: it is not in the shared memory.
  Offset size = 0;            // Entries of the shared memory.
};

/// The walk through the groups with the choices of one StreamWay.
class StreamSchedule {
 public:
  /// The factor and the groups must outlive this object.
  /// @param arena  entries of the arena.
  StreamSchedule(const symbolic::SymbolicFactor& factor, const StreamGroups& groups, Offset arena,
                 const StreamWay& way, const StreamRates& rates);

  /// Makes the schedule.  Cost O(groups * segments of the arena).
  /// @return false when a group does not fit into the arena.
  bool run();

  // ---- After run() has returned true ----

  /// Predicted seconds of a factorization.  Kernels, transfers to the host and transfers to the
  /// device run in three queues, each in order, and begin when all that they wait for has ended.
  double seconds() const;
  /// Offsets in host memory of the update matrices that leave the device and of the slabs from
  /// `first_sharing` on.  Slabs may overwrite update matrices that are not read any more.
  HostPlaces host_places(Index first_sharing) const;
  StreamPlan plan(HostPlaces places) &&;

 private:
  /// Where an update matrix is; kNone: it has no range yet.
  enum class State : unsigned char { kNone, kOnDevice, kOnHost };
  /// Who writes a range first: kernels of the current group, or a transfer from the host.
  enum class User : unsigned char { kKernels, kTransfer };

  const StreamUnit& unit(Index u) const { return groups_.units[static_cast<std::size_t>(u)]; }
  /// First unit of the current group, and one past its last unit.
  std::pair<Index, Index> units_of_group() const;
  /// Calls use(c) for each unit c whose update matrix the root of unit u reads, until a call
  /// returns false.  @return false when a call did.
  template <class Use>
  bool for_children(Index u, const Use& use) const;

  // ---- Predicted times; only estimates during the walk, as sort_transfers() moves transfers ----

  /// Seconds at which the kernels of the group before the current one end.
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

  // For each unit.  The update of a front in strips belongs to the unit of its first strip.
  // Offsets in the arena at which the unit's updates begin when they are written, and its root's
  // update when the parent reads it.
  std::vector<Offset> written_, read_;
  std::vector<Index> left_;   // Last transfer of the root's update to the host; kNone: none.
  std::vector<State> state_;  // Where the root's update is.

  std::vector<Index> waiting_;   // Units whose root's update is on the device until it is read.
  std::vector<Offset> panels_;   // Offset in the arena of each slab before first_apart.
  std::vector<Offset> scratch_;  // For each group that is dropped: offset of its updates.
  Offset sent_ = 0;              // Entries of the current slab in transfers to the host so far.
  Index last_sent_ = kNone;      // The last transfer of panels to the host; kNone: none.
  std::map<Index, FrontStrip> strips_;  // Strips by group, with their offsets in the arena.

  // For the current strip: ranges of the arena that are freed at its end.
  UpdateWindow write_;                 // Range of the window that it writes; empty: none.
  std::vector<UpdateWindow> windows_;  // For each child: range of the window that came, or empty.
  // Units whose update the current strip reads in the arena, so that the range must stay.
  std::vector<Index> bound_;

  std::vector<StreamTransfer> transfers_;
  std::vector<double> done_;  // Predicted time at which each transfer ends.
  std::vector<double> ends_;  // Predicted time at which the kernels of each group end.
  // Predicted time at which the last transfer of each direction ends.
  double to_host_s_ = 0, to_device_s_ = 0;
  // For each group: transfers that must have ended before its kernels begin.
  std::vector<std::vector<Index>> waits_;
};

}  // namespace clchol::numeric
