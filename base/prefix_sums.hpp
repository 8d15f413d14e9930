// Prefix sums, which turn the lengths of lists in a packed array into the lists' offsets.
#pragma once

#include <numeric>
#include <vector>

#include "base/team.hpp"
#include "base/types.hpp"

namespace clchol {

/// Computes sums[0] := 0, sums[i + 1] := sums[i] + count(i) for 0 <= i < n.
/// Method: threads sum up blocks of consecutive i, each from zero; then the total of all preceding
/// blocks is added to the sums of each block.
/// @param sums   array of n + 1 entries.
/// @param count  function of i in [0, n).  count(i) may read sums[i + 1], must not throw, and may
///               be called by any thread.
/// Cost O(n), divided among the threads; the result does not depend on their number.
/// Throws std::bad_alloc.
template <class Sum, class Count>
void prefix_sums(Index n, int threads, Sum* sums, const Count& count) {
  constexpr Index kParallelLength = 200000;  // Takes some 0.2 ms on one thread.
  const Offset block = n < kParallelLength ? n : block_for(n, threads);
  const Offset num_blocks = block > 0 ? (n + block - 1) / block : 0;
  // Sum of each block; after the scan, sum of the blocks before it.
  std::vector<Sum> total(num_blocks, 0);
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
