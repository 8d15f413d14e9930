// Factors the large fronts of a group wave by wave, in plain OpenCL: for devices without fp64
// tensor cores, and for single precision.
//
//   panels of the group := A's entries
//   for each wave:                                 (children of its fronts are in earlier waves)
//     panels += children's update matrices
//     L of all panels;  update matrices U := -L21 L21'
//     U += children's update matrices
#pragma once

#include <vector>

#include "gpu_kernels/dense/potrf.hpp"
#include "gpu_kernels/fronts/extend_add.hpp"
#include "gpu_kernels/fronts/scatter.hpp"
#include "numeric/device/plan.hpp"

namespace clchol::numeric {

/// Shapes of the kernels.
struct PlainWavesParams {
  gpu::PanelParams panel;
  gpu::PotrfGemms gemms;
  gpu::ExtendAddParams extend_add;
};

/// Buffers of the kernels.
template <class T>
struct PlainWavesOperands {
  gpu::DeviceView<const T> values;              // Values of A's lower triangle.
  gpu::DeviceView<T> panels;                    // Panels of the group's slab.
  gpu::DeviceView<T> updates;                   // All update matrices.
  gpu::DeviceView<gpu::PivotStatus<T>> status;  // Statuses of all fronts of the plan.
};

/// Lists of the launches of one group, on the host.
struct PlainWavesLists {
  struct Wave {
    Index first_front = 0;  // First front of the wave in the plan's numbering.
    gpu::PotrfLists potrf;
    // Ranges of assembly.tiles: tiles of panels, and tiles of update matrices.
    gpu::TileRange panel_tiles, update_tiles;
  };
  std::vector<gpu::ScatterTile> scatter;
  gpu::ExtendAddLists assembly;
  std::vector<Wave> waves;
};

/// Lists of the launches of one group, on the device.  Members are as in PlainWavesLists.
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

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class PlainWaves {
 public:
  /// Throws InvalidArgument, BuildError.
  PlainWaves(gpu::ProgramCache& programs, const PlainWavesParams& params);

  /// Makes the lists of one group on the host.
  /// @param lists      Lists of all fronts of the plan.
  /// @param entry_ptr  First entry of each column of A.
  PlainWavesLists lists(const DevicePlan& plan, const DeviceGroup& group,
                        const gpu::FrontLists& lists, std::span<const Offset> entry_ptr) const;
  /// Bytes of device memory that the lists take.
  Offset bytes(const PlainWavesLists& lists) const;
  /// Entries of the workspace that the group needs.  All groups share one workspace, which upload()
  /// enlarges where necessary.
  Offset workspace_entries(const PlainWavesLists& lists) const;
  /// Uploads the lists.  Blocking.  Throws DeviceError.
  PlainWavesPlan<T> upload(gpu::Queue& queue, const PlainWavesLists& lists);

  /// Enqueues all waves of a group.
  /// @param lists  Lists of all fronts of the plan, on the device.
  void factor(gpu::Queue& queue, const PlainWavesPlan<T>& plan, const gpu::FrontBuffers& lists,
              const PlainWavesOperands<T>& operands);

 private:
  gpu::Scatter<T> scatter_;
  gpu::ExtendAdd<T> extend_add_;
  gpu::Potrf<T> potrf_;
  gpu::DeviceBuffer<T> workspace_;
};

}  // namespace clchol::numeric
