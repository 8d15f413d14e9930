// Divides the fronts of a streamed factor into groups, and their panels into slabs, and predicts
// the time of each group.  A streamed factor is too large for the device's memory: slabs and update
// matrices go to host memory and back as its plan decides (plan.hpp).
//
//   unit   a whole subtree of fronts, or a single front above these subtrees, or a strip
//   strip  some columns of one large front
//   group  units that are factored at the same time, or one strip.  A factorization takes one group
//          after another.
//   slab   the panels of consecutive groups in one range of memory, which is moved as a whole
//
// Sizes and offsets count entries of the scalar type.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "gpu_kernels/runtime/slab_plan.hpp"
#include "numeric/device/groups.hpp"

namespace clchol::numeric {

/// Rates of a device, its bus, the CPU and a scratch file, from which the time of a plan is
/// predicted.  The kernels of a group are predicted to take these seconds:
///   subtrees   max((flops + 2000 entries) / (1.3 flops_per_s), path * column_s) + 2 group_s
///   fronts     max(flops / (1.3 flops_per_s), path * column_s) + group_s
///   a strip    flops / (1.3 flops_per_s) + path * column_s + group_s
/// Here `flops` is the number of floating-point operations to factor the group, and `entries` is
/// the number of entries of the group's panels.  `path` is the greatest sum of the pivot columns of
/// the fronts on a path from a leaf to a root of the group.  For a strip, `path` is the number of
/// pivot columns in the strip; few other tiles are computed beside these columns.
struct StreamRates {
  /// Floating-point operations per second of the kernels, in a factorization of a large 3D problem
  /// in core.  The small fronts of subtrees take longer, large fronts less.
  double flops_per_s = 1e12;
  /// Bytes per second of a transfer between device and host, in either direction.
  double bytes_per_s = 12e9;
  /// Seconds that the launches of a group take beside the computation.  The small fronts of
  /// subtrees take launches of their own.
  double group_s = 50e-6;
  /// Seconds per pivot column of `path`: the columns on a path are factored one after another.
  double column_s = 0.25e-6;
  /// Bytes per second at which the CPU reads panels in a solve.  0: the CPU must not solve.
  double host_bytes_per_s = 0;
  /// Bytes per second at which a scratch file is written or read.
  double file_bytes_per_s = 1.5e9;
  /// Bytes of one entry.
  Offset value_bytes = 8;
};

/// Limits by which the tree of fronts is divided into groups, strips and slabs.
struct StreamCut {
  /// Limits of one group.  The members GroupSize::panels and GroupSize::front_panels also limit the
  /// entries of a slab that holds several groups.  For these limits, all strips of one front count
  /// as one group.
  GroupSize size;
  /// Greatest number of entries of any slab: a slab must fit into one device buffer.
  Offset largest = 0;
  /// Greatest front_entries() of a front that is computed as a whole.  A front with more entries is
  /// divided into strips, and so are all ancestors of this front.
  Offset front = 0;
  /// Approximate number of entries that one strip reads and writes in update matrices: in the
  /// update matrix of the strip's front, and in the update matrices of the front's children.
  /// 0: no front is divided into strips.
  Offset strip = 0;
  /// Columns of a block column of a wide panel (wide_panels.hpp).  0: no panel is wide.
  Index transfer_block = 0;
  /// Whether the kernels of solves work by tickets; otherwise the kernels work by waves
  /// (numeric/device/solve.hpp).  StreamGroups::inverses, inner_rows and outer_rows depend on this.
  bool by_tickets = false;
};

/// A unit: a subtree of fronts, a single front, or one strip of a front.  The root of the unit is
/// the root of the subtree, or the front.  When the unit's group has been factored, only the root's
/// update matrix is still needed.
struct StreamUnit {
  FrontUnit fronts;  // The subtree or the front.  For a strip: the whole front.
  /// `group`: number of the group of this unit.
  /// `last_group`: for a strip, number of the group of the front's last strip; else = `group`.
  Index group = 0, last_group = 0;
  /// `parent_group`: group of the root's parent, or of the parent's first strip.
  /// `parent_last`: group of the root's parent, or of the parent's last strip.
  /// Both are kNone if the root has no parent.
  Index parent_group = kNone, parent_last = kNone;
  /// Entries of the root's update matrix.
  Offset update = 0;
  /// `column`: first column of a strip, counted from 0 in the front: pivot columns, then columns of
  /// the update matrix.
  /// `columns`: number of columns of a strip.
  /// Both are 0 if the unit is not a strip.
  Index column = 0, columns = 0;

  bool is_strip() const { return columns > 0; }
};

/// A window: some consecutive columns of an update matrix.  The columns occupy the entries
/// [begin, end) of the stored update matrix (base/update_layout.hpp).
struct UpdateWindow {
  Offset begin = 0, end = 0;
  Offset size() const { return end - begin; }
};

/// The order in which the device solves with its slabs, if the CPU solves with some other slabs.
/// Slabs that need no results of the CPU come first.  The device solves with these slabs while the
/// CPU solves with its own slabs.
struct SolveOrder {
  // The device's slabs in the order of a forward solve.  A backward solve takes the reverse order.
  std::vector<Index> slabs;
  Index num_free = 0;  // Length of free().

  /// Returns the first slabs: those that need no results of the CPU, neither directly nor through
  /// other slabs (StreamGroups::below).
  std::span<const Index> free() const {
    return std::span(slabs).first(static_cast<std::size_t>(num_free));
  }
  /// Returns all other slabs: those that need results of the CPU, directly or through other slabs.
  /// The forward solve with them begins when the CPU has solved with its slabs.
  std::span<const Index> above() const {
    return std::span(slabs).subspan(static_cast<std::size_t>(num_free));
  }
};

/// The groups and slabs of a streamed factor.  Groups are numbered in the order in which they are
/// factored, and slabs in the order of the groups whose panels they hold.
struct StreamGroups {
  Index transfer_block = 0;       // StreamCut::transfer_block.
  FrontGroups fronts;             // Group of each front, and units of each group.
  gpu::SlabPlan slabs;            // Sizes of the slabs; slab and offset of each group's panels.
  std::vector<StreamUnit> units;  // All units, group by group.
  /// For each supernode that is the root of a unit: index of the unit in `units`; if its front is
  /// divided into strips, index of the first strip.  kNone for other supernodes.  Length nsuper.
  std::vector<Index> unit_of;
  /// One past the last group of each slab.  Length: number of slabs.
  std::vector<Index> slab_end;
  /// For each slab, list of the other slabs that hold children of the slab's fronts.  A slab may be
  /// listed more than once.  Length: number of slabs.
  std::vector<std::vector<Index>> below;
  /// Predicted seconds to factor each group.  Length: number of groups.
  std::vector<double> seconds;
  /// Lower bound of the seconds of a forward solve, or of a backward solve, with each group.  The
  /// time to read the group's panels is not included.  Length: number of groups.
  std::vector<double> solve_s;
  /// Entries of each group's panels that are not moved with their slab, because they are above the
  /// diagonal of a wide panel (wide_panels.hpp).  If a front is divided into strips, its entries
  /// are counted in the group of the first strip.  Length: number of groups.
  std::vector<Offset> not_moved;
  /// Approximate number of entries of each slab's inverted diagonal blocks.  Length: number of
  /// slabs.
  std::vector<Offset> inverses;
  /// A forward solve computes a vector for each front, which the front's parent reads.  The vector
  /// has nupd rows if the kernels work by tickets, and nrow rows if the kernels work by waves.
  /// `outer_rows`: for each slab, total rows of the vectors of fronts whose parents are in other
  /// slabs.
  /// `inner_rows`: for each slab, total rows of the vectors of all its other fronts.
  /// Length of both: number of slabs.
  std::vector<Offset> inner_rows, outer_rows;

  /// Returns whether all units of the slab are subtrees.  Only such a slab can be factored again
  /// without update matrices of other slabs.
  bool is_made_of_subtrees(Index slab) const;
  /// Returns the predicted seconds to factor all groups of the slab.
  double slab_seconds(Index slab) const { return sum_of(seconds, slab); }
  /// Returns a lower bound of the seconds of a forward solve, or of a backward solve, with the
  /// slab: the sum of solve_s over the slab's groups.
  double slab_solve_seconds(Index slab) const { return sum_of(solve_s, slab); }
  /// Returns the number of entries of the slab that are moved over the bus with the slab.
  Offset moved_entries(Index slab) const;
  /// Returns the first group of the slab, and one past its last group.
  std::pair<Index, Index> groups_of(Index slab) const {
    return {slab == 0 ? 0 : slab_end[static_cast<std::size_t>(slab - 1)],
            slab_end[static_cast<std::size_t>(slab)]};
  }

  /// Returns the order in which the device solves with slabs [first_on_device, num_slabs()), when
  /// the CPU solves with slabs [0, first_on_device).
  SolveOrder solve_order(Index first_on_device) const;
  /// Returns for each supernode 1 if its panel is in a slab before first_on_device, otherwise 0.
  std::vector<char> part_before(Index first_on_device) const;

  /// Returns the number of rows of the workspace for the fronts' vectors, in a solve with slabs
  /// [first_on_device, num_slabs()): the sum of `outer_rows`, plus the maximum of `inner_rows`.
  /// (One slab's inner vectors overwrite those of the slab before; outer vectors stay.)
  Offset vector_rows(Index first_on_device) const;

  /// Returns the number of entries of memory for the update matrices that a group computes.
  Offset space_of(Index group) const;

  Index num_groups() const { return static_cast<Index>(seconds.size()); }
  Index slab_of(Index group) const { return slabs.places[static_cast<std::size_t>(group)].slab; }
  Index num_slabs() const { return static_cast<Index>(slabs.slab_sizes.size()); }

 private:
  double sum_of(const std::vector<double>& of_groups, Index slab) const;
};

/// Returns the number of entries of three kinds of data together: the panel of front s, the update
/// matrix of s, and the update matrices of the children of s.
Offset front_entries(const symbolic::SymbolicFactor& factor, Index s);

/// Makes groups, strips and slabs, and predicts the time of each group.  Cost O(nsuper + strips).
/// Throws DeviceError when the panels of one group have more than cut.largest entries.
StreamGroups make_stream_groups(const symbolic::SymbolicFactor& factor, const StreamCut& cut,
                                const StreamRates& rates);

/// Returns the window that a strip writes of the update matrix of the strip's front.  Empty if all
/// columns of the strip are pivot columns.
UpdateWindow written_window(const symbolic::SymbolicFactor& factor, const StreamUnit& strip);
/// Returns the window that a strip reads of the update matrix of a child of the strip's front: the
/// columns that are added to columns of the strip.
/// @param child  Supernode of the child.
UpdateWindow read_window(const symbolic::SymbolicFactor& factor, const StreamUnit& strip,
                         Index child);

}  // namespace clchol::numeric
