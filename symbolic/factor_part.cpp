#include "symbolic/factor_part.hpp"

#include <algorithm>
#include <utility>

#include "base/index_math.hpp"
#include "symbolic/derived.hpp"

namespace clchol::symbolic {
namespace {

class Partition {
 public:
  Partition(const SymbolicFactor& whole, std::span<const Index> part, Index p)
      : whole_(whole), part_(part), p_(p) {}

  FactorPart run() {
    choose_fronts();
    link_fronts();
    count_levels();
    number_rows();
    copy_rows();
    build_super_of_col(made_.factor);
    build_children(made_.factor);
    count_work(made_.factor);
    return std::move(made_);
  }

 private:
  bool is_own(Index s) const { return s != kNone && part_[at(s)] == p_; }
  bool is_imported(Index s) const { return !is_own(s) && is_own(whole_.super_parent[s]); }

  /// Lists the part's own fronts and its imported fronts, tree by tree.
  void choose_fronts() {
    // Root of each front's tree in the part, kNone for other fronts.  Parents have larger numbers
    // than their children.
    std::vector<Index> root(at(whole_.nsuper), kNone);
    for (Index s = whole_.nsuper - 1; s >= 0; --s) {
      const Index parent = whole_.super_parent[s];
      if (is_own(s)) {
        root[at(s)] = is_own(parent) ? root[at(parent)] : s;
      } else if (is_imported(s)) {
        root[at(s)] = root[at(parent)];
      }
      if (root[at(s)] != kNone) made_.super.push_back(s);
    }
    std::ranges::sort(made_.super, {}, [&](Index s) { return std::pair(root[at(s)], s); });
  }

  void link_fronts() {
    SymbolicFactor& f = made_.factor;
    f.nsuper = static_cast<Index>(made_.super.size());
    std::vector<Index> number(at(whole_.nsuper), kNone);
    for (Index k = 0; k < f.nsuper; ++k) number[at(made_.super[at(k)])] = k;
    f.super_ptr.push_back(0);
    for (Index k = 0; k < f.nsuper; ++k) {
      const Index s = made_.super[at(k)], parent = whole_.super_parent[s];
      f.super_ptr.push_back(f.super_ptr.back() + (is_own(s) ? whole_.ncol(s) : 0));
      f.super_parent.push_back(is_own(parent) ? number[at(parent)] : kNone);
      if (!is_own(s)) {
        made_.imported.push_back(k);
      } else if (parent != kNone && !is_own(parent)) {
        made_.exported.push_back(k);
      }
    }
    made_.num_columns = f.super_ptr.back();
  }

  void count_levels() {
    std::vector<Index> level(at(whole_.nsuper), 0);
    for (Index s = 0; s < whole_.nsuper; ++s) {
      const Index parent = whole_.super_parent[s];
      if (parent == kNone) continue;
      const Index crosses = part_[at(s)] == part_[at(parent)] ? 0 : 1;
      level[at(parent)] = std::max(level[at(parent)], level[at(s)] + crosses);
    }
    made_.level.reserve(made_.super.size());
    for (const Index s : made_.super) made_.level.push_back(level[at(s)] + (is_own(s) ? 0 : 1));
  }

  /// Numbers the part's columns, then the border in the whole factor's order.
  void number_rows() {
    number_.assign(at(whole_.n), kNone);
    std::vector<Index>& row = made_.row;
    row.reserve(at(made_.num_columns));
    for (const Index s : made_.super) {
      for (Index j = whole_.super_ptr[s]; j < whole_.super_ptr[s + 1] && is_own(s); ++j) {
        number_[at(j)] = static_cast<Index>(row.size());
        row.push_back(j);
      }
    }
    for (const Index s : made_.super) {
      if (!is_own(s)) continue;
      for (const Index i : whole_.update_rows(s)) {
        if (number_[at(i)] != kNone) continue;
        number_[at(i)] = 0;
        row.push_back(i);
      }
    }
    std::sort(row.begin() + made_.num_columns, row.end());
    for (Index k = made_.num_columns; k < static_cast<Index>(row.size()); ++k) {
      number_[at(row[at(k)])] = k;
    }
    SymbolicFactor& f = made_.factor;
    f.n = static_cast<Index>(row.size());
    f.permutation.perm.reserve(row.size());
    for (const Index i : row) f.permutation.perm.push_back(whole_.permutation.perm[i]);
    f.colcount.assign(row.size(), 0);
    for (Index k = 0; k < made_.num_columns; ++k) f.colcount[k] = whole_.colcount[row[at(k)]];
  }

  /// Fills the row lists, for an imported front with its update rows alone, and the positions of
  /// update rows among the parent's rows.  Exported fronts have no parent in the part; theirs are
  /// not used.
  void copy_rows() {
    SymbolicFactor& f = made_.factor;
    const auto first_row = [this](Index s) { return is_own(s) ? 0 : whole_.ncol(s); };
    f.super_rowptr.push_back(0);
    for (const Index s : made_.super) {
      f.super_rowptr.push_back(f.super_rowptr.back() + whole_.nrow(s) - first_row(s));
    }
    f.super_rowind.resize(static_cast<std::size_t>(f.super_rowptr.back()));
    f.relind.resize(static_cast<std::size_t>(f.super_rowptr.back() - made_.num_columns));
    for (Index k = 0; k < f.nsuper; ++k) {
      const Index s = made_.super[at(k)];
      std::ranges::transform(whole_.rows(s).subspan(at(first_row(s))),
                             f.super_rowind.begin() + f.super_rowptr[k],
                             [this](Index i) { return number_[at(i)]; });
      std::ranges::copy(whole_.relative_indices(s), f.relind.begin() + f.relind_begin(k));
    }
  }

  const SymbolicFactor& whole_;
  std::span<const Index> part_;
  Index p_;
  // Number in the part of each row of the whole factor, kNone for other rows.  Length n of the
  // whole factor.
  std::vector<Index> number_;
  FactorPart made_;
};

}  // namespace

FactorPart part_of_factor(const SymbolicFactor& factor, std::span<const Index> part, Index p) {
  return Partition(factor, part, p).run();
}

PartEntries part_of_entries(const EntryMap& entries, const FactorPart& part) {
  PartEntries made;
  const SymbolicFactor& own = part.factor;
  made.map.entry_ptr.resize(static_cast<std::size_t>(own.n) + 1);
  made.map.entry_ptr[0] = 0;
  for (Index j = 0; j < own.n; ++j) {
    const Index of = part.row[at(j)];
    const Offset count =
        j < part.num_columns ? entries.entry_ptr[of + 1] - entries.entry_ptr[of] : 0;
    made.map.entry_ptr[j + 1] = made.map.entry_ptr[j] + count;
  }
  const Offset nnz = made.map.entry_ptr[own.n];
  made.map.entry_source = AlignedBuffer<std::uint32_t>(nnz);
  made.map.entry_row = AlignedBuffer<Index>(nnz);
  // First marks the entries of A that are in the part, then gives their positions among the part's
  // values.  The part's values keep A's order, so A's values are read in the order in which they
  // are in memory.
  std::vector<std::uint32_t> place(static_cast<std::size_t>(entries.nnz()), 0);
  const auto for_entries = [&](const auto& use) {
    for (Index j = 0; j < part.num_columns; ++j) {
      const Offset from = entries.entry_ptr[part.row[at(j)]] - made.map.entry_ptr[j];
      for (Offset k = made.map.entry_ptr[j]; k < made.map.entry_ptr[j + 1]; ++k) use(k, from + k);
    }
  };
  for_entries([&](Offset, Offset whole) { place[entries.entry_source[whole]] = 1; });
  made.values.reserve(static_cast<std::size_t>(nnz));
  for (std::size_t e = 0; e < place.size(); ++e) {
    const bool is_own = place[e] != 0;
    place[e] = static_cast<std::uint32_t>(made.values.size());
    if (is_own) made.values.push_back(static_cast<std::uint32_t>(e));
  }
  for_entries([&](Offset k, Offset whole) {
    made.map.entry_source[k] = place[entries.entry_source[whole]];
    made.map.entry_row[k] = entries.entry_row[whole];
  });
  made.map.panel_full.resize(at(own.nsuper), 0);
  for (Index s = 0; s < own.nsuper; ++s) {
    if (!part.is_imported(s)) made.map.panel_full[s] = entries.panel_full[part.super[at(s)]];
  }
  return made;
}

}  // namespace clchol::symbolic
