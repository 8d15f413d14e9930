// The plan by which a device factors a matrix and solves with the factor: the order of the fronts,
// the offsets of panels and update matrices in device memory, and the kind of kernel for each
// front.
//
// Fronts are factored in groups (groups.hpp), one group after another.  There is one group unless
// memory is short or update matrices are large beside the panels.  There are two kinds of fronts:
//
//   small fronts   Fronts at the bottom of the assembly tree that have few rows and few pivot
//                  columns (DevicePlanOptions::small_rows, small_columns), and whose descendants
//                  are all small, too.  From the height in the tree on where too few such fronts
//                  are left to fill a device (DevicePlanOptions::least_wave), all fronts are large.
//                  Each small front is factored in local memory, with one or a few launches for
//                  each wave (gpu_kernels/fronts/small_front.hpp).
//   large fronts   All other fronts.  Tensor-core kernels factor all large fronts of a group at
//                  once (gpu_kernels/fronts/front_batch.hpp).  Without tensor-core kernels,
//                  plain kernels factor large fronts wave by wave (plain_waves.hpp).
//
// A wave is a set of fronts whose children are all in earlier waves or in earlier groups.
//
// For several devices, each device has a plan for its part of the factor (symbolic::FactorPart).
// An imported front of a part is one whose update matrix comes from another part; an exported front
// is one whose update matrix goes to another part.
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
#include "numeric/device/stream/wide_panels.hpp"
#include "numeric/panel_table.hpp"
#include "symbolic/entry_map.hpp"
#include "symbolic/front_chains.hpp"

namespace clchol::numeric {

/// Choices for make_device_plan().
struct DevicePlanOptions {
  /// Greatest number of rows of a small front.  All descendants of a small front are small, too.
  Index small_rows = 64;
  /// Greatest number of pivot columns of a small front.
  Index small_columns = 32;
  /// Least number of small fronts of one height.  The height of a front is the greatest number of
  /// edges on a path from a leaf up to the front.  A candidate is a front that keeps the limits
  /// small_rows and small_columns, and whose descendants all keep these limits.  If h is the first
  /// height with fewer than least_wave candidates, all fronts of height h or more are large, and
  /// there are h waves of small fronts.  (A wave may have fewer than least_wave fronts, because
  /// small_waves() assigns small fronts to waves from the roots down, not by height.)
  Index least_wave = 256;
  /// Whether DevicePlan::entry_source lists A's entries in large fronts, too.  plain_waves.hpp
  /// reads these entries; front_batch.hpp makes lists of its own.
  bool list_large = true;
  GroupLimits limits;  ///< Limits of the groups.  Not used for a streamed factor.
  /// Groups, slabs and offsets of a streamed factor.  nullopt: the factor is not streamed.
  std::optional<StreamPlan> stream;
  /// For a part of a factor: supernodes of the imported fronts and of the exported fronts, in the
  /// part's numbering.  Empty for a whole factor.
  std::vector<Index> imported = {}, exported = {};
  /// For a part of a factor: level (symbolic::FactorPart::level) of each front, which is the
  /// greatest number of hand-overs on a path from a leaf to the front.  Length nsuper.  Empty: the
  /// factor is a whole one.
  std::vector<Index> level = {};
  /// For a part of a factor: the wave of each of the part's fronts, from small_waves() of the whole
  /// factor.  Length nsuper.  nullopt: small_waves() of this factor computes the waves.
  std::optional<std::vector<Index>> waves = {};
  /// If large fronts are divided into chains: ChainedFactor::entry_columns
  /// (symbolic/front_chains.hpp).  Length nsuper.  Empty: no front is divided.
  std::span<const Index> entry_columns = {};
  int threads = 1;  ///< Host threads that make the plan's lists.
};

/// Decides which fronts are small, and assigns small fronts to waves.  A small front is in the wave
/// directly before the wave of its parent, or in the last wave if the parent is large or the front
/// is a root.  When a factor is divided into parts, each part uses the waves of the whole factor,
/// so that the kernel of a front, and the bits of L, do not depend on the division.
/// @return the wave of each supernode, numbered from 0 in the order of the factorization; kNone for
///         large fronts.  Length nsuper.
std::vector<Index> small_waves(const symbolic::SymbolicFactor& factor,
                               const DevicePlanOptions& options);

/// The small fronts of one group that are in one wave.
struct SmallWave {
  // Number of the wave, as small_waves() returns it.  Fronts of several groups may be in one wave.
  Index number = 0;
  std::vector<Index> fronts;  // Fronts in the plan's numbering.
};

/// One group of fronts.  The group's fronts have consecutive numbers in the plan, small fronts
/// first.  A group that is a strip has the one front that contains the strip.
struct DeviceGroup {
  Index begin = 0;        // First front of the group, in the plan's numbering.
  Index large_begin = 0;  // First large front of the group; `end` if there is none.
  Index end = 0;          // One past the last front of the group.

  /// Waves of the group's small fronts, from the leaves up.  The parent of a small front is in a
  /// later wave, is a large front, or is in a later group.
  std::vector<SmallWave> small_waves;
  /// First front of each wave of large fronts, from the leaves up, then `end`.  Length: number of
  /// waves + 1.  Empty if continues().
  std::vector<Index> large_waves;

  // Input of front_batch.hpp, which factors large fronts on tensor cores.
  std::vector<gpu::BatchFront> batch;  // The group's large fronts, in order.  Length num_large().
  // Children of the large fronts, front by front, without children that have no update rows.
  std::vector<gpu::BatchChild> batch_children;
  // First pivot column of each large front, numbered as in the permuted matrix.  Length
  // num_large().
  std::vector<Index> batch_first_column;
  // Number of columns of each large front to which A's entries are added.  Length num_large().
  std::vector<Index> batch_entry_columns;

  Index slab = 0;            // Slab that holds the group's panels.
  bool is_imported = false;  // Whether the group is one imported front.
  /// Set if the group is a strip: some columns of one large front.  Other groups compute the
  /// front's other columns.  nullopt: the group computes whole fronts.
  std::optional<FrontStrip> strip;

  Index num_large() const { return end - large_begin; }
  /// Whether the group is a strip other than the first strip of its front.
  bool continues() const { return strip && !strip->is_first; }
};

/// One slab: the panels of consecutive groups, in one range of memory.  A solve processes the
/// fronts slab by slab.  In a part of a factor, fronts of different levels
/// (DevicePlanOptions::level) are in different slabs, except for imported fronts, which have no
/// panels.
struct PanelSlab {
  Index begin = 0, end = 0;  // Fronts [begin, end) of the plan.
  /// Entries of all inverted diagonal blocks of the slab's fronts, for solves by waves (solve.hpp).
  Offset inverse_entries = 0;
};

/// An imported or exported front of this part.  The front's update matrix is handed over in a
/// factorization, and vectors of the front are handed over in a solve (hand_over.hpp).
struct HandedUpdate {
  Index super = 0;  // Supernode of the front, in the part's numbering.
  Index front = 0;  // Number of the front in the plan.
  /// Exported front: the slab of the front.  Imported front: the slab of the front's parent.
  ///
  ///                    imported front                     exported front
  ///   forward solve    receive a vector before the slab   send a vector after the slab
  ///   backward solve   send a vector after the slab       receive a vector before the slab
  Index slab = 0;
  /// Group of the front.  In a factorization, the update matrix of an imported front is received
  /// directly before this group, and that of an exported front is sent directly after this group.
  Index group = 0;
  Offset begin = 0;    // Offset of the update matrix in the buffer of update matrices, in entries.
  Offset entries = 0;  // Entries of the update matrix.
};

/// The plan by which a device factors a matrix and solves with the factor.  The plan numbers the
/// fronts group by group: in each group first the small fronts in postorder, then the large fronts
/// wave by wave.
struct DevicePlan {
  std::vector<Index> super;         // Supernode of each front.  Length: number of fronts.
  std::vector<DeviceGroup> groups;  // Groups in the order in which they are factored.
  gpu::SlabPlan panels;             // Sizes of the slabs; slab and offset of each group's panels.
  std::vector<PanelSlab> slabs;     // Fronts of each slab.  Length: number of slabs.
  /// Plan of a streamed factor; nullopt: the factor is not streamed.  StreamPlan::groups is empty,
  /// because make_device_plan() moves the groups to other members of this struct.
  std::optional<StreamPlan> stream;

  // Sizes and offsets of each front.  Front::panel is an offset in the panels of the front's slab,
  // Front::inverses an offset in the slab's inverted diagonal blocks.  Length: number of fronts.
  std::vector<gpu::Front> fronts;
  std::vector<gpu::Child> children;  // Children that have update rows, parent by parent.
  // A's entries in small fronts, and in large fronts if list_large is true, front by front: index
  // of each entry in A's values.  Front F has the elements [F.entry_begin, F.entry_end).
  // DeviceFactor::allocate() uploads this list and empties it.
  std::vector<std::uint32_t> entry_source;
  // For each element of entry_source: offset of the entry in the panel of its front, in entries,
  // counted from row 0 of a base column (gpu::make_entry_places()), so that 32 bits are enough.
  // Length entry_source.size().
  std::vector<Index> entry_place;
  bool list_large = true;  // Whether entry_source and entry_place have large fronts' entries too.

  std::vector<HandedUpdate> imported,  // Imported fronts, ascending in HandedUpdate::group.
      exported;                        // Exported fronts, ascending in HandedUpdate::group.
  // Whether an imported update matrix has memory only from its front's group on
  // (GroupLimits::late_imports), so that it must not arrive earlier.
  bool late_imports = false;

  // Entries of the buffer of update matrices.  For a streamed factor this buffer is the arena.
  Offset update_entries = 0;
  double flops = 0;        // SymbolicInfo::flops: flops of a factorization without explicit zeros.
  SolveOrder solve_order;  // Slabs that the device solves with, in the order of a forward solve.
  // Number of rows, and of columns, of an inverted diagonal block, for solves by waves.
  Index solve_block = 0;
  // Number of rows of the workspace that holds the fronts' vectors in solves by waves.  A row has
  // one entry for each right-hand side.
  Offset vector_rows = 0;

  /// Number of entries of all slabs together.
  Offset panel_entries() const { return panels.total(); }
  /// First slab that the device solves with.  The CPU solves with all slabs before this slab.
  Index first_on_device() const { return stream ? stream->first_on_device : 0; }
  /// Number of small fronts, without imported fronts.
  Index num_small() const;
};

/// A wave of one group: only small fronts or only large fronts.
struct DeviceWave {
  Index slab = 0;             // Slab that holds the panels of the fronts.
  std::vector<Index> fronts;  // Fronts in the plan's numbering.
};
/// Lists the waves of all fronts that the device solves with, group by group.  The waves of a group
/// are listed from the leaves up, waves of small fronts before waves of large fronts.
std::vector<DeviceWave> waves_of(const DevicePlan& plan);

/// Makes the plan.  Cost O(nsuper log(nsuper) + nnz(A)).
/// @param entries  Map from A's entries to the panels of `factor`.
/// Throws OutOfMemory when the panel of one front has more entries than options.limits.panels.
DevicePlan make_device_plan(const symbolic::SymbolicFactor& factor,
                            const symbolic::EntryMap& entries, DevicePlanOptions options = {});

/// Lists the fronts of the plan, slab by slab, but each chain as a whole where its first link is.
/// @param chains  The divided factor for which the plan was made.  Null: no front is divided.
std::vector<Index> fronts_by_chains(const DevicePlan& plan, const symbolic::ChainedFactor* chains);

/// Returns a vector of length nsuper: 1 for each supernode that the CPU solves with
/// (host_solve.hpp), 0 for each supernode that the device solves with.
std::vector<char> part_of_host(const DevicePlan& plan);

/// Returns the wide panels of a streamed factor.  Returns none if the factor is not streamed.
WidePanels wide_panels(const DevicePlan& plan);

/// Returns the slab, the offset in the slab and the leading dimension of each supernode's panel.
/// Offsets and leading dimensions are the same in device memory and in host memory.
PanelTable panel_table(const DevicePlan& plan);

/// Lists the fronts that the device solves with, slab by slab, as input of
/// gpu_kernels/fronts/front_solve.hpp.  A front's rows begin at
/// factor.super_rowind[SolveFrontInput::rows], and its relative indices begin at
/// factor.relind[SolveFrontInput::relind].  Cost O(nsuper).
std::vector<gpu::SolveFrontInput> solve_fronts(const symbolic::SymbolicFactor& factor,
                                               const DevicePlan& plan);

}  // namespace clchol::numeric
