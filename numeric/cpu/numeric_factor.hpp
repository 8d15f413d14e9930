// The values of L in host memory, accessed by supernode.
#pragma once

#include <utility>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "numeric/cpu/plan.hpp"
#include "numeric/dense/kernels.hpp"

namespace clchol::numeric {

/// A panel of L, not owned: nrow x ncol, column-major, leading dimension ld >= nrow.  Entries above
/// its diagonal are undefined.
template <class T>
struct PanelView {
  T* data = nullptr;
  Offset ld = 0;
};

/// Panels of L in host memory, with the reciprocals of L's diagonal and the columns of simplicial
/// subtrees for solves on the CPU.  The symbolic factor and the plan must outlive this object.
template <class T>
class NumericFactor {
 public:
  /// Allocates the slabs of plan.panels, for a factorization to fill.
  NumericFactor(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan)
      : symbolic_(&symbolic),
        plan_(&plan),
        table_(plan.panels),
        inv_diag_(symbolic.n),
        column_values_(static_cast<Offset>(plan.simplicial.row.size())) {
    for (const Offset size : table_.slab_sizes) own_.emplace_back(size + dense::kReadSlack);
    for (const AlignedBuffer<T>& slab : own_) slabs_.push_back(slab.data());
  }

  /// Takes over panels that another engine has computed.
  /// @param slabs  the slabs of `table`, each with dense::kReadSlack readable entries behind it.
  /// Cost O(n + entries of simplicial subtrees).
  NumericFactor(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, PanelTable table,
                std::vector<AlignedBuffer<T>> slabs)
      : symbolic_(&symbolic),
        plan_(&plan),
        table_(std::move(table)),
        own_(std::move(slabs)),
        inv_diag_(symbolic.n),
        column_values_(static_cast<Offset>(plan.simplicial.row.size())) {
    for (const AlignedBuffer<T>& slab : own_) slabs_.push_back(slab.data());
    for (Index j = 0; j < symbolic.n; ++j) inv_diag_[j] = T{1} / diagonal(j);
    for (Index k = 0; k < static_cast<Index>(plan.tasks.root.size()); ++k) {
      if (!plan.simplicial.contains(k)) continue;
      const Index root = plan.tasks.root[k];
      for (Index s = symbolic.first_descendant[root]; s <= root; ++s) copy_columns(s);
    }
  }

  /// Refers to panels of some fronts, which another engine has computed and owns; `plan` is from
  /// make_cpu_solve_plan().  When the panels' values have changed, the caller must fill inv_diag()
  /// of these fronts before the next solve.
  /// @param slabs  addresses of the slabs of `table`, with readable entries behind each slab as
  ///               above.  A slab without panels of the plan's fronts may be null.
  NumericFactor(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, PanelTable table,
                std::vector<T*> slabs)
      : symbolic_(&symbolic),
        plan_(&plan),
        table_(std::move(table)),
        slabs_(std::move(slabs)),
        inv_diag_(symbolic.n) {}
  /// Sets new addresses of all slabs, or of one slab.
  void set_slabs(std::vector<T*> slabs) { slabs_ = std::move(slabs); }
  void set_slab(Index slab, T* begin) { slabs_[slab] = begin; }

  /// @return entries that the first constructor allocates.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan) {
    return plan.factor_entries() + symbolic.n + static_cast<Offset>(plan.simplicial.row.size());
  }

  const symbolic::SymbolicFactor& symbolic() const { return *symbolic_; }
  const CpuPlan& plan() const { return *plan_; }

  /// All access to L's values goes through panel(): only the panel table knows where they lie.
  PanelView<T> panel(Index s) {
    const PanelPlace& place = table_.place[s];
    return {slabs_[place.slab] + place.begin, place.ld};
  }
  PanelView<const T> panel(Index s) const {
    const PanelPlace& place = table_.place[s];
    return {slabs_[place.slab] + place.begin, place.ld};
  }
  /// Reciprocals 1 / L(j,j) of the columns of supernode s.
  T* inv_diag(Index s) { return inv_diag_.data() + symbolic_->super_ptr[s]; }
  const T* inv_diag(Index s) const { return inv_diag_.data() + symbolic_->super_ptr[s]; }
  /// Whether copies of the columns of simplicial subtrees are kept beside the panels.
  bool has_columns() const { return column_values_.size() > 0; }
  /// Values of the entries of plan().simplicial.  Length plan().simplicial.row.size().
  const T* column_values() const { return column_values_.data(); }
  /// Copies the columns of supernode s, which is in a simplicial subtree, out of its panel.
  void copy_columns(Index s) {
    const SimplicialSubtrees& columns = plan_->simplicial;
    const auto& last = columns.column[symbolic_->super_ptr[s + 1] - 1];
    const Offset begin = columns.column[symbolic_->super_ptr[s]].begin;
    const Offset end = last.begin + last.count;
    const PanelView<T> panel = this->panel(s);
    const Index nrow = symbolic_->nrow(s);
    if (panel.ld == nrow) {
      for (Offset p = begin; p < end; ++p) column_values_[p] = panel.data[columns.source[p]];
      return;
    }
    // The offsets in `source` are for a panel with ld = nrow.
    for (Offset p = begin; p < end; ++p) {
      const Index j = columns.source[p] / nrow, i = columns.source[p] % nrow;
      column_values_[p] = panel.data[i + j * panel.ld];
    }
  }
  /// L(j,j), in the final numbering.
  T diagonal(Index j) const {
    const Index s = symbolic_->super_of_col[j];
    const Offset k = j - symbolic_->super_ptr[s];
    const PanelView<const T> p = panel(s);
    return p.data[k * (p.ld + 1)];
  }

 private:
  const symbolic::SymbolicFactor* symbolic_;
  const CpuPlan* plan_;
  PanelTable table_;
  std::vector<AlignedBuffer<T>>
      own_;                         // Slabs that this object owns; empty for the third constructor.
  std::vector<T*> slabs_;           // Address of each slab of the table.
  AlignedBuffer<T> inv_diag_;       // 1 / L(j,j).  Length n.
  AlignedBuffer<T> column_values_;  // Values of the entries of plan().simplicial.
};

}  // namespace clchol::numeric
