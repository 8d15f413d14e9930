// The values of L, reached by supernode.
#pragma once

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

/// L of one factorization.  The symbolic factor and the plan must outlive it.
template <class T>
class NumericFactor {
 public:
  NumericFactor(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan)
      : symbolic_(&symbolic),
        plan_(&plan),
        values_(plan.factor_entries() + dense::kReadSlack),
        inv_diag_(symbolic.n),
        column_values_(static_cast<Offset>(plan.simplicial.row.size())) {}

  /// Entries that the constructor allocates.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan) {
    return plan.factor_entries() + symbolic.n + static_cast<Offset>(plan.simplicial.row.size());
  }

  const symbolic::SymbolicFactor& symbolic() const { return *symbolic_; }
  const CpuPlan& plan() const { return *plan_; }

  /// The only way to L's values: where a panel lies is the plan's business.
  PanelView<T> panel(Index s) {
    return {values_.data() + plan_->super_valptr[s], symbolic_->nrow(s)};
  }
  PanelView<const T> panel(Index s) const {
    return {values_.data() + plan_->super_valptr[s], symbolic_->nrow(s)};
  }
  /// Reciprocals of the diagonal of supernode s.
  T* inv_diag(Index s) { return inv_diag_.data() + symbolic_->super_ptr[s]; }
  const T* inv_diag(Index s) const { return inv_diag_.data() + symbolic_->super_ptr[s]; }
  /// Entries of the columns of simplicial subtrees, at the places of plan().simplicial.
  const T* column_values() const { return column_values_.data(); }
  /// Copies those of supernode s, in a simplicial subtree, out of its panel.
  void copy_columns(Index s) {
    const SimplicialSubtrees& columns = plan_->simplicial;
    const auto& last = columns.column[symbolic_->super_ptr[s + 1] - 1];
    const Offset begin = columns.column[symbolic_->super_ptr[s]].begin;
    const Offset end = last.begin + last.count;
    const T* const panel = this->panel(s).data;
    for (Offset p = begin; p < end; ++p) column_values_[p] = panel[columns.source[p]];
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
  AlignedBuffer<T> values_;    // Panels, at the plan's places.
  AlignedBuffer<T> inv_diag_;  // 1 / L(j,j).  Length n.
  AlignedBuffer<T> column_values_;
};

}  // namespace clchol::numeric
