// Matrix Market files: matrices, right-hand sides, solutions and permutations, read and written.
//
// Read: coordinate and array; real, double, integer; symmetric, and general when the matrix is
// numerically symmetric; plain or gzip text (told by the first bytes, not by the name); CRLF, blank
// lines, comments anywhere, leading blanks, Fortran exponents (1.5D-03, 1.5-103), leading '+',
// duplicates (summed), entries above the diagonal of a symmetric file (folded), explicit zeros
// (kept).  What was met is told in ReadNotes.
//
// Read too: CHOLMOD's triplet files, which have no banner, or an stype behind the sizes, or both
// (solver/matrix_market/header.hpp); and, where ReadOptions::pattern_only is set, patterns.
//
// Refused: everything else, with an InvalidArgument of one line, "<file>, line <k>: <reason>", that
// names the first bad line of the file whatever the number of threads.  A failure of the
// decompression comes before any bad line, for the text after it cannot be trusted.
//
// Method: the text is read (or inflated) in blocks that end at a line end; blocks are parsed as
// tasks of a team while the next ones are read; entries are bucketed by columns, stable, and each
// bucket is sorted on its own.  The result does not depend on threads or block sizes.
// Cost O(bytes + nnz log(longest unsorted column) + n).
// Workspace: 16 bytes an entry, 32 while unsorted input is bucketed, and up to 4 * threads + 1
// blocks of text; the text is never held whole, nor mapped (a mapped file that another process
// shortens would kill this one).  Peak, result included: 28 bytes an entry for sorted input, 32 for
// other input, and 8 bytes a column; an entry's text has 15 to 35 bytes.
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

/// Thrown when the caller's cancel flag was seen; nothing was read.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ReadOptions {
  /// Threads that parse and assemble; 0: what the process may use.
  int threads = 0;
  /// Read between blocks; once true, the call throws Interrupted.
  const std::atomic<bool>* cancel = nullptr;
  /// Called by the calling thread after each block with the fraction of the file that has been
  /// read, in [0, 1]; 0 where the size is unknown (a pipe).
  void (*progress)(void* context, double fraction) = nullptr;
  void* progress_context = nullptr;
  /// Bytes of text in a block.  Larger blocks cost less hand-over and balance worse; 256 KiB stay
  /// in the second-level cache of most cores.  Tests make it small.
  std::size_t block_bytes = std::size_t{1} << 18;
  /// Values are not needed: a file without them is taken too, and SymmetricMatrix::values is then
  /// empty.  For matrices only.
  bool pattern_only = false;
};

/// What the reader met, for the report.
struct ReadNotes {
  Offset entries_in_file = 0;    ///< Entry lines.
  Offset duplicates_summed = 0;  ///< Entries added to an earlier one of the same position.
  Offset upper_folded = 0;       ///< Symmetric file: entries given above the diagonal.
  Offset mirrored_pairs = 0;     ///< Symmetric file: positions given in both triangles, summed.
  Offset explicit_zeros = 0;     ///< Zero values among the entries kept.
  Offset outside_dropped = 0;    ///< Triplet file: entries outside the triangle that stype names.
  bool zero_based = false;       ///< Triplet file: its indices begin at 0.
  bool general_but_symmetric = false;  ///< Banner says general; the lower triangle was kept.
  double asymmetry = -1;  ///< Of the worst pair (solver/asymmetry.hpp); -1: one triangle was given.
  bool right_hand_sides_ignored = false;  ///< Harwell-Boeing file: it has some.
  bool compressed = false;                ///< The file is gzip.
  Offset bytes_read = 0;                  ///< Bytes of the file, compressed ones if it is.
  Offset text_bytes = 0;                  ///< Bytes of text.
  double seconds = 0.0;                   ///< Wall-clock time of the call.
};

/// A symmetric matrix by its lower triangle.
struct SymmetricMatrix {
  CscPattern lower;  // Rows strictly ascending in each column; any diagonal may be absent.
  // Finite, in the pattern's order.  Length lower.colptr[n]; 0 for a file without values.
  std::vector<double> values;
  ReadNotes notes;

  Index n() const { return lower.n; }
};

/// A dense matrix, column-major, leading dimension nrow.
struct DenseMatrix {
  Index nrow = 0;
  Index ncol = 0;
  std::vector<double> values;  // Length nrow * ncol.

  DenseView<double> view() { return {values.data(), nrow, ncol, nrow}; }
  DenseView<const double> view() const { return {values.data(), nrow, ncol, nrow}; }
};

/// Reads a symmetric matrix.
///
/// A general file is accepted if every pair satisfies
///   |a(i,j) - a(j,i)| <= 8 eps (max(|a(i,j)|, |a(j,i)|) + sqrt|a(i,i) a(j,j)|),
/// an absent entry counting as zero (solver/asymmetry.hpp); pattern and values of the lower
/// triangle are kept.  In a symmetric file, positions given in both triangles are summed as
/// duplicates are, lower ones first; but when every off-diagonal entry stands in both with the same
/// value, the file plainly holds the whole matrix under the wrong banner word, summing would double
/// it, and it is refused. n may exceed 2^20 + 16 * entries in no file: such a matrix is singular,
/// and its column pointers alone would dwarf the file.
/// @throws InvalidArgument for an unreadable or unsuitable file, OutOfMemory, Interrupted.
/// Safe to call concurrently and inside a parallel region (where it may get one thread).
SymmetricMatrix read_symmetric_matrix(const std::string& path, const ReadOptions& options = {});

/// The same from a file's content (text or gzip); `name` stands for the file in messages.
SymmetricMatrix parse_symmetric_matrix(std::string_view content, const std::string& name,
                                       const ReadOptions& options = {});

/// Reads right-hand sides: array or coordinate (absent entries zero, duplicates summed), general.
/// A coordinate file may stand for at most 64 * expected_rows + 2^24 + 1024 * entries numbers.
/// @param expected_rows  rows that the file must have, kNone for any.
DenseMatrix read_dense(const std::string& path, Index expected_rows = kNone,
                       const ReadOptions& options = {});
DenseMatrix parse_dense(std::string_view content, const std::string& name,
                        Index expected_rows = kNone, const ReadOptions& options = {});

/// Reads a permutation, perm[new] = old: a Matrix Market array of n integers (n x 1), or a plain
/// list of n integers separated by blanks or line ends, lines from '%' or '#' on left out.  Indices
/// are 1-based, unless a 0 stands among them: then all are 0-based.
/// @param expected_size  n, kNone for any.
ordering::Permutation read_permutation(const std::string& path, Index expected_size = kNone);
ordering::Permutation parse_permutation(std::string_view content, const std::string& name,
                                        Index expected_size = kNone);

struct WriteOptions {
  /// Text put behind '%' after the banner, one comment line for each line of it.
  std::string comment = {};
  /// Threads that format and compress; 0: what the process may use.  The bytes do not depend on it.
  int threads = 0;
  /// Once true, a pipe that takes no bytes is given up, with InvalidArgument.  Files are finished.
  const std::atomic<bool>* cancel = nullptr;
};

/// The writers print the shortest digits that read back to the same bits.  A name that ends in
/// ".gz" is compressed.  They write a temporary file in the same folder, flush it to the disk and
/// rename it, so that `path` holds either what it held before or the whole new file; a path that
/// exists and is no regular file (a pipe, a device) is written in place.
/// @throws InvalidArgument for non-finite values and for every failure of the file system, whose
/// words are in the message; the temporary file is removed.

/// @param lower   lower triangle, rows strictly ascending; written as coordinate real symmetric.
/// @param values  length lower.nnz().
void write_symmetric_matrix(const std::string& path, const CscPatternView& lower,
                            std::span<const double> values, const WriteOptions& options = {});
/// Writes array real general.
void write_dense(const std::string& path, DenseView<const double> matrix,
                 const WriteOptions& options = {});
/// Writes array integer general, n x 1, 1-based.  @param perm  perm[new] = old.
void write_permutation(const std::string& path, std::span<const Index> perm,
                       const WriteOptions& options = {});

/// What write_symmetric_matrix would put into an uncompressed file.
std::string format_symmetric_matrix(const CscPatternView& lower, std::span<const double> values,
                                    const WriteOptions& options = {});

}  // namespace clchol::solver
