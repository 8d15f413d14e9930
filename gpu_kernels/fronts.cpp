#include "gpu_kernels/fronts.hpp"

namespace clchol::gpu {

std::vector<Index> make_entry_places(std::span<const Front> fronts,
                                     std::span<const Offset> entry_ptr,
                                     std::span<const Index> entry_row) {
  std::vector<Index> places(entry_row.size());
  for (const Front& front : fronts) {
    for (Index c = 0; c < front.ncol; ++c) {
      const Offset column = (c - base_column(front.ldp, c)) * front.ldp;
      const Offset* const begin = entry_ptr.data() + front.first_column + c;
      for (Offset e = begin[0]; e < begin[1]; ++e) {
        places[e] = static_cast<Index>(column + entry_row[e]);
      }
    }
  }
  return places;
}

}  // namespace clchol::gpu
