// The plan from which a device factors one symbolic factor and solves with it: the order of the
// fronts, the offsets of panels and update matrices in device memory, and the kind of kernel for
// each front.
//
// Fronts are factored in groups (groups.hpp), one group after another.  There is one group unless
// memory is short or update matrices are large beside the panels.  A group has two kinds of fronts:
//
//   small fronts   Subtrees at the bottom of the tree.  Each front is factored in local memory.
//                  One launch or a few for each wave: gpu_kernels/fronts/small_front.hpp.
//   large fronts   All fronts above the small fronts.  On tensor cores all at once:
//                  gpu_kernels/fronts/front_batch.hpp; otherwise wave by wave: plain_waves.hpp.
//
// A wave is fronts of equal height in the tree; all their children are in earlier waves or groups.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu_kernels/fronts/front_batch_tiles.hpp"
#include "gpu_kernels/fronts/front_solve_tiles.hpp"
#include "gpu_kernels/fronts/fronts.hpp"
#include "gpu_kernels/runtime/slab_plan.hpp"
#include "numeric/device/groups.hpp"
#include "numeric/device/stream/plan.hpp"
#include "numeric/panel_table.hpp"
#include "symbolic/entry_map.hpp"

namespace clchol::numeric {

/// Choices for make_device_plan().
struct DevicePlanOptions {
  /// Greatest number of rows of a small front.  All descendants of a small front are small, too.
  Index small_rows = 64;
  /// Greatest number of pivot columns of a small front.
  Index small_columns = 32;
  /// Least number of fronts in a wave of small fronts.  Waves are counted from the leaves up.  In
  /// the first wave that would have fewer small fronts, and in all later waves, fronts are large.
  Index least_wave = 256;
  /// Whether DevicePlan::entry_source lists A's entries in large fronts, too.  plain_waves.hpp
  /// reads these entries; front_batch.hpp makes lists of its own.
  bool list_large = true;
  GroupLimits limits;  ///< Limits of the groups.  Not used for a streamed factor.
  /// Groups and offsets of a streamed factor.  None: the factor is not streamed.
  std::optional<StreamPlan> stream;
  /// For a part of a factor, fronts whose update matrices come from other parts (`imported`) and
  /// fronts whose update matrices go to other parts (`exported`): supernodes in the part's
  /// numbering, as in symbolic::FactorPart.
  std::vector<Index> imported = {}, exported = {};
  /// For a part of a factor: FactorPart::level of each front.  Length nsuper.  Empty: the factor is
  /// a whole one.
  std::vector<Index> level = {};
  /// For a part of a factor: the wave of each of the part's fronts, from small_waves() of the whole
  /// factor.  Length nsuper.  None: the waves are small_waves() of this factor.
  std::optional<std::vector<Index>> waves = {};
  int threads = 1;  ///< Host threads that make the lists.
};

/// Decides which fronts are small, and assigns them to waves.  A small front is in the wave before
/// its parent's, or in the last wave if its parent is large or missing.  When a factor is divided
/// into parts, the waves of the whole factor are used in each part: the kernel of a front, and the
/// bits of L, then do not depend on the division.
/// @return the wave of each supernode, numbered from 0 in the order of the factorization; kNone for
///         large fronts.  Length nsuper.
std::vector<Index> small_waves(const symbolic::SymbolicFactor& factor,
                               const DevicePlanOptions& options);

/// The small fronts of one group that are in one wave.
struct SmallWave {
  Index number = 0;           // Wave number of small_waves().  Several groups may have this wave.
  std::vector<Index> fronts;  // Fronts in the plan's numbering.
};

/// One group of fronts.  The group has consecutive fronts of the plan, small fronts first.
struct DeviceGroup {
  Index begin = 0;        // First front of the group, in the plan's numbering.
  Index large_begin = 0;  // First large front of the group; `end` if there is none.
  Index end = 0;          // One past the last front of the group.

  /// Waves of small fronts, from the leaves up.  The parent of a small front is in a later wave,
  /// among the large fronts, or in a later group.  Fronts of one wave have about the same size.
  std::vector<SmallWave> small_waves;
  /// First front of each wave of large fronts, from the leaves up, then `end`.  Length: number of
  /// waves + 1.  Empty if continues().
  std::vector<Index> large_waves;

  // Input of front_batch.hpp, which factors large fronts on tensor cores.
  std::vector<gpu::BatchFront> batch;           // Each large front.  Length num_large().
  std::vector<gpu::BatchChild> batch_children;  // Children that have update rows, front by front.
  // First pivot column of each large front, in the symbolic factor.  Length num_large().
  std::vector<Index> batch_first_column;

  Index slab = 0;            // Slab that holds the group's panels.
  bool is_imported = false;  // Whether the group is one front whose update matrix is imported.
  /// The columns that this group computes of its only front, when a front is divided among several
  /// groups.  None: the group computes whole fronts.
  std::optional<FrontStrip> strip;

  Index num_large() const { return end - large_begin; }
  /// Whether the group is a strip, but not the first strip, of its front.
  bool continues() const { return strip && !strip->is_first; }
};

/// One slab: the panels of whole consecutive groups, in one range of memory.  A solve processes the
/// fronts slab by slab.  Fronts of different levels (FactorPart::level) are in different slabs.
struct PanelSlab {
  Index begin = 0, end = 0;  // Fronts [begin, end) of the plan.
  /// Entries of the inverted diagonal blocks of the slab's fronts in solves by waves.
  Offset inverse_entries = 0;
};

/// An update matrix that this part imports or exports.
struct HandedUpdate {
  Index super = 0;  // Supernode of the front whose update matrix is handed over.
  Index front = 0;  // Number of this front in the plan.
  /// Slab of the exported front, or of the parent of the imported front.  The share receives a
  /// vector right before it solves with this slab, or sends a vector right afterwards.  Forward
  /// solves receive for imported fronts and send for exported fronts; backward solves send
  /// for imported fronts and receive for exported fronts.
  Index slab = 0;
  /// Group of the front.  In a factorization, the share receives the update matrix of an imported
  /// front right before this group, and sends that of an exported front right afterwards.
  Index group = 0;
  Offset begin = 0;    // Offset of the update matrix in the buffer of update matrices, in entries.
  Offset entries = 0;  // Entries of the update matrix.
};

/// The plan.  It has a numbering of its own for the fronts: group by group, and in each group first
/// the small fronts in postorder, then the large fronts wave by wave.
struct DevicePlan {
  std::vector<Index> super;         // Supernode of each front.  Length: number of fronts.
  std::vector<DeviceGroup> groups;  // Groups in the order in which they are factored.
  gpu::SlabPlan panels;             // Sizes of the slabs; slab and offset of each group's panels.
  std::vector<PanelSlab> slabs;     // The slabs.  Length: number of slabs.
  /// Plan of a streamed factor; none: the factor is not streamed.  StreamPlan::groups is empty,
  /// because make_device_plan() has made the members of this struct from it.
  std::optional<StreamPlan> stream;

  // Sizes and offsets of each front.  Front::panel and Front::inverses are offsets in the memory of
  // the front's slab.  Length: number of fronts.
  std::vector<gpu::Front> fronts;
  std::vector<gpu::Child> children;  // Children that have update rows, parent by parent.
  // A's entries in small fronts, and in large fronts if list_large, front by front: index of each
  // entry in A's values.
  std::vector<std::uint32_t> entry_source;
  // Offset in its panel of each entry of entry_source: gpu::make_entry_places().
  std::vector<Index> entry_place;
  bool list_large = true;  // DevicePlanOptions::list_large.

  // Update matrices that the part imports, and update matrices that it exports.  Each list ascends
  // in HandedUpdate::group.
  std::vector<HandedUpdate> imported, exported;
  bool late_imports = false;  // GroupLimits::late_imports.

  // Entries of the buffer of update matrices.  For a streamed factor this buffer is the arena.
  Offset update_entries = 0;
  double flops = 0;        // Floating-point operations of a factorization.
  SolveOrder solve_order;  // Slabs that the device solves with, in the order of a forward solve.
  Index solve_block = 0;   // Order of the inverted diagonal blocks in solves by waves.
  // Rows of the workspace for the fronts' vectors in solves by waves.  A row has nrhs entries.
  Offset vector_rows = 0;

  /// Entries of all slabs.
  Offset panel_entries() const { return panels.total(); }
  /// First slab that the device solves with.  The CPU solves with all slabs before this slab.
  Index first_on_device() const { return stream ? stream->first_on_device : 0; }
  /// Number of small fronts.  Imported fronts do not count.
  Index num_small() const;
};

/// The fronts of one group that are in one wave, small or large.
struct DeviceWave {
  Index slab = 0;             // Slab that holds the panels of the fronts.
  std::vector<Index> fronts;  // Fronts in the plan's numbering.
};
/// Lists the waves of all fronts that the device solves with, group by group.  The waves of a group
/// go from the leaves up, small fronts before large fronts.
std::vector<DeviceWave> waves_of(const DevicePlan& plan);

/// Makes the plan.  Cost O(nsuper log(nsuper) + nnz(A)).
/// @param entries  Map from A's entries to the panels of `factor`.
/// Throws OutOfMemory when the panel of one front has more entries than options.limits.panels.
DevicePlan make_device_plan(const symbolic::SymbolicFactor& factor,
                            const symbolic::EntryMap& entries, DevicePlanOptions options = {});

/// Returns for each supernode 1 if the CPU solves with its front, otherwise 0.  Length of the
/// result: nsuper.
std::vector<char> part_of_host(const DevicePlan& plan);

/// Returns the slab, the offset in the slab and the leading dimension of each supernode's panel.
/// They are the same in device memory and in host memory.
PanelTable panel_table(const DevicePlan& plan);

/// Lists the fronts that the device solves with, slab by slab, as input of
/// gpu_kernels/fronts/front_solve.hpp.  SolveFrontInput::rows is an index into factor.super_rowind,
/// and SolveFrontInput::relind is an index into factor.relind.  Cost O(nsuper).
std::vector<gpu::SolveFrontInput> solve_fronts(const symbolic::SymbolicFactor& factor,
                                               const DevicePlan& plan);

}  // namespace clchol::numeric
