// A's values into the panels of fronts that are not small: kernels/fronts/scatter.cl.
//
// Cost: one pass over the panels and A's entries.  Nothing waits.
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_views.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// The work-groups' shares of the listed fronts: columns of one panel, about `entries` of its
/// entries or one column.
/// @param entry_ptr  start of each column's entries, by number of the column.
std::vector<ScatterTile> make_scatter_tiles(std::span<const Front> fronts,
                                            std::span<const Index> listed,
                                            std::span<const Offset> entry_ptr,
                                            Offset entries = 8192);

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class Scatter {
 public:
  /// Throws BuildError.
  explicit Scatter(ProgramCache& programs);

  /// panels := A's entries from the diagonals down, zeros elsewhere, in the columns of the tiles.
  /// @param scale  diagonal of D in the factor's order: D A D in place of A; or empty.
  void run(Queue& queue, const FrontBuffers& lists, DeviceView<const ScatterTile> tiles,
           DeviceView<const T> values, DeviceView<const T> scale, DeviceView<T> panels);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
