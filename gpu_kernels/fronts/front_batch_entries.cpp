#include "gpu_kernels/fronts/front_batch_entries.hpp"

#include <string>

#include "base/index_math.hpp"

namespace clchol::gpu {

BlockEntries::BlockEntries(const FrontBatchInput& in, Index f, const ColumnBlock& block)
    : in_(in),
      f_(f),
      block_(block),
      first_(in.first_column[at(f)] + block.column),
      count_(at(block.tile_of_row(front().nrow - 1)) + 2, 0) {
  for_each([&](Offset, Index row, Index c) {
    if (row < block_.column + c || row >= front().nrow) {
      throw InvalidArgument("front_batch: front " + std::to_string(f_) + " has an entry in row " +
                            std::to_string(row) + ", column " + std::to_string(block_.column + c));
    }
    ++count_[at(block_.tile_of_row(row)) + 1];
  });
  for (std::size_t t = 0; t + 1 < count_.size(); ++t) count_[t + 1] += count_[t];
}

const BatchFront& BlockEntries::front() const { return in_.fronts[at(f_)]; }

/// Calls f(index of the entry, its row in the front, its column in the block) for every entry.
template <class F>
void BlockEntries::for_each(const F& f) const {
  for (Index c = 0; c < block_.width; ++c) {
    for (Offset e = in_.entry_ptr[at(first_ + c)]; e < in_.entry_ptr[at(first_ + c) + 1]; ++e) {
      f(e, in_.entry_row[at(e)], c);
    }
  }
}

void BlockEntries::write(BatchEntry* entries) const {
  std::vector<Index> next = count_;
  for_each([&](Offset e, Index row, Index c) {
    const Index t = block_.tile_of_row(row);
    entries[next[at(t)]++] = {in_.entry_source[at(e)],
                              row - block_.row_of_tile(t) + CLCHOL_PLACE_COLUMN * c};
  });
}

void BlockEntries::give(Offset first, Index t, BatchTile& tile) const {
  tile.entry_begin = first + count_[at(t)];
  tile.num_entries = count_[at(t) + 1] - count_[at(t)];
}

}  // namespace clchol::gpu
