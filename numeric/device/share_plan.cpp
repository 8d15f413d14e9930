#include "numeric/device/share_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/number_text.hpp"

namespace clchol::numeric {
namespace {

/// Right-hand sides of a solve at once, at most: fewer suffice for level-3 rates.
constexpr Index kMostColumns = 64;

/// What the choice between stream plans compares: entries of host memory that a plan lacks; then
/// predicted seconds of a factorization, a solve with one right-hand side, and a sixteenth of a
/// solve with sixteen.  A solve with sixteen right-hand sides passes over the panels 16 / columns
/// times.
/// @param host     Entries of host memory that the plan may use.
/// @param columns  Greatest number of right-hand sides that the plan solves with at once.
std::pair<Offset, double> cost_of(const StreamPlan& plan, Offset host, Index columns) {
  const double solves = 1 + 1.0 / std::min(columns, kUsualColumns);
  return {std::max(plan.host - host, Offset{0}), plan.factor_s + plan.solve_s * solves};
}

}  // namespace

StreamRates stream_rates(const gpu::Tuning& tuning, Offset value_bytes, int threads) {
  const gpu::TuningParams row =
      tuning.find("stream", "rates", "double", [](const gpu::TuningParams& params) {
        return std::ranges::all_of(params, [](const auto& param) { return param.second > 0; });
      });
  StreamRates rates;
  rates.value_bytes = value_bytes;
  const auto take = [&](const char* name, double unit, double& to) {
    const auto param = row.find(name);
    if (param != row.end()) to = param->second * unit;
  };
  take("gflops", 1e9, rates.flops_per_s);
  take("mb_per_s", 1e6, rates.bytes_per_s);
  take("group_us", 1e-6, rates.group_s);
  take("column_ns", 1e-9, rates.column_s);
  double thread = 5e9, host = 40e9;
  take("thread_mb_per_s", 1e6, thread);
  take("host_mb_per_s", 1e6, host);
  rates.host_bytes_per_s = std::min(threads * thread, host);
  return rates;
}

// ---- Plans within the budgets -------------------------------------------------------------------

template <class T>
SharePlan<T> SharePlanner<T>::make(const symbolic::EntryMap& entries,
                                   const DeviceKernelParams& params) const {
  constexpr Offset kValue = sizeof(T);
  const Offset most = budgets_.buffer / kValue;
  SharePlan<T> plan =
      make_plan(entries, params, usual_limits(symbolic_, {most, most}, kSmallUpdates / kValue));
  if (bytes(plan, 1) > budgets_.device) {
    const Others others = others_of(plan);
    plan = {};  // Frees the lists before new lists are made.
    plan = make_less(entries, params, others);
  }
  check(plan);
  plan.columns = choose_columns(plan);
  return plan;
}

template <class T>
void SharePlanner<T>::check(const SharePlan<T>& plan) const {
  const SolveLayout one = with_solve(plan, 1);
  const Offset device = one.plan.bytes(Tier::kDevice), host = one.plan.bytes(Tier::kHost);
  if (device > budgets_.device) {
    throw OutOfMemory("not enough device memory: the factor and what it takes to make it need " +
                      gigabytes_text(device) + " at least, " + gigabytes_text(budgets_.device) +
                      (budgets_.device_is_given ? " are the limit given" : " are there"));
  }
  if (host > budgets_.host) {
    throw OutOfMemory(
        "not enough host memory: of the factor, the device's " + gigabytes_text(budgets_.device) +
        " leave " + gigabytes_text(host) + " for the host, " + gigabytes_text(budgets_.host) +
        (budgets_.host_is_given ? " are the limit given" : " are there") +
        (budgets_.file_rate > 0 ? "" : "; with a scratch directory, a file takes more"));
  }
  one.plan.check();
}

/// What another plan would need besides update matrices and panels, estimated from this plan's
/// lists: these have about the same size for any groups.  Where they do not fit beside the update
/// matrices and panels of some limits, no plan is made for these limits.
template <class T>
typename SharePlanner<T>::Others SharePlanner<T>::others_of(const SharePlan<T>& plan) const {
  const Offset of_groups = plan.factor->group_list_bytes() + plan.factor->factors_bytes();
  const Offset all = plan.factor->bytes() + plan.factor->workspace_bytes() + plan.solve->bytes(1);
  return {.bytes = (all - of_groups) / 20 * 19 + num_values_ * Offset{sizeof(T)} +
                   2 * Offset{symbolic_.n} * Offset{sizeof(Index)},
          .of_groups = of_groups / 20 * 19,
          .block = plan.solve->bytes(kUsualColumns) - plan.solve->bytes(1),
          .panels = plan.factor->plan().panel_entries(),
          .by_tickets = plan.solve->is_by_tickets()};
}

/// Tries plans that need less device memory: in core with less memory for update matrices, for a
/// part also with late imports; then streamed, unless the factor is a part.  Where no plan fits,
/// returns the plan that needs about the least memory.  The plan of make_least() may need a few per
/// cent more than necessary, so a somewhat smaller budget is tried, too.
template <class T>
SharePlan<T> SharePlanner<T>::make_less(const symbolic::EntryMap& entries,
                                        const DeviceKernelParams& params,
                                        const Others& others) const {
  if (auto plan = make_in_core(entries, params, others)) return std::move(*plan);
  if (part_ != nullptr) {
    throw OutOfMemory(
        "not enough device memory: of a factor that several devices share, no part is "
        "streamed, and one needs more than its device's " +
        gigabytes_text(budgets_.device));
  }
  if (auto plan = make_streamed(entries, params, others)) return std::move(*plan);
  SharePlan<T> least = make_least(entries, params, others);
  if (bytes(least, 1) / 20 * 19 > budgets_.device) return least;
  auto plan = make_streamed(entries, params, others_beside(least));
  return plan ? std::move(*plan) : std::move(least);
}

/// What a plan of many groups needs besides update matrices and panels.  Its lists may take less
/// memory than the lists of one group.
template <class T>
typename SharePlanner<T>::Others SharePlanner<T>::others_beside(const SharePlan<T>& plan) const {
  return {.bytes = bytes_beside(plan),
          .block = plan.solve->bytes(kUsualColumns) - plan.solve->bytes(1),
          .panels = plan.factor->plan().panel_entries(),
          .by_tickets = plan.solve->is_by_tickets()};
}

/// Bytes of device memory that a plan needs besides the buffer of update matrices (the arena) and
/// the panels in buffers of their own.
template <class T>
Offset SharePlanner<T>::bytes_beside(const SharePlan<T>& plan) const {
  const DevicePlan& made = plan.factor->plan();
  Offset apart = 0;
  for (Index s = made.stream ? made.stream->first_apart : 0; s < plan.num_slabs(); ++s) {
    apart += made.panels.slab_sizes[static_cast<std::size_t>(s)];
  }
  return bytes(plan, 1) - (made.update_entries + apart) * Offset{sizeof(T)};
}

template <class T>
std::optional<SharePlan<T>> SharePlanner<T>::make_in_core(const symbolic::EntryMap& entries,
                                                          const DeviceKernelParams& params,
                                                          const Others& others) const {
  constexpr Offset kValue = sizeof(T);
  const Offset most = budgets_.buffer / kValue;
  const Offset beside = others.bytes + others.of_groups;
  const auto may_fit = [&](const GroupLimits& limits) {
    if (part_ != nullptr) return true;  // A part's groups depend on turns, which the plan makes.
    const Offset updates = make_front_groups(symbolic_, limits).update_entries;
    return beside + (updates + others.panels) * kValue <= budgets_.device;
  };
  const Offset all_room = (budgets_.device - beside) / kValue - others.panels;
  for (const bool late_imports : {false, true}) {
    if (late_imports && (part_ == nullptr || part_->imported.empty())) break;
    Offset room = all_room;  // Entries of update matrices that are tried next.
    for (const bool is_last : {false, false, true}) {
      if (room < 0) break;
      const GroupLimits limits{.updates = is_last ? 0 : std::min(room, most),
                               .panels = most,
                               .late_imports = late_imports};
      if (!may_fit(limits)) continue;
      SharePlan<T> plan = make_plan(entries, params, limits);
      const Offset excess = bytes(plan, 1) - budgets_.device;
      if (excess <= 0) return plan;
      room = std::max(plan.factor->plan().update_entries - excess / kValue - 1, Offset{0});
    }
  }
  return std::nullopt;
}

/// The size of the lists is known only when a plan is made.  The plan is then made again for the
/// memory that the lists leave, if this is less than assumed, or much more; and if the free ranges
/// between arrays have no room for the vectors of a block of right-hand sides.  The host memory of
/// solves by the CPU is treated in the same manner.  Of the plans that fit, the fastest is
/// returned.
template <class T>
std::optional<SharePlan<T>> SharePlanner<T>::make_streamed(const symbolic::EntryMap& entries,
                                                           const DeviceKernelParams& params,
                                                           Others others) const {
  std::optional<SharePlan<T>> best;
  std::pair<Offset, double> best_cost;
  StreamKinds kinds;
  for (int tries = 0; tries < 4; ++tries) {
    std::optional<StreamPlan> stream = stream_within(budgets_.device, others, params, kinds);
    if (!stream) break;
    SharePlan<T> plan = make_plan(entries, params, {}, std::move(stream));
    const Offset excess = bytes(plan, 1) - budgets_.device;
    if (excess > 0) {
      others.bytes += excess;
      continue;
    }
    const bool host_is_short = with_solve(plan, 1).plan.bytes(Tier::kHost) > budgets_.host;
    const Offset host = plan.factor->host_bytes() + (plan.host ? plan.host->bytes(1) : 0);
    if (host_is_short && host > others.host) {
      others.host = host;
      continue;
    }
    // Plans of the other kinds are tried only until a plan fits: each search takes long.
    const Index block = plan.factor->plan().stream->columns;
    kinds = {.columns = {block}, .has_links = plan.chains != nullptr};
    const Offset beside = bytes_beside(plan), more = others.bytes - beside;
    const Offset block_excess = bytes(plan, block) - budgets_.device;  // Negative: bytes left over.
    const Offset lists_of_block = others_beside(plan).block;
    const auto cost = cost_of(*plan.factor->plan().stream, stream_budget(0, 0, others, params).host,
                              choose_columns(plan));
    if (!best || cost < best_cost) {
      best = std::move(plan);
      best_cost = cost;
    }
    if (block_excess > 0 && block > 1) {
      others.block += block_excess * (kUsualColumns - 1) / (block - 1);
      continue;
    }
    if (-block_excess <= budgets_.device / 40) break;
    others.bytes = beside + std::max<Offset>(more, 0) / 10;
    others.block = lists_of_block;
  }
  return best;
}

/// Makes the fastest stream plan: with the factor's own fronts, or with large fronts divided into
/// chains, where one panel would fill much of the arena.
template <class T>
std::optional<StreamPlan> SharePlanner<T>::fastest_stream(const StreamBudget& budget,
                                                          const StreamKinds& kinds) const {
  // A panel of more than 1 / kWhole of the arena may be divided into panels of kLinks of it.
  // The update matrices of links go to the host and back where the arena has no room for them:
  // longer chains take more time.
  constexpr Offset kWhole = 2;
  constexpr std::array<double, 2> kLinks{2.0 / 3, 1.0 / 3};
  const StreamRates rates = this->rates();
  std::optional<StreamPlan> best = plan_stream(symbolic_, budget, rates, threads_);
  if (!kinds.has_links || (best && budget.any_will_do)) return best;
  Offset largest = 0;
  for (Index s = 0; s < symbolic_.nsuper; ++s) {
    largest = std::max(largest, panel_size(symbolic_.nrow(s), symbolic_.ncol(s)));
  }
  if (!budget.has_strips || largest <= budget.arena / kWhole) return best;
  for (const double part : kLinks) {
    const auto link = static_cast<Offset>(part * static_cast<double>(budget.arena)) + 1;
    const symbolic::ChainedFactor chained =
        symbolic::divide_fronts(symbolic_, link, gpu::kBatchBlock);
    std::optional<StreamPlan> plan = plan_stream(chained.factor, budget, rates, threads_);
    const auto cost = [&](const StreamPlan& of) {
      return cost_of(of, budget.host, budget.columns);
    };
    if (!plan || (best && cost(*best) <= cost(*plan))) continue;
    plan->link = link;
    best = std::move(plan);
  }
  return best;
}

/// The budget of a stream plan that may take `bytes` of device memory, `beside` of them for other
/// data than panels and update matrices.
template <class T>
StreamBudget SharePlanner<T>::stream_budget(Offset bytes, Offset beside, const Others& others,
                                            const DeviceKernelParams& params) const {
  constexpr Offset kValue = sizeof(T);
  const Offset left = std::max(bytes - beside, Offset{0}) / kValue;
  const Offset largest = budgets_.buffer / kValue;
  return {.arena = std::min(left, largest) / 8 * 8,
          .apart = std::max(left - largest, Offset{0}),
          .largest = largest,
          .host = std::max(budgets_.host - others.host, Offset{0}) / kValue,
          .has_file = budgets_.file_rate > 0,
          .has_strips = !params.plain,
          .by_tickets = others.by_tickets,
          .transfer_block = params.stream.transfer_block};
}

template <class T>
StreamRates SharePlanner<T>::rates() const {
  StreamRates rates = stream_rates(runtime_.tuning(), sizeof(T), threads_);
  if (budgets_.file_rate > 0) rates.file_bytes_per_s = budgets_.file_rate;
  return rates;
}

/// Makes a stream plan for about `bytes` of device memory, even if host memory is too small for
/// any.  Of the plans of the given kinds, takes the one that lacks least host memory, and then
/// whichever takes the least time for a factorization, a solve with one right-hand side, and a
/// sixteenth of a solve with sixteen.
template <class T>
std::optional<StreamPlan> SharePlanner<T>::stream_within(Offset bytes, const Others& others,
                                                         const DeviceKernelParams& params,
                                                         const StreamKinds& kinds) const {
  std::optional<StreamPlan> best;
  for (const Index columns : kinds.columns) {
    const Offset block = others.block * (columns - 1) / (kUsualColumns - 1);
    StreamBudget budget = stream_budget(bytes, others.bytes + block, others, params);
    budget.columns = columns;
    std::optional<StreamPlan> plan = fastest_stream(budget, kinds);
    const auto cost = [&](const StreamPlan& of) { return cost_of(of, budget.host, of.columns); };
    if (plan && (!best || cost(*plan) < cost(*best))) best = std::move(plan);
  }
  return best;
}

/// The plan that needs about the least device memory: the last resort, and the number in messages.
/// Without a file, the plan does not depend on the budget of host memory.
template <class T>
SharePlan<T> SharePlanner<T>::make_least(const symbolic::EntryMap& entries,
                                         const DeviceKernelParams& params,
                                         const Others& others) const {
  constexpr Offset kValue = sizeof(T), kAnyHost = std::numeric_limits<Offset>::max() / 2;
  if (budgets_.file_rate <= 0 && budgets_.host < kAnyHost) {
    SharePlanner with_any_host = *this;
    with_any_host.budgets_.host = kAnyHost;
    return with_any_host.make_least(entries, params, others);
  }
  const auto is_enough = [&](Offset bytes) {
    StreamBudget budget = stream_budget(bytes, others.bytes, others, params);
    budget.any_will_do = true;
    return fastest_stream(budget, {}).has_value();
  };
  Offset least = 0, enough = others.bytes + 4 * others.panels * kValue;
  // Bisects the device memory to within a fiftieth.
  while (enough - least > enough / 50) {
    const Offset middle = least + (enough - least) / 2;
    (is_enough(middle) ? enough : least) = middle;
  }
  // The lists of a plan are longer the smaller its arena is, because fronts are cut into more
  // parts: a somewhat larger arena may need less memory in all.
  std::optional<SharePlan<T>> best;
  const Offset arena = enough - others.bytes;
  for (const double part : {1.0, 1.5, 2.25}) {
    const auto more = static_cast<Offset>(part * static_cast<double>(arena)) - arena;
    std::optional<StreamPlan> stream = stream_within(enough + more, others, params, {});
    if (!stream) break;
    SharePlan<T> plan = make_plan(entries, params, {}, std::move(stream));
    if (best && bytes(plan, 1) >= bytes(*best, 1)) break;
    best = std::move(plan);
  }
  return best ? std::move(*best) : make_plan(entries, params, {0, budgets_.buffer / kValue});
}

template <class T>
SharePlan<T> SharePlanner<T>::make_plan(const symbolic::EntryMap& entries,
                                        const DeviceKernelParams& params, const GroupLimits& limits,
                                        std::optional<StreamPlan> stream) const {
  DevicePlanOptions options = device_plan_options(params);
  options.limits = limits;
  options.stream = std::move(stream);
  DeviceKernelParams kernels = params;
  if (part_ != nullptr) {
    options.imported = part_->imported;
    options.exported = part_->exported;
    options.level = part_->level;
    options.waves = part_->waves;
    kernels.joined = part_->joined;
  }
  SharePlan<T> plan;
  if (options.stream && options.stream->link > 0) {
    plan.chains = std::make_unique<const symbolic::ChainedFactor>(
        symbolic::divide_fronts(symbolic_, options.stream->link, gpu::kBatchBlock));
    options.entry_columns = plan.chains->entry_columns;
  }
  const symbolic::SymbolicFactor& factor = plan.chains ? plan.chains->factor : symbolic_;
  plan.factor = std::make_unique<DeviceFactor<T>>(
      runtime_.programs(), factor, entries, make_device_plan(factor, entries, std::move(options)),
      kernels);
  plan.solve = make_device_solve<T>(runtime_, factor, *plan.factor, threads_);
  if (plan.factor->plan().first_on_device() > 0) {
    plan.host = std::make_unique<HostSolve<T>>(factor, plan.factor->plan(), threads_);
  }
  place(plan);
  return plan;
}

/// In core, half of the device memory that is left may go to more right-hand sides at once; the
/// other half is for refinement.  A streamed factor, whose panels are transferred for each block of
/// right-hand sides, may use all of it: refinement needs no memory there.
template <class T>
Index SharePlanner<T>::choose_columns(const SharePlan<T>& plan) const {
  const Offset one = bytes(plan, 1), left = budgets_.device - one;
  const bool is_streamed = plan.factor->plan().stream.has_value();
  const Offset most = is_streamed ? left : left / 2;
  const auto fits = [&](Index columns) {
    const MemoryPlan memory = with_solve(plan, columns).plan;
    return memory.bytes(Tier::kDevice) - one <= most &&
           memory.bytes(Tier::kHost) <= budgets_.host &&
           memory.bytes(plan.memory.room) <= budgets_.buffer;
  };
  Index columns = part_ != nullptr ? kUsualColumns : kMostColumns;
  while (columns > 1 && !fits(columns)) columns /= 2;
  return columns;
}

template class SharePlanner<double>;
template class SharePlanner<float>;

}  // namespace clchol::numeric
