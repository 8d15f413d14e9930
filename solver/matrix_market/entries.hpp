// The entry lines of a Matrix Market file, parsed in parallel.
//
// Input: the text after the size line, in blocks of whole lines.  Each block is one task and keeps
// its own entries, line count and first error; line numbers and the order of entries come from the
// order of the blocks, so that nothing depends on threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "solver/matrix_market.hpp"
#include "solver/matrix_market/blocks.hpp"

namespace clchol::solver {

/// What an entry line must look like.
struct EntryShape {
  bool coordinate = true;        // "row column value"; otherwise "value".
  bool split_triangles = false;  // Entries above the diagonal go to ParsedEntries::upper, mirrored.
  Index nrow = 0;                // Bounds of the 1-based indices.
  Index ncol = 0;
  Offset entries = 0;    // Number of entry lines promised,
  Offset size_line = 0;  // by this line.
};

struct Entry {
  Index row;  // 0-based; row and col are 0 for an array.
  Index col;
  double value;
};

/// Consecutive entries, in file order.  Runs may share storage.
struct EntryRun {
  std::shared_ptr<const Entry[]> storage;
  std::span<const Entry> entries;
};

struct ParsedEntries {
  std::vector<EntryRun> lower;  // With split_triangles: row >= col; otherwise all entries.
  std::vector<EntryRun> upper;  // (i, j) with i < j, stored as row j, column i.
};

/// Text whose first lines have been read already.
struct TextRemainder {
  TextBlock block;
  std::size_t begin = 0;   // Where in the block the unread lines begin.
  Offset lines_above = 0;  // Lines of the file before that.
};

/// Parses what is left of a text.
/// Throws InvalidArgument for the first bad, missing or surplus line, Interrupted, and what the
/// source throws.
ParsedEntries parse_entries(TextRemainder first, BlockReader& reader, const TextSource& source,
                            const EntryShape& shape, const ReadOptions& options);

/// The number of threads that `requested` stands for; refuses negative ones.
int thread_count(int requested);

/// Throws Interrupted if the flag is set.
void check_cancel(const ReadOptions& options);

}  // namespace clchol::solver
