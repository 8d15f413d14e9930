// Extend-add: adds the children's update matrices to their parents' fronts.  [S82, DR83]
// Kernel: kernels/fronts/extend_add.cl.
//
//   F(relind[i], relind[j]) += child(i, j),  i >= j,  child after child
//
// The tiles of parents that receive entries of a child are listed once.  A launch sums any range of
// the list.  Sums are in the order of the children, so results are bitwise reproducible.  run()
// only enqueues.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/fronts/front_views.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Shapes of a parent's tile and of the work-group that sums it: the macros of the kernel file.
struct ExtendAddParams {
  Index tile_rows = 64;     // Rows of a tile, and of a child's column that are read at once.
  Index tile_columns = 32;  // Columns of a tile.  More: more local memory.  Fewer: longer lists.
  Index group = 128;        // Work-items of a work-group; a multiple of tile_rows.

  /// Whether all sizes are positive, `group` is a multiple of tile_rows and at most 1024, and a
  /// tile has at most 2^16 entries.
  bool valid() const;
  /// The compiler options; no other function writes them.
  std::string build_options() const;
};

struct ExtendAddLists {
  std::vector<ExtendAddTile> tiles;    // Parent by parent, in the order of the list.
  std::vector<ExtendAddPiece> pieces;  // Pieces of all tiles, tile by tile.
};

/// Lists the tiles of the listed fronts that receive entries of a child, and their pieces.
/// Cost: for each front, its tiles times its children.
/// @param listed  numbers of the parents in lists.fronts.
/// Throws InvalidArgument for parameters that are not valid().
ExtendAddLists make_extend_add_lists(const FrontLists& lists, std::span<const Index> listed,
                                     const ExtendAddParams& params);

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class ExtendAdd {
 public:
  /// Throws InvalidArgument for parameters that are not valid(), BuildError.
  ExtendAdd(ProgramCache& programs, const ExtendAddParams& params);

  /// Enqueues: adds the pieces to the tiles.
  /// @param tiles, pieces  from make_extend_add_lists() with this object's parameters.
  /// @param from_updates   the children's update matrices.  May be the buffer of `updates`, where
  ///                       they must not overlap the matrices that are written.
  void run(Queue& queue, const FrontBuffers& lists, DeviceView<const ExtendAddTile> tiles,
           DeviceView<const ExtendAddPiece> pieces, DeviceView<const T> from_updates,
           DeviceView<T> panels, DeviceView<T> updates);

  const ExtendAddParams& params() const { return params_; }

 private:
  ExtendAddParams params_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
