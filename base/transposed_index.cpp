#include "base/transposed_index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "base/prefix_sums.hpp"
#include "base/team.hpp"

namespace clchol {
namespace {

/// Columns [begin, end) of the triangle, whose entries one task sorts into the rows.
struct ColumnBlock {
  Index begin = 0, end = 0;
  // First the number of the block's entries in row i; later the position of its next entry of row i
  // in the index.  Length n.
  AlignedBuffer<std::uint32_t> next;
};

/// Divides the columns into blocks with about equal numbers of entries.
std::vector<ColumnBlock> make_blocks(const CscPatternView& lower, int threads) {
  constexpr Offset kEntriesOfBlock = 200000, kMostBlocks = 8;
  const Offset num_blocks =
      std::clamp<Offset>(std::min<Offset>(threads, lower.nnz() / kEntriesOfBlock), 1, kMostBlocks);
  std::vector<ColumnBlock> blocks(num_blocks);
  for (Offset b = 0; b < num_blocks; ++b) {
    const Offset entry = lower.nnz() / num_blocks * (b + 1);
    blocks[b].begin = b == 0 ? 0 : blocks[b - 1].end;
    blocks[b].end = b + 1 == num_blocks
                        ? lower.n
                        : static_cast<Index>(std::ranges::lower_bound(lower.colptr, entry) -
                                             lower.colptr.begin());
    blocks[b].next = AlignedBuffer<std::uint32_t>(lower.n);
  }
  return blocks;
}

/// Counts the block's entries in each row.
void count_rows(const CscPatternView& lower, ColumnBlock& block) {
  std::uint32_t* const count = block.next.data();
  std::fill_n(count, lower.n, 0);
  for (Index j = block.begin; j < block.end; ++j) {
    for (const Index i : lower.below_diagonal(j)) ++count[i];
  }
}

/// Computes the start of each row, and of each block's entries within the row.  Within a row, the
/// entries of a block follow the entries of the preceding blocks.
void place_rows(Index n, std::vector<ColumnBlock>& blocks, UninitializedVector<Offset>& rowptr) {
  rowptr.resize(Offset{n} + 1);
  const int team = static_cast<int>(blocks.size());
  prefix_sums(n, team, rowptr.data(), [&](Index i) {
    Offset count = 0;
    for (const ColumnBlock& block : blocks) count += block.next[i];
    return count;
  });
  parallel_for(n, team, [&](Index i) {
    auto place = static_cast<std::uint32_t>(rowptr[i]);
    for (ColumnBlock& block : blocks) {
      const std::uint32_t count = block.next[i];
      block.next[i] = place;
      place += count;
    }
  });
}

/// Writes the block's entries to their positions in the index.
void deal_entries(const CscPatternView& lower, const ColumnBlock& block, TransposedIndex& t) {
  std::uint32_t* const next = block.next.data();
  for (Index j = block.begin; j < block.end; ++j) {
    const std::span<const Index> rows = lower.below_diagonal(j);
    auto source =
        static_cast<std::uint32_t>(lower.colptr[j + 1]) - static_cast<std::uint32_t>(rows.size());
    for (const Index i : rows) {
      const std::uint32_t k = next[i]++;
      t.column[k] = j;
      t.source[k] = source++;
    }
  }
}

/// Finds the long rows and chooses the number of columns of a partial sum.  The number is large
/// enough that ending the partial sums of all long rows costs at most an eighth of the pass over
/// the entries.
LongRows find_long_rows(const CscPatternView& lower, const TransposedIndex& t) {
  constexpr Offset kLong = 512;
  constexpr double kLeastSegment = 128, kShare = 8;
  LongRows rows;
  for (Index i = 0; i < lower.n; ++i) {
    const Offset before = t.rowptr[i + 1] - t.rowptr[i];
    if (before + lower.colptr[i + 1] - lower.colptr[i] > kLong) rows.row.push_back(i);
  }
  const double n = std::max<Index>(lower.n, 1);
  rows.segment = static_cast<Index>(n);
  if (rows.row.empty()) return rows;
  // Least `segment` with  n / segment * (number of long rows) <= nnz / kShare.
  const auto count = static_cast<double>(rows.row.size());
  const double least = std::ceil(kShare * n / static_cast<double>(lower.nnz()) * count);
  rows.segment = static_cast<Index>(std::clamp(least, std::min(kLeastSegment, n), n));
  return rows;
}

}  // namespace

TransposedIndex make_transposed_index(const CscPatternView& lower, int threads) {
  constexpr Offset kMaxEntries = std::numeric_limits<std::uint32_t>::max();
  if (lower.nnz() >= kMaxEntries) {
    throw InvalidArgument("matrix: " + std::to_string(lower.nnz()) +
                          " entries in one triangle; at most " + std::to_string(kMaxEntries - 1) +
                          " are supported");
  }
  CLCHOL_ASSERT(is_sorted_lower(lower));
  std::vector<ColumnBlock> blocks = make_blocks(lower, threads);
  const int team = static_cast<int>(blocks.size());
  parallel_for(team, team, [&](int b) { count_rows(lower, blocks[b]); });
  TransposedIndex t;
  place_rows(lower.n, blocks, t.rowptr);
  t.column.resize(t.rowptr[lower.n]);
  t.source.resize(t.rowptr[lower.n]);
  parallel_for(team, team, [&](int b) { deal_entries(lower, blocks[b], t); });
  t.long_rows = find_long_rows(lower, t);
  return t;
}

}  // namespace clchol
