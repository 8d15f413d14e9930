#include "gpu_kernels/dense/permute_rhs.hpp"

#include <algorithm>

#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr Offset kPermuteWorkGroup = 256, kEntries = 4;  // The kernel file's GROUP and ENTRIES.

// Throws InvalidArgument unless all operands have room for n rows and `columns` columns.
void check_sizes(Offset n, Offset scale_size, Offset x_size, Offset b_size, Index columns,
                 Offset ld) {
  const Offset b_needs = n > 0 && columns > 0 ? (columns - 1) * ld + n : 0;
  if ((scale_size != 0 && scale_size != n) || ld < n || b_size < b_needs || x_size < n * columns) {
    throw InvalidArgument("right-hand sides: n = " + std::to_string(n) + ", " +
                          std::to_string(columns) + " columns of ld " + std::to_string(ld) +
                          "; scale has " + std::to_string(scale_size) + " entries, x " +
                          std::to_string(x_size) + ", b " + std::to_string(b_size));
  }
}

/// @param width  columns of a work-group: COLUMNS of the kernel file.
Grid grid_of(Offset n, Index columns, Index width) {
  const Offset rows = kEntries * kPermuteWorkGroup / width, groups = (n + rows - 1) / rows;
  const Offset across = (Offset{columns} + width - 1) / width;
  return covering({static_cast<std::uint64_t>(groups * kPermuteWorkGroup),
                   static_cast<std::uint64_t>(across), 1},
                  {static_cast<std::uint64_t>(kPermuteWorkGroup), 1, 1});
}

}  // namespace

template <class T>
PermuteRhs<T>::PermuteRhs(ProgramCache& programs) {
  for (const Index width : {1, 4, 16}) {
    const Program& program = programs.program(
        "permute_rhs.cl", real_options<T>() + " -DCOLUMNS=" + std::to_string(width));
    shapes_.push_back({width, program.kernel("gather_rhs"), program.kernel("scatter_rhs")});
  }
}

template <class T>
auto PermuteRhs<T>::shape_for(Index num_columns) -> const Shape& {
  const auto fits = [&](const Shape& shape) { return num_columns <= shape.width; };
  const auto found = std::find_if(shapes_.begin(), shapes_.end(), fits);
  return found != shapes_.end() ? *found : shapes_.back();
}

template <class T>
void PermuteRhs<T>::gather(Queue& queue, DeviceView<const Index> place, DeviceView<const T> scale,
                           const DeviceColumns<const T>& b, DeviceView<T> x) {
  check_sizes(place.size, scale.size, x.size, b.values.size, b.num_columns, b.ld);
  const Shape& shape = shape_for(b.num_columns);
  launch(queue, shape.gather, grid_of(place.size, b.num_columns, shape.width),
         static_cast<Index>(place.size), b.num_columns, place, scale, b.values, b.ld, x);
}

template <class T>
void PermuteRhs<T>::scatter(Queue& queue, DeviceView<const Index> place, DeviceView<const T> scale,
                            DeviceView<const T> x, const DeviceColumns<T>& b) {
  check_sizes(place.size, scale.size, x.size, b.values.size, b.num_columns, b.ld);
  const Shape& shape = shape_for(b.num_columns);
  launch(queue, shape.scatter, grid_of(place.size, b.num_columns, shape.width),
         static_cast<Index>(place.size), b.num_columns, place, scale, x, b.values, b.ld);
}

template class PermuteRhs<double>;
template class PermuteRhs<float>;

}  // namespace clchol::gpu
