// Predicted modes of a share: SharePlanner::modes() and estimate().
#include <utility>

#include "numeric/device/share_plan.hpp"

namespace clchol::numeric {

template <class T>
ModeEstimate SharePlanner<T>::estimate(const SharePlan<T>& plan) const {
  constexpr Offset kValue = sizeof(T);
  ModeEstimate made{.device = bytes(plan, 1), .host = plan.host_bytes(), .file = plan.file_bytes()};
  const auto& stream = plan.factor->plan().stream;
  if (!stream) return made;
  made.is_streamed = true;
  made.factor_s = stream->factor_s;
  made.solve_s = stream->solve_s;
  made.to_host = stream->transfer_entries(true) * kValue;
  made.to_device = stream->transfer_entries(false) * kValue + plan.factor->host_bytes();
  made.solve = stream->solve_entries * kValue;
  for (Index s = 0; s < stream->first_on_device; ++s) {
    made.cpu_solve += stream->slabs.slab_sizes[static_cast<std::size_t>(s)] * kValue;
  }
  return made;
}

template <class T>
std::vector<ModeEstimate> SharePlanner<T>::modes(const symbolic::EntryMap& entries,
                                                 const DeviceKernelParams& params) const {
  constexpr Offset kValue = sizeof(T);
  const Offset most = budgets_.buffer / kValue;
  const SharePlan<T> in_core =
      make_plan(entries, params, usual_limits(symbolic_, {most, most}, kSmallUpdates / kValue));
  std::vector<ModeEstimate> modes{estimate(in_core)};
  const Others others = others_of(in_core);
  // A streamed plan with `room` bytes of device memory transfers nothing, so that the times of this
  // plan are those of the kernels.
  const Offset room = others.bytes + 4 * others.panels * kValue;
  if (const auto kernels = stream_within(room, others, params, {.columns = {1}})) {
    modes.front().factor_s = kernels->factor_s;
    modes.front().solve_s = kernels->solve_s;
  }
  SharePlanner within = *this;
  within.budgets_.device = 0;
  const SharePlan<T> least_plan = within.make_least(entries, params, others);
  ModeEstimate least = within.estimate(least_plan);
  least.is_least = true;
  for (const Offset part : {2, 4, 8}) {
    within.budgets_.device = modes.front().device / part;
    if (within.budgets_.device <= least.device) break;
    auto plan = within.make_streamed(entries, params, others);
    if (!plan) plan = within.make_streamed(entries, params, others_beside(least_plan));
    // make() must be able to make the plan of each mode again, under the mode's memory as a budget.
    // make() finds every plan of at least least.device bytes, and other plans only by chance.
    if (plan && within.bytes(*plan, 1) >= least.device) modes.push_back(within.estimate(*plan));
  }
  modes.push_back(least);
  return modes;
}

template class SharePlanner<double>;
template class SharePlanner<float>;

}  // namespace clchol::numeric
