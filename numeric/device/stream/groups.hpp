// The groups of a streamed factor: units of fronts, strips of the largest fronts, the slabs of
// their panels, and the predicted time of each group.
//
//   group  =  units that are factored at once (subtrees, or single fronts), or one strip of a front
//   slab   =  panels of consecutive groups
//
// Sizes and offsets count entries of the scalar type.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "gpu_kernels/runtime/slab_plan.hpp"
#include "numeric/device/groups.hpp"

namespace clchol::numeric {

/// Rates of a device, its bus, the CPU and a file, from which the time of a plan is predicted.
struct StreamRates {
  double flops_per_s = 1e12;
  /// Bytes per second of a transfer between device and host, in either direction.
  double bytes_per_s = 12e9;
  /// Seconds that the launches of a group take; a group of subtrees takes three times this.
  double group_s = 50e-6;
  /// Seconds per pivot column on the longest path through a group, where columns are sequential.
  double column_s = 0.25e-6;
  /// Bytes per second at which the CPU reads panels in solves; 0: it solves with no slabs.
  double host_bytes_per_s = 0;
  /// Bytes per second at which a scratch file is written or read.
  double file_bytes_per_s = 1.5e9;
  /// Bytes of one entry.
  Offset value_bytes = 8;
};

/// How the tree is cut into groups, strips and slabs.
struct StreamCut {
  /// Most entries of a group.
  GroupSize size;
  /// Most entries of one buffer.
  Offset largest = 0;
  /// Fronts with more front_entries() than this are computed in strips of columns.
  Offset front = 0;
  /// Entries of update matrices that a strip reads and writes, about.  0: no strips.
  Offset strip = 0;
  /// Whether solves go by tickets, not by waves.  Decides how much they keep beside the panels.
  bool by_tickets = false;
};

/// A unit of fronts, or one strip of a front.  Only its root's update matrix outlives the group.
struct StreamUnit {
  FrontUnit fronts;
  /// Group of this unit or strip; group of the last strip of its root (`group` without strips).
  Index group = 0, last_group = 0;
  /// First and last group of the root's parent; kNone: the root has no parent.
  Index parent_group = kNone, parent_last = kNone;
  /// Entries of the root's update matrix.
  Offset update = 0;
  /// First column of a strip, and number of its columns; 0 for other units.
  Index column = 0, columns = 0;

  bool is_strip() const { return columns > 0; }
};

/// Entries [begin, end) of an update matrix.
struct UpdateWindow {
  Offset begin = 0, end = 0;
  Offset size() const { return end - begin; }
};

/// The order in which the device solves with slabs.
struct SolveOrder {
  std::vector<Index> slabs;  // Slabs in the order of a forward solve; a backward solve reverses it.
  Index num_free = 0;        // Number of slabs, the first ones, that depend on no front of the CPU.

  /// The slabs that have no front of the CPU below them.
  std::span<const Index> free() const {
    return std::span(slabs).first(static_cast<std::size_t>(num_free));
  }
  /// The slabs that have fronts of the CPU below them, directly or through other slabs.
  std::span<const Index> above() const {
    return std::span(slabs).subspan(static_cast<std::size_t>(num_free));
  }
};

/// The groups and slabs of a factor.
struct StreamGroups {
  FrontGroups fronts;
  gpu::SlabPlan slabs;            // Slab of each group's panels, and their offset in it.
  std::vector<StreamUnit> units;  // Units in the order of groups; a strip is a unit.
  /// First unit that each supernode is the root of; kNone: none.  Length nsuper.
  std::vector<Index> unit_of;
  /// One past the last group of each slab.  Length: number of slabs.
  std::vector<Index> slab_end;
  /// For each slab: other slabs that hold children of its fronts.
  std::vector<std::vector<Index>> below;
  /// Predicted seconds to factor each group.
  std::vector<double> seconds;
  /// Least seconds of half a solve with each group.
  std::vector<double> solve_s;
  /// For each slab, about: entries that solves keep beside its panels (inverted diagonal blocks).
  std::vector<Offset> inverses;
  /// For each slab, rows of its fronts' vectors: of vectors that only the slab itself reads, and of
  /// vectors that later slabs read.
  std::vector<Offset> inner_rows, outer_rows;

  /// Whether all units of the slab are subtrees, which can be factored again without other fronts.
  bool is_made_of_subtrees(Index slab) const;
  /// Predicted seconds to factor the slab's groups.
  double slab_seconds(Index slab) const { return sum_of(seconds, slab); }
  /// Least seconds of half a solve with the slab: the time if its panels are small.
  double slab_solve_seconds(Index slab) const { return sum_of(solve_s, slab); }
  /// The first group of the slab, and one past its last group.
  std::pair<Index, Index> groups_of(Index slab) const {
    return {slab == 0 ? 0 : slab_end[static_cast<std::size_t>(slab - 1)],
            slab_end[static_cast<std::size_t>(slab)]};
  }

  /// The order of the slabs from first_on_device on; the CPU solves with earlier slabs.
  SolveOrder solve_order(Index first_on_device) const;
  /// For each supernode, whether it is in a slab before first_on_device.
  std::vector<char> part_before(Index first_on_device) const;

  /// Most rows of fronts' vectors at a time in a solve with the slabs from first_on_device on.
  Offset vector_rows(Index first_on_device) const;

  /// Entries of the update matrices of a group.
  Offset space_of(Index group) const;

  Index num_groups() const { return static_cast<Index>(seconds.size()); }
  Index slab_of(Index group) const { return slabs.places[static_cast<std::size_t>(group)].slab; }
  Index num_slabs() const { return static_cast<Index>(slabs.slab_sizes.size()); }

 private:
  double sum_of(const std::vector<double>& of_groups, Index slab) const;
};

/// Entries of a front's panel, its update matrix and its children's update matrices.
Offset front_entries(const symbolic::SymbolicFactor& factor, Index s);

/// Makes groups, strips and slabs and predicts their times.  Cost O(nsuper + strips).  Throws
/// DeviceError when the panels of a group are larger than a buffer.
StreamGroups make_stream_groups(const symbolic::SymbolicFactor& factor, const StreamCut& cut,
                                const StreamRates& rates);

/// The range of its front's update matrix that a strip writes.
UpdateWindow written_window(const symbolic::SymbolicFactor& factor, const StreamUnit& strip);
/// The range of a child's update matrix that a strip reads.
UpdateWindow read_window(const symbolic::SymbolicFactor& factor, const StreamUnit& strip,
                         Index child);

}  // namespace clchol::numeric
