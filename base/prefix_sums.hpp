// Offsets from counts: where each list of a packed array starts.
#pragma once

#include <omp.h>

#include <vector>

#include "base/types.hpp"

namespace clchol {

/// sums[0] := 0, sums[i + 1] := sums[i] + count(i) for 0 <= i < n.
/// @param count  count(i) may read sums[i + 1], must not throw, and may be called by any thread.
/// Each thread sums a block of its own, then adds what the blocks before it come to.
/// Cost O(n), shared out among the threads; the result does not depend on them.
/// Throws std::bad_alloc.
template <class Sum, class Count>
void prefix_sums(Index n, int threads, Sum* sums, const Count& count) {
  constexpr Index kParallelLength = 50000;  // Some 0.05 ms on one thread.
  const int team = n < kParallelLength ? 1 : threads;
  std::vector<Sum> total(team, 0);  // Of a thread's block.
  sums[0] = 0;
#pragma omp parallel num_threads(team)
  {
    const Offset member = omp_get_thread_num(), members = omp_get_num_threads();
    const Index begin = static_cast<Index>(n * member / members);
    const Index end = static_cast<Index>(n * (member + 1) / members);
    Sum sum = 0;
    for (Index i = begin; i < end; ++i) sums[i + 1] = sum += count(i);
    total[member] = sum;
#pragma omp barrier
    Sum before = 0;
    for (Offset m = 0; m < member; ++m) before += total[m];
    if (before > 0) {
      for (Index i = begin; i < end; ++i) sums[i + 1] += before;
    }
  }
}

}  // namespace clchol
