// Positions of rows in fronts, found front by front.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/team.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Calls f(s, place_of) for every front s for which is_wanted(s) is true, on a team of `team`
/// threads, which process different fronts at the same time.  f returns a bool, and may throw.
/// place_of(row) returns the position of `row` among the rows of front s, or kNone if the front
/// does not have the row.
/// @return whether every call of f returned true.
/// Cost O(length of the row lists) and the calls of f; workspace n indices per thread.  Throws
/// std::bad_alloc.
template <class IsWanted, class F>
bool for_each_front_with_places(const SymbolicFactor& factor, int team, const IsWanted& is_wanted,
                                const F& f) {
  constexpr Offset kBlock = 256;
  std::atomic<bool> complete{true};
  // For each member of the team, position[i] is the position of row i in the member's current
  // front.  Where the front does not have row i, it is 0 or the position in an earlier front.
  // Length n, or 0 before the member's first front.
  std::vector<AlignedBuffer<Index>> positions(team);
  const auto work = [&](Offset begin, Offset end) {
    AlignedBuffer<Index>& position = positions[team_member()];
    if (position.data() == nullptr) {
      position = AlignedBuffer<Index>(factor.n);
      std::fill_n(position.data(), factor.n, 0);
    }
    for (auto s = static_cast<Index>(begin); s < static_cast<Index>(end); ++s) {
      if (!is_wanted(s)) continue;
      const auto rows = factor.rows(s);
      for (std::size_t k = 0; k < rows.size(); ++k) position[rows[k]] = static_cast<Index>(k);
      auto place_of = [&](Index row) {
        const Index place = position[row];
        return place < factor.nrow(s) && rows[place] == row ? place : kNone;
      };
      if (!f(s, place_of)) complete = false;
    }
  };
  run_in_team(team, [&] { parallel_blocks(factor.nsuper, kBlock, team, work); });
  return complete;
}

}  // namespace clchol::symbolic
