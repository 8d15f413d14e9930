#include "symbolic/structure.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "symbolic/forest_cut.hpp"

namespace clchol::symbolic {
namespace {

void count_rows(std::span<const Index> nupd, SymbolicFactor& factor) {
  factor.super_rowptr.resize(factor.nsuper + 1);
  factor.super_rowptr[0] = 0;
  for (Index s = 0; s < factor.nsuper; ++s) {
    factor.super_rowptr[s + 1] = factor.super_rowptr[s] + factor.ncol(s) + nupd[s];
  }
}

class RowGiver {
 public:
  RowGiver(const PermutedGraph& graph, const ForestCut& cut, SymbolicFactor& factor, int threads)
      : graph_(graph), cut_(cut), factor_(factor), next_(factor.nsuper), mark_(factor.nsuper) {
    entry_.resize(factor.nsuper);
    rank_above_.resize(graph.n);
    Index rank = 0;
    for (Index s : cut.above) {
      for (Index i = first_vertex(s); i < first_vertex(s + 1); ++i) rank_above_[i] = rank++;
    }
    scratch_.resize(threads);
    for (Scratch& scratch : scratch_) scratch.head.assign(rank, kNone);
  }

  void run(int threads) {
    for_each_subtree(cut_, threads, [&](Index t, int member) {
      const Index above = factor_.super_parent[cut_.root(t)];
      for (Index s = cut_.begin[t]; s < cut_.end[t]; ++s) start(s, above);
      const Index begin = first_vertex(cut_.begin[t]), end = first_vertex(cut_.end[t]);
      for (Index i = begin; i < end; ++i) give_to_all(i);
      give_rows_above(begin, end, above, scratch_[member]);
    });
    for (Index s : cut_.above) {
      start(s, s);
      for (Index i = first_vertex(s); i < first_vertex(s + 1); ++i) give_to_all(i);
    }
    for (Index s = 0; s < factor_.nsuper; ++s) {
      CLCHOL_ASSERT(next_[s] == factor_.super_rowptr[s + 1]);
    }
  }

 private:
  /// Entries of a subtree's columns in rows above the cut, as one list of entries per row.
  struct Scratch {
    struct Entry {
      Index front;  // Front of the entry's column.
      Index next;   // Next entry of the row, by its index in `entries`; kNone ends the list.
    };
    std::vector<Entry> entries;
    // First entry of each row above the cut, by the row's rank; kNone for none.
    std::vector<Index> head;
    std::vector<Index> rows;  // Rows, as vertices, that have entries.
  };

  Index first_vertex(Index s) const {
    if (!graph_.is_compressed()) return factor_.super_ptr[s];
    return static_cast<Index>(std::ranges::lower_bound(graph_.row_ptr, factor_.super_ptr[s]) -
                              graph_.row_ptr.begin());
  }
  Index front_of(Index vertex) const { return factor_.super_of_col[graph_.row_ptr[vertex]]; }

  /// Begins the row list of front s with its own columns.
  /// @param entry  Value of entry_[s].
  void start(Index s, Index entry) {
    entry_[s] = entry;
    mark_[s] = kNone;
    next_[s] = factor_.super_rowptr[s];
    for (Index j = factor_.super_ptr[s]; j < factor_.super_ptr[s + 1]; ++j) {
      factor_.super_rowind[next_[s]++] = j;
    }
  }

  /// Appends the rows of vertex i to the lists of the fronts on the path from s up to `last`,
  /// excluding `last`.  Ends at the first front that already has them.
  void give(Index i, Index s, Index last) {
    const Index begin = graph_.row_ptr[i], end = graph_.row_ptr[i + 1];
    for (; s != last && mark_[s] != i; s = factor_.super_parent[s]) {
      mark_[s] = i;
      CLCHOL_ASSERT(next_[s] + end - begin <= factor_.super_rowptr[s + 1]);
      for (Index row = begin; row < end; ++row) factor_.super_rowind[next_[s]++] = row;
    }
  }

  /// Appends the rows of vertex i to all fronts that have them: to fronts of the same subtree for a
  /// vertex below the cut, to fronts above the cut for a vertex above the cut.
  void give_to_all(Index i) {
    const Index own = front_of(i);
    const bool is_above = entry_[own] == own;
    for (Index k : graph_.before(i)) {
      const Index s = front_of(k);
      give(i, is_above ? entry_[s] : s, own);
    }
  }

  /// Appends the rows of vertices above the cut to the fronts of a subtree, which has the vertices
  /// [begin, end).
  /// @param last  Parent of the subtree's root.
  void give_rows_above(Index begin, Index end, Index last, Scratch& scratch) {
    for (Index k = begin; k < end; ++k) {
      const Index front = front_of(k);
      for (Index i : graph_.after(k)) {
        if (i < end) continue;
        Index& head = scratch.head[rank_above_[i]];
        if (head == kNone) scratch.rows.push_back(i);
        scratch.entries.push_back({front, head});
        head = static_cast<Index>(scratch.entries.size()) - 1;
      }
    }
    std::ranges::sort(scratch.rows);
    for (Index i : scratch.rows) {
      Index& head = scratch.head[rank_above_[i]];
      for (; head != kNone; head = scratch.entries[head].next) {
        give(i, scratch.entries[head].front, last);
      }
    }
    scratch.entries.clear();
    scratch.rows.clear();
  }

  const PermutedGraph& graph_;
  const ForestCut& cut_;
  SymbolicFactor& factor_;
  std::vector<Offset> next_;  // Index in super_rowind of the next row of s.  Length nsuper.
  std::vector<Index> mark_;   // Last vertex whose rows s has received.  Length nsuper.
  // Parent of the root of the subtree that s is in; s itself for a front above the cut.  Length
  // nsuper.
  std::vector<Index> entry_;
  // Rank of a vertex above the cut among the vertices above the cut.  Length n.
  std::vector<Index> rank_above_;
  std::vector<Scratch> scratch_;  // Workspaces.  Length threads.
};

}  // namespace

void build_row_structure(const PermutedGraph& graph, std::span<const Index> nupd, Offset least_work,
                         SymbolicFactor& factor, int threads) {
  count_rows(nupd, factor);
  factor.super_rowind.resize(factor.super_rowptr[factor.nsuper]);
  const ForestCut cut =
      cut_forest(factor.first_descendant, least_work, [&](Index begin, Index end) {
        return factor.super_rowptr[end] - factor.super_rowptr[begin];
      });
  RowGiver(graph, cut, factor, threads).run(threads);
}

}  // namespace clchol::symbolic
