// Factors a matrix on a device: prepares all kernel launches once, and enqueues them for each
// factorization.
//
//   for each group of fronts (groups.hpp):
//     factor the small fronts, wave by wave
//     factor the large fronts: on tensor cores, all in one call of FrontBatch;
//                              in plain OpenCL, wave by wave (plain_waves.hpp)
//
// The constructor of DeviceFactor makes the lists for all launches in host memory.  Thus the bytes
// of device memory for lists and factor are known before device memory is allocated.  allocate()
// uploads the lists.  Each factorization then enqueues the same launches; only the values of A
// differ from one factorization to the next.
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
#include "numeric/device/stream/list_ring.hpp"
#include "numeric/device/stream/panel_store.hpp"
#include "numeric/device/stream/watch.hpp"

namespace clchol::numeric {

/// Parameters of streamed factors.  Tests change them, so that small factors show what large
/// factors usually do.
struct StreamParams {
  /// Lists that only one group reads stay on the device if they take at most 1 / list_share of the
  /// bytes of the arena.  Larger lists come to the device with their group (stream/list_ring.hpp),
  /// through a ring of 1 / list_share of the arena.
  Offset list_share = 32;
  /// Columns of a block column of a wide panel, in transfers (stream/wide_panels.hpp).
  /// 0: every panel is moved as a whole.
  Index transfer_block = 256;
};

/// Which kernels factor the fronts, and the shapes of these kernels.
struct DeviceKernelParams {
  // Size classes of small fronts, ascending in SmallFrontParams::rows, the greatest number of rows
  // of a front of the class.  A front belongs to the first class whose `rows` is at least the
  // number of rows of the front.
  std::vector<gpu::SmallFrontParams> small_classes;
  // Least number of small fronts of one wave and one size class for which these fronts get a launch
  // of their own.  Fewer fronts are factored in the launch of a larger size class that has fronts
  // in the wave, if there is such a class.  Between classes of different bits, the fronts of the
  // whole factor count, so that the bits of L do not depend on the groups.  Between classes of the
  // same bits, those of the group count, and twice this number is the least.
  Index least_launch = 1000;
  // Sizes of the plain OpenCL kernels that factor large fronts.  nullopt: tensor-core kernels with
  // the parameters `batch` and `order` factor large fronts.  Must not be nullopt in single
  // precision.
  std::optional<PlainWavesParams> plain;
  gpu::FrontBatchParams batch;  // Shape of the tensor-core kernels (front_batch.hpp).
  // Order in which the tensor-core kernels compute tiles.
  gpu::BatchOrder order = gpu::BatchOrder::kTickets;

  /// A table that says which size classes share a launch.  (*joined)[w][k] is the index in
  /// small_classes of the class whose launch factors the fronts of wave w and class k.  Waves are
  /// numbered as by small_waves(), from 0.
  ///
  /// If DeviceFactor computes a part of a factor, the caller must set this member to the result of
  /// joined_small_classes() for the whole factor, so that the bits of L do not depend on the
  /// division into parts.  nullopt: DeviceFactor makes the table for its own factor.
  std::optional<std::vector<std::vector<Index>>> joined = {};

  StreamParams stream;  // Parameters of streamed factors.

  // Why device_kernel_params() chose plain kernels for large fronts.  Empty: the function chose
  // tensor-core kernels, or was not called.
  std::string plain_reason;

  int threads = 1;  // Host threads that make lists.
};

/// Chooses the fastest kernels for a device.  Tensor-core kernels factor large fronts in double
/// precision, if the device has fp64 tensor cores and asynchronous copies from global to local
/// memory.  Otherwise plain OpenCL kernels factor large fronts.
template <class T>
DeviceKernelParams device_kernel_params(const gpu::DeviceRuntime& runtime);

/// Chooses plain OpenCL kernels, which run on any device.  The choice depends only on the device's
/// tuning data and on its limits for work-groups.
template <class T>
DeviceKernelParams plain_kernel_params(const gpu::Tuning& tuning,
                                       const gpu::WorkGroupLimits& limits);

/// Decides, for each wave of small fronts, which size classes of different bits share a launch,
/// according to DeviceKernelParams::least_launch (gpu::joined_by_bits()).
/// @param wave  Wave of each supernode, as small_waves() returns it; kNone for large fronts.
///              Length nsuper.
/// @return a table with one row for each wave w and one column for each size class k, both numbered
///         from 0.  Element [w][k] is the index in params.small_classes of the class whose launch
///         factors the fronts of wave w and class k: k itself, or the index of a larger class.
/// Throws InvalidArgument when a small front has more rows than the largest class.
std::vector<std::vector<Index>> joined_small_classes(const symbolic::SymbolicFactor& factor,
                                                     std::span<const Index> wave,
                                                     const DeviceKernelParams& params);

/// Returns options for make_device_plan() that suit these kernels.  In particular,
/// DevicePlanOptions::small_rows is at most the number of rows of the largest size class.
DevicePlanOptions device_plan_options(const DeviceKernelParams& params);

/// The numeric factorization of one matrix on a device.  Not thread-safe.  All commands of one
/// object go to one in-order queue at a time: finish one queue before using another.
/// T: double, float.
template <class T>
class DeviceFactor {
 public:
  /// Builds kernels, and makes the lists that the kernels read, in host memory.  The symbolic
  /// factor and `entries` must live until allocate() returns.
  /// @param entries  Map from A's entries to the panels of `factor`.
  /// @param plan     Plan of the factor, made with device_plan_options(params).
  /// Throws BuildError.  Throws InvalidArgument in these cases:
  /// - params.joined is nullopt, and a small front has more rows than the largest size class.
  /// - params.plain has a value, and the plan has strips.
  /// - params.plain has a value, the plan has large fronts, and plan.list_large is false: then
  ///   plan.entry_source lacks the entries of A in large fronts, which plain kernels need.
  /// - params.plain is nullopt, T is float, and the plan has large fronts.
  DeviceFactor(gpu::ProgramCache& programs, const symbolic::SymbolicFactor& factor,
               const symbolic::EntryMap& entries, DevicePlan plan,
               const DeviceKernelParams& params);
  DeviceFactor(const DeviceFactor&) = delete;  // Other objects hold references to plan().
  DeviceFactor& operator=(const DeviceFactor&) = delete;

  /// Bytes of device memory that allocate() allocates, without the workspace of plain kernels.
  Offset bytes() const { return bytes_; }
  /// Bytes of the plain kernels' workspace.  allocate() allocates the workspace, as one buffer.
  Offset workspace_bytes() const { return workspace_entries_ * Offset{sizeof(T)}; }
  /// Bytes of the lists that only one group reads, on the device or in host memory.
  Offset group_list_bytes() const;
  /// Bytes of the tensor-core kernels' workspace: the factored diagonal blocks of the group that
  /// needs the most.
  Offset factors_bytes() const { return factors_entries_ * Offset{sizeof(double)}; }
  /// Bytes of pinned host memory that allocate() allocates for lists that come to the device with
  /// their group.  A factorization uploads about as many bytes.  0: all lists stay on the device.
  Offset host_bytes() const { return list_ring_ ? list_ring_->host_bytes() : 0; }
  /// Allocates device memory, and uploads the lists that the kernels read.  Blocking.  Must be
  /// called once, before any factorization is enqueued.
  /// @param updates  Buffer for all update matrices.  For a streamed factor this is the arena, in
  ///                 which panels lie, too.  Length plan().update_entries.  When a factorization
  ///                 has ended, no command reads its update matrices any more, so the caller may
  ///                 use their memory for other data until the next factorization.
  /// @param copies   Copy queues of the device, which must outlive this object.  May be empty
  ///                 unless the plan is streamed.
  /// Throws DeviceError, std::bad_alloc.
  void allocate(gpu::Queue& queue, gpu::DeviceView<T> updates, const gpu::CopyQueues& copies = {});

  Index num_groups() const { return static_cast<Index>(plan_.groups.size()); }
  /// Begins to upload the lists of the dropped slabs among `slabs`, if lists come with their group.
  /// @param slabs  The slabs for which factorize_again() may be called next, in this order.
  /// @param queue  The queue with which factorize_again() will be called.
  void will_factor_again(std::span<const Index> slabs, gpu::Queue& queue);
  /// Enqueues another factorization of all groups of a dropped slab (a slab whose panels were not
  /// kept), so that a solve can read the slab's panels.  Precondition: the plan is streamed, and a
  /// whole factorization was enqueued.
  /// @param slab     Number of the dropped slab in the plan.
  /// @param values   The values of A that the whole factorization read.
  /// @param panels   Receives the slab's panels.
  /// @param scratch  Workspace for the update matrices of the slab's groups.  Length
  ///                 StreamPlan::scratch.
  void factorize_again(gpu::Queue& queue, Index slab, gpu::DeviceView<const T> values,
                       gpu::DeviceView<T> panels, gpu::DeviceView<T> scratch);
  /// Enqueues the factorization of all groups, one after another.
  ///
  /// If the factor is not streamed, the call enqueues all groups and does not read `control`.
  ///
  /// If the factor is streamed, the call stops enqueueing groups after a cancel or a failed pivot.
  /// Commands that were enqueued before that run to their end.  If `control` has a cancel flag or a
  /// progress function, the host is never more than about two groups ahead of the device: after
  /// each group the call waits for an earlier group, reports progress and tests the cancel flag.
  /// Pivots are checked about every 20 ms of predicted kernel time.  After a failed pivot, status()
  /// reports no failure for fronts that were not enqueued.
  /// @param values    Values of A's lower triangle, in the order of the pattern that was analysed.
  /// @param panels    Store of the plan's slabs (stream/panel_store.hpp): receives the panels.
  /// @param exchange  Hand-overs of update matrices if the factor is a part; otherwise null.
  /// @return FactorOutcome::kEnqueued when all groups were enqueued; otherwise the reason why not
  ///         (stream/watch.hpp).
  /// Throws DeviceError, and the exceptions of HandOver::receive().
  FactorOutcome factorize(gpu::Queue& queue, gpu::DeviceView<const T> values, PanelStore<T>& panels,
                          const Control& control = {}, ShareExchange<T>* exchange = nullptr);

  const DevicePlan& plan() const { return plan_; }
  /// Lists of all fronts of the plan, in device memory: fronts, children, row structure, relative
  /// indices, and the places of A's entries in fronts.  Valid after allocate().
  const gpu::FrontBuffers& lists() const { return lists_; }
  /// Pivot status of each front, on the device: the value and the column of the front's first
  /// failed pivot, or no failure.  PivotStatus::column counts from the front's first column, which
  /// is 0; without a failure it is kNone.  Indexed by the front's number in the plan.
  gpu::DeviceView<const gpu::PivotStatus<T>> status() const { return status_; }

 private:
  /// The launches of one group, with their lists on the host.  Small fronts are launched first.
  struct GroupLists {
    struct Small {  // A launch that factors small fronts of one wave, of one or more size classes.
      gpu::SmallFront<T>* kernel = nullptr;  // One of small_kernels_.
      std::vector<Index> listed;             // Fronts in the plan's numbering.
    };
    std::vector<Small> small;  // Launches in the order of the waves.
    // Launches for large fronts: `batch` on tensor cores, `plain_waves` in plain OpenCL.  If the
    // group has large fronts, one of the two members has a value; otherwise both are nullopt.
    std::optional<gpu::FrontBatchLists> batch;
    std::optional<PlainWavesLists> plain_waves;
  };
  /// The launches of one group.  Members are as in GroupLists.  The lists of `small` and of
  /// `batch`, and the entries of A, are in the group's room (packed_lists.hpp).
  struct Group {
    struct Small {
      gpu::SmallFront<T>* kernel = nullptr;
      gpu::PackedList<Index> listed;
    };
    std::vector<Small> small;
    std::optional<gpu::FrontBatchPlan> batch;
    std::optional<PlainWavesPlan<T>> plain_waves;
    // A's entries in the group's fronts: parts of FrontLists::entry_source and of
    // FrontLists::entry_place from the element first_entry on.
    gpu::PackedList<std::uint32_t> entry_source;
    gpu::PackedList<Index> entry_place;
    Offset first_entry = 0;
    Offset room_bytes = 0;              // Bytes of the room.
    gpu::DeviceBuffer<std::byte> room;  // The room.  Empty: the room is in list_ring_.
  };

  void choose_classes(const symbolic::SymbolicFactor& factor, const DeviceKernelParams& params);
  void make_lists(gpu::ProgramCache& programs, const symbolic::EntryMap& entries,
                  const DeviceKernelParams& params);
  void build_large(gpu::ProgramCache& programs, const DeviceKernelParams& params);
  void list_large(DeviceGroup& planned, const symbolic::EntryMap& entries, int threads,
                  GroupLists& lists) const;
  void list_small(gpu::ProgramCache& programs, const DeviceGroup& planned,
                  const DeviceKernelParams& params, GroupLists& lists);
  Group lay_out(const DeviceGroup& planned, const GroupLists& lists) const;
  gpu::FrontViews lists_of(const Group& group, const gpu::DeviceView<std::byte>& room) const;
  void choose_rooms(Offset list_share);
  void pack(const DeviceGroup& planned, const GroupLists& lists, const Group& group,
            std::span<std::byte> image) const;
  Offset count_bytes();
  Offset count_workspace() const;
  void upload(gpu::Queue& queue, Index group);
  std::pair<Index, Index> groups_of(Index slab) const;
  void factorize_group(gpu::Queue& queue, Index group, gpu::DeviceView<const T> values,
                       gpu::DeviceView<T> panels, gpu::DeviceView<T> updates);
  void factorize_batch(gpu::Queue& queue, const DeviceGroup& planned, gpu::FrontBatchPlan& batch,
                       gpu::DeviceView<const T> values, gpu::DeviceView<T> panels,
                       gpu::DeviceView<T> updates);

  DevicePlan plan_;
  std::vector<std::vector<Index>> joined_;  // Table as joined_small_classes() returns it.
  Offset bytes_ = 0,           // Bytes of device memory without workspace_entries_: bytes().
      workspace_entries_ = 0;  // Entries of the plain kernels' workspace.
  // Entries of factors_: enough for the group whose large fronts need the most.
  Offset factors_entries_ = 0;
  // The lists from which allocate() makes lists_: views of host memory.  Empty after allocate().
  gpu::FrontLists front_lists_;
  std::vector<GroupLists> group_lists_;  // Launches of each group; empty after allocate().
  // Lists of all fronts in device memory: lists().  A's entries are in the rooms of the groups.
  gpu::FrontBuffers lists_;
  gpu::DeviceView<T> updates_;  // Buffer of all update matrices, from allocate().
  gpu::DeviceBuffer<gpu::PivotStatus<T>> status_;  // Pivot status of each front: status().
  // Workspace of the tensor-core kernels: factored diagonal blocks of one group.
  gpu::DeviceBuffer<double> factors_;
  // Kernel of each size class of small fronts; null: no launch uses the class.
  std::vector<std::unique_ptr<gpu::SmallFront<T>>> small_kernels_;
  std::optional<gpu::FrontBatch> batch_;      // Tensor-core kernels; nullopt: not used.
  std::optional<PlainWaves<T>> plain_waves_;  // Plain kernels for large fronts; nullopt: not used.
  std::vector<Group> groups_;                 // Launches of each group.
  std::optional<ListRing> list_ring_;         // Rooms of all groups; nullopt: Group::room.
  int threads_ = 1;                           // Host threads that initialize host memory.
  std::optional<StreamWatch<T>> watch_;       // nullopt: the factor is not streamed.
};

}  // namespace clchol::numeric
