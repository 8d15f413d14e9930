// The values of L, reached by supernode.
#pragma once

#include <utility>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "numeric/cpu/plan.hpp"
#include "numeric/dense/kernels.hpp"

namespace clchol::numeric {

/// A panel of L, not owned: column-major, nrow x ncol, ld >= nrow; above its diagonal undefined.
template <class T>
struct PanelView {
  T* data = nullptr;
  Offset ld = 0;
};

/// Values of L in host memory, and what the CPU's solves want beside them.  The symbolic factor and
/// the plan must outlive it.
template <class T>
class NumericFactor {
 public:
  /// Panels where the plan has them, to be factored.
  NumericFactor(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan)
      : symbolic_(&symbolic),
        plan_(&plan),
        table_(plan.panels),
        inv_diag_(symbolic.n),
        column_values_(static_cast<Offset>(plan.simplicial.row.size())) {
    for (const Offset size : table_.slab_sizes) own_.emplace_back(size + dense::kReadSlack);
    for (const AlignedBuffer<T>& slab : own_) slabs_.push_back(slab.data());
  }

  /// Panels that another engine has made.
  /// @param slabs  of the table, each with dense::kReadSlack values behind it.
  /// Cost O(n), and the entries of simplicial subtrees.
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

  /// Panels of some fronts, which another engine has made and keeps: make_cpu_solve_plan().  The
  /// caller fills inv_diag() of these fronts before each solve with other values.
  /// @param slabs  of the table, as above; slabs of other fronts alone may be null.
  NumericFactor(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, PanelTable table,
                std::vector<T*> slabs)
      : symbolic_(&symbolic),
        plan_(&plan),
        table_(std::move(table)),
        slabs_(std::move(slabs)),
        inv_diag_(symbolic.n) {}
  /// The same panels at other places.
  void set_slabs(std::vector<T*> slabs) { slabs_ = std::move(slabs); }
  void set_slab(Index slab, T* begin) { slabs_[slab] = begin; }

  /// Entries that the first constructor allocates.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan) {
    return plan.factor_entries() + symbolic.n + static_cast<Offset>(plan.simplicial.row.size());
  }

  const symbolic::SymbolicFactor& symbolic() const { return *symbolic_; }
  const CpuPlan& plan() const { return *plan_; }

  /// The only way to L's values: where a panel lies is the table's business.
  PanelView<T> panel(Index s) {
    const PanelPlace& place = table_.place[s];
    return {slabs_[place.slab] + place.begin, place.ld};
  }
  PanelView<const T> panel(Index s) const {
    const PanelPlace& place = table_.place[s];
    return {slabs_[place.slab] + place.begin, place.ld};
  }
  /// Reciprocals of the diagonal of supernode s.
  T* inv_diag(Index s) { return inv_diag_.data() + symbolic_->super_ptr[s]; }
  const T* inv_diag(Index s) const { return inv_diag_.data() + symbolic_->super_ptr[s]; }
  /// Whether columns of simplicial subtrees are kept beside the panels.
  bool has_columns() const { return column_values_.size() > 0; }
  /// Entries of the columns of simplicial subtrees, at the places of plan().simplicial.
  const T* column_values() const { return column_values_.data(); }
  /// Copies those of supernode s, in a simplicial subtree, out of its panel.
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
    // The places are those of panels with ld = nrow.
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
  std::vector<AlignedBuffer<T>> own_;  // Slabs that are not another engine's.
  std::vector<T*> slabs_;
  AlignedBuffer<T> inv_diag_;  // 1 / L(j,j).  Length n.
  AlignedBuffer<T> column_values_;
};

}  // namespace clchol::numeric
