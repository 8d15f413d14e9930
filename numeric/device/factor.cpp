#include "numeric/device/factor.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include "base/team.hpp"

namespace clchol::numeric {
namespace {

/// Fill pattern of pivot statuses without a failed pivot: column = kNone.
constexpr std::array<std::byte, 4> kNoPivot{std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                            std::byte{0xff}};

gpu::BatchColumns columns_of(const DeviceGroup& group) {
  return group.strip ? gpu::BatchColumns{group.strip->begin, group.strip->end}
                     : gpu::BatchColumns{};
}

}  // namespace

template <class T>
DeviceKernelParams plain_kernel_params(const gpu::Tuning& tuning,
                                       const gpu::WorkGroupLimits& limits) {
  DeviceKernelParams params;
  params.small_classes =
      gpu::small_front_classes(limits.max_work_group_size, limits.local_bytes, sizeof(T));
  params.plain = PlainWavesParams{gpu::panel_params<T>(tuning, limits),
                                  {gpu::gemm_params<T>(tuning, "plain", limits),
                                   gpu::gemm_params<T>(tuning, "plain_small", limits)},
                                  {}};
  return params;
}

template <class T>
DeviceKernelParams device_kernel_params(const gpu::DeviceRuntime& runtime) {
  const gpu::Capabilities& can = runtime.capabilities();
  DeviceKernelParams params = plain_kernel_params<T>(runtime.tuning(), runtime.work_group_limits());
  params.small_classes = gpu::small_front_classes(can, runtime.tuning(), sizeof(T));
  if constexpr (std::is_same_v<T, double>) {
    if (!can.mma_m16n8k16.present) {
      params.plain_reason = "no fp64 tensor cores: " + can.mma_m16n8k16.reason;
    } else if (!can.async_copy.present) {
      params.plain_reason = "no asynchronous copies: " + can.async_copy.reason;
    } else {
      params.plain.reset();
    }
    if (!can.forward_progress.present) params.order = gpu::BatchOrder::kLevels;
  } else {
    params.plain_reason = "tensor cores are for double precision";
  }
  return params;
}

DevicePlanOptions device_plan_options(const DeviceKernelParams& params) {
  DevicePlanOptions options;
  const Index most = params.small_classes.empty() ? 0 : params.small_classes.back().rows;
  options.small_rows = std::min(options.small_rows, most);
  options.list_large = params.plain.has_value();
  options.threads = params.threads;
  return options;
}

std::vector<std::vector<Index>> joined_small_classes(const symbolic::SymbolicFactor& factor,
                                                     std::span<const Index> wave,
                                                     const DeviceKernelParams& params) {
  std::vector<std::vector<Index>> joined;
  for (Index s = 0; s < factor.nsuper; ++s) {
    if (wave[s] == kNone) continue;
    const auto number = static_cast<std::size_t>(wave[s]);
    if (number >= joined.size()) {
      joined.resize(number + 1, std::vector<Index>(params.small_classes.size(), 0));
    }
    const auto fits = std::ranges::find_if(
        params.small_classes, [&](const auto& of) { return of.rows >= factor.nrow(s); });
    if (fits == params.small_classes.end()) {
      throw InvalidArgument("device plan: a small front of " + std::to_string(factor.nrow(s)) +
                            " rows fits into no class");
    }
    ++joined[number][static_cast<std::size_t>(fits - params.small_classes.begin())];
  }
  for (std::vector<Index>& wave_of : joined) {
    wave_of = gpu::joined_classes(std::move(wave_of), params.least_launch);
  }
  return joined;
}

template <class T>
DeviceFactor<T>::DeviceFactor(gpu::ProgramCache& programs, const symbolic::SymbolicFactor& factor,
                              const symbolic::EntryMap& entries, DevicePlan plan,
                              const DeviceKernelParams& params)
    : plan_(std::move(plan)),
      front_lists_{.fronts = plan_.fronts,
                   .children = plan_.children,
                   .relind = factor.relind,
                   .rowind = factor.super_rowind,
                   .entry_source = plan_.entry_source,
                   .entry_place = plan_.entry_place},
      threads_(params.threads) {
  small_kernels_.resize(params.small_classes.size());
  choose_classes(factor, params);
  make_lists(programs, entries, params);
  choose_rooms(params.stream.list_share);
  if (plan_.stream) watch_.emplace(programs, plan_);
  bytes_ = count_bytes();
  workspace_entries_ = count_workspace();
}

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
  for (const SmallWave& wave : planned.small_waves) {
    auto lists = gpu::size_classes(plan_.fronts, wave.fronts, params.small_classes);
    for (std::size_t k = 0; k < small_kernels_.size(); ++k) {
      const auto with = static_cast<std::size_t>(joined_[static_cast<std::size_t>(wave.number)][k]);
      if (with != k) {
        lists[with].insert(lists[with].end(), lists[k].begin(), lists[k].end());
        continue;
      }
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
  return sum + factors_entries_ * Offset{sizeof(double)};
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

template <class T>
void DeviceFactor<T>::allocate(gpu::Queue& queue, gpu::DeviceView<T> updates,
                               const gpu::CopyQueues& copies) {
  gpu::FrontLists lists = front_lists_;
  lists.entry_source = {};
  lists.entry_place = {};
  lists_ = gpu::FrontBuffers(queue, lists);
  updates_ = updates;
  status_ = gpu::DeviceBuffer<gpu::PivotStatus<T>>(queue.context(),
                                                   static_cast<Offset>(plan_.fronts.size()));
  // No kernel writes the statuses of imported fronts.
  if (!plan_.imported.empty()) queue.fill(status_.part(0, status_.size()).bytes(), kNoPivot);
  factors_ = gpu::DeviceBuffer<double>(queue.context(), factors_entries_);
  if (watch_) watch_->allocate(queue, *copies.to_host);
  if (list_ring_) list_ring_->allocate(*copies.lists, threads_);
  for (Index g = 0; g < num_groups(); ++g) upload(queue, g);
  group_lists_ = {};
  front_lists_ = {};
  plan_.entry_source = {};
  plan_.entry_place = {};
}

/// Makes a group ready for launches, and frees its lists on the host.
template <class T>
void DeviceFactor<T>::upload(gpu::Queue& queue, Index g) {
  const auto k = static_cast<std::size_t>(g);
  const GroupLists lists = std::exchange(group_lists_[k], {});
  Group& group = groups_[k];
  if (group.batch) group.batch->factors = factors_;
  if (lists.plain_waves) group.plain_waves = plain_waves_->upload(queue, *lists.plain_waves);
  if (list_ring_) {
    pack(plan_.groups[k], lists, group, list_ring_->lists(g));
    return;
  }
  std::vector<std::byte> image(static_cast<std::size_t>(group.room_bytes));
  pack(plan_.groups[k], lists, group, image);
  group.room = gpu::uploaded<std::byte>(queue, image);
}

/// Enqueues the factorization of one group of fronts.  The kernels read update matrices of earlier
/// groups, and write the group's panels and update matrices.
/// @param panels  Memory of the slab that holds the group's panels.
template <class T>
void DeviceFactor<T>::factorize_group(gpu::Queue& queue, Index g, gpu::DeviceView<const T> values,
                                      gpu::DeviceView<T> panels, gpu::DeviceView<T> updates) {
  Group& group = groups_[static_cast<std::size_t>(g)];
  const bool comes = list_ring_ && group.room_bytes > 0;  // Whether the lists come now.
  const gpu::DeviceView<std::byte> room = comes ? list_ring_->acquire(g, queue) : group.room;
  const gpu::FrontViews lists = lists_of(group, room);
  for (const auto& small : group.small) {
    small.kernel->run(queue, lists, small.listed.in(room),
                      {values, {}, updates, panels, updates, status_});
  }
  if (group.plain_waves) {
    plain_waves_->factor(queue, *group.plain_waves, lists, {values, panels, updates, status_});
  }
  if (group.batch) {
    group.batch->room = room;
    factorize_batch(queue, plan_.groups[static_cast<std::size_t>(g)], *group.batch, values, panels,
                    updates);
  }
  if (comes) list_ring_->release(g, queue);
}

/// The lists of a group hold offsets in the arena, from scratch_places[g] on, but its update
/// matrices lie in `scratch`.  Therefore the view that the kernels get begins scratch_places[g]
/// entries before `scratch`.
template <class T>
void DeviceFactor<T>::factorize_again(gpu::Queue& queue, Index slab,
                                      gpu::DeviceView<const T> values, gpu::DeviceView<T> panels,
                                      gpu::DeviceView<T> scratch) {
  const auto groups_before = [&](Index of) {
    const auto is_before = [](const DeviceGroup& group, Index other) { return group.slab < other; };
    const auto end = std::lower_bound(plan_.groups.begin(), plan_.groups.end(), of, is_before);
    return static_cast<Index>(end - plan_.groups.begin());
  };
  const Index begin = groups_before(slab), end = groups_before(slab + 1);
  if (list_ring_) list_ring_->begin(begin, end, queue);
  for (Index g = begin; g < end; ++g) {
    const Offset before = plan_.stream->scratch_places[static_cast<std::size_t>(g)];
    const gpu::DeviceView<T> updates{scratch.buffer, scratch.offset - before,
                                     scratch.size + before};
    factorize_group(queue, g, values, panels, updates);
  }
}

template <class T>
FactorOutcome DeviceFactor<T>::factorize(gpu::Queue& queue, gpu::DeviceView<const T> values,
                                         PanelStore<T>& panels, const Control& control,
                                         ShareExchange<T>* exchange) {
  if (watch_) watch_->begin(control);
  if (list_ring_) list_ring_->begin(0, num_groups(), queue);
  panels.begin_factorization(queue);
  if (exchange != nullptr) exchange->begin_factorization(queue);
  FactorOutcome outcome = FactorOutcome::kEnqueued;
  for (Index g = 0; g < num_groups() && outcome == FactorOutcome::kEnqueued; ++g) {
    const DeviceGroup& group = plan_.groups[static_cast<std::size_t>(g)];
    panels.begin_group(g, queue);
    if (exchange != nullptr) exchange->begin_group(g, queue, updates_);
    factorize_group(queue, g, values, panels.written(group.slab), updates_);
    panels.end_group(g, queue);
    if (exchange != nullptr) exchange->end_group(g, queue, updates_);
    if (watch_) outcome = watch_->follow(queue, g, lists_.fronts(), status_);
    if (outcome == FactorOutcome::kFailed && group.end < status_.size()) {
      queue.fill(status_.part(group.end, status_.size() - group.end).bytes(), kNoPivot);
    }
  }
  panels.end_factorization(queue);
  if (exchange != nullptr) exchange->end_factorization(queue);
  return outcome;
}

template <class T>
void DeviceFactor<T>::factorize_batch([[maybe_unused]] gpu::Queue& queue,
                                      [[maybe_unused]] const DeviceGroup& planned,
                                      [[maybe_unused]] gpu::FrontBatchPlan& batch,
                                      [[maybe_unused]] gpu::DeviceView<const T> values,
                                      [[maybe_unused]] gpu::DeviceView<T> panels,
                                      [[maybe_unused]] gpu::DeviceView<T> updates) {
  if constexpr (std::is_same_v<T, double>) {
    const auto status = status_.part(planned.large_begin, planned.num_large());
    if (!planned.continues()) queue.fill(status.bytes(), kNoPivot);
    batch_->factor(queue, batch, {lists_.relind(), values, panels, updates, status});
  }
}

template class DeviceFactor<double>;
template class DeviceFactor<float>;
template DeviceKernelParams plain_kernel_params<double>(const gpu::Tuning&,
                                                        const gpu::WorkGroupLimits&);
template DeviceKernelParams plain_kernel_params<float>(const gpu::Tuning&,
                                                       const gpu::WorkGroupLimits&);
template DeviceKernelParams device_kernel_params<double>(const gpu::DeviceRuntime&);
template DeviceKernelParams device_kernel_params<float>(const gpu::DeviceRuntime&);

}  // namespace clchol::numeric
