#include "symbolic/entry_map.hpp"

#include "base/assert.hpp"
#include "base/bytes_of.hpp"
#include "base/prefix_sums.hpp"
#include "base/team.hpp"
#include "symbolic/row_places.hpp"

namespace clchol::symbolic {
namespace {

/// Rows from which several threads pay.
constexpr Index kParallelRows = 20000;

/// What the entries of the permuted lower triangle are gathered from.
struct Gathering {
  const SymbolicFactor& factor;
  const CscPatternView& lower;
  const TransposedIndex& transposed;
  int team;  // Threads that pay.
};

/// Calls f(p, label) for the entries p of row `row` of A, as long as it returns true: those before
/// the diagonal, then those from it on.
/// @param f  label: the column's new number.
template <class F>
inline void for_each_in_row(const Gathering& a, Index row, const F& f) {
  const Index* const iperm = a.factor.permutation.iperm.data();
  const TransposedIndex& t = a.transposed;
  for (Offset p = t.rowptr[row]; p < t.rowptr[row + 1]; ++p) {
    if (!f(t.source[p], iperm[t.column[p]])) return;
  }
  for (Offset p = a.lower.colptr[row]; p < a.lower.colptr[row + 1]; ++p) {
    if (!f(static_cast<std::uint32_t>(p), iperm[a.lower.rowind[p]])) return;
  }
}

/// Where the columns of the permuted lower triangle start: column j has those entries of row
/// perm[j] of A that are not before j in the new order.
UninitializedVector<Offset> count_entries(const Gathering& a) {
  const Index n = a.factor.n;
  UninitializedVector<Offset> entry_ptr(Offset{n} + 1);
  parallel_for(n, a.team, [&](Index row) {
    const Index j = a.factor.permutation.iperm[row];
    Index count = 0;
    for_each_in_row(a, row, [&](std::uint32_t, Index label) {
      count += label >= j;
      return true;
    });
    entry_ptr[j + 1] = count;
  });
  prefix_sums(n, a.team, entry_ptr.data(), [&](Index j) { return entry_ptr[j + 1]; });
  return entry_ptr;
}

/// Deals A's entries to the columns of the permuted lower triangle; entry_row holds row labels.
/// The rows of A are read as they stand in memory, and each writes a column of its own.
void deal_entries(const Gathering& a, EntryMap& map) {
  map.entry_ptr = count_entries(a);
  map.entry_source = AlignedBuffer<std::uint32_t>(a.lower.nnz());
  map.entry_row = AlignedBuffer<Index>(a.lower.nnz());
  parallel_for(a.factor.n, a.team, [&](Index row) {
    const Index j = a.factor.permutation.iperm[row];
    Offset k = map.entry_ptr[j];
    const Offset end = map.entry_ptr[j + 1];
    if (k == end) return;
    // Half of the entries belong here, at random, so each is written, and what does not belong is
    // written over.  With the last one the column is done: its end is its neighbour's begin.
    for_each_in_row(a, row, [&](std::uint32_t source, Index label) {
      map.entry_source[k] = source;
      map.entry_row[k] = label;
      k += label >= j;
      return k < end;
    });
  });
}

/// Replaces row labels by positions in the front of the column.
/// @return whether every row stands in its front.
bool locate_entries(const SymbolicFactor& factor, int team, EntryMap& map) {
  map.panel_full.resize(factor.nsuper);
  auto every = [](Index) { return true; };
  return for_each_front_with_places(factor, team, every, [&](Index s, const auto& place_of) {
    bool complete = true;
    const Offset begin = map.entry_ptr[factor.super_ptr[s]];
    const Offset end = map.entry_ptr[factor.super_ptr[s + 1]];
    for (Offset k = begin; k < end; ++k) {
      map.entry_row[k] = place_of(map.entry_row[k]);
      complete &= map.entry_row[k] != kNone;
    }
    const Offset m = factor.nrow(s), c = factor.ncol(s);
    map.panel_full[s] = end - begin == m * c - c * (c - 1) / 2;
    return complete;
  });
}

}  // namespace

Offset EntryMap::bytes() const {
  return bytes_of_all(entry_ptr, entry_source, entry_row, panel_full);
}

EntryMap make_entry_map(const SymbolicFactor& factor, const CscPatternView& lower,
                        const TransposedIndex& transposed, int threads) {
  CLCHOL_ASSERT(lower.n == factor.n);
  const int team = factor.n > kParallelRows ? threads : 1;
  EntryMap map;
  deal_entries({factor, lower, transposed, team}, map);
  if (!locate_entries(factor, team, map)) {
    throw InvalidArgument("symbolic factor: it has no place for some entries of the matrix");
  }
  return map;
}

}  // namespace clchol::symbolic
