// Reads and writes Matrix Market files: matrices, right-hand sides, solutions and permutations.
//
// The reader accepts
// - the formats coordinate and array, and the fields real, double and integer;
// - symmetric matrices, and general matrices that are numerically symmetric;
// - plain text and gzip, distinguished by the first bytes of the file, not by its name;
// - CRLF, blank lines, comments anywhere, leading blanks, leading '+', and Fortran exponents
//   (1.5D-03, 1.5-103);
// - duplicates (they are summed), entries above the diagonal of a symmetric file (they are mirrored
//   into the lower triangle), and explicit zeros (they are kept);
// - CHOLMOD's triplet files, which have no banner, or an stype after the sizes, or both
//   (solver/matrix_market/header.hpp);
// - the field pattern (entries without values), if ReadOptions::pattern_only is set.
// ReadNotes tells which of these features the file has, where that may matter to the user.
//
// The reader refuses everything else with an InvalidArgument of one line, "<file>, line <k>:
// <reason>".  The message names the first bad line of the file, whatever the number of threads.  A
// decompression error takes precedence over a bad line, because text after such an error is
// unreliable.
//
// Method: the calling thread reads (or decompresses) the text in blocks of whole lines.  Other
// threads parse blocks while the calling thread reads the next ones.  Then the entries are
// distributed to buckets, each for a range of columns, without changing the order of entries in one
// bucket, and each bucket is sorted on its own.  The result does not depend on the number of
// threads or on the block size.
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

/// Thrown when the flag ReadOptions::cancel is true.  The call that throws it returns no data.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Options of the functions that read a matrix or right-hand sides.
struct ReadOptions {
  /// Number of threads that parse and assemble; 0: as many threads as the process may use.
  int threads = 0;
  /// Flag of the caller, which the call checks after each block of text.  When the flag is true,
  /// the call throws Interrupted.  Null: no flag.
  const std::atomic<bool>* cancel = nullptr;
  /// Function that the calling thread calls for each block of text.  `fraction` is the part of the
  /// file's bytes that has been read, in [0, 1]; 0 if the file's size is unknown (a pipe).  Null:
  /// no function.
  void (*progress)(void* context, double fraction) = nullptr;
  void* progress_context = nullptr;  ///< Argument `context` of progress().
  /// Greatest number of bytes of text in a block (a longer line is a block of its own).  With
  /// larger blocks, there are fewer tasks for the threads, and the load is balanced worse.  The
  /// default, 256 KiB, stays in the second-level cache of most cores.
  std::size_t block_bytes = std::size_t{1} << 18;
  /// Whether the caller needs no values.  Then a matrix file without values is accepted, and
  /// SymmetricMatrix::values is empty for such a file.  Ignored when reading right-hand sides.
  bool pattern_only = false;
};

/// Features of the file that the reader noticed, for the report.
struct ReadNotes {
  Offset entries_in_file = 0;    ///< Number of entry lines.
  Offset duplicates_summed = 0;  ///< Entries added to an earlier entry at the same position.
  Offset upper_folded = 0;       ///< Symmetric file: number of entries given above the diagonal.
  /// Symmetric file: number of positions that the file gives in both triangles.  The two values of
  /// such a position were summed.
  Offset mirrored_pairs = 0;
  Offset explicit_zeros = 0;  ///< Number of entries of the result whose value is zero.
  /// CHOLMOD's triplet file: number of entries that were dropped, because they are outside of the
  /// triangle that the file's stype names.
  Offset outside_dropped = 0;
  bool zero_based = false;  ///< CHOLMOD's triplet file: whether its indices begin at 0.
  /// Whether the file has the format of a general matrix, which was found to be symmetric.
  bool general_but_symmetric = false;
  double asymmetry = -1;  ///< Largest asymmetry of a pair (solver/asymmetry.hpp); -1: not checked.
  bool right_hand_sides_ignored = false;  ///< Harwell-Boeing file: it has right-hand sides.
  bool compressed = false;                ///< The file is gzip.
  Offset bytes_read = 0;                  ///< Bytes read from the file, before decompression.
  Offset text_bytes = 0;                  ///< Bytes of text, after decompression.
  double seconds = 0.0;                   ///< Wall-clock time of the call, in seconds.
};

/// A symmetric matrix, stored as its lower triangle.
struct SymmetricMatrix {
  // The pattern.  Rows ascend strictly in each column.  Diagonal entries may be absent.
  CscPattern lower;
  // Values of the entries, in the order of lower.rowind, all finite.  Length lower.colptr[n], or 0
  // for a file without values.
  std::vector<double> values;
  ReadNotes notes;  // What the reader noticed in the file.

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
/// In a symmetric file, the values of a position that is given in both triangles are summed like
/// duplicates, those of the lower triangle first.  But if every off-diagonal position is given in
/// both triangles, with equal values, the file plainly holds a whole matrix although its banner
/// says "symmetric".  Summing would double the off-diagonal values, so the file is refused.
///
/// A file with n > 2^20 + 16 * (number of entries) is refused.  Its matrix is singular, and the
/// column pointers of the result would take much more memory than the file.
/// @throws InvalidArgument for an unreadable or unsuitable file, OutOfMemory, Interrupted.
/// Safe to call concurrently and inside a parallel region (where it may get one thread).
SymmetricMatrix read_symmetric_matrix(const std::string& path, const ReadOptions& options = {});

/// Does what read_symmetric_matrix() does, for the content of a file (text or gzip) that is in
/// memory.
/// @param name  name of the file, for messages.
SymmetricMatrix parse_symmetric_matrix(std::string_view content, const std::string& name,
                                       const ReadOptions& options = {});

/// Reads right-hand sides from a file of a general matrix, in the format array or coordinate.  In a
/// coordinate file, absent entries are zero, duplicates are summed, and nrow * ncol must not exceed
/// 64 * expected_rows + 2^24 + 1024 * (number of entries): a small file cannot claim huge memory.
/// @param expected_rows  number of rows that the file must have; kNone: any number.
DenseMatrix read_dense(const std::string& path, Index expected_rows = kNone,
                       const ReadOptions& options = {});
/// Does what read_dense() does, for the content of a file that is in memory.
DenseMatrix parse_dense(std::string_view content, const std::string& name,
                        Index expected_rows = kNone, const ReadOptions& options = {});

/// Reads a permutation, perm[new] = old.  The file is a Matrix Market array of n integers (n x 1),
/// or a plain list of n integers separated by blanks or line ends, in which text from '%' or '#' to
/// the end of the line is a comment.  Indices count from 1, unless one of them is 0: then all count
/// from 0.
/// @param expected_size  number n that the permutation must have; kNone: any number.
ordering::Permutation read_permutation(const std::string& path, Index expected_size = kNone);
/// Does what read_permutation() does, for the content of a file that is in memory.
ordering::Permutation parse_permutation(std::string_view content, const std::string& name,
                                        Index expected_size = kNone);

/// Options of the functions that write files.
struct WriteOptions {
  /// Text of the comment after the banner.  Each line of the text becomes a line of the file that
  /// begins with '%'.  Empty: no comment.
  std::string comment = {};
  /// Number of threads that format and compress; 0: as many threads as the process may use.  The
  /// bytes written do not depend on the number of threads.
  int threads = 0;
  /// Flag of the caller.  When it is true, writing to a pipe that nobody reads stops with
  /// InvalidArgument.  Writing a regular file does not look at the flag.  Null: no flag.
  const std::atomic<bool>* cancel = nullptr;
};

/// For all write_...() functions below: they print the shortest digits that read back to the same
/// bits, and compress a file whose name ends in ".gz".  They write a temporary file in the
/// directory of `path`, flush it to the disk and rename it, so that `path` holds either its former
/// content or the whole new file.  A path that exists and is no regular file (a pipe, a device) is
/// written in place.
/// @throws InvalidArgument for values that are not finite, and, with the system's error text, for
/// every failure of the file system; the temporary file is then removed.

/// Writes a Matrix Market file with the banner "coordinate real symmetric".
/// @param lower   lower triangle, rows strictly ascending.
/// @param values  values of the entries.  Length lower.nnz().
void write_symmetric_matrix(const std::string& path, const CscPatternView& lower,
                            std::span<const double> values, const WriteOptions& options = {});
/// Writes a Matrix Market file with the banner "array real general".
void write_dense(const std::string& path, DenseView<const double> matrix,
                 const WriteOptions& options = {});
/// Writes a Matrix Market file with the banner "array integer general", of n rows and one column.
/// Indices in the file count from 1.
/// @param perm  perm[new] = old; indices count from 0.
void write_permutation(const std::string& path, std::span<const Index> perm,
                       const WriteOptions& options = {});

/// @return the text that write_symmetric_matrix() would write to an uncompressed file.
std::string format_symmetric_matrix(const CscPatternView& lower, std::span<const double> values,
                                    const WriteOptions& options = {});

}  // namespace clchol::solver
