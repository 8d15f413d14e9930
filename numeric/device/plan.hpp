// The plan of the device engine for one symbolic factor: where fronts lie on the device, and which
// kernels take them.
//
// Fronts are factored in groups (groups.hpp), one after another; there is one group unless
// memory is short or updates are large beside the panels.  Of a group, subtrees of small fronts go
// wave by wave through gpu_kernels/fronts/small_front.hpp, a front in local memory each; all fronts
// above them go through gpu_kernels/fronts/front_batch.hpp at once, or wave by wave through
// plain_waves.hpp.
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
  /// A front is small when it and all its descendants have at most so many rows and pivot columns.
  Index small_rows = 64;
  Index small_columns = 32;
  /// Of a wave of small fronts; fewer, and all fronts above them, go with the large ones.
  Index least_wave = 256;
  /// A's entries in large fronts are listed as well: plain_waves.hpp wants them, while
  /// front_batch.hpp has lists of its own.
  bool list_large = true;
  GroupLimits limits;
  std::optional<StreamPlan>
      stream;  ///< Groups and places of a factor that is streamed; else by limits.
  /// Fronts whose updates come from other parts of a factor, and fronts whose updates go to other
  /// parts, by their numbers in this part (symbolic::FactorPart).
  std::vector<Index> imported = {}, exported = {};
  std::vector<Index> level = {};  ///< FactorPart::level of each front; empty: a whole factor.
  /// For a part of a factor: the wave of each front by small_waves() of the whole factor; none: by
  /// small_waves() of this factor.
  std::optional<std::vector<Index>> waves = {};
  int threads = 1;
};

/// The wave of small fronts that each front is in, as late as its parent allows; kNone: it is
/// large. The whole tree decides, so that a front's kernel, and the bits of L, are the same in any
/// part.
std::vector<Index> small_waves(const symbolic::SymbolicFactor& factor,
                               const DevicePlanOptions& options);

/// Small fronts that depend on those of earlier waves alone.
struct SmallWave {
  Index number = 0;  // Among the waves of the whole tree, whose fronts may be in several groups.
  std::vector<Index> fronts;
};

/// Fronts that are factored at once.
struct DeviceGroup {
  Index begin = 0;        // Fronts [begin, end) of the plan: small ones first,
  Index large_begin = 0;  // then the others.
  Index end = 0;

  /// Small fronts by level, the topmost last: those of a wave have their parents in a later one,
  /// among the large fronts, or in a later group.  So fronts of one wave are of about one size.
  std::vector<SmallWave> small_waves;
  /// Large fronts by height: those of wave w are [large_waves[w], large_waves[w + 1]).
  std::vector<Index> large_waves;

  std::vector<gpu::BatchFront> batch;  // Fronts from large_begin on.
  std::vector<gpu::BatchChild> batch_children;
  std::vector<Index> batch_first_column;

  Index slab = 0;            // The slab of the group's panels.
  bool is_imported = false;  // The update of the group's one front comes from another part.
  /// The group is some columns of its one front, which is in the groups of its other strips too.
  std::optional<FrontStrip> strip;

  Index num_large() const { return end - large_begin; }
  /// Its front is in an earlier group already.
  bool continues() const { return strip && !strip->is_first; }
};

/// Fronts [begin, end) of the plan, whose panels are in one buffer: those of whole groups.  Solves
/// take one slab after the other.  Fronts of different levels of a part are in different slabs.
struct PanelSlab {
  Index begin = 0, end = 0;
  Offset inverse_entries =
      0;  // Values of the fronts' inverted diagonal blocks: of solves by waves.
};

/// An update matrix that comes from another part or goes there.
struct HandedUpdate {
  Index super = 0;  // The front whose update it is,
  Index front = 0;  // and its number in the plan.
  /// The slab of the front, or of the parent that an imported update is for: solves hand the
  /// front's update vector over before the slab or behind the slab.
  Index slab = 0;
  Index group = 0;     // The import's own group, or the group whose kernels make the export.
  Offset begin = 0;    // The update's place among all update matrices.
  Offset entries = 0;  // Values of the update.
};

/// Fronts are numbered anew: by groups; in a group the small ones first, in postorder, then the
/// others, wave by wave.
struct DevicePlan {
  std::vector<Index> super;  // Supernode of each front.
  std::vector<DeviceGroup> groups;
  gpu::SlabPlan panels;  // Places of the groups' panels.
  std::vector<PanelSlab> slabs;
  /// Of a factor that is streamed.  Its groups are empty: they are these.
  std::optional<StreamPlan> stream;

  std::vector<gpu::Front> fronts;  // Panels and inverted blocks are places in their slab's.
  std::vector<gpu::Child> children;
  // A's entries, front by front, of small fronts and, if list_large, of large ones.
  std::vector<std::uint32_t> entry_source;  // Positions in A's values.
  std::vector<Index> entry_place;           // And in the panels: gpu::make_entry_places().
  bool list_large = true;

  std::vector<HandedUpdate> imported, exported;  // Each in the order of groups.
  bool late_imports = false;                     // GroupLimits::late_imports.

  // Values of all update matrices that there are at a time; of the arena, if the factor is
  // streamed.
  Offset update_entries = 0;
  double flops = 0;        // Of a factorization.
  SolveOrder solve_order;  // The slabs that the device solves with, in their order.
  Index solve_block = 0;   // Order of the inverted diagonal blocks that solves by waves take.
  Offset vector_rows = 0;  // Rows of fronts that solves have vectors of at a time.

  Offset panel_entries() const { return panels.total(); }
  /// The CPU solves with slabs before this one.
  Index first_on_device() const { return stream ? stream->first_on_device : 0; }
  Index num_small() const;
};

/// Fronts of one group that depend on earlier waves only.
struct DeviceWave {
  Index slab = 0;
  std::vector<Index> fronts;
};
/// Fronts that the device solves with, wave by wave.
std::vector<DeviceWave> waves_of(const DevicePlan& plan);

/// Cost O(nsuper log(nsuper) + nnz(A)).  Throws as make_front_groups().
DevicePlan make_device_plan(const symbolic::SymbolicFactor& factor,
                            const symbolic::EntryMap& entries, DevicePlanOptions options = {});

/// For each supernode, whether the CPU solves with its panel.
std::vector<char> part_of_host(const DevicePlan& plan);

/// The table, by supernode, of the places that panels have on the device.
PanelTable panel_table(const DevicePlan& plan);

/// Fronts that the device solves with, for gpu_kernels/fronts/front_solve.hpp, with rows in
/// factor.super_rowind and relative indices in factor.relind.  Cost O(nsuper).
std::vector<gpu::SolveFrontInput> solve_fronts(const symbolic::SymbolicFactor& factor,
                                               const DevicePlan& plan);

}  // namespace clchol::numeric
