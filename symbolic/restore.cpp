#include "symbolic/restore.hpp"

#include <algorithm>
#include <string>

#include "base/team.hpp"
#include "symbolic/derived.hpp"

namespace clchol::symbolic {
namespace {

[[noreturn]] void refuse(const std::string& reason) {
  throw InvalidArgument("symbolic factor: " + reason);
}

/// Number of supernodes above which several threads are faster than one.
constexpr Index kParallelSupernodes = 2000;

void check_lengths(const SymbolicFactor& f) {
  auto has = [](const auto& vector, Offset length) {
    return static_cast<Offset>(vector.size()) == length;
  };
  if (f.n < 1 || f.nsuper < 1 || f.nsuper > f.n) {
    refuse(std::to_string(f.nsuper) + " supernodes of " + std::to_string(f.n) + " columns");
  }
  if (!has(f.permutation.perm, f.n) || !has(f.colcount, f.n) ||
      !has(f.super_ptr, Offset{f.nsuper} + 1) || !has(f.super_parent, f.nsuper) ||
      !has(f.super_rowptr, Offset{f.nsuper} + 1)) {
    refuse("an array has the wrong length");
  }
}

void check_columns(const SymbolicFactor& f) {
  if (f.super_ptr[0] != 0) refuse("the first supernode does not begin at column 0");
  for (Index s = 0; s < f.nsuper; ++s) {
    if (f.super_ptr[s + 1] <= f.super_ptr[s]) {
      refuse("supernode " + std::to_string(s) + " has no columns");
    }
  }
  if (f.super_ptr[f.nsuper] != f.n) refuse("the last supernode does not end at column n");
}

/// Checks that the assembly tree is numbered in a postorder: when a front comes, its children are
/// the last fronts in the list of fronts that wait for their parents.
void check_postorder(const SymbolicFactor& f) {
  std::vector<Index> orphans;  // Fronts that wait for their parents.
  for (Index s = 0; s < f.nsuper; ++s) {
    while (!orphans.empty() && f.super_parent[orphans.back()] == s) orphans.pop_back();
    orphans.push_back(s);
  }
  for (Index s : orphans) {
    if (f.super_parent[s] != kNone) {
      refuse("the assembly tree is in no postorder at supernode " + std::to_string(s));
    }
  }
}

void check_row_counts(const SymbolicFactor& f) {
  if (f.super_rowptr[0] != 0) refuse("the first row list does not begin at 0");
  for (Index s = 0; s < f.nsuper; ++s) {
    // Compared before the subtraction: the difference of two arbitrary numbers may overflow.
    const bool ascends = f.super_rowptr[s + 1] >= f.super_rowptr[s];
    const Offset nrow = ascends ? f.super_rowptr[s + 1] - f.super_rowptr[s] : 0;
    if (nrow < f.ncol(s) || nrow > f.n) {
      refuse("supernode " + std::to_string(s) + " has an impossible number of rows");
    }
    if ((nrow == f.ncol(s)) != (f.super_parent[s] == kNone)) {
      refuse("supernode " + std::to_string(s) + " has " +
             (nrow == f.ncol(s) ? "a parent but no" : "no parent but") + " update rows");
    }
  }
  if (f.super_rowptr[f.nsuper] != static_cast<Offset>(f.super_rowind.size())) {
    refuse("the last row list does not end where the rows do");
  }
}

/// Whether the row list of s has the supernode's own columns first, ascends, and ends below n.
bool is_row_list(const SymbolicFactor& f, Index s) {
  const auto rows = f.rows(s);
  const Index ncol = f.ncol(s), first = f.super_ptr[s];
  for (Index k = 0; k < ncol; ++k) {
    if (rows[k] != first + k) return false;
  }
  for (std::size_t k = ncol; k < rows.size(); ++k) {
    if (rows[k] <= rows[k - 1]) return false;
  }
  return rows.back() < f.n;
}

bool has_possible_counts(const SymbolicFactor& f, Index s) {
  const Index first = f.super_ptr[s], nrow = f.nrow(s);
  for (Index k = 0; k < f.ncol(s); ++k) {
    if (f.colcount[first + k] < 1 || f.colcount[first + k] > nrow - k) return false;
  }
  return true;
}

void check_lists(const SymbolicFactor& f, int threads) {
  const auto first_bad = [&](Offset begin, Offset end) {
    for (auto s = static_cast<Index>(begin); s < static_cast<Index>(end); ++s) {
      if (!is_row_list(f, s) || !has_possible_counts(f, s)) return s;
    }
    return f.nsuper;
  };
  const Index bad =
      parallel_reduce(f.nsuper, f.nsuper > kParallelSupernodes ? threads : 1, f.nsuper, first_bad,
                      [](Index a, Index b) { return std::min(a, b); });
  if (bad < f.nsuper) {
    refuse("supernode " + std::to_string(bad) + " has a bad row list or column count");
  }
}

void check_info(const SymbolicFactor& f) {
  const SymbolicInfo& info = f.info;
  if (info.exact_supernodes < 1 || info.exact_supernodes > f.n || info.dynamic_supernodes < 0 ||
      info.dynamic_supernodes > info.exact_supernodes) {
    refuse("impossible numbers of supernodes");
  }
}

/// Checks that the first update row of every front is a column of the front's parent.
void check_parents(const SymbolicFactor& f) {
  for (Index s = 0; s < f.nsuper; ++s) {
    if (f.super_parent[s] == kNone || f.super_of_col[f.update_rows(s).front()] == f.super_parent[s])
      continue;
    refuse("supernode " + std::to_string(s) + " does not have its first update row in its parent");
  }
}

}  // namespace

void restore(SymbolicFactor& factor, int threads) {
  check_lengths(factor);
  check_columns(factor);
  check_postorder(factor);
  check_row_counts(factor);
  check_lists(factor, threads);
  check_info(factor);
  factor.permutation = ordering::make_permutation(std::move(factor.permutation.perm));
  build_super_of_col(factor);
  check_parents(factor);
  build_children(factor);
  if (!build_relative_indices(factor, threads)) {
    refuse("a front has an update row that its parent has not");
  }
  count_work(factor);
}

}  // namespace clchol::symbolic
