// Factors the large fronts of a group wave by wave with plain OpenCL kernels: for devices without
// fp64 tensor cores, and for single precision.
//
// A wave is fronts whose children are all in earlier waves or groups.  The panel of a front becomes
// its columns of L; L21 are the rows of the panel below the pivot block, and U is the front's
// update matrix:
//
//   panels of all large fronts of the group := A's entries, zero elsewhere
//   for each wave:
//     panels of the wave += children's update matrices
//     panels of the wave := L, by partial Cholesky factorization;  U := -L21 L21'
//     U += children's update matrices
#pragma once

#include <vector>

#include "gpu_kernels/dense/potrf.hpp"
#include "gpu_kernels/fronts/extend_add.hpp"
#include "gpu_kernels/fronts/scatter.hpp"
#include "numeric/device/plan.hpp"

namespace clchol::numeric {

/// Block and tile sizes of the kernels.
struct PlainWavesParams {
  gpu::PanelParams panel;           // Kernel that factors a block of pivot columns.
  gpu::PotrfGemms gemms;            // Kernels of the products L21 L21'.
  gpu::ExtendAddParams extend_add;  // Kernel that adds children's update matrices.
};

/// Device memory that the factorization of one group reads and writes.
template <class T>
struct PlainWavesOperands {
  // Values of A's lower triangle, in the order of the analysed pattern.
  gpu::DeviceView<const T> values;
  gpu::DeviceView<T> panels;                    // Panels of the group's slab.
  gpu::DeviceView<T> updates;                   // Update matrices of all groups.
  gpu::DeviceView<gpu::PivotStatus<T>> status;  // Pivot status of each front of the plan.
};

/// Lists in host memory from which the kernels factor the large fronts of one group.
struct PlainWavesLists {
  struct Wave {
    Index first_front = 0;  // First front of the wave in the plan's numbering.
    gpu::PotrfLists potrf;  // Lists of the wave's partial Cholesky factorization.
    // Two ranges of assembly.tiles: the tiles of the wave's panels, and the tiles of the wave's
    // update matrices.
    gpu::TileRange panel_tiles, update_tiles;
  };
  std::vector<gpu::ScatterTile> scatter;  // Tiles of the panels of all large fronts of the group.
  gpu::ExtendAddLists assembly;           // Tiles to which children add, of all waves.
  std::vector<Wave> waves;                // Waves from the leaves up.
};

/// PlainWavesLists in device memory.  Each member has the meaning of the member of PlainWavesLists
/// that has the same name.
template <class T>
struct PlainWavesPlan {
  struct Wave {
    Index first_front = 0;
    gpu::PotrfPlan<T> potrf;
    gpu::TileRange panel_tiles, update_tiles;
  };
  gpu::DeviceBuffer<gpu::ScatterTile> scatter;
  gpu::DeviceBatch<gpu::ExtendAddPiece, gpu::ExtendAddTile> assembly;
  std::vector<Wave> waves;
};

/// The kernels, and a workspace that all groups share.  Not thread-safe.  All commands of one
/// object go to one in-order queue at a time: finish one queue before using another.
/// T: double, float.
template <class T>
class PlainWaves {
 public:
  /// Builds the kernels.  Throws InvalidArgument for invalid sizes in `params`; BuildError.
  PlainWaves(gpu::ProgramCache& programs, const PlainWavesParams& params);

  /// Makes the lists of one group on the host.
  /// @param lists      Lists of all fronts of the plan, in host memory.
  /// @param entry_ptr  EntryMap::entry_ptr: index of the first of A's entries in each column of the
  ///                   symbolic factor.  Length n + 1.
  PlainWavesLists lists(const DevicePlan& plan, const DeviceGroup& group,
                        const gpu::FrontLists& lists, std::span<const Offset> entry_ptr) const;
  /// Returns the bytes of device memory that upload() allocates for the lists, without the
  /// workspace.
  Offset bytes(const PlainWavesLists& lists) const;
  /// Returns the entries of the workspace that the group needs.  All groups share one workspace.
  Offset workspace_entries(const PlainWavesLists& lists) const;
  /// Uploads the lists of one group, and allocates a larger workspace where the group needs one.
  /// Blocking.  Throws DeviceError.
  PlainWavesPlan<T> upload(gpu::Queue& queue, const PlainWavesLists& lists);

  /// Enqueues the factorization of the large fronts of a group.
  /// @param plan   Lists of the group, as upload() returned them.
  /// @param lists  Lists of all fronts of the plan, in device memory.
  void factor(gpu::Queue& queue, const PlainWavesPlan<T>& plan, const gpu::FrontBuffers& lists,
              const PlainWavesOperands<T>& operands);

 private:
  gpu::Scatter<T> scatter_;
  gpu::ExtendAdd<T> extend_add_;
  gpu::Potrf<T> potrf_;
  gpu::DeviceBuffer<T> workspace_;  // Diagonal blocks of the fronts of one wave.
};

}  // namespace clchol::numeric
