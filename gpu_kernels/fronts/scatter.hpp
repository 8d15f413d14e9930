// Copies A's values to the panels of fronts that are not small, and zeroes all other entries.
// Kernel: kernels/fronts/scatter.cl.
//
// Cost: one pass over the panels and over A's entries.  run() only enqueues.
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_views.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Cuts the panels of the listed fronts into tiles, one for each work-group.  A tile is some
/// columns of one panel: one column, or at most `entries` entries of the panel.
/// @param listed     numbers of the fronts.
/// @param entry_ptr  start of each column's entries of A.  Indexed by the column's number.
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

  /// Enqueues: in the tiles' columns, from the diagonal down, an entry of a panel becomes A's
  /// entry, or zero where A has none.
  /// @param tiles   tiles of make_scatter_tiles().
  /// @param values  values of A's lower triangle.
  /// @param scale   diagonal of D in the factor's order: entries are those of D A D.  Empty: of A.
  void run(Queue& queue, const FrontBuffers& lists, DeviceView<const ScatterTile> tiles,
           DeviceView<const T> values, DeviceView<const T> scale, DeviceView<T> panels);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
