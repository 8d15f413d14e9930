// Offsets from counts: where each list of a packed array starts.
#pragma once

#include <numeric>
#include <vector>

#include "base/team.hpp"
#include "base/types.hpp"

namespace clchol {

/// sums[0] := 0, sums[i + 1] := sums[i] + count(i) for 0 <= i < n.
/// @param count  count(i) may read sums[i + 1], must not throw, and may be called by any thread.
/// Blocks are summed each by itself; then each adds what the blocks before it come to.
/// Cost O(n), shared out among the threads; the result does not depend on them.
/// Throws std::bad_alloc.
template <class Sum, class Count>
void prefix_sums(Index n, int threads, Sum* sums, const Count& count) {
  constexpr Index kParallelLength = 200000;  // Some 0.2 ms on one thread.
  const Offset block = n < kParallelLength ? n : block_for(n, threads);
  const Offset num_blocks = block > 0 ? (n + block - 1) / block : 0;
  std::vector<Sum> total(num_blocks, 0);  // Of each block, then of the blocks before it.
  sums[0] = 0;
  parallel_blocks(n, block, threads, [&](Offset begin, Offset end) {
    Sum sum = 0;
    for (Offset i = begin; i < end; ++i) sums[i + 1] = sum += count(static_cast<Index>(i));
    total[begin / block] = sum;
  });
  if (num_blocks < 2 || threads <= 1) return;
  std::exclusive_scan(total.begin(), total.end(), total.begin(), Sum{0});
  parallel_blocks(n, block, threads, [&](Offset begin, Offset end) {
    const Sum before = total[begin / block];
    if (before == 0) return;
    for (Offset i = begin; i < end; ++i) sums[i + 1] += before;
  });
}

}  // namespace clchol
