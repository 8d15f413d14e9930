#include "gpu_kernels/dense/potrf.hpp"

#include <array>
#include <string>

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

PanelParams valid(const PanelParams& params) {
  if (!params.valid()) throw InvalidArgument("potrf: invalid " + params.build_options());
  return params;
}

void require_entries_of_plan(const char* operand, Offset has, Offset needs) {
  if (has < needs) {
    throw InvalidArgument(std::string("potrf: ") + operand + " has " + std::to_string(has) +
                          " entries, the plan uses " + std::to_string(needs));
  }
}

Offset bytes_of_products(const ProductList& list) {
  return bytes_in(list.products()) + bytes_in(list.tiles());
}

}  // namespace

template <class T>
PotrfPlan<T>::PotrfPlan(Queue& queue, const PotrfLists& lists)
    : panels(queue, lists.fronts, lists.panel_tiles),
      large(queue, lists.large.products(), lists.large.tiles()),
      small(queue, lists.small.products(), lists.small.tiles()),
      steps(lists.steps),
      updates(lists.updates),
      num_fronts(static_cast<Offset>(lists.fronts.size())),
      num_entries(lists.num_entries),
      num_updates(lists.num_updates) {}

template <class T>
void reset_status(Queue& queue, DeviceView<PivotStatus<T>> status) {
  constexpr std::array<std::byte, 4> kNoPivot{std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                              std::byte{0xff}};
  queue.fill(status.bytes(), kNoPivot);
}

template <class T>
Potrf<T>::Potrf(ProgramCache& programs, const PanelParams& params, const PotrfGemms& gemms)
    : params_(valid(params)),
      factor_panel_(programs.program("panel.cl", real_options<T>() + " " + params.build_options())
                        .kernel("factor_panel")),
      large_(programs, gemms.large),
      small_(programs, gemms.small) {}

template <class T>
PotrfLists Potrf<T>::plan(std::span<const DenseFront> fronts, FrontUpdate update) const {
  return plan_potrf(fronts, update,
                    {.panel = params_, .large = large_.tile(), .small = small_.tile()});
}

template <class T>
Offset Potrf<T>::bytes(const PotrfLists& lists) const {
  return bytes_in(lists.fronts) + bytes_in(lists.panel_tiles) + bytes_of_products(lists.large) +
         bytes_of_products(lists.small);
}

template <class T>
void Potrf<T>::run(Queue& queue, const PotrfPlan<T>& plan, const UpdateRange& range,
                   const ProductOperands<T>& operands) {
  if (range.small) {
    small_.run(queue, plan.small, range.tiles, operands);
  } else {
    large_.run(queue, plan.large, range.tiles, operands);
  }
}

template <class T>
void Potrf<T>::factor(Queue& queue, const PotrfPlan<T>& plan, const PotrfOperands<T>& operands) {
  require_entries_of_plan("panels", operands.panels.size, plan.num_entries);
  require_entries_of_plan("updates", operands.updates.size, plan.num_updates);
  require_entries_of_plan("status", operands.status.size, plan.num_fronts);
  require_entries_of_plan("workspace", operands.workspace.size, workspace_entries(plan.num_fronts));

  reset_status(queue, operands.status.part(0, plan.num_fronts));
  const DeviceView<const T> panels = operands.panels;
  for (const PotrfStep& step : plan.steps) {
    launch(queue, factor_panel_,
           work_groups_of(params_.work_group_size(), step.panel_tiles.count()),
           plan.panels.tiles(step.panel_tiles), plan.panels.items(), operands.panels,
           operands.workspace, operands.status);
    run(queue, plan, step.update, {panels, panels, operands.panels, operands.status});
  }
  run(queue, plan, plan.updates, {panels, panels, operands.updates, operands.status});
}

template struct PotrfPlan<double>;
template struct PotrfPlan<float>;
template class Potrf<double>;
template class Potrf<float>;
template void reset_status<double>(Queue&, DeviceView<PivotStatus<double>>);
template void reset_status<float>(Queue&, DeviceView<PivotStatus<float>>);

}  // namespace clchol::gpu
