// Plans the memory of a share before anything is allocated: how many bytes of device memory, of
// host memory and of a scratch file the share needs, and the offset of each array in its buffer.  A
// share (share.hpp) is the object that factors and solves on one device.  A share has all fronts of
// a factor, or a part of the fronts if several devices work together.
//
// The caller gives a budget for each kind of memory.  The planner takes the first of these modes
// that fits into the budgets:
//
//   1. in core: L stays in device memory.  All fronts are factored in one group or in a few groups.
//   2. in core, with many groups in depth-first order, so that fewer update matrices are in memory
//      at the same time (groups.hpp)
//   3. streamed: panels of L that do not fit into device memory go to host memory or to a file
//      (stream/plan.hpp).  Not possible for a part of a factor.
//
// The predicted bytes are the sizes of the buffers in a layout (ShareLayout, SolveLayout), and the
// share allocates its buffers by the same layout.  So the predicted and the allocated memory agree.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "numeric/device/factor.hpp"
#include "numeric/device/host_solve.hpp"
#include "numeric/device/solve.hpp"
#include "numeric/device/stream/panel_store.hpp"
#include "numeric/memory_plan.hpp"
#include "symbolic/front_chains.hpp"

namespace clchol::numeric {

/// Number of right-hand sides for which the planner compares the memory of different layouts.  Also
/// the greatest number of right-hand sides in one solve with a part of a factor.
inline constexpr Index kUsualColumns = 16;
/// Up to this number of bytes, update matrices are no reason for several groups.
inline constexpr Offset kSmallUpdates = Offset{64} << 20;

/// Budgets of memory, in bytes.
struct ShareBudgets {
  Offset device = 0;  ///< Bytes of device memory that the share may use.
  Offset buffer = 0;  ///< Greatest number of bytes of one device buffer.
  /// Bytes of host memory that a streamed factor may use: for panels, for update matrices, for the
  /// slots (buffers) through which panels go to the scratch file, and for solves by the CPU.
  Offset host = 0;
  /// If the user has not set a budget, the budget was derived from the memory that the device or
  /// the host has.  Only the words of error messages depend on these two members.
  bool device_is_given = false,  ///< Whether the user has set the budget `device`.
      host_is_given = false;     ///< Whether the user has set the budget `host`.
  /// Bytes per second at which the scratch file is written or read.  0: panels must not go to a
  /// file.
  double file_rate = 0;
};

/// Data of a share whose fronts are a part of a whole factor (symbolic::FactorPart).  Fronts are
/// numbered as in the part.
struct SharePart {
  // Imported fronts: fronts of other parts whose parents are in this part.  Exported fronts: fronts
  // of this part whose parents are in other parts.
  std::vector<Index> imported, exported;
  // Level of each front: greatest number of transfers between devices on a path from a leaf of the
  // whole tree to the front.  Length nsuper.
  std::vector<Index> level;
  // Wave of each small front, from small_waves() of the whole factor; kNone for large and imported
  // fronts.  Length nsuper.
  std::vector<Index> waves;
  // joined[w][k]: size class whose launch factors the fronts of wave w and size class k.  The table
  // that joined_small_classes() returns for the whole factor.
  std::vector<std::vector<Index>> joined;
};

/// Memory layout of a share, except for X (the right-hand sides) and the workspace of solves.  The
/// lifetime of a memory range is counted in steps: steps 0 to G - 1 are the factorizations of the G
/// groups of fronts, and step G is a solve.
struct ShareLayout {
  MemoryPlan plan;  // All buffers, and all memory ranges in them.
  // Numbers of two buffers of `plan`.  For a streamed factor, the buffer of update matrices is the
  // arena, which holds panels, too.
  Index updates = kNone,       // Number of the buffer of update matrices.
      room = kNone;            // Number of the buffer for X and the workspace of solves.
  MemoryPlan::Place inverses;  // Inverted diagonal blocks of all slabs that stay on the device.
  // Memory range for slabs that a solve reads from host memory or from the file, one after another.
  MemoryPlan::Place ring;
  // A dropped slab is not stored: its panels are computed again, in each half of a solve.  This
  // needs two memory ranges.
  MemoryPlan::Place dropped,  // Panels and inverted diagonal blocks of the dropped slab.
      scratch;                // Update matrices of the group that is factored again.
};

/// Memory layout of a share for solves with a given number of right-hand sides, nrhs.
struct SolveLayout {
  MemoryPlan plan;      // ShareLayout::plan, to which the memory of solves was added.
  MemoryPlan::Place x,  // Memory range of X: n * nrhs entries.
      workspace;        // Memory range of DeviceSolve::workspace_entries(nrhs) entries.
};

/// Kernels, lists and memory layout of a share.  The lists are in host memory until
/// DeviceFactor::allocate() and DeviceSolve::allocate() upload them.
template <class T>
struct SharePlan {
  // The factor with large fronts divided into chains, if StreamPlan::link says so.  Null: no front
  // is divided.
  std::unique_ptr<const symbolic::ChainedFactor> chains;
  std::unique_ptr<DeviceFactor<T>> factor;  // Kernels and lists of factorizations.
  // Kernels and lists of solves on the device.  Null if a share could not build any solve kernels.
  std::unique_ptr<DeviceSolve<T>> solve;
  // Object that solves with some slabs on the CPU.  Null: the device solves with all slabs.
  std::unique_ptr<HostSolve<T>> host;
  // Offset of each slab's inverted diagonal blocks in the range memory.inverses, in entries.  0 for
  // slabs that do not stay on the device.  The last element is the number of entries of
  // memory.inverses.  Length: number of slabs + 1.
  std::vector<Offset> inverses;
  ShareLayout memory;
  Index columns = 1;  // Greatest number of right-hand sides of one solve.

  /// Bytes of host memory for panels, for update matrices, for the slots (buffers) through which
  /// panels go to the file, and for lists that come to the device with their group.
  Offset host_bytes() const { return memory.plan.bytes(Tier::kHost); }
  /// Bytes of panels in the scratch file.
  Offset file_bytes() const { return memory.plan.bytes(Tier::kFile); }
  /// First slab that stays on the device after a factorization.  All later slabs stay, too.
  Index first_resident() const {
    const auto& stream = factor->plan().stream;
    return stream ? stream->first_resident : 0;
  }
  Index num_slabs() const { return static_cast<Index>(factor->plan().slabs.size()); }
};

/// Returns the rates of a device, from the row "stream", "rates" of the device's tuning data.  The
/// row for double is also used for float.  If the row does not have a parameter, the rate keeps its
/// default value.
///
///   parameter           member of StreamRates
///   "gflops"            flops_per_s
///   "mb_per_s"          bytes_per_s
///   "group_us"          group_s
///   "column_ns"         column_s
///   "thread_mb_per_s"   host_bytes_per_s = min(threads * t, h), where t is this parameter: the
///                       rate at which one host thread reads panels
///   "host_mb_per_s"     h in this formula: the greatest rate at which all host threads together
///                       read panels
///
/// @param value_bytes  Bytes of an entry, sizeof(T).  Stored in StreamRates::value_bytes; does not
///                     change the rates.
/// @param threads      Number of host threads that solve.
StreamRates stream_rates(const gpu::Tuning& tuning, Offset value_bytes, int threads);

/// Predicted memory, times and transfers of one mode: in core, or streamed within some amount of
/// device memory.
struct ModeEstimate {
  bool is_streamed = false,  ///< Whether the factor is streamed; otherwise the factor is in core.
      is_least = false;      ///< Whether the mode needs about the least possible device memory.
  /// `device`: bytes of device memory for a factorization and a solve with one right-hand side.
  /// `host`: bytes of host memory for panels, update matrices and slots (SharePlan::host_bytes()).
  Offset device = 0, host = 0;
  /// Bytes of panels in the scratch file.  A factorization writes these panels once; the forward
  /// solve and the backward solve each read them once.
  Offset file = 0;
  double factor_s = 0,   ///< Seconds of a factorization.
      solve_s = 0;       ///< Seconds of a solve, forward and backward, with one right-hand side.
  Offset to_host = 0,    ///< Bytes that a factorization transfers from the device to the host.
      to_device = 0,     ///< Bytes that a factorization transfers from the host to the device.
      solve = 0;         ///< Bytes of panels that a solve (both halves) transfers to the device.
  Offset cpu_solve = 0;  ///< Bytes of the panels in host memory that the CPU solves with.
};

/// Makes plans for one matrix on one device.  T: double, float.
template <class T>
class SharePlanner {
 public:
  /// @param runtime, symbolic  Must outlive the planner.
  /// @param num_values         Number of stored entries of A's lower triangle.
  /// @param threads            Number of host threads that make plans, and that solve.
  /// @param part               Data of the part, if `symbolic` is a part of a whole factor.  Must
  ///                           outlive the planner.  Null: `symbolic` is a whole factor.
  SharePlanner(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
               Offset num_values, const ShareBudgets& budgets, int threads,
               const SharePart* part = nullptr)
      : runtime_(runtime),
        symbolic_(symbolic),
        num_values_(num_values),
        budgets_(budgets),
        threads_(threads),
        part_(part) {}

  /// Makes a plan that fits into the budgets: builds kernels, makes lists in host memory, and lays
  /// out the memory.
  /// @param entries  Map from A's entries to panels.  The map must live until
  ///                 DeviceFactor::allocate() of the plan's factor returns.
  /// Throws OutOfMemory when a budget is too small, or a buffer would be larger than
  /// ShareBudgets::buffer; BuildError.
  SharePlan<T> make(const symbolic::EntryMap& entries, const DeviceKernelParams& params) const;

  /// Predicts several modes: in core; streamed within a half, a quarter and an eighth of the device
  /// memory that the in-core mode needs, where this is enough; and streamed within about the least
  /// possible device memory.  ShareBudgets::device has no influence.  Throws BuildError.
  std::vector<ModeEstimate> modes(const symbolic::EntryMap& entries,
                                  const DeviceKernelParams& params) const;

  /// Which buffer holds the inverted diagonal blocks of the slabs that stay on the device:
  ///
  ///   kApart       a buffer of their own
  ///   kInUpdates   the buffer of update matrices; the inverted blocks overwrite update matrices,
  ///                which are no longer needed when the factorization has ended
  ///   kAsIsBest    kApart or kInUpdates, whichever needs less device memory
  enum class Inverses : unsigned char { kAsIsBest, kApart, kInUpdates };
  /// Lays out the memory of a plan again: overwrites plan.memory and plan.inverses.
  /// @param updates_there  Bytes of the buffer of update matrices, if this buffer is allocated
  ///                       already; in the new layout this buffer has at least as many bytes.  0:
  ///                       the buffer is not allocated.
  void place(SharePlan<T>& plan, Inverses inverses = Inverses::kAsIsBest,
             Offset updates_there = 0) const;

  /// Returns the plan's memory layout, with ranges for X and for the workspace of solves with nrhs
  /// right-hand sides.
  SolveLayout with_solve(const SharePlan<T>& plan, Index nrhs) const {
    return with_solve(plan, plan.memory, nrhs);
  }
  /// Returns the bytes of device memory of a factorization and a solve with nrhs right-hand sides.
  Offset bytes(const SharePlan<T>& plan, Index nrhs) const {
    return bytes(plan, plan.memory, nrhs);
  }

  const ShareBudgets& budgets() const { return budgets_; }
  Offset num_values() const { return num_values_; }
  int threads() const { return threads_; }

 private:
  /// Amounts of memory that are about the same in all modes.  others_of() takes these amounts from
  /// one plan that has been made, and they serve as estimates for the plans that are made next.
  struct Others {
    // Approximate bytes of device memory for everything except panels and update matrices, with one
    // right-hand side.
    Offset bytes = 0;
    // Bytes of two kinds of data that depend on the groups: lists that only one group reads, which
    // a streamed factor may leave in host memory; and factored diagonal blocks of the group that
    // needs the most (DeviceFactor::factors_bytes()).  Not counted in `bytes`.
    Offset of_groups = 0;
    // Bytes of device memory that kUsualColumns right-hand sides need beyond one right-hand side.
    Offset block = 0;
    Offset host = 0;          // Bytes of host memory for solves by the CPU.
    Offset panels = 0;        // Entries of all panels.
    bool by_tickets = false;  // Whether the kernels of solves work by tickets (solve.hpp).
  };
  Others others_of(const SharePlan<T>& plan) const;
  SharePlan<T> make_less(const symbolic::EntryMap& entries, const DeviceKernelParams& params,
                         const Others& others) const;
  std::optional<SharePlan<T>> make_in_core(const symbolic::EntryMap& entries,
                                           const DeviceKernelParams& params,
                                           const Others& others) const;
  std::optional<SharePlan<T>> make_streamed(const symbolic::EntryMap& entries,
                                            const DeviceKernelParams& params, Others others) const;
  Others others_beside(const SharePlan<T>& plan) const;
  Offset bytes_beside(const SharePlan<T>& plan) const;
  SharePlan<T> make_least(const symbolic::EntryMap& entries, const DeviceKernelParams& params,
                          const Others& others) const;
  ModeEstimate estimate(const SharePlan<T>& plan) const;
  StreamBudget stream_budget(Offset bytes, Offset beside, const Others& others,
                             const DeviceKernelParams& params) const;
  StreamRates rates() const;
  /// Kinds of streamed plans among which the fastest is searched for.
  struct StreamKinds {
    // Numbers of right-hand sides for which a plan may have room.
    std::vector<Index> columns{1, 4, 8, kUsualColumns};
    // Whether plans may divide large fronts into links.
    bool has_links = true;
  };
  std::optional<StreamPlan> fastest_stream(const StreamBudget& budget,
                                           const StreamKinds& kinds) const;
  std::optional<StreamPlan> stream_within(Offset bytes, const Others& others,
                                          const DeviceKernelParams& params,
                                          const StreamKinds& kinds) const;
  SharePlan<T> make_plan(const symbolic::EntryMap& entries, const DeviceKernelParams& params,
                         const GroupLimits& limits, std::optional<StreamPlan> stream = {}) const;
  void check(const SharePlan<T>& plan) const;
  Index choose_columns(const SharePlan<T>& plan) const;
  /// Contents of the buffer of update matrices during solves, as an argument of lay_out().
  struct Kept {
    // Whether the inverted diagonal blocks are in the buffer of update matrices; otherwise they are
    // in a buffer of their own.
    bool in_updates = false;
    // Bytes of the buffer of update matrices, if this buffer is allocated already; otherwise 0.
    Offset updates_there = 0;
    Offset ring = 0,  // Number of entries of the range ShareLayout::ring.
        dropped = 0;  // Number of entries of the range ShareLayout::dropped.
  };
  ShareLayout lay_out(const SharePlan<T>& plan, const Kept& kept) const;
  SolveLayout with_solve(const SharePlan<T>& plan, const ShareLayout& memory, Index nrhs) const;
  Offset bytes(const SharePlan<T>& plan, const ShareLayout& memory, Index nrhs) const {
    return with_solve(plan, memory, nrhs).plan.bytes(Tier::kDevice);
  }

  gpu::DeviceRuntime& runtime_;
  const symbolic::SymbolicFactor& symbolic_;
  Offset num_values_;
  ShareBudgets budgets_;
  int threads_;
  const SharePart* part_;  // Null: the factor is a whole factor.
};

}  // namespace clchol::numeric
