#include "numeric/device/factor.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

namespace clchol::numeric {
namespace {

/// Fill pattern of pivot statuses without a failed pivot: column = kNone.
constexpr std::array<std::byte, 4> kNoPivot{std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                            std::byte{0xff}};

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
    wave_of = gpu::joined_by_bits(wave_of, params.small_classes, params.least_launch);
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

/// The groups [first, second) whose panels are in the slab.
template <class T>
std::pair<Index, Index> DeviceFactor<T>::groups_of(Index slab) const {
  const auto is_before = [](const DeviceGroup& group, Index other) { return group.slab < other; };
  const auto groups_before = [&](Index of) {
    const auto end = std::lower_bound(plan_.groups.begin(), plan_.groups.end(), of, is_before);
    return static_cast<Index>(end - plan_.groups.begin());
  };
  return {groups_before(slab), groups_before(slab + 1)};
}

template <class T>
void DeviceFactor<T>::will_factor_again(std::span<const Index> slabs, gpu::Queue& queue) {
  if (!list_ring_) return;
  std::vector<Index> groups;
  for (const Index slab : slabs) {
    if (!plan_.stream->is_dropped(slab)) continue;
    const auto [begin, end] = groups_of(slab);
    for (Index g = begin; g < end; ++g) groups.push_back(g);
  }
  list_ring_->begin(std::move(groups), queue);
}

/// The lists of a group hold offsets in the arena, from scratch_places[g] on, but its update
/// matrices lie in `scratch`.  Therefore the view that the kernels get begins scratch_places[g]
/// entries before `scratch`.
template <class T>
void DeviceFactor<T>::factorize_again(gpu::Queue& queue, Index slab,
                                      gpu::DeviceView<const T> values, gpu::DeviceView<T> panels,
                                      gpu::DeviceView<T> scratch) {
  const auto [begin, end] = groups_of(slab);
  if (list_ring_ && !list_ring_->is_ahead(begin)) will_factor_again({&slab, 1}, queue);
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
  if (list_ring_) {
    std::vector<Index> groups(groups_.size());
    std::iota(groups.begin(), groups.end(), 0);
    list_ring_->begin(std::move(groups), queue);
  }
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
