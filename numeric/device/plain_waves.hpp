// The large fronts of a group wave by wave in plain OpenCL, for devices without fp64 tensor cores
// and in single precision.
//
// Fronts of a wave have their children in earlier ones.  Per wave:
//
//   panels := A's entries;  panels += children's updates;  L of all panels, U := -L21 L21';
//   U += children's updates
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

/// What a run reads and writes.
template <class T>
struct PlainWavesOperands {
  gpu::DeviceView<const T> values;  // Of A's lower triangle.
  gpu::DeviceView<T> panels;        // Of the group.
  gpu::DeviceView<T> updates;
  gpu::DeviceView<gpu::PivotStatus<T>> status;  // One for each front of the plan.
};

/// What the launches of one group have to do, on the host.
struct PlainWavesLists {
  struct Wave {
    Index first_front = 0;
    gpu::PotrfLists potrf;
    gpu::TileRange panel_tiles, update_tiles;  // Of the list of assembly.
  };
  std::vector<gpu::ScatterTile> scatter;
  gpu::ExtendAddLists assembly;
  std::vector<Wave> waves;
};

/// The same on the device.
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

  /// @param entry_ptr  start of each column's entries.
  PlainWavesLists lists(const DevicePlan& plan, const DeviceGroup& group,
                        const gpu::FrontLists& lists, std::span<const Offset> entry_ptr) const;
  /// What the lists take of the device's memory.
  Offset bytes(const PlainWavesLists& lists) const;
  /// Values of the workspace that upload() makes beside them, one for all groups: the largest.
  Offset workspace_entries(const PlainWavesLists& lists) const;
  /// Blocking.  Throws DeviceError.
  PlainWavesPlan<T> upload(gpu::Queue& queue, const PlainWavesLists& lists);

  /// Enqueues all waves.  @param lists  the fronts' on the device.
  void factor(gpu::Queue& queue, const PlainWavesPlan<T>& plan, const gpu::FrontBuffers& lists,
              const PlainWavesOperands<T>& operands);

 private:
  gpu::Scatter<T> scatter_;
  gpu::ExtendAdd<T> extend_add_;
  gpu::Potrf<T> potrf_;
  gpu::DeviceBuffer<T> workspace_;
};

}  // namespace clchol::numeric
