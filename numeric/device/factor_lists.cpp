// The lists of a factor's groups, from which the kernels are launched: made, packed and counted.
#include <algorithm>
#include <span>
#include <utility>

#include "base/team.hpp"
#include "numeric/device/factor.hpp"

namespace clchol::numeric {
namespace {

gpu::BatchColumns columns_of(const DeviceGroup& group) {
  return group.strip ? gpu::BatchColumns{group.strip->begin, group.strip->end}
                     : gpu::BatchColumns{};
}

}  // namespace

/// Makes the lists of all groups, and their layouts.  Many groups are divided among the threads;
/// the lists of a few groups are each made by all threads.
template <class T>
void DeviceFactor<T>::make_lists(gpu::ProgramCache& programs, const symbolic::EntryMap& entries,
                                 const DeviceKernelParams& params) {
  const auto has_large = [](const DeviceGroup& group) { return group.num_large() > 0; };
  if (std::ranges::any_of(plan_.groups, has_large)) build_large(programs, params);
  group_lists_.resize(plan_.groups.size());
  for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
    list_small(programs, plan_.groups[g], params, group_lists_[g]);
  }
  const bool are_many = num_groups() > 2 * params.threads;
  parallel_for(num_groups(), are_many ? params.threads : 1, [&](Index g) {
    const auto k = static_cast<std::size_t>(g);
    list_large(plan_.groups[k], entries, are_many ? 1 : params.threads, group_lists_[k]);
  });
  for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
    groups_.push_back(lay_out(plan_.groups[g], group_lists_[g]));
  }
}

/// Builds the kernels of large fronts.
template <class T>
void DeviceFactor<T>::build_large(gpu::ProgramCache& programs, const DeviceKernelParams& params) {
  if (params.plain) {
    if (!plan_.list_large) throw InvalidArgument("device factor: entries are not listed");
    const auto is_strip = [](const DeviceGroup& group) { return group.strip.has_value(); };
    if (std::ranges::any_of(plan_.groups, is_strip)) {
      throw InvalidArgument("device factor: strips are for tensor cores alone");
    }
    plain_waves_.emplace(programs, *params.plain);
  } else if constexpr (std::is_same_v<T, double>) {
    batch_.emplace(programs, params.batch, params.order);
  } else {
    throw InvalidArgument("device factor: tensor cores are for double precision alone");
  }
}

template <class T>
void DeviceFactor<T>::list_large(DeviceGroup& planned, const symbolic::EntryMap& entries,
                                 int threads, GroupLists& lists) const {
  if (planned.num_large() == 0) return;
  if (plain_waves_) {
    lists.plain_waves = plain_waves_->lists(plan_, planned, front_lists_, entries.entry_ptr);
    return;
  }
  lists.batch = batch_->lists({.fronts = planned.batch,
                               .children = planned.batch_children,
                               .relind = front_lists_.relind,
                               .first_column = planned.batch_first_column,
                               .entry_ptr = entries.entry_ptr,
                               .entry_row = entries.entry_row.span(),
                               .entry_source = entries.entry_source.span(),
                               .entry_columns = planned.batch_entry_columns,
                               .columns = columns_of(planned)},
                              threads);
}

/// Counts the fronts of all groups together, so that a front's kernel, and with it the bits of L,
/// do not depend on the groups.
template <class T>
void DeviceFactor<T>::choose_classes(const symbolic::SymbolicFactor& factor,
                                     const DeviceKernelParams& params) {
  if (params.joined) {
    joined_ = *params.joined;
    return;
  }
  std::vector<Index> wave(plan_.super.size(), kNone);
  for (const DeviceGroup& group : plan_.groups) {
    for (const SmallWave& small : group.small_waves) {
      for (const Index f : small.fronts) wave[plan_.super[f]] = small.number;
    }
  }
  joined_ = joined_small_classes(factor, wave, params);
}

template <class T>
void DeviceFactor<T>::list_small(gpu::ProgramCache& programs, const DeviceGroup& planned,
                                 const DeviceKernelParams& params, GroupLists& made) {
  std::vector<std::vector<Index>> lists;
  // Fronts of class k are factored in the launch of class joined[k].
  const auto join = [&](const std::vector<Index>& joined) {
    for (std::size_t k = 0; k < small_kernels_.size(); ++k) {
      const auto with = static_cast<std::size_t>(joined[k]);
      if (with == k) continue;
      lists[with].insert(lists[with].end(), lists[k].begin(), lists[k].end());
      lists[k].clear();
    }
  };
  for (const SmallWave& wave : planned.small_waves) {
    lists = gpu::size_classes(plan_.fronts, wave.fronts, params.small_classes);
    join(joined_[static_cast<std::size_t>(wave.number)]);
    std::vector<Index> counts;
    counts.reserve(small_kernels_.size());
    for (std::size_t k = 0; k < small_kernels_.size(); ++k) {
      counts.push_back(static_cast<Index>(lists[k].size()));
    }
    // These classes differ in little, so that joining them costs less than joining others.
    join(gpu::joined_of_same_bits(counts, params.small_classes, 2 * params.least_launch));
    for (std::size_t k = 0; k < small_kernels_.size(); ++k) {
      if (lists[k].empty()) continue;
      if (!small_kernels_[k]) {
        small_kernels_[k] = std::make_unique<gpu::SmallFront<T>>(programs, params.small_classes[k]);
      }
      made.small.push_back({small_kernels_[k].get(), std::move(lists[k])});
    }
  }
}

template <class T>
typename DeviceFactor<T>::Group DeviceFactor<T>::lay_out(const DeviceGroup& planned,
                                                         const GroupLists& lists) const {
  Group group;
  gpu::PackedLayout layout;
  for (const auto& small : lists.small) {
    group.small.push_back({small.kernel, layout.add<Index>(std::ssize(small.listed))});
  }
  if (lists.batch) group.batch = gpu::FrontBatch::lay_out(planned.batch, *lists.batch, layout);
  // The kernels of large fronts on tensor cores have lists of entries of their own.
  const Index end = plan_.list_large ? planned.end : planned.large_begin;
  const auto fronts = std::span(plan_.fronts)
                          .subspan(static_cast<std::size_t>(planned.begin),
                                   static_cast<std::size_t>(end - planned.begin));
  if (!fronts.empty()) {
    group.first_entry = fronts.front().entry_begin;
    const Offset count = fronts.back().entry_end - group.first_entry;
    group.entry_source = layout.add<std::uint32_t>(count);
    group.entry_place = layout.add<Index>(count);
  }
  group.room_bytes = layout.bytes();
  return group;
}

/// Decides whether the lists of groups stay on the device.
template <class T>
void DeviceFactor<T>::choose_rooms(Offset list_share) {
  const Offset arena = plan_.update_entries * Offset{sizeof(T)};
  if (!plan_.stream || group_list_bytes() <= arena / list_share) return;
  std::vector<Offset> rooms;
  rooms.reserve(groups_.size());
  for (const Group& group : groups_) rooms.push_back(group.room_bytes);
  list_ring_.emplace(rooms, arena / list_share);
}

template <class T>
Offset DeviceFactor<T>::group_list_bytes() const {
  Offset sum = 0;
  for (const Group& group : groups_) sum += group.room_bytes;
  return sum;
}

template <class T>
void DeviceFactor<T>::pack(const DeviceGroup& planned, const GroupLists& lists, const Group& group,
                           std::span<std::byte> image) const {
  for (std::size_t k = 0; k < group.small.size(); ++k) {
    group.small[k].listed.pack(lists.small[k].listed, image);
  }
  if (group.batch) gpu::FrontBatch::pack(planned.batch, *lists.batch, *group.batch, image);
  const auto entries_of = [&](auto all, const auto& list) {
    return all.subspan(static_cast<std::size_t>(group.first_entry),
                       static_cast<std::size_t>(list.count));
  };
  group.entry_source.pack(entries_of(front_lists_.entry_source, group.entry_source), image);
  group.entry_place.pack(entries_of(front_lists_.entry_place, group.entry_place), image);
}

/// The lists of all fronts, with the group's entries of A, in the group's room.  Kernels number A's
/// entries from the first entry of all fronts on, so that the views begin before the room's lists.
template <class T>
gpu::FrontViews DeviceFactor<T>::lists_of(const Group& group,
                                          const gpu::DeviceView<std::byte>& room) const {
  const auto moved = [&](auto view) {
    view.offset -= group.first_entry;
    view.size += group.first_entry;
    return view;
  };
  gpu::FrontViews views = lists_;
  if (group.entry_source.count == 0) return views;
  views.entry_source = moved(group.entry_source.in(room));
  views.entry_place = moved(group.entry_place.in(room));
  return views;
}

template <class T>
Offset DeviceFactor<T>::count_bytes() {
  using gpu::bytes_in;
  const gpu::FrontLists& lists = front_lists_;
  Offset sum = static_cast<Offset>(plan_.fronts.size() * sizeof(gpu::PivotStatus<T>)) +
               bytes_in(lists.fronts) + bytes_in(lists.children) + bytes_in(lists.relind) +
               bytes_in(lists.rowind);
  for (std::size_t g = 0; g < group_lists_.size(); ++g) {
    const GroupLists& lists = group_lists_[g];
    if (!list_ring_) sum += groups_[g].room_bytes;
    if (lists.batch) factors_entries_ = std::max(factors_entries_, lists.batch->factors_size);
    if (lists.plain_waves) sum += plain_waves_->bytes(*lists.plain_waves);
  }
  if (list_ring_) sum += list_ring_->device_bytes();
  if (watch_) sum += watch_->bytes();
  return sum + factors_bytes();
}

/// Entries of the plain kernels' workspace: the largest of any group.
template <class T>
Offset DeviceFactor<T>::count_workspace() const {
  Offset most = 0;
  for (const GroupLists& group : group_lists_) {
    if (!group.plain_waves) continue;
    most = std::max(most, plain_waves_->workspace_entries(*group.plain_waves));
  }
  return most;
}

template class DeviceFactor<double>;
template class DeviceFactor<float>;

}  // namespace clchol::numeric
