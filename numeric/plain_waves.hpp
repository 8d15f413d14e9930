// Large fronts wave by wave in plain OpenCL, for devices without fp64 tensor cores and in single
// precision.
//
// Fronts of a wave have their children in earlier ones.  Per wave:
//
//   panels := A's entries;  panels += children's updates;  L of all panels, U := -L21 L21';
//   U += children's updates
#pragma once

#include <vector>

#include "gpu_kernels/extend_add.hpp"
#include "gpu_kernels/potrf.hpp"
#include "gpu_kernels/scatter.hpp"
#include "numeric/device_plan.hpp"

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
  gpu::DeviceView<T> panels;
  gpu::DeviceView<T> updates;
  gpu::DeviceView<gpu::PivotStatus<T>> status;  // One for each front of the plan.
};

/// For one thread and one queue at a time.  T: double, float.
template <class T>
class PlainWaves {
 public:
  /// Builds kernels and uploads lists; blocking.  Throws InvalidArgument, BuildError, DeviceError.
  /// @param entry_ptr  start of each column's entries.
  PlainWaves(gpu::ProgramCache& programs, gpu::Queue& queue, const DevicePlan& plan,
             const gpu::FrontLists& lists, std::span<const Offset> entry_ptr,
             const PlainWavesParams& params);

  /// Enqueues all waves.  @param lists  the lists on the device.
  void factor(gpu::Queue& queue, const gpu::FrontBuffers& lists,
              const PlainWavesOperands<T>& operands);

 private:
  struct Wave {
    Index first_front = 0;
    gpu::PotrfPlan<T> potrf;
    gpu::TileRange panel_tiles, update_tiles;  // Of the lists below.
  };

  gpu::Scatter<T> scatter_;
  gpu::ExtendAdd<T> extend_add_;
  gpu::Potrf<T> potrf_;
  gpu::DeviceBuffer<gpu::ScatterTile> scatter_tiles_;
  gpu::DeviceBatch<gpu::ExtendAddPiece, gpu::ExtendAddTile> assembly_;
  std::vector<Wave> waves_;
};

}  // namespace clchol::numeric
