// The numeric phase of the device engine: all launches of a factorization, prepared once.
//
//   for each group:
//     small fronts, wave by wave
//     large fronts, in one launch; or in plain OpenCL, wave by wave
//
// The host first makes all lists, so that the device memory of the lists and of the factor is
// known.  Then the lists are uploaded.  From then on a factorization only enqueues commands, and a
// refactorization enqueues the same commands for other values.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "gpu_kernels/fronts/front_batch.hpp"
#include "gpu_kernels/fronts/small_front.hpp"
#include "gpu_kernels/runtime/device_runtime.hpp"
#include "numeric/control.hpp"
#include "numeric/device/hand_over.hpp"
#include "numeric/device/plain_waves.hpp"
#include "numeric/device/plan.hpp"
#include "numeric/device/stream/panel_store.hpp"
#include "numeric/device/stream/watch.hpp"

namespace clchol::numeric {

/// Shapes of the kernels that factor fronts.
struct DeviceKernelParams {
  std::vector<gpu::SmallFrontParams> small_classes;  // Size classes, ascending in rows.
  // Fronts of one wave and size class for a launch, at least; fewer fronts join a larger class.
  Index least_launch = 1000;
  // Plain OpenCL kernels of large fronts.  None: `batch` and `order`, in double precision only.
  std::optional<PlainWavesParams> plain;
  gpu::FrontBatchParams batch;                        // Kernels of large fronts on tensor cores.
  gpu::BatchOrder order = gpu::BatchOrder::kTickets;  // Order of the tiles on tensor cores.

  /// For a part of a factor: joined_small_classes() of the whole factor.  None: the table is made
  /// for this factor.
  std::optional<std::vector<std::vector<Index>>> joined = {};

  std::string plain_reason;  // Why device_kernel_params() chose the plain kernels.

  int threads = 1;  // Host threads that make lists.
};

/// Chooses the fastest kernels for a device: on fp64 tensor cores where the device has them.
template <class T>
DeviceKernelParams device_kernel_params(const gpu::DeviceRuntime& runtime);

/// Chooses plain OpenCL kernels, which run on any device, by its tuning data and its limits alone.
template <class T>
DeviceKernelParams plain_kernel_params(const gpu::Tuning& tuning,
                                       const gpu::WorkGroupLimits& limits);

/// Decides which launches the size classes of each wave share.
/// @param wave  small_waves() of the factor.
/// @return joined[w][k]: the size class whose launch takes the small fronts of class k in wave w.
/// Throws InvalidArgument when a small front fits into no class.
std::vector<std::vector<Index>> joined_small_classes(const symbolic::SymbolicFactor& factor,
                                                     std::span<const Index> wave,
                                                     const DeviceKernelParams& params);

/// Options of a plan for these kernels.  Every small front fits into one of their size classes.
DevicePlanOptions device_plan_options(const DeviceKernelParams& params);

/// Computes the factor of one matrix on a device.  For one thread and one queue at a time.
/// T: double, float.
template <class T>
class DeviceFactor {
 public:
  /// Builds kernels and makes the lists on the host.  The symbolic factor and `entries` must live
  /// until allocate() returns.
  /// Throws InvalidArgument when a small front fits into no class; BuildError.
  DeviceFactor(gpu::ProgramCache& programs, const symbolic::SymbolicFactor& factor,
               const symbolic::EntryMap& entries, DevicePlan plan,
               const DeviceKernelParams& params);
  DeviceFactor(const DeviceFactor&) = delete;  // Other objects refer to the plan.
  DeviceFactor& operator=(const DeviceFactor&) = delete;

  /// Bytes of device memory that allocate() allocates, besides the workspace.
  Offset bytes() const { return bytes_; }
  /// Bytes of the plain kernels' workspace, one buffer that allocate() allocates.
  Offset workspace_bytes() const { return workspace_entries_ * Offset{sizeof(T)}; }
  /// Uploads the lists.  Must be called once, before any function below.  Blocking.
  /// @param updates  plan().update_entries entries, which a factorization overwrites.  Between
  ///                 factorizations they hold nothing that the factor needs.
  /// @param copies   Copy queues for a streamed plan.  They must outlive this object.
  /// Throws DeviceError.
  void allocate(gpu::Queue& queue, gpu::DeviceView<T> updates, const gpu::CopyQueues& copies = {});

  Index num_groups() const { return static_cast<Index>(plan_.groups.size()); }
  /// Enqueues the factorization of a group of fronts; all earlier groups must be enqueued before.
  /// The kernels read update matrices of earlier groups, write the group's panels, and leave update
  /// matrices for later groups.
  /// @param values   Values of the matrix' lower triangle, in the order of the analysed pattern.
  /// @param panels   Panels of the group's slab.
  /// @param updates  All update matrices.
  void factorize_group(gpu::Queue& queue, Index group, gpu::DeviceView<const T> values,
                       gpu::DeviceView<T> panels, gpu::DeviceView<T> updates);
  /// Enqueues the factorization of all groups of a dropped slab once more.  The plan is streamed,
  /// and a whole factorization must be enqueued before.
  /// @param scratch  StreamPlan::scratch entries for the update matrices of these groups.
  void factorize_again(gpu::Queue& queue, Index slab, gpu::DeviceView<const T> values,
                       gpu::DeviceView<T> panels, gpu::DeviceView<T> scratch);
  /// Enqueues all groups, one after another.  Where the factor is streamed and `control` has a
  /// cancel flag or a progress function, the call enqueues two groups ahead and waits: it reports
  /// progress, and sees a cancel, group by group.  Pivots of streamed groups are checked each time
  /// that kernels of some predicted time are enqueued.  When the call ends early, commands that are
  /// enqueued run to their end; fronts that are left out have no failed pivot.
  /// @param panels    Store of the plan's slabs.
  /// @param exchange  Hand-overs of a part's update matrices; null: the plan has none.
  FactorOutcome factorize(gpu::Queue& queue, gpu::DeviceView<const T> values, PanelStore<T>& panels,
                          const Control& control = {}, ShareExchange<T>* exchange = nullptr);

  const DevicePlan& plan() const { return plan_; }
  /// Lists of the plan's fronts on the device.
  const gpu::FrontBuffers& lists() const { return lists_; }
  /// Pivot status of each front of the plan.
  gpu::DeviceView<const gpu::PivotStatus<T>> status() const { return status_; }

 private:
  /// The launches of one group, with lists on the host.  Small fronts are launched first.
  struct GroupLists {
    struct Small {  // A launch for small fronts of one wave and one or more size classes.
      gpu::SmallFront<T>* kernel = nullptr;
      std::vector<Index> listed;  // Fronts in the plan's numbering.
    };
    std::vector<Small> small;
    std::optional<gpu::FrontBatchLists> batch;   // Large fronts on tensor cores.
    std::optional<PlainWavesLists> plain_waves;  // Large fronts in plain OpenCL.
  };
  /// The launches of one group, with lists on the device.
  struct Group {
    struct Small {
      gpu::SmallFront<T>* kernel = nullptr;
      gpu::DeviceBuffer<Index> listed;
    };
    std::vector<Small> small;
    std::optional<gpu::FrontBatchPlan> batch;
    std::optional<PlainWavesPlan<T>> plain_waves;
  };

  void choose_classes(const symbolic::SymbolicFactor& factor, const DeviceKernelParams& params);
  GroupLists make_lists(gpu::ProgramCache& programs, DeviceGroup& planned,
                        const symbolic::EntryMap& entries, const DeviceKernelParams& params);
  void list_small(gpu::ProgramCache& programs, const DeviceGroup& planned,
                  const DeviceKernelParams& params, GroupLists& lists);
  Offset count_bytes();
  Offset count_workspace() const;
  Group upload(gpu::Queue& queue, const DeviceGroup& planned, const GroupLists& lists);
  void factorize_batch(gpu::Queue& queue, const DeviceGroup& planned, const Group& group,
                       gpu::DeviceView<const T> values, gpu::DeviceView<T> panels,
                       gpu::DeviceView<T> updates);

  DevicePlan plan_;
  std::vector<std::vector<Index>> joined_;  // joined_small_classes().
  // Device memory besides the workspace in bytes, and entries of the plain kernels' workspace.
  Offset bytes_ = 0, workspace_entries_ = 0;
  Offset factors_entries_ = 0;           // Entries of factors_: enough for any one group.
  gpu::FrontLists front_lists_;          // Lists on the host; void after allocate().
  std::vector<GroupLists> group_lists_;  // Launches of each group; empty after allocate().
  gpu::FrontBuffers lists_;
  gpu::DeviceView<T> updates_;
  gpu::DeviceBuffer<gpu::PivotStatus<T>> status_;
  gpu::DeviceBuffer<double> factors_;  // Factored diagonal blocks of a group on tensor cores.
  std::vector<std::unique_ptr<gpu::SmallFront<T>>> small_kernels_;  // By class; null: not used.
  std::optional<gpu::FrontBatch> batch_;      // Kernels of large fronts on tensor cores.
  std::optional<PlainWaves<T>> plain_waves_;  // Kernels of large fronts in plain OpenCL.
  std::vector<Group> groups_;                 // Launches of each group, after allocate().
  std::optional<StreamWatch<T>> watch_;       // Follows a streamed factorization; else none.
};

}  // namespace clchol::numeric
