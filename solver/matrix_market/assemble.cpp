#include "solver/matrix_market/assemble.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "base/team.hpp"

namespace clchol::solver {
namespace {

// Average number of entries per bucket.  An entry has 16 bytes, so that a bucket stays in the
// second-level cache.
constexpr Offset kBucketEntries = 1 << 14;
// Maximum number of buckets.  A scatter to more buckets would miss the TLB at each write.
constexpr Offset kMostBuckets = 1 << 10;
// Columns of at most kInsertionLength entries are sorted by insertion, longer columns by
// std::stable_sort.
constexpr Offset kInsertionLength = 32;

Offset ceil_div(Offset a, Offset b) { return (a + b - 1) / b; }

bool before(const Entry& a, const Entry& b) {
  return a.col < b.col || (a.col == b.col && a.row < b.row);
}

/// Whether the entries of all runs, in order, ascend strictly by (column, row).
bool is_sorted(const std::vector<EntryRun>& runs, int threads) {
  std::atomic<bool> sorted = true;
  const auto num_runs = static_cast<Offset>(runs.size());
  parallel_for(num_runs, threads, [&](Offset k) {
    const std::span<const Entry> run = runs[k].entries;
    if (!sorted.load(std::memory_order_relaxed)) return;
    if (k > 0 && !before(runs[k - 1].entries.back(), run.front())) sorted = false;
    for (std::size_t p = 1; p < run.size(); ++p) {
      if (!before(run[p - 1], run[p])) {
        sorted = false;
        break;
      }
    }
  });
  return sorted;
}

void accumulate(std::vector<Offset>& colptr) {
  for (std::size_t j = 1; j < colptr.size(); ++j) colptr[j] += colptr[j - 1];
}

/// Copies sorted entries; frees each run after copying it.
AssembledColumns copy_sorted(Index n, std::vector<EntryRun> runs, Offset total) {
  AssembledColumns out;
  out.pattern.n = n;
  out.pattern.colptr.assign(static_cast<std::size_t>(n) + 1, 0);
  out.pattern.rowind.reserve(static_cast<std::size_t>(total));
  out.values.reserve(static_cast<std::size_t>(total));
  for (EntryRun& run : runs) {
    for (const Entry& entry : run.entries) {
      ++out.pattern.colptr[entry.col + 1];
      out.pattern.rowind.push_back(entry.row);
      out.values.push_back(entry.value);
    }
    run = {};
  }
  accumulate(out.pattern.colptr);
  return out;
}

/// Sorts the entries of one column by rows, stably.
void sort_rows(Entry* first, Entry* last) {
  const auto row_before = [](const Entry& a, const Entry& b) { return a.row < b.row; };
  if (std::is_sorted(first, last, row_before)) return;
  if (last - first > kInsertionLength) {
    std::stable_sort(first, last, row_before);
    return;
  }
  for (Entry* next = first + 1; next < last; ++next) {
    const Entry moved = *next;
    Entry* hole = next;
    for (; hole > first && moved.row < (hole - 1)->row; --hole) *hole = *(hole - 1);
    *hole = moved;
  }
}

/// Adds neighbouring entries of equal row to the first of them.
/// @return the new end.
Entry* sum_equal_rows(Entry* first, Entry* last) {
  if (first == last) return last;
  Entry* kept = first;
  for (Entry* next = first + 1; next < last; ++next) {
    if (next->row == kept->row) {
      kept->value += next->value;
    } else {
      *++kept = *next;
    }
  }
  return kept + 1;
}

/// The bucket sort of the file's header comment, with the data that its three steps share.
class BucketSort {
 public:
  BucketSort(Index n, std::vector<EntryRun> runs, Offset total, int threads)
      : n_(n), runs_(std::move(runs)), total_(total), threads_(threads) {
    const Offset wanted = std::clamp<Offset>(ceil_div(total, kBucketEntries), 1, kMostBuckets);
    while ((Offset{n} - 1) >> shift_ >= wanted) ++shift_;
    num_buckets_ = ((Offset{n} - 1) >> shift_) + 1;
  }

  AssembledColumns run() {
    out_.pattern.n = n_;
    out_.pattern.colptr.assign(static_cast<std::size_t>(n_) + 1, 0);
    scatter();
    kept_.assign(static_cast<std::size_t>(num_buckets_), 0);
    in_parallel(num_buckets_, [this](Offset bucket) { sort_bucket(bucket); });
    accumulate(out_.pattern.colptr);
    const Offset nnz = out_.pattern.colptr.back();
    out_.duplicates = total_ - nnz;
    out_.pattern.rowind.resize(static_cast<std::size_t>(nnz));
    out_.values.resize(static_cast<std::size_t>(nnz));
    in_parallel(num_buckets_, [this](Offset bucket) { place_bucket(bucket); });
    return std::move(out_);
  }

 private:
  Offset bucket_of(const Entry& entry) const { return entry.col >> shift_; }
  Index first_column(Offset bucket) const {
    return static_cast<Index>(std::min<Offset>(bucket << shift_, n_));
  }

  /// Executes task(0), ..., task(count - 1) in a team.
  template <class Task>
  void in_parallel(Offset count, const Task& task) {
    parallel_blocks(count, 1, threads_, [&](Offset begin, Offset end) {
      for (Offset k = begin; k < end; ++k) task(k);
    });
  }

  /// @return the range of runs that thread s scatters; all ranges have nearly equal lengths.
  std::pair<std::size_t, std::size_t> share(Offset s) const {
    const auto num_runs = static_cast<Offset>(runs_.size());
    return {static_cast<std::size_t>(num_runs * s / threads_),
            static_cast<std::size_t>(num_runs * (s + 1) / threads_)};
  }

  /// Step 1.  place[s * num_buckets + b] first counts the entries of range s in bucket b.  Then it
  /// is the index in entries_ of the next entry that range s writes to bucket b.
  void scatter() {
    std::vector<Offset> place(static_cast<std::size_t>(threads_ * num_buckets_), 0);
    in_parallel(threads_, [&](Offset s) {
      Offset* const count = place.data() + s * num_buckets_;
      const auto [begin, end] = share(s);
      for (std::size_t k = begin; k < end; ++k) {
        for (const Entry& entry : runs_[k].entries) ++count[bucket_of(entry)];
      }
    });
    bucket_begin_.assign(static_cast<std::size_t>(num_buckets_) + 1, 0);
    Offset next = 0;
    for (Offset b = 0; b < num_buckets_; ++b) {
      bucket_begin_[b] = next;
      for (Offset s = 0; s < threads_; ++s) {
        next += std::exchange(place[s * num_buckets_ + b], next);
      }
    }
    bucket_begin_[num_buckets_] = next;
    entries_ = std::make_unique_for_overwrite<Entry[]>(static_cast<std::size_t>(total_));
    in_parallel(threads_, [&](Offset s) {
      Offset* const at = place.data() + s * num_buckets_;
      const auto [begin, end] = share(s);
      for (std::size_t k = begin; k < end; ++k) {
        for (const Entry& entry : runs_[k].entries) entries_[at[bucket_of(entry)]++] = entry;
        runs_[k] = {};
      }
    });
  }

  /// Step 2.  Sorts the bucket's entries, sums duplicates, moves the result to the begin of the
  /// bucket, and stores the length of each column j in colptr[j + 1].
  void sort_bucket(Offset bucket) {
    Entry* const first = entries_.get() + bucket_begin_[bucket];
    Entry* const last = entries_.get() + bucket_begin_[bucket + 1];
    const Index col0 = first_column(bucket);
    const Index num_cols = first_column(bucket + 1) - col0;
    std::vector<Offset> column_begin(static_cast<std::size_t>(num_cols) + 1, 0);
    for (const Entry* entry = first; entry < last; ++entry) ++column_begin[entry->col - col0 + 1];
    accumulate(column_begin);
    const std::unique_ptr<Entry[]> sorted(new Entry[static_cast<std::size_t>(last - first)]);
    for (const Entry* entry = first; entry < last; ++entry) {
      // After the loop, column_begin[j] is the end of column j.
      sorted[column_begin[entry->col - col0]++] = *entry;
    }
    Entry* kept = first;
    Entry* column = sorted.get();
    for (Index j = 0; j < num_cols; ++j) {
      Entry* const column_end = sorted.get() + column_begin[j];
      sort_rows(column, column_end);
      Entry* const unique_end = sum_equal_rows(column, column_end);
      kept = std::copy(column, unique_end, kept);
      out_.pattern.colptr[col0 + j + 1] = unique_end - column;
      column = column_end;
    }
    kept_[bucket] = kept - first;
  }

  /// Step 3.  Copies the bucket's entries to the result.
  void place_bucket(Offset bucket) {
    const Entry* entry = entries_.get() + bucket_begin_[bucket];
    const Offset begin = out_.pattern.colptr[first_column(bucket)];
    for (Offset p = begin; p < begin + kept_[bucket]; ++p, ++entry) {
      out_.pattern.rowind[p] = entry->row;
      out_.values[p] = entry->value;
    }
  }

  Index n_;
  std::vector<EntryRun> runs_;
  Offset total_;
  int threads_;
  int shift_ = 0;  // Column j belongs to bucket j >> shift_.
  Offset num_buckets_ = 1;
  std::unique_ptr<Entry[]> entries_;  // Entries, bucket after bucket.  Length total_.
  std::vector<Offset> bucket_begin_;  // First entry of each bucket.  Length num_buckets_ + 1.
  std::vector<Offset> kept_;          // Distinct positions per bucket.  Length num_buckets_.
  AssembledColumns out_;
};

}  // namespace

AssembledColumns assemble_columns(Index n, std::vector<EntryRun> runs, int threads) {
  Offset total = 0;
  for (const EntryRun& run : runs) total += static_cast<Offset>(run.entries.size());
  if (is_sorted(runs, threads)) return copy_sorted(n, std::move(runs), total);
  return BucketSort(n, std::move(runs), total, threads).run();
}

}  // namespace clchol::solver
