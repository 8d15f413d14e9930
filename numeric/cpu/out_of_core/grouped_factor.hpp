// A plan of an out-of-core factor (plan.hpp) for given groups of fronts.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "numeric/cpu/out_of_core/plan.hpp"

namespace clchol::numeric {

/// Places the panels, arenas and update matrices of given groups in one buffer, without or with
/// transfers that overlap with computation, and without or with kept slabs.
class GroupedFactor {
 public:
  /// @param factor, request  must outlive this object.
  /// Cost O(nsuper + groups^2).
  GroupedFactor(const symbolic::SymbolicFactor& factor, const CpuPlan& plan,
                const OutOfCoreRequest& request, TreeGroups groups);

  /// Spills update matrices until the plan fits or none is left to spill, and assigns all offsets.
  /// If the plan cannot fit, no offsets are assigned.
  void place_tightly();
  /// @return entries of the buffer; if the plan cannot fit, a lower bound.
  Offset size() const { return plan_.size; }
  /// @return whether the buffer has at most request.most_bytes bytes.
  bool fits() const { return plan_.size * request_.entry_bytes <= request_.most_bytes; }
  /// Uses the rest of the buffer: first to overlap transfers with computation, then to keep slabs.
  void fill_room();

  /// @return the plan.
  OutOfCorePlan take();
  const TreeGroups& groups() const { return plan_.groups; }

 private:
  /// The update matrix of `front`, or a strip of it, that group `made` computes and a later group
  /// `needed` assembles.
  struct Outside {
    Index front;
    Strip strip;  // Columns of the strip, or all columns of the update matrix, numbered within
                  // the front.
    Index made, needed;
    Offset size;       // Entries, rounded up to whole pages.
    bool is_gathered;  // Whether the group `needed` gathers: the matrix is spilled in any case.
  };

  Index num_groups() const { return plan_.groups.size(); }
  void place_panels(const CpuPlan& plan);
  void find_outside(const CpuPlan& plan);
  void add_outside(Index s, const Strip& strip, Index g);
  void reserve_slots(Index s, Offset entries);
  void reserve_slots_for_strips(Index g);
  /// @return the group at whose start the read of a spilled update matrix begins.
  Index fetched(const Outside& of) const { return of.needed - lag_[of.made]; }
  void keep_slabs();
  void place(Index first_kept);
  std::vector<Offset> count_live() const;
  static void end_wait(const Outside& of, std::span<Offset> live);
  bool spill_at_peak(std::span<Offset> live);
  Offset page_entries(Offset entries) const;

  const symbolic::SymbolicFactor& factor_;
  const OutOfCoreRequest& request_;
  OutOfCorePlan plan_;
  bool is_placed_ = false;        // Whether the offsets of plan_ are assigned.
  std::vector<Outside> outside_;  // Update matrices that outlive their group, by `made`.
  std::vector<char> is_spilled_;  // Whether outside_[k] is spilled.  Length outside_.size().
  // Groups, 0 or 1, behind group g during which slab g and spilled update matrices of group g move
  // to the file.  Their memory is not overwritten while groups up to g + lag_[g] are computed.
  std::vector<Index> lag_;
};

}  // namespace clchol::numeric
