// Where everything of a factor that is streamed lies while group after group is factored, and what
// goes to host memory and comes back: a walk through the groups with an arena at hand.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "numeric/device/stream/arena.hpp"
#include "numeric/device/stream/groups.hpp"
#include "numeric/device/stream/plan.hpp"

namespace clchol::numeric {

/// What stays, and what is preferred where there is no place that nobody waits for.
struct StreamWay {
  Index first_resident = 0;   // This slab and all later ones stay on the device,
  Index first_apart = 0;      // in a buffer of its own from this one on.
  Index first_on_device = 0;  // The CPU solves with slabs before this one.
  bool waits_first = false;   // For transfers under way; else an update matrix goes to the host.
  std::vector<char> dropped = {};  // By slab; empty: none.

  bool drops(Index slab) const {
    return slab >= first_on_device && slab < first_resident && !dropped.empty() &&
           dropped[static_cast<std::size_t>(slab)] != 0;
  }
};

/// Where what leaves lies in host memory, in values.
struct HostPlaces {
  std::vector<Offset> units;  // By unit, of its update matrix; kNone: it does not leave.
  std::vector<Offset> slabs;  // By slab; kNone: elsewhere.
  Offset size = 0;            // Of all.
};

class StreamSchedule {
 public:
  /// The factor and the groups outlive it.
  /// @param arena  values.
  StreamSchedule(const symbolic::SymbolicFactor& factor, const StreamGroups& groups, Offset arena,
                 const StreamWay& way, const StreamRates& rates);

  /// Places everything; false where a group does not fit.  Cost O(groups * places).
  bool run();

  // ---- After it has run ----

  /// Seconds of a factorization: kernels and transfers each one after another, and each after what
  /// it waits for.
  double seconds() const;
  /// Places of what leaves, in host memory that update matrices share with the slabs from
  /// `first_sharing` on: the places of those that are read no more become theirs.
  HostPlaces host_places(Index first_sharing) const;
  StreamPlan plan(HostPlaces places) &&;

 private:
  enum class State : unsigned char { kNone, kOnDevice, kOnHost };
  enum class User : unsigned char { kKernels, kTransfer };

  const StreamUnit& unit(Index u) const { return groups_.units[static_cast<std::size_t>(u)]; }
  /// Units of the group at hand: [first, last).
  std::pair<Index, Index> units_of_group() const;
  /// Calls use(c) for the units whose updates the unit's front reads, until it is false.
  template <class Use>
  bool for_children(Index u, const Use& use) const;

  // Time, about, while the walk goes on: transfers that are added later may come before others.
  double now() const { return group_ == 0 ? 0 : ends_[static_cast<std::size_t>(group_ - 1)]; }
  void compute_group();
  double transfer_seconds(const StreamTransfer& transfer) const {
    return static_cast<double>(transfer.entries * rates_.value_bytes) / rates_.bytes_per_s;
  }

  // Places.
  bool is_cold(const Arena::Use& use, User user) const;
  std::optional<Arena::Place> take_cold(Offset size, User user, Arena::From from);
  std::optional<Arena::Place> take_soonest(Offset size, Arena::From from);
  std::optional<Arena::Place> take(Offset size, User user, Arena::From from);
  std::optional<Offset> take_for_kernels(Offset size, Arena::From from = Arena::From::kBottom);
  void wait_for(const Arena::Place& place);
  bool spill_any(Offset needed, Index made_before);
  void spill(Index u);

  // A group, one step after another.
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
  Index group_ = 0;                     // At hand.
  std::vector<Offset> written_, read_;  // Where each unit's updates begin.
  std::vector<Index> left_;             // The last transfer of each unit's update to the host.
  std::vector<State> state_;            // Where the update of each unit's root is.
  std::vector<Index> waiting_;          // Units whose updates wait on the device.
  std::vector<Offset> panels_;          // Where each slab begins.
  std::vector<Offset> scratch_;         // Where the updates of each group that is dropped begin.
  Offset sent_ = 0;                     // Values of the slab at hand that have left,
  Index last_sent_ = kNone;             // and the last transfer of them.
  std::map<Index, FrontStrip> strips_;  // By group, with their places.
  // Of the strip at hand: places that it alone needs, of what it writes and of what it reads.
  UpdateWindow write_;
  std::vector<UpdateWindow> windows_;
  std::vector<Index> bound_;  // Units whose updates the group at hand reads where they are.
  std::vector<StreamTransfer> transfers_;
  std::vector<double> done_;                // When each ends.
  std::vector<double> ends_;                // When the kernels of each group end.
  double to_host_s_ = 0, to_device_s_ = 0;  // When the last transfer of each direction ends.
  std::vector<std::vector<Index>> waits_;
};

}  // namespace clchol::numeric
