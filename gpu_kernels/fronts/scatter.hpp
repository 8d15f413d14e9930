// Initializes the panels of fronts: on and below the diagonal, an entry becomes the entry of A in
// its row and column, or zero where A has no entry.  (small_front.hpp does this for small fronts.)
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

/// Cuts the panels of the listed fronts into tiles, one for each work-group.  A tile is one column
/// of a panel, or several neighbouring columns that have at most `entries` entries.
/// @param listed     indices in `fronts` of the fronts whose panels are cut.
/// @param entry_ptr  make_entry_places()'s entry_ptr: begin of each column's entries of A.  Indexed
///                   by the column of the permuted matrix.  Length n + 1.
/// @param entries    bound on a tile's number of entries, padding of columns to ldp included.
std::vector<ScatterTile> make_scatter_tiles(std::span<const Front> fronts,
                                            std::span<const Index> listed,
                                            std::span<const Offset> entry_ptr,
                                            Offset entries = 8192);

/// The kernel that initializes panels.  T: double, float.
///
/// Not thread-safe.  All commands of one object go to one in-order queue at a time: finish one
/// queue before using another.
template <class T>
class Scatter {
 public:
  /// Builds the kernel.  Throws BuildError.
  explicit Scatter(ProgramCache& programs);

  /// Enqueues the initialization of the tiles' columns.
  /// @param tiles   result of make_scatter_tiles(), or a part of it.
  /// @param values  values of A's lower triangle.
  /// @param scale   diagonal of the scaling S, ordered as the permuted matrix: panels receive the
  ///                entries of S A S.  Length n.  Empty: no scaling.
  /// @param panels  buffer that Front::panel is an offset into.
  void run(Queue& queue, const FrontBuffers& lists, DeviceView<const ScatterTile> tiles,
           DeviceView<const T> values, DeviceView<const T> scale, DeviceView<T> panels);

 private:
  Kernel kernel_;
};

}  // namespace clchol::gpu
