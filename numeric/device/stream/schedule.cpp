#include "numeric/device/stream/schedule.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

#include "base/index_math.hpp"
#include "base/update_layout.hpp"
#include "numeric/device/stream/wide_panels.hpp"

namespace clchol::numeric {
namespace {

/// Sizes are rounded up to multiples of 8 entries, so that updates begin at such offsets.
Offset padded(Offset size) { return (size + 7) / 8 * 8; }

}  // namespace

StreamSchedule::StreamSchedule(const symbolic::SymbolicFactor& factor, const StreamGroups& groups,
                               Offset arena, const StreamWay& way, const StreamRates& rates)
    : factor_(factor),
      groups_(groups),
      way_(way),
      rates_(rates),
      arena_(arena),
      written_(groups.units.size(), 0),
      read_(groups.units.size(), 0),
      left_(groups.units.size(), kNone),
      state_(groups.units.size(), State::kNone),
      panels_(at(way.first_apart), 0),
      scratch_(groups.seconds.size(), 0),
      strips_(groups.fronts.strips),
      waits_(groups.seconds.size()) {}

bool StreamSchedule::run() {
  for (group_ = 0; group_ < groups_.num_groups(); ++group_) {
    bound_.clear();
    if (!place_panels() || !place_units() || !bring_updates()) return false;
    end_group();
  }
  sort_transfers();
  return true;
}

std::pair<Index, Index> StreamSchedule::units_of_group() const {
  return {groups_.fronts.unit_ptr[at(group_)], groups_.fronts.unit_ptr[at(group_) + 1]};
}

template <class Use>
bool StreamSchedule::for_children(Index u, const Use& use) const {
  if (unit(u).fronts.is_subtree) return true;
  for (const Index c : factor_.children(unit(u).fronts.root)) {
    if (factor_.nupd(c) > 0 && !use(groups_.unit_of[at(c)])) return false;
  }
  return true;
}

// ---- Ranges of the arena ------------------------------------------------------------------------

/// Whether the last uses of a range have ended, by prediction, when the current group begins.  A
/// transfer of an update to the host counts as ended when the update was made two groups ago or
/// earlier: it runs beside the kernels of the previous group.
bool StreamSchedule::is_cold(const Arena::Use& use, User user) const {
  const auto before = [this](Index group) { return group == kNone || group < group_ - 1; };
  if (user == User::kTransfer && !before(use.group)) return false;
  if (use.transfer == kNone) return true;
  const StreamTransfer& transfer = transfers_[at(use.transfer)];
  const bool is_update = transfer.what == StreamTransfer::What::kUpdate;
  return is_update ? before(transfer.after) : done_[at(use.transfer)] <= now();
}

std::optional<Arena::Place> StreamSchedule::take_cold(Offset size, User user, Arena::From from) {
  return arena_.take(size, from, [&](const Arena::Use& use) { return is_cold(use, user); });
}

/// Takes the range whose transfers end soonest.
std::optional<Arena::Place> StreamSchedule::take_soonest(Offset size, Arena::From from) {
  const auto take_at = [&](double time) {
    return arena_.take(size, from, [&](const Arena::Use& use) {
      return use.transfer == kNone || done_[at(use.transfer)] <= time;
    });
  };
  std::vector<double> times{now()};
  std::ranges::copy_if(done_, std::back_inserter(times), [this](double t) { return t > now(); });
  std::ranges::sort(times);
  for (const double time : times) {
    if (auto place = take_at(time)) return place;
  }
  return std::nullopt;
}

/// Takes a range that needs no waiting, if there is one.  Otherwise waits for transfers, or spills
/// updates: those of earlier groups first, those of the previous group only when no range is free.
std::optional<Arena::Place> StreamSchedule::take(Offset size, User user, Arena::From from) {
  const auto take_any = [&] { return take_soonest(size, from); };
  std::optional<Arena::Place> place = take_cold(size, user, from);
  if (!place && way_.waits_first) place = take_any();
  while (!place && spill_any(size, group_ - 1)) place = take_cold(size, user, from);
  if (!place) place = take_any();
  while (!place && spill_any(size, group_)) place = take_any();
  return place;
}

/// Makes the kernels of the current group wait for the transfers that still read the range.
void StreamSchedule::wait_for(const Arena::Place& place) {
  auto& waits = waits_[at(group_)];
  waits.insert(waits.end(), place.transfers.begin(), place.transfers.end());
}

std::optional<Offset> StreamSchedule::take_for_kernels(Offset size, Arena::From from) {
  const std::optional<Arena::Place> place = take(size, User::kKernels, from);
  if (!place) return std::nullopt;
  wait_for(*place);
  add_change({size, group_, kNone});
  return place->begin;
}

/// Whether the current group reads the unit's update in the arena, so that it must not be spilled.
bool StreamSchedule::is_bound(Index u) const {
  if (unit(u).parent_group > group_) return false;
  const Index reader = groups_.fronts.unit_ptr[at(group_)];
  return !unit(reader).is_strip() || std::ranges::find(bound_, u) != bound_.end();
}

/// Spills one update that was made before group `made_before` and is not bound to the current
/// group.  Prefers updates of at least `needed` entries, and among them the one that is read last.
/// @return false when there is no such update.
bool StreamSchedule::spill_any(Offset needed, Index made_before) {
  Index best = kNone;
  const auto rank = [&](Index u) {
    return std::pair(unit(u).update >= needed, unit(u).parent_group);
  };
  for (const Index u : waiting_) {
    if (is_bound(u) || unit(u).last_group >= made_before) continue;
    if (best == kNone || rank(u) > rank(best)) best = u;
  }
  if (best == kNone) return false;
  spill(best);
  return true;
}

/// Sends the update of unit u to the host as soon as it is made, and frees its range.
void StreamSchedule::spill(Index u) {
  std::erase(waiting_, u);
  const Index made = unit(u).last_group;
  left_[at(u)] = add_transfer({.what = StreamTransfer::What::kUpdate,
                               .to_host = true,
                               .of = unit(u).fronts.root,
                               .device = written_[at(u)],
                               .entries = unit(u).update,
                               .after = made});
  // Earlier strips of the parent may have read the update.
  const Index used = unit(u).parent_group < group_ ? group_ - 1 : made;
  give_back(written_[at(u)], unit(u).update, {used, left_[at(u)]});
  state_[at(u)] = State::kOnHost;
}

// ---- Updates that come back from the host -------------------------------------------------------

bool StreamSchedule::bring_updates() {
  const auto [first, last] = units_of_group();
  for (Index u = first; u < last; ++u) {
    if (!(unit(u).is_strip() ? bring_windows(u) : bring_children(u))) return false;
  }
  return true;
}

/// Brings the children's updates that are in host memory.
bool StreamSchedule::bring_children(Index u) {
  return for_children(u, [this](Index c) {
    if (state_[at(c)] != State::kOnHost) return true;
    const std::optional<Offset> place = bring(c, {0, unit(c).update});
    if (!place) return false;
    read_[at(c)] = *place;
    state_[at(c)] = State::kOnDevice;
    return true;
  });
}

/// Brings the windows that strip u reads of the children's updates in host memory.
bool StreamSchedule::bring_windows(Index u) {
  FrontStrip& strip = strips_[group_];
  windows_.clear();
  return for_children(u, [&](Index c) {
    windows_.emplace_back();
    if (state_[at(c)] == State::kOnDevice) {
      bound_.push_back(c);
      strip.read.push_back(read_[at(c)]);
      return true;
    }
    const UpdateWindow window = read_window(factor_, unit(u), unit(c).fronts.root);
    strip.read.push_back(0);
    if (window.size() == 0) return true;
    const std::optional<Offset> place = bring(c, window);
    if (!place) return false;
    strip.read.back() = *place - window.begin;
    windows_.back() = {*place, *place + window.size()};
    return true;
  });
}

/// Brings a window of the update of unit u to the device.
/// @return the offset of the window in the arena; nothing when there is no room.
std::optional<Offset> StreamSchedule::bring(Index u, const UpdateWindow& window) {
  const auto from = window.size() < unit(u).update ? Arena::From::kTop : Arena::From::kBottom;
  const auto place = take(window.size(), User::kTransfer, from);
  if (!place) return std::nullopt;
  StreamTransfer transfer{.what = StreamTransfer::What::kUpdate,
                          .to_host = false,
                          .of = unit(u).fronts.root,
                          .device = place->begin,
                          .host = window.begin,
                          .entries = window.size(),
                          .after = std::max(place->group, unit(u).last_group),
                          .follows = place->transfers};
  transfer.follows.push_back(left_[at(u)]);
  for (const Index t : transfer.follows) {
    transfer.after = std::max(transfer.after, transfers_[at(t)].after);
  }
  const Index added = add_transfer(transfer);
  add_change({window.size(), kNone, added});
  waits_[at(group_)].push_back(added);
  return place->begin;
}

// ---- What a group writes ------------------------------------------------------------------------

/// Takes one range for all updates of a dropped group: they can then be moved to a workspace as a
/// whole when the group is factored again.
bool StreamSchedule::place_dropped() {
  const auto [first, last] = units_of_group();
  const std::optional<Offset> place = take_for_kernels(groups_.space_of(group_));
  if (!place) return false;
  scratch_[at(group_)] = *place;
  Offset begin = *place;
  for (Index u = first; u < last; ++u) {
    written_[at(u)] = read_[at(u)] = begin;
    state_[at(u)] = State::kOnDevice;
    begin += unit(u).fronts.space;
  }
  return true;
}

bool StreamSchedule::place_units() {
  if (way_.drops(groups_.slab_of(group_))) return place_dropped();
  const auto [first, last] = units_of_group();
  for (Index u = first; u < last; ++u) {
    if (unit(u).is_strip()) {
      if (!place_strip(u)) return false;
      continue;
    }
    const std::optional<Offset> place = take_for_kernels(unit(u).fronts.space);
    if (!place) return false;
    written_[at(u)] = read_[at(u)] = *place;
    state_[at(u)] = State::kOnDevice;
  }
  return true;
}

/// Whether the arena has room for the whole update of a strip's front, and for the windows that two
/// strips read of the children's updates in host memory.
bool StreamSchedule::has_room_for_whole(Index u) const {
  Offset reads = 0;
  for_children(u, [&](Index c) {
    if (state_[at(c)] == State::kOnHost) {
      reads += read_window(factor_, unit(u), unit(c).fronts.root).size();
    }
    return true;
  });
  Arena arena = arena_;
  const auto any = [](const Arena::Use&) { return true; };
  const auto cold = [this](const Arena::Use& use) { return is_cold(use, User::kKernels); };
  return arena.take(unit(u).update, Arena::From::kBottom, cold) &&
         arena.take(2 * reads, Arena::From::kTop, any);
}

/// The first strip that writes entries of the update takes a range for the whole update, if there
/// is room.  Otherwise each strip takes a range for the window that it writes, which is then sent
/// to the host.
bool StreamSchedule::place_strip(Index u) {
  write_ = {};
  const UpdateWindow window = written_window(factor_, unit(u));
  if (window.size() == 0) return true;
  const Index front = groups_.unit_of[at(unit(u).fronts.root)];
  if (state_[at(front)] == State::kNone) {
    state_[at(front)] = has_room_for_whole(u) ? State::kOnDevice : State::kOnHost;
    if (state_[at(front)] == State::kOnDevice) {
      const auto whole = take_cold(unit(u).update, User::kKernels, Arena::From::kBottom);
      wait_for(*whole);
      add_change({unit(u).update, group_, kNone});
      written_[at(front)] = read_[at(front)] = whole->begin;
    }
  }
  if (state_[at(front)] == State::kOnDevice) {
    strips_[group_].update = written_[at(front)];
    return true;
  }
  const std::optional<Offset> place = take_for_kernels(window.size(), Arena::From::kTop);
  if (!place) return false;
  strips_[group_].update = *place - window.begin;
  write_ = {*place, *place + window.size()};
  return true;
}

/// Takes a range for the slab's panels when the current group is the slab's first.
bool StreamSchedule::place_panels() {
  const Index slab = groups_.slab_of(group_);
  const bool is_first = group_ == 0 || slab != groups_.slab_of(group_ - 1);
  if (is_first) sent_ = not_moved_ = 0;
  if (slab >= way_.first_apart || !is_first) return true;
  const std::optional<Offset> place =
      take_for_kernels(padded(groups_.slabs.slab_sizes[at(slab)]),
                       slab < way_.first_resident ? Arena::From::kBottom : Arena::From::kTop);
  if (place) panels_[at(slab)] = *place;
  return place.has_value();
}

// ---- The end of a group -------------------------------------------------------------------------

/// Predicts the end of the group's kernels: they begin when the kernels of the group before and all
/// transfers that they wait for have ended.
void StreamSchedule::compute_group() {
  double begin = now();
  for (const Index t : waits_[at(group_)]) begin = std::max(begin, done_[at(t)]);
  ends_.push_back(begin + groups_.seconds[at(group_)]);
}

void StreamSchedule::end_group() {
  compute_group();
  const auto [first, last] = units_of_group();
  for (Index u = first; u < last; ++u) unit(u).is_strip() ? end_strip(u) : end_unit(u);
  for (Index u = first; u < last; ++u) {
    if (unit(u).last_group == group_) give_back_children(u);
  }
  send_panels();
}

/// Frees the updates of the unit except the root's.
void StreamSchedule::end_unit(Index u) {
  const Offset kept = unit(u).parent_group == kNone ? 0 : unit(u).update;
  give_back(written_[at(u)] + kept, unit(u).fronts.space - kept, {group_, kNone});
  if (kept > 0 && unit(u).parent_group > group_) waiting_.push_back(u);
}

/// Sends the window that the strip wrote to the host, if there is no range for the whole update,
/// and frees the strip's ranges.
void StreamSchedule::end_strip(Index u) {
  const Index front = groups_.unit_of[at(unit(u).fronts.root)];
  if (write_.size() > 0) {
    left_[at(front)] = add_transfer({.what = StreamTransfer::What::kUpdate,
                                     .to_host = true,
                                     .of = unit(u).fronts.root,
                                     .device = write_.begin,
                                     .host = write_.begin - strips_[group_].update,
                                     .entries = write_.size(),
                                     .after = group_});
    give_back(write_.begin, write_.size(), {group_, left_[at(front)]});
  }
  for (const UpdateWindow& window : windows_) {
    give_back(window.begin, window.size(), {group_, kNone});
  }
  if (unit(u).last_group == group_ && state_[at(front)] == State::kOnDevice) {
    waiting_.push_back(front);
  }
}

void StreamSchedule::give_back_children(Index u) {
  for_children(u, [this](Index c) {
    if (state_[at(c)] == State::kOnDevice) {
      give_back(read_[at(c)], unit(c).update, {group_, kNone});
    }
    std::erase(waiting_, c);
    return true;
  });
}

/// Sends the finished panels of the current slab to the host, if it does not stay: those of a group
/// when the group has ended, and the panel columns of a strip when the strip has ended.  Panels of
/// groups that are less than 1 / kLeastSent of the slab wait for those of later groups.
void StreamSchedule::send_panels() {
  const Index slab = groups_.slab_of(group_);
  if (slab >= way_.first_resident) return;
  const bool is_last = groups_.slab_end[at(slab)] == group_ + 1;
  const Offset size = groups_.slabs.slab_sizes[at(slab)];
  if (way_.drops(slab)) {
    if (is_last) give_back(panels_[at(slab)], padded(size), {group_, kNone});
    return;
  }
  constexpr Offset kLeastSent = 16;
  const auto [end, not_moved] = finished_panels();
  if (end > sent_ && (is_last || end - sent_ >= size / kLeastSent)) {
    last_sent_ = add_transfer({.what = StreamTransfer::What::kPanels,
                               .to_host = true,
                               .of = slab,
                               .device = panels_[at(slab)] + sent_,
                               .host = sent_,
                               .entries = end - sent_,
                               .not_moved = not_moved - not_moved_,
                               .after = group_});
    sent_ = end;
    not_moved_ = not_moved;
  }
  if (is_last) give_back(panels_[at(slab)], padded(size), {group_, last_sent_});
}

/// The entries of the current slab that are factored when the current group has ended, and those of
/// them that are not moved.
std::pair<Offset, Offset> StreamSchedule::finished_panels() const {
  const Index slab = groups_.slab_of(group_), next = group_ + 1;
  const auto not_moved_before = [&](Index group) {
    const auto groups = std::span(groups_.not_moved).first(at(group));
    return std::accumulate(groups.begin() + groups_.groups_of(slab).first, groups.end(), Offset{0});
  };
  const bool is_last = groups_.slab_end[at(slab)] == next;
  if (is_last) return {groups_.slabs.slab_sizes[at(slab)], not_moved_before(next)};
  const auto strip = strips_.find(group_);
  if (strip == strips_.end()) {
    return {groups_.slabs.places[at(next)].offset, not_moved_before(next)};
  }
  const Index root = strip->second.root, ncol = factor_.ncol(root);
  const Index column = std::min(strip->second.end, ncol);
  return {groups_.slabs.places[at(group_)].offset + panel_ld(factor_.nrow(root)) * column,
          not_moved_before(groups_.fronts.group[at(root)]) +
              entries_not_moved(ncol, column, groups_.transfer_block)};
}

/// Adds a transfer and predicts its end.  @return its number.
Index StreamSchedule::add_transfer(const StreamTransfer& transfer) {
  double& last = transfer.to_host ? to_host_s_ : to_device_s_;
  double begin = std::max(last, ends_[at(transfer.after)]);
  for (const Index t : transfer.follows) begin = std::max(begin, done_[at(t)]);
  last = begin + transfer_seconds(transfer);
  transfers_.push_back(transfer);
  done_.push_back(last);
  return static_cast<Index>(transfers_.size()) - 1;
}

}  // namespace clchol::numeric
