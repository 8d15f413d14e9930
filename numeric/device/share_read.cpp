// What the host reads from a share: the diagonal of L, slabs and panels.
#include <algorithm>
#include <span>

#include "gpu_kernels/dense/gather.hpp"
#include "numeric/device/share.hpp"

namespace clchol::numeric {

template <class T>
std::vector<T> DeviceShare<T>::diagonal() {
  std::vector<T> diagonal(static_cast<std::size_t>(symbolic_.n));
  const DevicePlan& plan = plan_.factor->plan();
  for (std::size_t s = 0; s < plan.slabs.size(); ++s) {
    std::vector<Index> columns;
    std::vector<Offset> places;  // Offsets of the diagonal entries L(j,j) in the slab.
    for (Index f = plan.slabs[s].begin; f < plan.slabs[s].end; ++f) {
      const gpu::Front& front = plan.fronts[f];
      for (Index k = 0; k < front.ncol; ++k) {
        columns.push_back(front.first_column + k);
        places.push_back(front.panel + k * (front.ldp + 1));
      }
    }
    const std::vector<T> values = values_at(static_cast<Index>(s), places);
    for (std::size_t k = 0; k < columns.size(); ++k) diagonal[columns[k]] = values[k];
  }
  return diagonal;
}

/// Entries of a slab at the given offsets.
template <class T>
std::vector<T> DeviceShare<T>::values_at(Index slab, std::span<const Offset> places) {
  gpu::Queue& queue = runtime_.queue();
  std::vector<T> values(places.size());
  if (slab < plan_.factor->plan().first_on_device()) {
    const T* const panels = panels_->left_to_host(queue)[slab];
    std::ranges::transform(places, values.begin(), [&](Offset place) { return panels[place]; });
    return values;
  }
  // These buffers come on top of the budget, so they are small.
  constexpr std::size_t kChunk = std::size_t{1} << 15;
  const auto most = static_cast<Offset>(std::min(kChunk, places.size()));
  const gpu::DeviceBuffer<Offset> from(runtime_.context(), most);
  const gpu::DeviceBuffer<T> picked(runtime_.context(), most);
  gpu::Gather<T> gather(runtime_.programs());
  with_range(slab, [&](const SolveRange<T>& range) {
    for (std::size_t begin = 0; begin < places.size(); begin += kChunk) {
      const std::size_t count = std::min(kChunk, places.size() - begin);
      const auto part = from.part(0, static_cast<Offset>(count));
      gpu::upload<Offset>(queue, places.subspan(begin, count), part);
      gather.run(queue, part, range.panels, picked.part(0, part.size));
      gpu::download<T>(queue, picked, std::span(values).subspan(begin, count));
    }
  });
  return values;
}

/// All entries of a slab, with the offsets that they have on the device.
template <class T>
std::vector<T> DeviceShare<T>::read_panels(Index slab) {
  if (!panels_->is_dropped(slab)) return panels_->read(slab, runtime_.queue());
  std::vector<T> values;
  with_range(slab, [&](const SolveRange<T>& range) {
    values.resize(static_cast<std::size_t>(range.panels.size));
    gpu::download<T>(runtime_.queue(), range.panels, values);
  });
  return values;
}

template <class T>
void DeviceShare<T>::visit_panels(const VisitColumns<T>& visit) {
  const DevicePlan& plan = plan_.factor->plan();
  std::vector<T> panels;  // The slab that was read last.
  PanelSlab slab;         // Its fronts.
  for (const Index f : fronts_by_chains(plan, plan_.chains.get())) {
    if (f < slab.begin || f >= slab.end) {
      const auto of = std::ranges::upper_bound(plan.slabs, f, {}, &PanelSlab::begin) - 1;
      slab = *of;
      panels = read_panels(static_cast<Index>(of - plan.slabs.begin()));
    }
    visit(columns_of(f, panels.data()));
  }
}

/// The pivot columns of a front of the plan, as columns of the undivided factor.
/// @param panels  All entries of the front's slab.
template <class T>
PanelColumns<T> DeviceShare<T>::columns_of(Index front, const T* panels) const {
  const gpu::Front& of = plan_.factor->plan().fronts[front];
  const Index s = plan_.factor->plan().super[front];
  const T* const panel = panels + of.panel;
  if (!plan_.chains) return {s, 0, of.ncol, panel, of.ldp};
  const Index column = plan_.chains->column[s];
  return {plan_.chains->super[s], column, column + of.ncol, panel - column * (of.ldp + 1), of.ldp};
}

template class DeviceShare<double>;
template class DeviceShare<float>;

}  // namespace clchol::numeric
