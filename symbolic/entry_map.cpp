#include "symbolic/entry_map.hpp"

#include "base/assert.hpp"
#include "base/bytes_of.hpp"
#include "base/prefix_sums.hpp"
#include "base/team.hpp"
#include "symbolic/row_places.hpp"

namespace clchol::symbolic {
namespace {

/// Number of rows above which several threads are faster than one.
constexpr Index kParallelRows = 20000;

/// Input from which the entries of the permuted lower triangle are gathered.
struct Gathering {
  const SymbolicFactor& factor;
  const CscPatternView& lower;
  const TransposedIndex& transposed;
  int team;  // Threads to use.
};

/// Calls f(p, label) for the entries of row `row` of A, until f returns false: the entries before
/// the diagonal first, then the diagonal and the entries after it.
/// @param f  p: position of the entry in A's values; label: new number of the entry's column.
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

/// @return position of the first entry of each column of the permuted lower triangle.  Column j has
/// the entries of row perm[j] of A whose columns are j or later in the new order.  Length n + 1.
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

/// Fills the entries of the columns of the permuted lower triangle; entry_row receives new row
/// numbers.  The rows of A are read in the order in which they are in memory.  Each row of A writes
/// one column.
void deal_entries(const Gathering& a, EntryMap& map) {
  map.entry_ptr = count_entries(a);
  map.entry_source = AlignedBuffer<std::uint32_t>(a.lower.nnz());
  map.entry_row = AlignedBuffer<Index>(a.lower.nnz());
  parallel_for(a.factor.n, a.team, [&](Index row) {
    const Index j = a.factor.permutation.iperm[row];
    Offset k = map.entry_ptr[j];
    const Offset end = map.entry_ptr[j + 1];
    if (k == end) return;
    // About half of the entries belong to column j, at unpredictable positions.  Each entry is
    // therefore written, and the next entry overwrites one that does not belong.  The loop ends
    // with the last entry that belongs, because the next position is in another column.
    for_each_in_row(a, row, [&](std::uint32_t source, Index label) {
      map.entry_source[k] = source;
      map.entry_row[k] = label;
      k += label >= j;
      return k < end;
    });
  });
}

/// Replaces the row numbers in entry_row by positions in the front of the column, and fills
/// panel_full.
/// @return whether the front of every entry has the entry's row.
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
