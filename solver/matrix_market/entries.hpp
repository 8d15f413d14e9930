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

/// Which entries off the diagonal are kept; what else is read is dropped.
enum class KeptEntries { kAll, kLower, kUpper };

/// What an entry line must look like.
struct EntryShape {
  bool coordinate = true;        // "row column value"; otherwise "value".
  bool has_values = true;        // Otherwise "row column": every value is 1.
  bool split_triangles = false;  // Entries above the diagonal go to ParsedEntries::upper, mirrored.
  bool any_base = false;         // Indices begin at 0 where a 0 stands among them, otherwise at 1.
  KeptEntries kept = KeptEntries::kAll;
  Index nrow = 0;  // Bounds of the indices, 1-based.
  Index ncol = 0;
  Offset entries = 0;    // Number of entry lines promised,
  Offset size_line = 0;  // by this line.

  /// The least index that a line may have.
  Index first_index() const { return any_base ? 0 : 1; }
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
  Offset dropped = 0;           // Entries that were not among EntryShape::kept.
  bool zero_based = false;      // With any_base: indices begin at 0.
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
