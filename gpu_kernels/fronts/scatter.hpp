// Initializes the panels of fronts: sets all panel entries on and below the diagonal to zero, and
// then writes the entries of the permuted matrix A into the panels.  With r(i) the number, in the
// permuted matrix, of row i of a front (FrontLists::rowind), panel(i, j) becomes A(r(i), r(j)).
// Small fronts do not need this, because the kernels of small_front.hpp initialize the fronts that
// they factor.
// Kernel: kernels/fronts/scatter.cl.
//
// Cost: one pass over the panels and one pass over A's entries.  run() enqueues and does not wait.
#pragma once

#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_views.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Cuts the panels of the listed fronts into tiles, one for each work-group.  A tile is one column
/// of a panel, or several neighbouring columns that have at most `entries` entries.
/// @param listed     indices in `fronts` of the fronts whose panels are cut.
/// @param entry_ptr  the list that was passed to make_entry_places(): index of the first entry of A
///                   in each column of the permuted matrix.  Length n + 1.
/// @param entries    greatest number of entries of a tile of several columns.  A column counts as
///                   ldp entries.
std::vector<ScatterTile> make_scatter_tiles(std::span<const Front> fronts,
                                            std::span<const Index> listed,
                                            std::span<const Offset> entry_ptr,
                                            Offset entries = 8192);

/// Initializes panels on a device.  T: double, float.
///
/// Not thread-safe.  All commands of one object go to one in-order queue at a time: finish one
/// queue before using another.
template <class T>
class Scatter {
 public:
  /// Builds the kernel.  Throws BuildError when the device's compiler refuses the kernel.
  explicit Scatter(ProgramCache& programs);

  /// Enqueues one launch, which initializes the panel columns of `tiles`.
  /// @param tiles   device copy of the result of make_scatter_tiles(), or of a range of the result.
  /// @param values  values of A's lower triangle, which FrontLists::entry_source has indices into.
  /// @param scale   diagonal of the scaling S, ordered as the permuted matrix.  The panels receive
  ///                the entries of S A S instead of A.  Length n.  Empty: no scaling.
  /// @param panels  buffer of the panels, which begin at the offsets Front::panel.
  void run(Queue& queue, const FrontViews& lists, DeviceView<const ScatterTile> tiles,
           DeviceView<const T> values, DeviceView<const T> scale, DeviceView<T> panels);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
