// Divides the fronts of a streamed factor (plan.hpp) into groups, and their panels into slabs, and
// predicts the time of each group.
//
//   unit   a whole subtree, or a single front above the subtrees
//   strip  some columns of one large front; it is a unit, too
//   group  units that are factored at once, or one strip
//   slab   the panels of consecutive groups, which are moved as a whole
//
// The streamed plan decides which slabs and update matrices go to host memory and back.  Sizes and
// offsets count entries of the scalar type.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "gpu_kernels/runtime/slab_plan.hpp"
#include "numeric/device/groups.hpp"

namespace clchol::numeric {

/// Rates of a device, its bus, the CPU and a scratch file, from which the time of a plan is
/// predicted.  A group takes max(flops / flops_per_s, path * column_s) + group_s seconds, where
/// path is the greatest number of pivot columns on a path from a leaf to a root of the group, or
/// the number of pivot columns of a strip.
struct StreamRates {
  /// Floating-point operations per second of the kernels.
  double flops_per_s = 1e12;
  /// Bytes per second of a transfer between device and host, in either direction.
  double bytes_per_s = 12e9;
  /// Seconds that the launches of a group take.  A group of subtrees takes three times as long.
  double group_s = 50e-6;
  /// Seconds per pivot column on the path, since these columns are factored one after another.
  double column_s = 0.25e-6;
  /// Bytes per second at which the CPU reads panels in solves.  0: no slabs are left to the CPU.
  double host_bytes_per_s = 0;
  /// Bytes per second at which a scratch file is written or read.
  double file_bytes_per_s = 1.5e9;
  /// Bytes of one entry.
  Offset value_bytes = 8;
};

/// Limits by which the tree is cut into groups, strips and slabs.
struct StreamCut {
  /// Limits of one group, and the usual size of a slab: GroupSize::panels.
  GroupSize size;
  /// Greatest number of entries of one slab, which is one buffer or a range of one buffer.
  Offset largest = 0;
  /// A front of more than this many entries, by front_entries(), is divided into strips; so are all
  /// its ancestors.
  Offset front = 0;
  /// Approximate number of entries of update matrices that a strip reads and writes.  0: no front
  /// is divided into strips.
  Offset strip = 0;
  /// Whether solves work by tickets (numeric/device/solve.hpp); otherwise by waves.  The two kinds
  /// keep inverted diagonal blocks of different sizes.
  bool by_tickets = false;
};

/// A subtree, a single front, or one strip of a front.  Its root is the root of the subtree, or the
/// front.  After the group, only the root's update matrix is kept.
struct StreamUnit {
  FrontUnit fronts;
  /// Group of this unit or strip, and group of the last strip of the same root.  They are equal
  /// when the root has no strips.
  Index group = 0, last_group = 0;
  /// Groups of the first and of the last strip of the root's parent.  Both are the parent's group
  /// when the parent has no strips; kNone: the root has no parent.
  Index parent_group = kNone, parent_last = kNone;
  /// Entries of the root's update matrix.
  Offset update = 0;
  /// First column of a strip within its front, and number of columns.  0 for units that are no
  /// strips.
  Index column = 0, columns = 0;

  bool is_strip() const { return columns > 0; }
};

/// A window of an update matrix: some of its columns, which are entries [begin, end) of its storage
/// (base/update_layout.hpp).
struct UpdateWindow {
  Offset begin = 0, end = 0;
  Offset size() const { return end - begin; }
};

/// The order in which the device solves with slabs.  The slabs that need nothing from the CPU come
/// first, so that the CPU can solve with its slabs at the same time.
struct SolveOrder {
  std::vector<Index> slabs;  // Slabs in the order of a forward solve.  Backward: the reverse order.
  Index num_free = 0;        // Length of free().

  /// The first slabs: those that have no front of the CPU below them in the tree.
  std::span<const Index> free() const {
    return std::span(slabs).first(static_cast<std::size_t>(num_free));
  }
  /// All other slabs: those that have a front of the CPU below them, directly or through fronts of
  /// other slabs.
  std::span<const Index> above() const {
    return std::span(slabs).subspan(static_cast<std::size_t>(num_free));
  }
};

/// The groups and slabs of a streamed factor.  Slabs are numbered in the order of groups.
struct StreamGroups {
  FrontGroups fronts;             // Group of each front, and units of each group.
  gpu::SlabPlan slabs;            // Sizes of the slabs; slab and offset of each group's panels.
  std::vector<StreamUnit> units;  // All units and strips, group by group.
  /// For each supernode: the unit whose root it is, or the first strip of the supernode's front;
  /// kNone: it is no root of a unit.  Length nsuper.
  std::vector<Index> unit_of;
  /// One past the last group of each slab.  Length: number of slabs.
  std::vector<Index> slab_end;
  /// For each slab: the other slabs that hold children of its fronts.  A slab may be listed twice.
  std::vector<std::vector<Index>> below;
  /// Predicted seconds to factor each group.  Length: number of groups.
  std::vector<double> seconds;
  /// Predicted seconds of a forward or a backward solve with each group, without the time to read
  /// its panels: a lower bound.  Length: number of groups.
  std::vector<double> solve_s;
  /// Approximate number of entries of each slab's inverted diagonal blocks.  Length: number of
  /// slabs.
  std::vector<Offset> inverses;
  /// For each slab, the total rows of those fronts' vectors in a solve that only fronts of the slab
  /// itself read (`inner_rows`), and of those that fronts of later slabs read (`outer_rows`).
  std::vector<Offset> inner_rows, outer_rows;

  /// Whether all units of the slab are subtrees.  Only such a slab can be factored again without
  /// update matrices of other slabs.
  bool is_made_of_subtrees(Index slab) const;
  /// Predicted seconds to factor all groups of the slab.
  double slab_seconds(Index slab) const { return sum_of(seconds, slab); }
  /// Lower bound of the predicted seconds of a forward or a backward solve with the slab: the sum
  /// of solve_s over its groups.
  double slab_solve_seconds(Index slab) const { return sum_of(solve_s, slab); }
  /// Returns the first group of the slab, and one past its last group.
  std::pair<Index, Index> groups_of(Index slab) const {
    return {slab == 0 ? 0 : slab_end[static_cast<std::size_t>(slab - 1)],
            slab_end[static_cast<std::size_t>(slab)]};
  }

  /// Returns the order in which the device solves when the CPU solves with the slabs before
  /// first_on_device.
  SolveOrder solve_order(Index first_on_device) const;
  /// Returns for each supernode 1 if its slab is before first_on_device, otherwise 0.
  std::vector<char> part_before(Index first_on_device) const;

  /// Returns the greatest number of rows that the fronts' vectors have at the same time, in a solve
  /// with the slabs from first_on_device on.
  Offset vector_rows(Index first_on_device) const;

  /// Returns the entries of the memory for the update matrices that a group computes.
  Offset space_of(Index group) const;

  Index num_groups() const { return static_cast<Index>(seconds.size()); }
  Index slab_of(Index group) const { return slabs.places[static_cast<std::size_t>(group)].slab; }
  Index num_slabs() const { return static_cast<Index>(slabs.slab_sizes.size()); }

 private:
  double sum_of(const std::vector<double>& of_groups, Index slab) const;
};

/// Returns the entries of a front's panel, its update matrix and its children's update matrices
/// together.
Offset front_entries(const symbolic::SymbolicFactor& factor, Index s);

/// Makes groups, strips and slabs, and predicts the times.  Cost O(nsuper + strips).
/// Throws DeviceError when the panels of one group have more than cut.largest entries.
StreamGroups make_stream_groups(const symbolic::SymbolicFactor& factor, const StreamCut& cut,
                                const StreamRates& rates);

/// Returns the window of its front's update matrix that a strip writes.  Empty for a strip of
/// columns of the panel alone.
UpdateWindow written_window(const symbolic::SymbolicFactor& factor, const StreamUnit& strip);
/// Returns the window of a child's update matrix that a strip reads.
/// @param child  Supernode of a child of the strip's front.
UpdateWindow read_window(const symbolic::SymbolicFactor& factor, const StreamUnit& strip,
                         Index child);

}  // namespace clchol::numeric
