// Factors the large fronts of a group wave by wave with plain OpenCL kernels: for devices without
// fp64 tensor cores, and for single precision.
//
// A wave is a set of fronts whose children are all in earlier waves or in earlier groups.  The
// panel of a front becomes the front's columns of L.  L21 is the part of these columns below the
// ncol pivot rows, and U is the front's update matrix.
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
  gpu::PanelParams panel;           // Sizes of the kernel that factors a block of pivot columns.
  gpu::PotrfGemms gemms;            // Sizes of the kernels that compute matrix products.
  gpu::ExtendAddParams extend_add;  // Sizes of the kernel that adds children's update matrices.
};

/// Device memory that the factorization of one group reads and writes.
template <class T>
struct PlainWavesOperands {
  // Values of A's lower triangle, in the order of the analysed pattern.
  gpu::DeviceView<const T> values;
  gpu::DeviceView<T> panels;                    // Memory of the slab that holds the group's panels.
  gpu::DeviceView<T> updates;                   // Buffer of the update matrices of all groups.
  gpu::DeviceView<gpu::PivotStatus<T>> status;  // Pivot status of each front of the plan.
};

/// Lists in host memory from which the kernels factor the large fronts of one group.
struct PlainWavesLists {
  struct Wave {
    Index first_front = 0;       // First front of the wave in the plan's numbering.
    gpu::PotrfLists potrf;       // Lists of the wave's partial Cholesky factorization.
    gpu::TileRange panel_tiles,  // Range of assembly.tiles with the tiles of the wave's panels.
        update_tiles;  // Range of assembly.tiles with the tiles of the wave's update matrices.
  };
  // Tiles of the panels of all large fronts of the group, to which A's entries and zeros are
  // written.
  std::vector<gpu::ScatterTile> scatter;
  // Tiles of fronts to which children's update matrices are added, wave by wave.
  gpu::ExtendAddLists assembly;
  std::vector<Wave> waves;  // Waves from the leaves up.
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

/// The kernels that factor large fronts, and a workspace that all groups share.  Not thread-safe;
/// but several threads may call lists() at the same time.
/// All commands of one object go to one in-order queue at a time: finish one queue before using
/// another.  T: double, float.
template <class T>
class PlainWaves {
 public:
  /// Builds the kernels.  Throws InvalidArgument for invalid sizes in `params`; BuildError.
  PlainWaves(gpu::ProgramCache& programs, const PlainWavesParams& params);

  /// Makes the lists of one group on the host.
  /// @param group      A group of `plan`.
  /// @param lists      Lists of all fronts of the plan, in host memory.
  /// @param entry_ptr  EntryMap::entry_ptr: entries of A are numbered column by column of the
  ///                   permuted matrix, and entry_ptr[j] is the first number in column j.
  ///                   Length n + 1.
  PlainWavesLists lists(const DevicePlan& plan, const DeviceGroup& group,
                        const gpu::FrontLists& lists, std::span<const Offset> entry_ptr) const;
  /// Returns the bytes of device memory that upload() allocates for the lists of one group, without
  /// the workspace.
  Offset bytes(const PlainWavesLists& lists) const;
  /// Returns the number of workspace entries that one group needs.  The groups share one workspace:
  /// its number of entries is the maximum over all groups.
  Offset workspace_entries(const PlainWavesLists& lists) const;
  /// Uploads the lists of one group, and allocates a new workspace if the old one is too small for
  /// the group.  Blocking.  Throws DeviceError.
  PlainWavesPlan<T> upload(gpu::Queue& queue, const PlainWavesLists& lists);

  /// Enqueues the factorization of the large fronts of a group.
  /// @param plan   Lists of the group, as upload() returned them.
  /// @param lists  Lists of all fronts of the plan, in device memory.
  void factor(gpu::Queue& queue, const PlainWavesPlan<T>& plan, const gpu::FrontViews& lists,
              const PlainWavesOperands<T>& operands);

 private:
  gpu::Scatter<T> scatter_;
  gpu::ExtendAdd<T> extend_add_;
  gpu::Potrf<T> potrf_;
  gpu::DeviceBuffer<T> workspace_;  // Diagonal blocks of the fronts of the wave being factored.
};

}  // namespace clchol::numeric
