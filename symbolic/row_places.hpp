// Where a row stands in a front, for every front in turn.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/team.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Calls f(s, place_of) for every front s of which is_wanted(s), in parallel on `team` threads;
/// which may throw.
/// place_of(row) is the row's position in the front, kNone where the front has no such row.
/// @return whether every call returned true.
/// Cost O(length of the row lists) and f; workspace n indices a thread.  Throws std::bad_alloc.
template <class IsWanted, class F>
bool for_each_front_with_places(const SymbolicFactor& factor, int team, const IsWanted& is_wanted,
                                const F& f) {
  constexpr Offset kBlock = 256;
  std::atomic<bool> complete{true};
  // Of each member: position[i] is the place of row i in the front at hand; that of an earlier one,
  // or 0, where the front has no row i.  Length n, or 0 before the member's first front.
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
