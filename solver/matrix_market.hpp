// Reads and writes Matrix Market files: matrices, right-hand sides, solutions and permutations.
//
// The reader accepts
// - the formats coordinate and array, and the fields real, double and integer;
// - symmetric matrices, and general matrices that are numerically symmetric;
// - plain text and gzip, distinguished by the first bytes of the file, not by its name;
// - CRLF, blank lines, comments anywhere, leading blanks, leading '+', and Fortran exponents
//   (1.5D-03, 1.5-103);
// - duplicates (summed), entries above the diagonal of a symmetric file (folded into the lower
//   triangle), and explicit zeros (kept);
// - CHOLMOD's triplet files, which have no banner, or an stype after the sizes, or both
//   (solver/matrix_market/header.hpp);
// - patterns, if ReadOptions::pattern_only is set.
// ReadNotes reports the features that may matter to the user.
//
// The reader refuses everything else with an InvalidArgument of one line, "<file>, line <k>:
// <reason>".  The message names the first bad line of the file, whatever the number of threads.  A
// decompression error takes precedence over any bad line, because the text after it is unreliable.
//
// Method: the calling thread reads (or inflates) the text in blocks that end at a line end.  A team
// parses the blocks as tasks while the next blocks are read.  A stable scatter distributes the
// entries to buckets of columns, and each bucket is sorted on its own.  The result does not depend
// on the number of threads or on the block size.
// Cost O(bytes + nnz log(longest unsorted column) + n).
// Workspace: 16 bytes per entry (32 while unsorted input is scattered to buckets), and up to
// 4 * threads + 1 blocks of text.  The whole text is never in memory.  Nor is the file mapped: if
// another process shortened a mapped file, this process would be killed.
// Peak memory, result included: 28 bytes per entry for sorted input, 32 for other input, and 8
// bytes per column.  For comparison, the text of an entry has 15 to 35 bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/csc.hpp"
#include "base/dense_view.hpp"
#include "base/types.hpp"
#include "ordering/permutation.hpp"

namespace clchol::solver {

/// Thrown when ReadOptions::cancel was found set; the call returns no data.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ReadOptions {
  /// Number of threads that parse and assemble; 0: as many threads as the process may use.
  int threads = 0;
  /// Checked between blocks; once true, the call throws Interrupted.
  const std::atomic<bool>* cancel = nullptr;
  /// Called by the calling thread for each block, with the fraction of the file's bytes that has
  /// been read, in [0, 1]; 0 if the file's size is unknown (a pipe).
  void (*progress)(void* context, double fraction) = nullptr;
  void* progress_context = nullptr;
  /// Bytes of text per block.  Larger blocks mean fewer tasks and worse load balance; 256 KiB stay
  /// in the second-level cache of most cores.  Tests use small blocks.
  std::size_t block_bytes = std::size_t{1} << 18;
  /// Whether the caller does without values: then a file without values is accepted, and
  /// SymmetricMatrix::values is empty for such a file.  For matrices only.
  bool pattern_only = false;
};

/// Features of the file that the reader noticed, for the report.
struct ReadNotes {
  Offset entries_in_file = 0;    ///< Number of entry lines.
  Offset duplicates_summed = 0;  ///< Entries added to an earlier entry at the same position.
  Offset upper_folded = 0;       ///< Symmetric file: number of entries given above the diagonal.
  Offset mirrored_pairs = 0;     ///< Symmetric file: positions given in both triangles, summed.
  Offset explicit_zeros = 0;     ///< Number of kept entries whose value is zero.
  Offset outside_dropped = 0;    ///< Triplet file: entries outside the triangle that stype names.
  bool zero_based = false;       ///< Triplet file: its indices begin at 0.
  bool general_but_symmetric = false;  ///< Banner says general; the lower triangle was kept.
  double asymmetry = -1;  ///< Largest asymmetry of a pair (solver/asymmetry.hpp); -1: not checked.
  bool right_hand_sides_ignored = false;  ///< Harwell-Boeing file: it has right-hand sides.
  bool compressed = false;                ///< The file is gzip.
  Offset bytes_read = 0;                  ///< Bytes read from the file, before decompression.
  Offset text_bytes = 0;                  ///< Bytes of text, after decompression.
  double seconds = 0.0;                   ///< Wall-clock time of the call, in seconds.
};

/// A symmetric matrix, stored as its lower triangle.
struct SymmetricMatrix {
  CscPattern lower;  // Rows strictly ascending in each column; any diagonal entry may be absent.
  // Finite values of the entries, in the order of lower.rowind.  Length lower.colptr[n]; 0 for a
  // file without values.
  std::vector<double> values;
  ReadNotes notes;

  Index n() const { return lower.n; }
};

/// A dense matrix, column-major, leading dimension nrow.
struct DenseMatrix {
  Index nrow = 0;
  Index ncol = 0;
  std::vector<double> values;  // All entries.  Length nrow * ncol.

  DenseView<double> view() { return {values.data(), nrow, ncol, nrow}; }
  DenseView<const double> view() const { return {values.data(), nrow, ncol, nrow}; }
};

/// Reads a symmetric matrix.
///
/// A general file is accepted if every pair satisfies
///   |a(i,j) - a(j,i)| <= 8 eps (max(|a(i,j)|, |a(j,i)|) + sqrt|a(i,i) a(j,j)|),
/// where an absent entry counts as zero (solver/asymmetry.hpp).  The result has the pattern and the
/// values of the lower triangle.
///
/// In a symmetric file, positions given in both triangles are summed like duplicates, entries of
/// the lower triangle first.  But if every off-diagonal entry is given in both triangles, with
/// equal values, the file plainly holds the whole matrix under the wrong banner word.  Summing
/// would double the matrix, so the file is refused.
///
/// A file with n > 2^20 + 16 * entries is refused: the matrix is singular, and its column pointers
/// alone would dwarf the file.
/// @throws InvalidArgument for an unreadable or unsuitable file, OutOfMemory, Interrupted.
/// Safe to call concurrently and inside a parallel region (where it may get one thread).
SymmetricMatrix read_symmetric_matrix(const std::string& path, const ReadOptions& options = {});

/// read_symmetric_matrix() for the content of a file (text or gzip) in memory.
/// @param name  the file's name in messages.
SymmetricMatrix parse_symmetric_matrix(std::string_view content, const std::string& name,
                                       const ReadOptions& options = {});

/// Reads right-hand sides from a general array or coordinate file.  In a coordinate file, absent
/// entries are zero, duplicates are summed, and nrow * ncol must not exceed
/// 64 * expected_rows + 2^24 + 1024 * entries.
/// @param expected_rows  number of rows that the file must have; kNone: any number.
DenseMatrix read_dense(const std::string& path, Index expected_rows = kNone,
                       const ReadOptions& options = {});
/// read_dense() for the content of a file in memory.
DenseMatrix parse_dense(std::string_view content, const std::string& name,
                        Index expected_rows = kNone, const ReadOptions& options = {});

/// Reads a permutation, perm[new] = old: a Matrix Market array of n integers (n x 1), or a plain
/// list of n integers separated by blanks or line ends.  Text from '%' or '#' to the end of the
/// line is a comment.  Indices are 1-based, unless one of them is 0: then all are 0-based.
/// @param expected_size  n; kNone: any.
ordering::Permutation read_permutation(const std::string& path, Index expected_size = kNone);
/// read_permutation() for the content of a file in memory.
ordering::Permutation parse_permutation(std::string_view content, const std::string& name,
                                        Index expected_size = kNone);

struct WriteOptions {
  /// Text of the comment after the banner; each of its lines becomes a line that begins with '%'.
  std::string comment = {};
  /// Number of threads that format and compress; 0: as many threads as the process may use.  The
  /// bytes written do not depend on the number of threads.
  int threads = 0;
  /// Once true, writing to a pipe that accepts no bytes stops with InvalidArgument.  A regular file
  /// is completed nevertheless.
  const std::atomic<bool>* cancel = nullptr;
};

/// All writers print the shortest digits that read back to the same bits, and compress a file whose
/// name ends in ".gz".  They write a temporary file in the directory of `path`, flush it to the
/// disk and rename it, so that `path` holds either its former content or the whole new file.  A
/// path that exists and is no regular file (a pipe, a device) is written in place.
/// @throws InvalidArgument for non-finite values and for every failure of the file system, with the
/// system's error text; the temporary file is removed.

/// Writes coordinate real symmetric.
/// @param lower   lower triangle, rows strictly ascending.
/// @param values  values of the entries.  Length lower.nnz().
void write_symmetric_matrix(const std::string& path, const CscPatternView& lower,
                            std::span<const double> values, const WriteOptions& options = {});
/// Writes array real general.
void write_dense(const std::string& path, DenseView<const double> matrix,
                 const WriteOptions& options = {});
/// Writes array integer general, n x 1, 1-based.  @param perm  perm[new] = old.
void write_permutation(const std::string& path, std::span<const Index> perm,
                       const WriteOptions& options = {});

/// @return the text that write_symmetric_matrix() would write to an uncompressed file.
std::string format_symmetric_matrix(const CscPatternView& lower, std::span<const double> values,
                                    const WriteOptions& options = {});

}  // namespace clchol::solver
