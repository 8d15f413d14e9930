// The groups of a factor that is streamed: units of fronts, strips of the largest ones, the slabs
// of their panels, and about how long each group takes.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "gpu_kernels/runtime/slab_plan.hpp"
#include "numeric/device/groups.hpp"

namespace clchol::numeric {

/// What the time of a plan is predicted from: of some device.
struct StreamRates {
  double flops_per_s = 1e12;
  double bytes_per_s = 12e9;  ///< Of a transfer, either way.
  double group_s = 50e-6;     ///< Launches of a group; a group of subtrees takes three times this.
  double column_s = 0.25e-6;  ///< Of one pivot column after another.
  double host_bytes_per_s =
      0;  ///< The CPU reads panels in its solves; 0: the CPU solves with none.
  double file_bytes_per_s = 1.5e9;  ///< A scratch file is written or read.
  Offset value_bytes = 8;
};

/// How the tree is cut, in values.
struct StreamCut {
  GroupSize size;
  Offset largest = 0;  ///< Of one buffer.
  /// Fronts that take more, with their children's updates, are computed in strips of columns,
  Offset front = 0;
  Offset strip = 0;         ///< each of which reads and writes about so many values of updates.
  bool by_tickets = false;  ///< How solves go, for what they keep beside the panels.
};

/// A unit of fronts, of which only the root's update matrix outlives the group; or one strip of it.
struct StreamUnit {
  FrontUnit fronts;
  Index group = 0, last_group = 0;  // Of the unit; and of the last strip of its front.
  // Of the root's parent, the first and the last; kNone: the root has no update.
  Index parent_group = kNone, parent_last = kNone;
  Offset update = 0;              // Values of the root's.
  Index column = 0, columns = 0;  // Strips: columns of the front; else none.

  bool is_strip() const { return columns > 0; }
};

/// Values [begin, end) of an update matrix.
struct UpdateWindow {
  Offset begin = 0, end = 0;
  Offset size() const { return end - begin; }
};

/// Slabs in the order in which a forward solve takes them: [0, num_free) read nothing that the CPU
/// solves for.  A backward solve takes them the other way round.
struct SolveOrder {
  std::vector<Index> slabs;
  Index num_free = 0;

  std::span<const Index> free() const {
    return std::span(slabs).first(static_cast<std::size_t>(num_free));
  }
  /// The slabs that read, at once or through others, what the CPU solves for.
  std::span<const Index> above() const {
    return std::span(slabs).subspan(static_cast<std::size_t>(num_free));
  }
};

struct StreamGroups {
  FrontGroups fronts;
  gpu::SlabPlan slabs;
  std::vector<StreamUnit> units;
  std::vector<Index> unit_of;             // By its root: the first strip's.
  std::vector<Index> slab_end;            // Groups of slab s end before slab_end[s].
  std::vector<std::vector<Index>> below;  // Other slabs that hold children of the slab's fronts.
  std::vector<double> seconds;            // Of each group.
  std::vector<double> solve_s;            // Least that half a solve with each group takes.
  std::vector<Offset> inverses;  // Of each slab, about: values that solves keep beside the panels.
  // Rows of the vectors of each slab's fronts, that the slab itself reads and that later ones read.
  std::vector<Offset> inner_rows, outer_rows;

  /// Whether the slab's groups are subtrees alone, which can be factored again by themselves.
  bool is_made_of_subtrees(Index slab) const;
  /// Seconds that its groups take, and that half a solve takes with panels that are small.
  double slab_seconds(Index slab) const { return sum_of(seconds, slab); }
  double slab_solve_seconds(Index slab) const { return sum_of(solve_s, slab); }
  /// The slab's groups: [first, last).
  std::pair<Index, Index> groups_of(Index slab) const {
    return {slab == 0 ? 0 : slab_end[static_cast<std::size_t>(slab - 1)],
            slab_end[static_cast<std::size_t>(slab)]};
  }

  /// Of the slabs from first_on_device on; the CPU solves with those before.
  SolveOrder solve_order(Index first_on_device) const;
  /// By supernode: whether it is in a slab before first_on_device.
  std::vector<char> part_before(Index first_on_device) const;

  /// Rows of vectors that a solve with the slabs from first_on_device on has at a time, at most.
  Offset vector_rows(Index first_on_device) const;

  /// Values that the updates of a group take.
  Offset space_of(Index group) const;

  Index num_groups() const { return static_cast<Index>(seconds.size()); }
  Index slab_of(Index group) const { return slabs.places[static_cast<std::size_t>(group)].slab; }
  Index num_slabs() const { return static_cast<Index>(slabs.slab_sizes.size()); }

 private:
  double sum_of(const std::vector<double>& of_groups, Index slab) const;
};

/// Values of a front's panel, its update and those of its children.
Offset front_entries(const symbolic::SymbolicFactor& factor, Index s);

/// Cost O(nsuper + strips).  Throws DeviceError when a panel is larger than a buffer.
StreamGroups make_stream_groups(const symbolic::SymbolicFactor& factor, const StreamCut& cut,
                                const StreamRates& rates);

/// What a strip writes of its front's update.
UpdateWindow written_window(const symbolic::SymbolicFactor& factor, const StreamUnit& strip);
/// What it reads of a child's.
UpdateWindow read_window(const symbolic::SymbolicFactor& factor, const StreamUnit& strip,
                         Index child);

}  // namespace clchol::numeric
