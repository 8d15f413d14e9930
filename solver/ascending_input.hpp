// The input of solver/input_map.hpp where the rows of each column ascend strictly, as those of most
// inputs do.  Then nothing has to be sorted, and no two entries have the same place.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/team.hpp"
#include "solver/input_map.hpp"

namespace clchol::solver {

/// Makes the map of an input whose rows ascend strictly in each column.
template <class Ptr, class Ind>
class AscendingInput {
 public:
  AscendingInput(Index n, std::span<const Ptr> colptr, std::span<const Ind> rowind, int threads)
      : n_(n), colptr_(colptr), rowind_(rowind), threads_(threads) {}

  /// Takes the entries with row >= column, which are the last ones of each column.
  void take_lower(InputMap& map) const {
    std::vector<Offset>& lower_ptr = map.lower.colptr;
    lower_ptr.assign(static_cast<std::size_t>(n_) + 1, 0);
    parallel_for(n_, threads_,
                 [&](Index j) { lower_ptr[j + 1] = Offset{colptr_[j + 1]} - first_lower(j); });
    for (Index j = 0; j < n_; ++j) lower_ptr[j + 1] += lower_ptr[j];
    const bool has_others = lower_ptr[n_] < Offset{colptr_[n_]};
    map.lower.rowind.resize(lower_ptr[n_]);
    if (has_others) map.target.assign(colptr_[n_], InputMap::kIgnored);
    parallel_for(n_, threads_, [&](Index j) {
      Offset to = lower_ptr[j];
      for (Offset p = Offset{colptr_[j + 1]} - (lower_ptr[j + 1] - to); p < colptr_[j + 1]; ++p) {
        map.lower.rowind[to] = static_cast<Index>(rowind_[p]);
        if (has_others) map.target[p] = to;
        ++to;
      }
    });
    map.identity = !has_others;
  }

  /// Matches the entries above the diagonal with those below, after take_lower().
  /// @return whether each entry has its mirror image; otherwise `map` is in an undefined state.
  bool match_mirrors(InputMap& map) const {
    // In the order of j, mirror images (i, j) of column i's entries come in the order of their
    // rows.
    std::vector<Offset> next(map.lower.colptr.begin(), map.lower.colptr.end() - 1);
    for (Index i = 0; i < n_; ++i) {
      if (next[i] < map.lower.colptr[i + 1] && map.lower.rowind[next[i]] == i) ++next[i];
    }
    for (Index j = 0; j < n_; ++j) {
      for (Offset p = colptr_[j]; p < colptr_[j + 1] && rowind_[p] < j; ++p) {
        const auto i = static_cast<Index>(rowind_[p]);
        Offset& at = next[i];
        if (at == map.lower.colptr[i + 1] || map.lower.rowind[at] != j) return false;
        map.target[p] = InputMap::kMirror - at++;
      }
    }
    return std::equal(next.begin(), next.end(), map.lower.colptr.begin() + 1);
  }

  /// Takes the entries with row <= column, transposed.
  void take_upper(InputMap& map) const {
    std::vector<Offset>& lower_ptr = map.lower.colptr;
    lower_ptr.assign(static_cast<std::size_t>(n_) + 1, 0);
    const auto for_each_upper = [&](auto&& f) {
      for (Index j = 0; j < n_; ++j) {
        for (Offset p = colptr_[j]; p < colptr_[j + 1] && rowind_[p] <= j; ++p) {
          f(static_cast<Index>(rowind_[p]), j, p);
        }
      }
    };
    for_each_upper([&](Index i, Index, Offset) { ++lower_ptr[i + 1]; });
    for (Index j = 0; j < n_; ++j) lower_ptr[j + 1] += lower_ptr[j];
    map.lower.rowind.resize(lower_ptr[n_]);
    map.target.assign(colptr_[n_], InputMap::kIgnored);
    std::vector<Offset> next(lower_ptr.begin(), lower_ptr.end() - 1);
    for_each_upper([&](Index i, Index j, Offset p) {
      const Offset to = next[i]++;
      map.lower.rowind[to] = j;
      map.target[p] = to;
    });
  }

 private:
  /// Position of the first row >= j of column j.
  Offset first_lower(Index j) const {
    const auto begin = rowind_.begin() + colptr_[j], end = rowind_.begin() + colptr_[j + 1];
    return std::lower_bound(begin, end, static_cast<Ind>(j)) - rowind_.begin();
  }

  Index n_;
  std::span<const Ptr> colptr_;
  std::span<const Ind> rowind_;
  int threads_;
};

}  // namespace clchol::solver
