// The factor L in host memory, stored as one panel for each supernode.
#pragma once

#include <utility>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "numeric/cpu/plan.hpp"
#include "numeric/dense/kernels.hpp"

namespace clchol::numeric {

/// View of a panel of L.  The view does not own the memory.  The panel is nrow x ncol,
/// column-major.  Entries above the panel's diagonal are undefined.
template <class T>
struct PanelView {
  T* data = nullptr;  // Address of the panel's entry (0, 0).
  Offset ld = 0;      // Leading dimension, in entries; at least nrow.
};

/// The panels of L in host memory, and two arrays for solves on the CPU: the reciprocals of L's
/// diagonal, and copies of the columns of L that a solve reads instead of panels (in simplicial
/// subtrees, see simplicial_subtrees.hpp).  Panels lie in buffers called slabs.  The symbolic
/// factor and the plan must outlive this object.
template <class T>
class NumericFactor {
 public:
  /// Allocates the slabs that plan.panels describes.  The contents of the slabs are undefined until
  /// a factorization has computed the panels.  Throws std::bad_alloc.
  NumericFactor(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan)
      : symbolic_(&symbolic),
        plan_(&plan),
        table_(plan.panels),
        inv_diag_(symbolic.n),
        column_values_(static_cast<Offset>(plan.simplicial.row.size())) {
    for (const Offset size : table_.slab_sizes) own_.emplace_back(size + dense::kReadSlack);
    for (const AlignedBuffer<T>& slab : own_) slabs_.push_back(slab.data());
  }

  /// Takes ownership of slabs whose panels are already computed, for example read from a file.
  /// @param table  locations of the panels in `slabs`.
  /// @param slabs  the slabs of `table`.  After the end of each slab, dense::kReadSlack more
  ///               entries must be readable.
  /// Cost O(n + entries of L in simplicial subtrees).  Throws std::bad_alloc.
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

  /// Refers to slabs that the caller owns.  The object holds no copies of L's columns, so solves
  /// use panels in all subtrees.  factorize_cpu() fills inv_diag(s) for each supernode s.  If
  /// another function computes the panel of s, the caller must fill inv_diag(s) before the next
  /// solve.
  /// @param table  locations of the panels in `slabs`.
  /// @param slabs  addresses of the slabs of `table`.  After the end of each slab,
  ///               dense::kReadSlack more entries must be readable.  An element may be null if
  ///               set_slab() sets the address later, or if no panel of the slab is ever read,
  ///               because the plan covers only some fronts (in a solve shared with a device).
  ///               Length: number of slabs; or empty, if set_slabs() sets all addresses later.
  NumericFactor(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan, PanelTable table,
                std::vector<T*> slabs)
      : symbolic_(&symbolic),
        plan_(&plan),
        table_(std::move(table)),
        slabs_(std::move(slabs)),
        inv_diag_(symbolic.n) {}
  /// Sets the addresses of all slabs, which the caller owns.  Length: number of slabs.
  void set_slabs(std::vector<T*> slabs) { slabs_ = std::move(slabs); }
  /// Sets the address of one slab, which the caller owns.
  void set_slab(Index slab, T* begin) { slabs_[slab] = begin; }

  /// @return number of entries of type T that the first constructor above (the constructor without
  ///         a panel table) allocates, not counting dense::kReadSlack entries after each slab.
  static Offset entries(const symbolic::SymbolicFactor& symbolic, const CpuPlan& plan) {
    return plan.factor_entries() + symbolic.n + static_cast<Offset>(plan.simplicial.row.size());
  }

  const symbolic::SymbolicFactor& symbolic() const { return *symbolic_; }
  const CpuPlan& plan() const { return *plan_; }

  /// @return the panel of supernode s, at the address that the panel's slab has at present.  The
  ///         front of s must not be striped.
  PanelView<T> panel(Index s) {
    const PanelPlace& place = table_.place[s];
    return {slabs_[place.slab] + place.begin, place.ld};
  }
  PanelView<const T> panel(Index s) const {
    const PanelPlace& place = table_.place[s];
    return {slabs_[place.slab] + place.begin, place.ld};
  }
  /// @return a strip of a striped front (tree_groups.hpp) as a view of the panel of s in which the
  ///         columns of the strip alone are in memory: entry (i, j) is data[i + j * ld].
  /// @param slab   number of the slab, which holds the strip alone.
  /// @param begin  first column of the strip.
  PanelView<T> strip(Index s, Index slab, Index begin) {
    const Offset ld = symbolic_->nrow(s) - begin;
    return {slabs_[slab] - begin * (ld + 1), ld};
  }
  /// @return the columns of the panel of s that are in memory while group g of an out-of-core
  ///         factor is open: all columns or, if s is striped, the columns of the group's strip,
  ///         which are no columns where the strip belongs to the update matrix.
  /// @param strip  strip of group g.
  PanelColumns<T> columns(Index s, Index g, const Strip& strip) const {
    const Index nrow = symbolic_->nrow(s), ncol = symbolic_->ncol(s);
    if (strip.is_none()) {
      const PanelView<const T> whole = panel(s);
      return {s, 0, ncol, whole.data, whole.ld};
    }
    if (strip.begin >= ncol) return {s, ncol, ncol, nullptr, nrow};
    const Offset ld = nrow - strip.begin;
    return {s, strip.begin, strip.end, slabs_[g] - strip.begin * (ld + 1), ld};
  }
  /// @return array of the reciprocals 1 / L(j,j) for the columns j of supernode s.  Length ncol(s).
  T* inv_diag(Index s) { return inv_diag_.data() + symbolic_->super_ptr[s]; }
  const T* inv_diag(Index s) const { return inv_diag_.data() + symbolic_->super_ptr[s]; }
  /// @return whether this object holds copies of L's columns in simplicial subtrees.  All copies
  ///         may be empty, where L is diagonal.
  bool has_columns() const { return !own_.empty() && !plan_->simplicial.run.empty(); }
  /// @return copies of the values of L below the diagonal in simplicial subtrees: element p is the
  ///         value of the entry of L that row[p] and source[p] of SimplicialSubtrees describe.
  ///         Length plan().simplicial.row.size().
  const T* column_values() const { return column_values_.data(); }
  /// Copies the values of L in the columns of supernode s from the panel of s to column_values().
  /// Supernode s must be in a simplicial subtree.
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
    // columns.source[p] is the offset i + j * nrow of the entry (i, j) of a panel with leading
    // dimension nrow, but this panel has the leading dimension panel.ld.
    for (Offset p = begin; p < end; ++p) {
      const Index j = columns.source[p] / nrow, i = columns.source[p] % nrow;
      column_values_[p] = panel.data[i + j * panel.ld];
    }
  }
  /// @return L(j,j) of column j of the permuted matrix.
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
  std::vector<AlignedBuffer<T>> own_;  // The slabs of table_; empty when the caller owns the slabs.
  std::vector<T*> slabs_;              // Address of each slab of table_.
  AlignedBuffer<T> inv_diag_;          // 1 / L(j,j) of each column j.  Length n.
  AlignedBuffer<T> column_values_;     // Copies of L's values in simplicial subtrees.
};

}  // namespace clchol::numeric
