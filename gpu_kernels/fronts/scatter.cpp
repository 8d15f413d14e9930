#include "gpu_kernels/fronts/scatter.hpp"

#include <algorithm>

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr Offset kScatterWorkGroup = 128;  // Work-items of a work-group.

}  // namespace

std::vector<ScatterTile> make_scatter_tiles(std::span<const Front> fronts,
                                            std::span<const Index> listed,
                                            std::span<const Offset> entry_ptr, Offset entries) {
  std::vector<ScatterTile> tiles;
  for (const Index f : listed) {
    const Front& front = fronts[f];
    const Offset wanted = std::max<Offset>(entries / std::max<Offset>(front.ldp, 1), 1);
    const Offset shift = front.entry_begin - entry_ptr[front.first_column];
    const Index width = static_cast<Index>(std::min<Offset>(wanted, columns_of_base(front.ldp)));
    Index begin = 0;
    while (begin < front.ncol) {
      // Offsets in a tile count from one base column.
      const Index base = base_column(front.ldp, begin);
      const Index end = std::min({begin + std::min(width, front.ncol - begin),
                                  base + std::min(columns_of_base(front.ldp), front.ncol - base)});
      tiles.push_back({entry_ptr[front.first_column + begin] + shift,
                       entry_ptr[front.first_column + end] + shift, f, begin, end, base});
      begin = end;
    }
  }
  return tiles;
}

template <class T>
Scatter<T>::Scatter(ProgramCache& programs)
    : kernel_(programs
                  .program("scatter.cl",
                           real_options<T>() + " -DGROUP=" + std::to_string(kScatterWorkGroup))
                  .kernel("scatter")) {}

template <class T>
void Scatter<T>::run(Queue& queue, const FrontViews& lists, DeviceView<const ScatterTile> tiles,
                     DeviceView<const T> values, DeviceView<const T> scale, DeviceView<T> panels) {
  launch(queue, kernel_, work_groups_of(kScatterWorkGroup, tiles.size), tiles, lists.fronts,
         lists.rowind, lists.entry_source, lists.entry_place, values, scale, panels);
}

template class Scatter<double>;
template class Scatter<float>;

}  // namespace clchol::gpu
