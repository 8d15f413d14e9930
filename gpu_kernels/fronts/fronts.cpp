#include "gpu_kernels/fronts/fronts.hpp"

#include <algorithm>

#include "base/team.hpp"

namespace clchol::gpu {

std::vector<Index> make_entry_places(std::span<const Front> fronts,
                                     std::span<const Offset> entry_ptr,
                                     std::span<const Index> entry_row, int threads) {
  Offset size = 0;
  for (const Front& front : fronts) size = std::max(size, front.entry_end);
  std::vector<Index> places(static_cast<std::size_t>(size));
  const auto num_fronts = static_cast<Index>(fronts.size());
  parallel_for(num_fronts, threads, [&](Index f) {
    const Front& front = fronts[f];
    if (front.entry_begin == front.entry_end) return;
    const Offset shift = front.entry_begin - entry_ptr[front.first_column];
    for (Index c = 0; c < front.ncol; ++c) {
      const Offset column = (c - base_column(front.ldp, c)) * front.ldp;
      const Offset* const begin = entry_ptr.data() + front.first_column + c;
      for (Offset e = begin[0]; e < begin[1]; ++e) {
        places[e + shift] = static_cast<Index>(column + entry_row[e]);
      }
    }
  });
  return places;
}

}  // namespace clchol::gpu
