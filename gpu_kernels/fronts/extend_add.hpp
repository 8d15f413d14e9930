// Extend-add on the device: adds update matrices of children to the fronts of their parents.
// [S82, DR83]  Kernel: kernels/fronts/extend_add.cl.
//
//   F(relind[i], relind[j]) += child(i, j)   for all i >= j and for each child of F
//
// F is the parent's front (its panel and its update matrix), child is the child's update matrix,
// and relind are the child's relative indices.  F is cut into tiles, and a work-group adds up all
// entries of one tile.  The tiles to which a child adds something are listed once; a launch
// computes any range of the list.  Children are added in their order in the list of children, so
// results are bitwise reproducible.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/fronts/front_views.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Shapes of a tile and of the work-group that computes the tile.
struct ExtendAddParams {
  Index tile_rows = 64;     // Rows of a tile.
  Index tile_columns = 32;  // Columns of a tile.  More columns: more local memory, shorter lists.
  Index group = 128;        // Work-items of a work-group; a multiple of tile_rows.

  /// Returns whether all sizes are positive, `group` is a multiple of tile_rows and at most 1024,
  /// and a tile has at most 2^16 entries.
  bool valid() const;
  /// Returns the compiler options that define the sizes as macros: "-DTILE_ROWS=64 ...".
  std::string build_options() const;
};

/// The tiles of some parents, and the pieces of update matrices that are added to the tiles.
struct ExtendAddLists {
  std::vector<ExtendAddTile> tiles;    // Tiles of all parents, one parent after another.
  std::vector<ExtendAddPiece> pieces;  // Pieces of all tiles, one tile after another.
};

/// Lists, for some parents, the tiles to which a child adds something, and the pieces of these
/// tiles.
/// @param lists   all fronts, their children and relative indices.
/// @param listed  indices in lists.fronts of the parents, in the order that the result has.
/// Throws InvalidArgument for parameters that are not valid().
/// Cost: the sum over the parents of the number of tiles times the number of children.
ExtendAddLists make_extend_add_lists(const FrontLists& lists, std::span<const Index> listed,
                                     const ExtendAddParams& params);

/// Adds children's update matrices to parents on the device.  Not thread-safe.  T is double or
/// float.
template <class T>
class ExtendAdd {
 public:
  /// Builds the kernel.  Throws InvalidArgument for parameters that are not valid(), and BuildError
  /// when the device's compiler refuses the kernel.
  ExtendAdd(ProgramCache& programs, const ExtendAddParams& params);

  /// Enqueues a launch that adds the pieces of these tiles to the parents' panels and update
  /// matrices, and returns.
  /// @param lists         the FrontLists of make_extend_add_lists(), in device memory.
  /// @param tiles         ExtendAddLists::tiles, or a range of it.  The lists must have been made
  ///                      with this object's params().
  /// @param pieces        ExtendAddLists::pieces, as a whole.
  /// @param from_updates  update matrices of the children, at the offsets Child::update.  May be in
  ///                      the buffer of `updates`, but must not overlap matrices that are written.
  /// @param panels        panels of the parents, at the offsets Front::panel.
  /// @param updates       update matrices of the parents, at the offsets Front::update.
  void run(Queue& queue, const FrontBuffers& lists, DeviceView<const ExtendAddTile> tiles,
           DeviceView<const ExtendAddPiece> pieces, DeviceView<const T> from_updates,
           DeviceView<T> panels, DeviceView<T> updates);

  const ExtendAddParams& params() const { return params_; }

 private:
  ExtendAddParams params_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
