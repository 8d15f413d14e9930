// Parses the entry lines of a Matrix Market file in parallel.
//
// The input is the text after the size line, in blocks of whole lines.  Each block is one task and
// has its own entries, line count and first error.  Line numbers and the order of the entries
// follow from the order of the blocks, so that the result does not depend on the number of threads.
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

/// Which off-diagonal entries are kept.  Other entries are parsed and dropped.
enum class KeptEntries { kAll, kLower, kUpper };

/// The form that entry lines must have.
struct EntryShape {
  bool coordinate = true;        // Lines are "row column value"; false: "value".
  bool has_values = true;        // False: lines are "row column", and every value is 1.
  bool split_triangles = false;  // Entries above the diagonal go to ParsedEntries::upper, mirrored.
  bool any_base = false;         // Indices are 0-based if any of them is 0, otherwise 1-based.
  KeptEntries kept = KeptEntries::kAll;  // Entries that become part of the result.
  Index nrow = 0;                        // Number of rows of the matrix.
  Index ncol = 0;                        // Number of columns of the matrix.
  Offset entries = 0;                    // Number of entry lines that the size line announces.
  Offset size_line = 0;                  // The size line's number in the file, 1-based.

  /// The smallest index that a line may have.
  Index first_index() const { return any_base ? 0 : 1; }
};

/// One entry of the file.  In an array file row and col are 0: the position of an entry follows
/// from its number in the file, and the caller computes it.
struct Entry {
  Index row;  // 0-based row; 0 in an array file.
  Index col;  // 0-based column; 0 in an array file.
  double value;
};

/// Some entries in file order.  The lower and the upper run of one block share their storage.
struct EntryRun {
  std::shared_ptr<const Entry[]> storage;  // Owns the memory of `entries`.
  std::span<const Entry> entries;          // The entries of this run, a part of `storage`.
};

/// All kept entries of a file: at most one run of each kind for each block, in file order.
struct ParsedEntries {
  std::vector<EntryRun> lower;  // With split_triangles: entries with row >= col; otherwise all.
  std::vector<EntryRun> upper;  // Entries (i, j) with i < j, stored as row j, column i.
  Offset dropped = 0;           // Number of entries that EntryShape::kept excludes.
  bool zero_based = false;      // With any_base: the file's indices are 0-based.
};

/// What the parser of the head hands to the parser of entries: the block in which the head ends,
/// whose first lines have been parsed already.
struct TextRemainder {
  TextBlock block;
  std::size_t begin = 0;   // Offset in bytes of the block's first line that is not parsed yet.
  Offset lines_above = 0;  // Number of lines of the file above the line at `begin`.
};

/// Parses the remaining text: the rest of the block `first`, then the blocks of `reader`.
/// @param source  the text source of `reader`: gives the file's name for messages, and the fraction
///                that has been read for ReadOptions::progress.
/// Throws InvalidArgument for the first bad, missing or surplus line; Interrupted; and the
/// exceptions of source.read().
ParsedEntries parse_entries(TextRemainder first, BlockReader& reader, const TextSource& source,
                            const EntryShape& shape, const ReadOptions& options);

/// @return the number of threads to use: `requested`, or for 0 as many as the process may use;
///         fewer where the system refuses threads.  Throws InvalidArgument if `requested` < 0.
int thread_count(int requested);

/// Throws Interrupted if options.cancel is set.
void check_cancel(const ReadOptions& options);

}  // namespace clchol::solver
