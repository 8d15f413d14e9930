// The plan of the device engine for one symbolic factor: the order of the fronts, their offsets in
// device memory, and the kernels that factor them.
//
// Fronts are factored in groups (groups.hpp), one group after another.  There is one group unless
// memory is short or update matrices are large beside the panels.  A group has two kinds of fronts:
//
//   small fronts   subtrees at the bottom, each front in local memory, wave by wave:
//                  small_front.hpp
//   large fronts   all fronts above them, at once: front_batch.hpp;
//                  or wave by wave: plain_waves.hpp
//
// small_front.hpp and front_batch.hpp are in gpu_kernels/fronts/.
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

struct DevicePlanOptions {
  /// Rows of a small front at most.  All descendants of a small front are small, too.
  Index small_rows = 64;
  /// Pivot columns of a small front at most.
  Index small_columns = 32;
  /// Fronts of a wave of small fronts at least.  Fronts of smaller waves, and all fronts above
  /// them, are large.
  Index least_wave = 256;
  /// Whether A's entries in large fronts are listed too.  plain_waves.hpp reads these lists;
  /// front_batch.hpp makes lists of its own.
  bool list_large = true;
  GroupLimits limits;  ///< Limits of the groups, unless the factor is streamed.
  /// Groups and offsets of a streamed factor.  None: the factor is not streamed.
  std::optional<StreamPlan> stream;
  /// Fronts whose update matrices come from other parts of a factor, and fronts whose update
  /// matrices go to other parts.  Numbers of this part (symbolic::FactorPart).
  std::vector<Index> imported = {}, exported = {};
  std::vector<Index> level = {};  ///< FactorPart::level of each front.  Empty: a whole factor.
  /// For a part of a factor: the wave of each front by small_waves() of the whole factor.  None:
  /// the waves are small_waves() of this factor.
  std::optional<std::vector<Index>> waves = {};
  int threads = 1;  ///< Host threads that make the lists.
};

/// Finds the wave of each small front, as late as the front's parent allows.  The whole tree
/// decides, so that a front's kernel, and with it the bits of L, are the same in any part.
/// @return the wave of each supernode; kNone for large fronts.  Length nsuper.
std::vector<Index> small_waves(const symbolic::SymbolicFactor& factor,
                               const DevicePlanOptions& options);

/// Small fronts of one group whose children are all in earlier waves.
struct SmallWave {
  Index number = 0;           // Number of the wave in the whole tree; several groups may share it.
  std::vector<Index> fronts;  // Fronts of the group in this wave, in the plan's numbering.
};

/// Fronts that are factored at once.  Fronts have the plan's numbers; small fronts come first.
struct DeviceGroup {
  Index begin = 0;        // First front of the group.
  Index large_begin = 0;  // First large front of the group.
  Index end = 0;          // First front behind the group.

  /// Waves of small fronts, from the leaves up.  The parent of a small front is in a later wave,
  /// among the large fronts, or in a later group.  Fronts of one wave have about the same size.
  std::vector<SmallWave> small_waves;
  /// First front of each wave of large fronts, from the leaves up, and `end`.  Length: number of
  /// waves + 1.  Empty if continues().
  std::vector<Index> large_waves;

  std::vector<gpu::BatchFront> batch;           // Large fronts.  Length num_large().
  std::vector<gpu::BatchChild> batch_children;  // Large fronts' children with update rows.
  std::vector<Index> batch_first_column;        // First pivot column of each large front.

  Index slab = 0;            // Slab that holds the group's panels.
  bool is_imported = false;  // Whether the group is one front that another part computes.
  /// Columns of the group's only front that this group computes.  The groups of the other strips
  /// have the same front.  None: the group computes whole fronts.
  std::optional<FrontStrip> strip;

  Index num_large() const { return end - large_begin; }
  /// Whether an earlier group computes another strip of the same front.
  bool continues() const { return strip && !strip->is_first; }
};

/// Fronts of whole groups whose panels are in one buffer.  Solves take one slab after another.
/// Fronts of different levels of a part are in different slabs.
struct PanelSlab {
  Index begin = 0, end = 0;  // Fronts [begin, end) of the plan.
  /// Entries of the fronts' inverted diagonal blocks in solves by waves.
  Offset inverse_entries = 0;
};

/// An update matrix that this part imports or exports.
struct HandedUpdate {
  Index super = 0;  // Supernode of the front whose update matrix is handed over.
  Index front = 0;  // Number of this front in the plan.
  /// Slab of an exported front, or of an imported front's parent.  A solve receives the front's
  /// vector before it takes this slab, or sends the vector afterwards.
  Index slab = 0;
  Index group = 0;     // Group of an imported front, or group whose kernels compute the export.
  Offset begin = 0;    // Offset of the update matrix in the buffer of update matrices, in entries.
  Offset entries = 0;  // Entries of the update matrix.
};

/// The plan.  Fronts are numbered anew, group by group.  Within a group, small fronts come first,
/// in postorder; large fronts follow, wave by wave.
struct DevicePlan {
  std::vector<Index> super;         // Supernode of each front.  Length: number of fronts.
  std::vector<DeviceGroup> groups;  // Groups in the order in which they are factored.
  gpu::SlabPlan panels;             // Slab and offset of each group's panels.
  std::vector<PanelSlab> slabs;     // Slabs in the order of their numbers.
  /// Plan of a streamed factor; none: the factor is not streamed.  Its member `groups` is empty,
  /// because the members of this struct have taken it over.
  std::optional<StreamPlan> stream;

  // Fronts.  Offsets of panels and of inverted blocks count from the front's slab.
  std::vector<gpu::Front> fronts;
  std::vector<gpu::Child> children;  // Children that have update rows, parent by parent.
  // Entries of A in small fronts, and in large fronts if list_large, front by front: the position
  // of each entry in A's values.
  std::vector<std::uint32_t> entry_source;
  // Position of each of these entries in its panel: gpu::make_entry_places().
  std::vector<Index> entry_place;
  bool list_large = true;  // DevicePlanOptions::list_large.

  // Update matrices that the part imports and exports, each list in the order of groups.
  std::vector<HandedUpdate> imported, exported;
  bool late_imports = false;  // GroupLimits::late_imports.

  // Entries of the buffer of update matrices; of the arena, if the factor is streamed.
  Offset update_entries = 0;
  double flops = 0;        // Flops of a factorization.
  SolveOrder solve_order;  // Slabs that the device solves with, in the order of a forward solve.
  Index solve_block = 0;   // Order of the inverted diagonal blocks in solves by waves.
  Offset vector_rows = 0;  // Rows of the fronts' vectors that solves by waves hold at a time.

  Offset panel_entries() const { return panels.total(); }
  /// First slab that the device solves with.  The CPU solves with the slabs before.
  Index first_on_device() const { return stream ? stream->first_on_device : 0; }
  /// Number of small fronts, imported fronts left out.
  Index num_small() const;
};

/// Fronts of one group whose children are all in earlier waves or groups.
struct DeviceWave {
  Index slab = 0;             // Slab that holds the panels of the fronts.
  std::vector<Index> fronts;  // Fronts in the plan's numbering.
};
/// Lists the waves, small and large, of all fronts that the device solves with, group by group.
std::vector<DeviceWave> waves_of(const DevicePlan& plan);

/// Makes the plan.  Cost O(nsuper log(nsuper) + nnz(A)).  Throws as make_front_groups().
DevicePlan make_device_plan(const symbolic::SymbolicFactor& factor,
                            const symbolic::EntryMap& entries, DevicePlanOptions options = {});

/// Says for each supernode whether the CPU solves with its panel.  Length of the result: nsuper.
std::vector<char> part_of_host(const DevicePlan& plan);

/// The slab, offset and leading dimension of each supernode's panel on the device.
PanelTable panel_table(const DevicePlan& plan);

/// Lists the fronts that the device solves with, slab by slab, for
/// gpu_kernels/fronts/front_solve.hpp.  Row numbers refer to factor.super_rowind, relative indices
/// to factor.relind.  Cost O(nsuper).
std::vector<gpu::SolveFrontInput> solve_fronts(const symbolic::SymbolicFactor& factor,
                                               const DevicePlan& plan);

}  // namespace clchol::numeric
