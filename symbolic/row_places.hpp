// Where a row stands in a front, for every front in turn.
#pragma once

#include <omp.h>

#include <algorithm>

#include "base/aligned_buffer.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace clchol::symbolic {

/// Calls f(s, place_of) for every front s of which is_wanted(s), in parallel on `team` threads;
/// neither may throw.
/// place_of(row) is the row's position in the front, kNone where the front has no such row.
/// @return whether every call returned true.
/// Cost O(length of the row lists) and f; workspace n indices a thread.  Throws std::bad_alloc.
template <class IsWanted, class F>
bool for_each_front_with_places(const SymbolicFactor& factor, int team, const IsWanted& is_wanted,
                                const F& f) {
  bool complete = true;
  // No exception may leave the region: its buffers are allocated here.
  const AlignedBuffer<Index> positions(Offset{factor.n} * team);
#pragma omp parallel num_threads(team) reduction(&& : complete)
  {
    // position[i]: place of row i in the front at hand; that of an earlier one, or 0, where the
    // front has no row i.  Length n.
    Index* const position = positions.data() + Offset{factor.n} * omp_get_thread_num();
    std::fill_n(position, factor.n, 0);
#pragma omp for schedule(dynamic, 256)
    for (Index s = 0; s < factor.nsuper; ++s) {
      if (!is_wanted(s)) continue;
      const auto rows = factor.rows(s);
      for (std::size_t k = 0; k < rows.size(); ++k) position[rows[k]] = static_cast<Index>(k);
      auto place_of = [&](Index row) {
        const Index place = position[row];
        return place < factor.nrow(s) && rows[place] == row ? place : kNone;
      };
      complete &= f(s, place_of);
    }
  }
  return complete;
}

}  // namespace clchol::symbolic
