// Extend-add on the device: adds update matrices of children to the fronts of their parents.
// [S82, DR83]  Kernel: kernels/fronts/extend_add.cl.
//
//   F(relind[i], relind[j]) += child(i, j)   for all i >= j and for each child of F
//
// F is the parent's front (panel and update matrix), child is the child's update matrix, and relind
// are the child's relative indices.  F is cut into tiles.  A work-group adds the entries of all
// children to one tile.  make_extend_add_lists() makes, once, the list of the tiles to which at
// least one child adds entries.  A launch computes the tiles of a range of this list.  Children are
// added in their order in FrontLists::children, so results are bitwise reproducible.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu_kernels/fronts/front_views.hpp"
#include "gpu_kernels/runtime/launch.hpp"
#include "gpu_kernels/runtime/program_cache.hpp"

namespace clchol::gpu {

/// Sizes of a tile and of the work-group that computes the tile.
struct ExtendAddParams {
  Index tile_rows = 64;  // Rows of a tile.
  // Columns of a tile.  With more columns, the lists of tiles and pieces are shorter, but a
  // work-group needs more local memory.
  Index tile_columns = 32;
  Index group = 128;  // Work-items of a work-group; a multiple of tile_rows.

  /// Returns whether all sizes are positive, `group` is a multiple of tile_rows and at most 1024,
  /// and a tile has at most 2^16 entries.
  bool valid() const;
  /// Returns the compiler options that define the sizes as macros: "-DTILE_ROWS=64 ...".
  std::string build_options() const;
};

/// Tiles of some parents, and the pieces that are added to the tiles.  A piece is the block of one
/// child's update matrix that is added to one tile.
struct ExtendAddLists {
  std::vector<ExtendAddTile> tiles;  // Tiles of the parents, one parent after another.
  // Pieces of the tiles, one tile after another.  Tile t has the elements [t.piece_begin,
  // t.piece_end).
  std::vector<ExtendAddPiece> pieces;
};

/// Lists the tiles of some parents to which at least one child adds entries, and the pieces of
/// these tiles.
/// @param lists   the lists of the forest.  The members fronts, children and relind are read.
/// @param listed  indices in lists.fronts of the parents.  The result has the parents' tiles in
///                this order.
/// Throws InvalidArgument for parameters that are not valid().
/// Cost: number of tiles of a parent x number of its children, summed over the parents.
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

  /// Enqueues one launch, which adds the pieces of `tiles` to the parents' panels and update
  /// matrices.  Does not wait for the launch.
  /// @param lists         device copy of the FrontLists object that was passed to
  ///                      make_extend_add_lists().
  /// @param tiles         device copy of ExtendAddLists::tiles, or a range of the copy.  The tiles
  ///                      must have been made with the parameters params().
  /// @param pieces        device copy of ExtendAddLists::pieces, as a whole.
  /// @param from_updates  buffer of the children's update matrices, which begin at the offsets
  ///                      Child::update.  `from_updates` and `updates` may be the same buffer, but
  ///                      no update matrix that the launch reads may overlap an update matrix that
  ///                      the launch writes.
  /// @param panels        buffer of the parents' panels, which begin at the offsets Front::panel.
  /// @param updates       buffer of the parents' update matrices, which begin at the offsets
  ///                      Front::update.
  void run(Queue& queue, const FrontViews& lists, DeviceView<const ExtendAddTile> tiles,
           DeviceView<const ExtendAddPiece> pieces, DeviceView<const T> from_updates,
           DeviceView<T> panels, DeviceView<T> updates);

  const ExtendAddParams& params() const { return params_; }

 private:
  ExtendAddParams params_;
  Kernel kernel_;
};

}  // namespace clchol::gpu
