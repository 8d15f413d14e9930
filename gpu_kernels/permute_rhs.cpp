#include "gpu_kernels/permute_rhs.hpp"

#include "gpu_kernels/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr std::uint64_t kTile = 16;

// Sizes of what is moved: x has n rows.
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

Grid grid_of(Offset n, Index columns) {
  return covering({static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(columns), 1},
                  {kTile, kTile, 1});
}

}  // namespace

template <class T>
PermuteRhs<T>::PermuteRhs(ProgramCache& programs) {
  const Program& program =
      programs.program("permute_rhs.cl", real_options<T>() + " -DTILE=" + std::to_string(kTile));
  gather_ = program.kernel("gather_rhs");
  scatter_ = program.kernel("scatter_rhs");
}

template <class T>
void PermuteRhs<T>::gather(Queue& queue, DeviceView<const Index> perm, DeviceView<const T> scale,
                           const DeviceColumns<const T>& b, DeviceView<T> x) {
  check_sizes(perm.size, scale.size, x.size, b.values.size, b.num_columns, b.ld);
  launch(queue, gather_, grid_of(perm.size, b.num_columns), static_cast<Index>(perm.size),
         b.num_columns, perm, scale, b.values, b.ld, x);
}

template <class T>
void PermuteRhs<T>::scatter(Queue& queue, DeviceView<const Index> perm, DeviceView<const T> scale,
                            DeviceView<const T> x, const DeviceColumns<T>& b) {
  check_sizes(perm.size, scale.size, x.size, b.values.size, b.num_columns, b.ld);
  launch(queue, scatter_, grid_of(perm.size, b.num_columns), static_cast<Index>(perm.size),
         b.num_columns, perm, scale, x, b.values, b.ld);
}

template class PermuteRhs<double>;
template class PermuteRhs<float>;

}  // namespace clchol::gpu
