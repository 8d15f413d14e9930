#include "gpu_kernels/dense/scan.hpp"

#include "base/scalar_traits.hpp"
#include "gpu_kernels/runtime/real_options.hpp"

namespace clchol::gpu {
namespace {

constexpr Offset num_tiles(Offset n, Offset tile) { return n / tile + (n % tile > 0 ? 1 : 0); }

// Returns the number of tile totals of all levels.  Each level scans the totals of the level
// before, until one tile is left.
Offset workspace_size(Offset n, Offset tile) {
  Offset size = 0;
  do {
    n = num_tiles(n, tile);
    size += n;
  } while (n > 1);
  return size;
}

}  // namespace

template <class T>
Scan<T>::Scan(ProgramCache& programs, Offset max_n)
    : max_n_(max_n), sums_(programs.context(), workspace_size(max_n, kTile)) {
  const std::string options = real_options<T>() + " -DGROUP=" + std::to_string(kWorkGroup) +
                              " -DLOG_BANKS=" + (kIsDouble<T> ? "4" : "5");
  const Program& program = programs.program("scan.cl", options);
  scan_tiles_ = program.kernel("scan_tiles");
  add_sums_ = program.kernel("add_sums");
}

template <class T>
void Scan<T>::scan_level(Queue& queue, DeviceView<const T> x, DeviceView<T> y, Offset sums_begin) {
  const Offset tiles = num_tiles(x.size, kTile);
  const DeviceView<T> sums = sums_.part(sums_begin, tiles);
  launch(queue, scan_tiles_, work_groups_of(kWorkGroup, tiles), x.size, x, y, sums);
  if (tiles == 1) return;
  scan_level(queue, sums, sums, sums_begin + tiles);
  launch(queue, add_sums_, work_groups_of(kWorkGroup, tiles), x.size, y, sums);
}

template <class T>
void Scan<T>::exclusive(Queue& queue, DeviceView<const T> x, DeviceView<T> y) {
  if (x.size != y.size || x.size > max_n_) {
    throw InvalidArgument("scan: x has " + std::to_string(x.size) + " entries, y " +
                          std::to_string(y.size) + ", at most " + std::to_string(max_n_));
  }
  if (x.size > 0) scan_level(queue, x, y, 0);
}

template class Scan<double>;
template class Scan<float>;
template class Scan<Index>;
template class Scan<Offset>;

}  // namespace clchol::gpu
