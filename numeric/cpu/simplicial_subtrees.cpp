#include "numeric/cpu/simplicial_subtrees.hpp"

#include <limits>
#include <string>

#include "base/bytes_of.hpp"
#include "numeric/cpu/plan.hpp"

namespace clchol::numeric {
namespace {

using symbolic::SymbolicFactor;

/// Model of the time of a solve with L and L' for one right-hand side, in ns, on a 3 GHz core with
/// L in its cache.  By panels: time for each front, front row and panel entry.  By columns: time
/// for each column and entry.  bench/eigen_bench shows its effect.
constexpr double kFront = 60, kFrontRow = 4, kPanelEntry = 0.5;
constexpr double kColumn = 6, kColumnEntry = 2.2;
/// A subtree is solved by columns when that takes less than this share of the time by panels.
constexpr double kLess = 0.8;
/// Model of the time that the vectors of runs take: time for each vector, and for each row.
constexpr double kVector = 30, kVectorRow = 2;

bool is_worth_columns(const SymbolicFactor& factor, Index root) {
  const Index first = factor.first_descendant[root];
  double by_panels = 0, by_columns = 0;
  for (Index s = first; s <= root; ++s) {
    // `source` holds offsets in a panel as Index.
    const Offset entries = Offset{factor.nrow(s)} * factor.ncol(s);
    if (entries > std::numeric_limits<Index>::max()) return false;
    const double m = factor.nrow(s), c = factor.ncol(s);
    by_panels += kFront + kFrontRow * m + kPanelEntry * m * c;
    by_columns += kColumn * c;
  }
  for (Index j = factor.super_ptr[first]; j < factor.super_ptr[root + 1]; ++j) {
    by_columns += kColumnEntry * (factor.colcount[j] - 1);
  }
  return by_columns < kLess * by_panels;
}

/// Whether one vector of the parent's rows takes less time than a vector for each of the roots,
/// which are children of one front, or have no parent.
bool is_worth_joining(const SymbolicFactor& factor, std::span<const Index> roots) {
  const Index parent = factor.super_parent[roots.front()];
  if (parent == kNone) return true;
  double apart = 0;
  for (const Index root : roots) apart += kVector + kVectorRow * factor.nupd(root);
  return kVector + kVectorRow * factor.nrow(parent) < apart;
}

/// Joins adjacent simplicial subtrees of a task into runs.
/// @param run  on entry 1 for a simplicial subtree and 0 for another; on return
///             SimplicialSubtrees::run.
void join_neighbours(const SymbolicFactor& factor, const SubtreeTasks& tasks,
                     std::vector<Index>& run) {
  for (Index t = 0; t < tasks.size(); ++t) {
    const Index task_end = tasks.task_ptr[t + 1];
    for (Index begin = tasks.task_ptr[t], end = begin; begin < task_end; begin = end) {
      const auto continues = [&](Index k) {
        const Index root = tasks.root[k - 1], next = tasks.root[k];
        return run[k - 1] > 0 && run[k] > 0 && factor.first_descendant[next] == root + 1 &&
               factor.super_parent[root] == factor.super_parent[next];
      };
      end = begin + 1;
      while (end < task_end && continues(end)) ++end;
      const auto count = static_cast<std::size_t>(end - begin);
      if (count == 1 || !is_worth_joining(factor, std::span(tasks.root).subspan(begin, count))) {
        continue;
      }
      for (Index k = begin; k < end; ++k) run[k] = end - k;
    }
  }
}

/// Finds the patterns of L's columns: merges children's patterns up the elimination tree.  [Liu90]
class ColumnPatterns {
 public:
  ColumnPatterns(const SymbolicFactor& factor, const symbolic::EntryMap& entries,
                 const CpuPlan& plan, SimplicialSubtrees& out)
      : factor_(factor),
        entries_(entries),
        plan_(plan),
        out_(out),
        mark_(factor.n, kNone),
        first_child_(factor.n, kNone),
        next_child_(factor.n, kNone) {}

  void add_subtree(Index root) {
    root_ = root;
    for (Index s = factor_.first_descendant[root]; s <= root; ++s) {
      for (Index k = 0; k < factor_.ncol(s); ++k) add_column(s, k);
    }
  }

  /// Numbers the rows above the subtree as rows of the root's parent, after add_subtree(root).
  void number_by_parent(Index root) {
    const auto relind = factor_.relative_indices(root);
    const Index begin = factor_.super_ptr[factor_.first_descendant[root]];
    for (Index j = begin; j < factor_.super_ptr[root + 1]; ++j) {
      const Column& column = out_.column[j];
      for (Index p = column.num_inside; p < column.count; ++p) {
        Index& row = out_.row[column.begin + p];
        row = relind[row];
      }
    }
  }

 private:
  using Column = SimplicialSubtrees::Column;

  /// Adds column k of front s: its rows are the rows of A's column and of its children's columns.
  void add_column(Index s, Index k) {
    const auto rows = factor_.rows(s);
    const Index j = rows[k], m = factor_.nrow(s);
    for (Offset p = entries_.entry_ptr[j]; p < entries_.entry_ptr[j + 1]; ++p) {
      mark_[rows[entries_.entry_row[p]]] = j;
    }
    for (Index c = first_child_[j]; c != kNone; c = next_child_[c]) mark_rows_of(c, j);

    Column& column = out_.column[j];
    const auto above = plan_.rows_above(s);
    const Index inside_end = m - static_cast<Index>(above.size());
    const Offset end = column.begin + column.count;
    Offset p = column.begin;
    for (Index r = k + 1; r < m; ++r) {
      if (mark_[rows[r]] != j) continue;
      if (p == end) refuse(j);
      out_.row[p] = r < inside_end ? rows[r] : above[r - inside_end];
      out_.source[p++] = k * m + r;
      column.num_inside += r < inside_end;
    }
    if (p != end) refuse(j);
    if (column.num_inside == 0) return;
    const Index parent = out_.row[column.begin];
    next_child_[j] = first_child_[parent];
    first_child_[parent] = j;
  }

  /// Throws.  Column counts differ from A's pattern only in a symbolic factor read from a file.
  [[noreturn]] static void refuse(Index j) {
    throw InvalidArgument("symbolic factor: the count of column " + std::to_string(j) +
                          " is another than its rows'");
  }

  void mark_rows_of(Index c, Index j) {
    const Column& column = out_.column[c];
    const Index* const row = out_.row.data() + column.begin;
    for (Index p = 0; p < column.num_inside; ++p) mark_[row[p]] = j;
    const auto above = factor_.update_rows(root_);
    for (Index p = column.num_inside; p < column.count; ++p) mark_[above[row[p]]] = j;
  }

  const SymbolicFactor& factor_;
  const symbolic::EntryMap& entries_;
  const CpuPlan& plan_;
  SimplicialSubtrees& out_;
  Index root_ = kNone;
  std::vector<Index> mark_;         // Last column so far that has row i.  Length n.
  std::vector<Index> first_child_;  // First child of column j in the elimination tree.  Length n.
  std::vector<Index> next_child_;   // Next child of column j's parent.  Length n.
};

}  // namespace

Offset SimplicialSubtrees::bytes() const { return bytes_of_all(run, column, row, source); }

SimplicialSubtrees find_simplicial_subtrees(const SymbolicFactor& factor,
                                            const symbolic::EntryMap& entries,
                                            const CpuPlan& plan) {
  const auto num_subtrees = static_cast<Index>(plan.tasks.root.size());
  std::vector<Index> run(num_subtrees);
  std::vector<Index> simplicial;  // Numbers of the simplicial subtrees.
  for (Index k = 0; k < num_subtrees; ++k) {
    run[k] = is_worth_columns(factor, plan.tasks.root[k]) ? 1 : 0;
    if (run[k] > 0) simplicial.push_back(k);
  }
  SimplicialSubtrees out;
  if (simplicial.empty()) return out;
  join_neighbours(factor, plan.tasks, run);
  out.run = std::move(run);
  out.column.assign(factor.n, {0, 0, 0});
  Offset size = 0;
  for (const Index k : simplicial) {
    const Index root = plan.tasks.root[k];
    const Index begin = factor.super_ptr[factor.first_descendant[root]];
    for (Index j = begin; j < factor.super_ptr[root + 1]; ++j) {
      out.column[j] = {size, 0, factor.colcount[j] - 1};
      size += factor.colcount[j] - 1;
    }
  }
  out.row.resize(size);
  out.source.resize(size);
  ColumnPatterns patterns(factor, entries, plan, out);
  for (const Index k : simplicial) {
    patterns.add_subtree(plan.tasks.root[k]);
    if (out.is_joined(k)) patterns.number_by_parent(plan.tasks.root[k]);
  }
  return out;
}

}  // namespace clchol::numeric
