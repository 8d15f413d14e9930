// Positions of rows in fronts, found front by front.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/team.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Calls f(s, place_of) for every front s for which is_wanted(s), in parallel on `team` threads.  f
/// may throw.
/// place_of(row) is the row's position in front s, kNone where the front does not have the row.
/// @return whether every call returned true.
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
