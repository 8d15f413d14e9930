// The device engine's numeric phase: all launches of a factorization, prepared once.
//
//   for each group: small fronts wave by wave; then all large ones in one launch, or in plain
//   OpenCL by waves
//
// First all lists are made, on the host, so that it is known what they and the factor take of the
// device's memory; then they are uploaded.  After that nothing waits: a factorization is enqueueing
// alone, and a refactorization the same again with other values.
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

/// Kernels' shapes.
struct DeviceKernelParams {
  std::vector<gpu::SmallFrontParams> small_classes;
  Index least_launch = 1000;  // Fewer small fronts of a wave and class join a larger class.
  std::optional<PlainWavesParams> plain;  // In place of what follows, which is for double alone.
  gpu::FrontBatchParams batch;
  gpu::BatchOrder order = gpu::BatchOrder::kTickets;

  /// For a part of a factor: joined_small_classes() of the whole factor; none: of this factor.
  std::optional<std::vector<std::vector<Index>>> joined = {};

  std::string plain_reason;  // Why plain ones are the fastest.

  int threads = 1;  // Of the host, that make lists.
};

/// The fastest for a device: with tensor cores where it has some.
template <class T>
DeviceKernelParams device_kernel_params(const gpu::DeviceRuntime& runtime);

/// Plain OpenCL: for any device, of which its tuning data and its limits are asked alone.
template <class T>
DeviceKernelParams plain_kernel_params(const gpu::Tuning& tuning,
                                       const gpu::WorkGroupLimits& limits);

/// joined[w][k]: the class that the small fronts of size class k in wave w go with.
/// @param wave  small_waves() of the factor.
/// Throws InvalidArgument when a small front fits into no class.
std::vector<std::vector<Index>> joined_small_classes(const symbolic::SymbolicFactor& factor,
                                                     std::span<const Index> wave,
                                                     const DeviceKernelParams& params);

/// The plan that those kernels want: no front is small that fits into none of their classes.
DevicePlanOptions device_plan_options(const DeviceKernelParams& params);

/// Makes the factor of one matrix on a device.  For one thread and one queue at a time.  T: double,
/// float.
template <class T>
class DeviceFactor {
 public:
  /// Builds kernels and makes the lists, on the host.  The symbolic factor and `entries` outlive
  /// allocate().  Throws InvalidArgument when a small front fits into no class; BuildError.
  DeviceFactor(gpu::ProgramCache& programs, const symbolic::SymbolicFactor& factor,
               const symbolic::EntryMap& entries, DevicePlan plan,
               const DeviceKernelParams& params);
  DeviceFactor(const DeviceFactor&) = delete;  // What follows it refers to its plan.
  DeviceFactor& operator=(const DeviceFactor&) = delete;

  /// What allocate() takes of the device's memory beside the workspace.
  Offset bytes() const { return bytes_; }
  /// The same of the plain kernels' workspace, a buffer.
  Offset workspace_bytes() const { return workspace_entries_ * Offset{sizeof(T)}; }
  /// Uploads the lists: once, before the rest.  Blocking.
  /// @param updates  plan().update_entries values, which a factorization writes; between
  ///                 factorizations there is nothing of the factor's own in them.
  /// @param copies   for a streamed plan; they outlive this.
  /// Throws DeviceError.
  void allocate(gpu::Queue& queue, gpu::DeviceView<T> updates, const gpu::CopyQueues& copies = {});

  Index num_groups() const { return static_cast<Index>(plan_.groups.size()); }
  /// Enqueues the factorization of a group of fronts, after those before it: it reads updates that
  /// are there, writes its panels, and leaves updates to later groups.
  /// @param values  of the matrix' lower triangle, in the order of the analysed pattern.
  /// @param panels   of the group's slab.
  /// @param updates  all update matrices.
  void factorize_group(gpu::Queue& queue, Index group, gpu::DeviceView<const T> values,
                       gpu::DeviceView<T> panels, gpu::DeviceView<T> updates);
  /// The same once more, for a slab of the plan's stream that is dropped: before that a whole
  /// factorization.
  /// @param scratch  the stream's `scratch` values, for updates.
  void factorize_again(gpu::Queue& queue, Index slab, gpu::DeviceView<const T> values,
                       gpu::DeviceView<T> panels, gpu::DeviceView<T> scratch);
  /// All groups, one after another.  Where they are streamed and the caller watches, two of them at
  /// a time: so progress is told, and a cancel is seen, group by group.  Pivots of streamed groups
  /// are looked at whenever kernels of some time are enqueued.  What is enqueued when it ends early
  /// runs to its end; fronts that are left out have no failed pivot.
  /// @param panels  of the plan's slabs.
  /// @param exchange  of a part's plan; null: nothing is imported or exported.
  FactorOutcome factorize(gpu::Queue& queue, gpu::DeviceView<const T> values, PanelStore<T>& panels,
                          const Control& control = {}, ShareExchange<T>* exchange = nullptr);

  const DevicePlan& plan() const { return plan_; }
  /// What the plan's fronts refer to, on the device.
  const gpu::FrontBuffers& lists() const { return lists_; }
  /// One for each front of the plan.
  gpu::DeviceView<const gpu::PivotStatus<T>> status() const { return status_; }

 private:
  /// The launches of one group, in this order, on the host.
  struct GroupLists {
    struct Small {  // Fronts of one wave and size class.
      gpu::SmallFront<T>* kernel = nullptr;
      std::vector<Index> listed;
    };
    std::vector<Small> small;
    std::optional<gpu::FrontBatchLists> batch;   // Where there are large fronts;
    std::optional<PlainWavesLists> plain_waves;  // in plain OpenCL this.
  };
  /// The same on the device.
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
  /// joined_small_classes().
  std::vector<std::vector<Index>> joined_;
  Offset bytes_ = 0, workspace_entries_ = 0;
  Offset factors_entries_ = 0;           // Diagonal blocks of any one group on tensor cores.
  gpu::FrontLists front_lists_;          // Void after allocate(),
  std::vector<GroupLists> group_lists_;  // and empty.
  gpu::FrontBuffers lists_;
  gpu::DeviceView<T> updates_;
  gpu::DeviceBuffer<gpu::PivotStatus<T>> status_;
  gpu::DeviceBuffer<double> factors_;
  std::vector<std::unique_ptr<gpu::SmallFront<T>>> small_kernels_;  // Of classes in use.
  std::optional<gpu::FrontBatch> batch_;      // Of large fronts on tensor cores;
  std::optional<PlainWaves<T>> plain_waves_;  // in plain OpenCL this.
  std::vector<Group> groups_;
  std::optional<StreamWatch<T>> watch_;  // Follows a factor that is streamed; else there is none.
};

}  // namespace clchol::numeric
