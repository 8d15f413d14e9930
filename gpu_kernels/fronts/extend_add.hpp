// The children's updates into their parents' fronts: kernels/fronts/extend_add.cl.  [S82, DR83]
//
// The tiles of parents that children reach are listed once; a launch sums any range of them.  Sums
// are in the order of the children: the same bits at every run.  Nothing waits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/fronts/front_views.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Tiles of a parent; twin of the parameters of the kernel file.
struct ExtendAddParams {
  Index tile_rows = 64;     // Work-items along rows: reads of children are as long as this.
  Index tile_columns = 32;  // Raising it costs local memory, lowering it lengthens the lists.
  Index group = 128;        // Work-items; a multiple of tile_rows.

  /// Sizes positive, group a multiple of tile_rows and at most 1024, tiles of at most 2^16 entries.
  bool valid() const;
  /// The only place that writes these options.
  std::string build_options() const;
};

struct ExtendAddLists {
  std::vector<ExtendAddTile> tiles;  // Parent after parent, in the order given.
  std::vector<ExtendAddPiece> pieces;
};

/// The tiles of the listed fronts that children reach.  Cost: tiles times children of each front.
/// Throws InvalidArgument for parameters that are not valid().
ExtendAddLists make_extend_add_lists(const FrontLists& lists, std::span<const Index> listed,
                                     const ExtendAddParams& params);

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class ExtendAdd {
 public:
  /// Throws InvalidArgument for parameters that are not valid(), BuildError.
  ExtendAdd(ProgramCache& programs, const ExtendAddParams& params);

  /// @param tiles, pieces  of make_extend_add_lists() with this object's parameters.
  void run(Queue& queue, const FrontBuffers& lists, DeviceView<const ExtendAddTile> tiles,
           DeviceView<const ExtendAddPiece> pieces, DeviceView<const T> from_updates,
           DeviceView<T> panels, DeviceView<T> updates);

  const ExtendAddParams& params() const { return params_; }

 private:
  ExtendAddParams params_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
