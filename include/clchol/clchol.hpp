// clchol: sparse Cholesky direct solver.
//
//   clchol::SparseCholesky<double> solver;
//   clchol::SparseView<double> a{n, colptr, rowind, values};      // lower triangle, by columns
//   if (solver.factorize(a) != clchol::Status::kOk) ...           // factor_report().message
//   clchol::SolveReport report = solver.solve(b, x);
//
// A is symmetric positive definite.  factorize() first makes an analysis (ordering, symbolic
// factorization, plan), which depends on the pattern of A alone and which the solver keeps.  For
// new values on the same pattern call refactorize(), which only factors.  The library prints
// nothing, sets no global state, and returns the same bits for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "clchol/options.hpp"
#include "clchol/reports.hpp"
#include "clchol/types.hpp"

namespace clchol {

// ---- Input --------------------------------------------------------------------------------------

/// Which entries of a sparse matrix are read.
enum class Triangle {
  kLower,  ///< Entries with row >= column; others are ignored.
  kUpper,  ///< Entries with row <= column; others are ignored.
  kBoth,   ///< The whole matrix is stored and symmetric but for rounding: every pair satisfies
           ///< |a(i,j) - a(j,i)| <= 8 eps (max(|a(i,j)|, |a(j,i)|) + sqrt|a(i,i) a(j,j)|), eps
           ///< that of T.  The values below the diagonal are taken.
};

/// A sparse symmetric matrix by columns, not owned.  The rows of a column may come in any order.
/// Entries at the same position (duplicates) are summed; refactorize() expects their values at the
/// same places again.  The arrays of a matrix that is stored by rows can be passed as if they were
/// columns: they are those of its transpose, so that kLower and kUpper change places.
/// T is float or double; (Ptr, Ind) is (int32, int32), (int64, int64) or (int64, int32).
template <class T, class Ptr = std::int32_t, class Ind = std::int32_t>
struct SparseView {
  Index n = 0;                  ///< Number of rows and of columns.
  std::span<const Ptr> colptr;  ///< Column j is at positions [colptr[j], colptr[j + 1]) of rowind
                                ///< and values.  Length n + 1, colptr[0] == 0.
  std::span<const Ind> rowind;  ///< Zero-based row of each entry.  Length colptr[n].
  std::span<const T> values;    ///< Length colptr[n]; may be empty where only the pattern is read.
  Triangle triangle = Triangle::kLower;  ///< The entries that are read.
};

// ---- Results ------------------------------------------------------------------------------------

/// The fronts of the factor, numbered in the order of elimination, which is a postorder of their
/// tree.  Columns are those of the permuted matrix, zero-based.
struct AssemblyTree {
  std::vector<Index> super_ptr;     ///< Front s eliminates columns [super_ptr[s],
                                    ///< super_ptr[s + 1]).              Length fronts + 1.
  std::vector<Index> super_parent;  ///< Parent of s, kNone at a root.  Length fronts.
  std::vector<Index> nrow;          ///< Rows of front s, pivots included.  Length fronts.
};

/// L by columns, the factor of A's permuted and scaled form,  P S A S P' = L L'.
template <class T>
struct CholeskyFactor {
  Index n = 0;  ///< Number of rows and of columns.
  std::vector<Offset>
      colptr;  ///< Column j is at positions [colptr[j], colptr[j + 1]).  Length n + 1.
  std::vector<Index> rowind;  ///< Zero-based rows, ascending in a column.  Length colptr[n].
  std::vector<T> values;      ///< Entries of L, in the order of rowind.  Length colptr[n].
};

/// The four steps of a solve of A x = b with the factor of  P S A S P' = L L':  P is a permutation,
/// S a diagonal matrix.
enum class Part {
  kPermute,    ///< x := P S x
  kForward,    ///< x := L^-1 x
  kBackward,   ///< x := L^-T x
  kUnpermute,  ///< x := S P' x.  The four parts in this order turn x = b into A^-1 b.
};

// ---- Solver -------------------------------------------------------------------------------------

namespace opencl {
class Access;  // Lets the functions of clchol/opencl.hpp see the private parts of a solver.
}

/// A solver holds options, an analysis and a factor.  When a call that analyses or factors fails,
/// the state of the solver depends on how it failed:
///
///   InvalidArgument   The solver is as it was, reports included: the call has done nothing.
///   another exception, kInterrupted, kNotPositiveDefinite
///                     There is no factor.  The analysis stays, unless the analysis itself failed;
///                     the next factorization with good values works.
///
/// Calls that solve or report are const and change nothing: on one solver, several threads may call
/// them at the same time.  Every call that reads options throws InvalidArgument for senseless ones
/// (clchol/options.hpp).  A solver that has been moved from is like a new one with default options.
template <class T>
class CLCHOL_EXPORT SparseCholesky {
 public:
  explicit SparseCholesky(Options options = {});
  ~SparseCholesky();
  SparseCholesky(SparseCholesky&&) noexcept;
  SparseCholesky& operator=(SparseCholesky&&) noexcept;

  // ---- Analysis ----

  /// Orders and analyses the pattern.  Drops the former analysis and factor.
  /// @return kOk; kInterrupted when cancelled: there is neither an analysis nor a factor then.
  /// Throws InvalidArgument (a bad pattern or permutation), std::bad_alloc.
  template <class Ptr, class Ind>
  Status analyze(const SparseView<T, Ptr, Ind>& a);

  /// Writes the analysis (permutation, fronts, row structure) to a file.  load_analysis() of a
  /// solver of any scalar type, with any number of threads, can read it.  The file is written under
  /// a temporary name and renamed when it is complete; if `path` ends in ".gz", it is compressed.
  /// Throws InvalidArgument when nothing is analysed or the file cannot be written (also for a pipe
  /// that nobody reads, once Options::cancel is true), std::bad_alloc.
  void save_analysis(const std::string& path) const;
  /// Returns the bytes that save_analysis(path) would write to an uncompressed file.
  std::vector<std::byte> save_analysis() const;

  /// Does the work of analyze(a) by reading an analysis that was saved for a matrix of the same
  /// pattern: nothing is ordered, and Options::analysis is not read.  Options and machine may
  /// differ from those of the solver that saved the analysis.
  /// @return kOk; kInterrupted when cancelled: there is neither an analysis nor a factor then.
  /// Throws InvalidArgument for a bad matrix, and for bytes that are damaged, no saved analysis, of
  /// another version of the format or of another pattern; std::bad_alloc.
  /// Cost O(nnz(A) + bytes).
  template <class Ptr, class Ind>
  Status load_analysis(const SparseView<T, Ptr, Ind>& a, const std::string& path);
  template <class Ptr, class Ind>
  Status load_analysis(const SparseView<T, Ptr, Ind>& a, std::span<const std::byte> bytes);

  /// Predicts the memory of a factorization of the analysed matrix on the CPU, in several modes.
  /// The result has, in this order:
  ///   in memory
  ///   out of core within MemoryOptions::host, or within free memory if that is 0: this mode is
  ///     left out where the factor fits in memory, and where this much memory is not enough
  ///   out of core with the least memory
  /// Throws InvalidArgument when nothing is analysed.
  std::vector<HostMode> host_modes() const;

  /// Predicts memory and times of a factorization on the first device that the options name or
  /// choose, in several modes.  The result has, in this order:
  ///   in core: all of L on the device
  ///   streamed within a half, a quarter and an eighth of the device memory of the mode in core;
  ///     each of these is left out where it is not enough
  ///   streamed within the least device memory
  /// MemoryOptions::device has no influence.  Empty: the CPU would factor.
  /// Throws what predict_device_bytes() throws, except OutOfMemory.  Cost: up to six times that of
  /// making an engine.
  std::vector<DeviceMode> device_modes() const;

  /// Predicts the bytes of device memory, over all devices that the options name or choose, of a
  /// factorization and a solve with one right-hand side.  The devices are opened and their kernels
  /// built, but nothing is allocated on them.  0: the CPU would factor.
  /// Throws what factorize() throws: OutOfMemory where a device's memory or MemoryOptions::device
  /// is not enough.
  std::int64_t predict_device_bytes() const;

  // ---- Factorization ----

  /// Factors A.  Analyses A first, unless the present analysis is of A's pattern and was made with
  /// the same Options::analysis and costs of the engine as an analysis would be now (see
  /// options()).
  /// @return kOk; kNotPositiveDefinite: factor_report() names the row; kSingular: factored, but the
  /// estimated reciprocal condition (FactorOptions::estimate_condition) is below 2 eps; solves work
  /// nevertheless; kInterrupted.
  /// Throws InvalidArgument for bad input (values that are not finite, an unsymmetric matrix, an
  /// unknown device), OutOfMemory, DeviceError, FileError, std::bad_alloc.
  template <class Ptr, class Ind>
  Status factorize(const SparseView<T, Ptr, Ind>& a);

  /// Factors new values on the analysed pattern.  Returns and throws what factorize() does; throws
  /// InvalidArgument also for another pattern, and when Options::analysis has changed since the
  /// analysis.
  template <class Ptr, class Ind>
  Status refactorize(const SparseView<T, Ptr, Ind>& a);
  /// Factors new values on the analysed pattern, without a check of the pattern.
  /// @param values  values of all entries, in the order of the matrix that was analysed.
  Status refactorize(std::span<const T> values);

  /// Writes the factor to a file, with the analysis and the scaling but without A, for
  /// load_factor() of any number of threads.  The file is written under a temporary name and
  /// renamed when it is complete; it is never compressed.  Its bytes do not depend on the number of
  /// threads.
  /// @return kOk; kInterrupted when cancelled: no file is written then.
  /// Throws InvalidArgument when nothing is factored, when the factor was loaded without its matrix
  /// and where the file cannot be written; DeviceError, std::bad_alloc.
  /// Cost: one pass over L, nnz_stored entries, to the disk.
  Status save_factor(const std::string& path) const;

  /// Does the work of factorize() by reading a factor, with its analysis, that save_factor() has
  /// written.  The CPU holds the factor, whatever Options::engine says.  The matrix is not known:
  /// solves compute no errors and do not refine, so that X has the accuracy of the factor's
  /// precision, and refactorize(), save_analysis() and save_factor() throw InvalidArgument.
  /// @return kOk; kSingular if the factorization returned kSingular; kInterrupted when cancelled:
  /// there is neither an analysis nor a factor then.
  /// Throws InvalidArgument for a file that is damaged, no saved factor or of another version of
  /// the format; OutOfMemory where the factor exceeds MemoryOptions::host or the free memory;
  /// std::bad_alloc.  After any of these exceptions the solver is as it was.
  /// Cost: reading AnalysisReport::nnz_stored entries by all threads.
  Status load_factor(const std::string& path);
  /// The same with the matrix that was factored: solves then refine, and refactorize() works.
  /// Throws InvalidArgument also for a matrix with another pattern or other values.
  template <class Ptr, class Ind>
  Status load_factor(const SparseView<T, Ptr, Ind>& a, const std::string& path);

  // ---- Solve ----

  /// Solves A X = B with refinement.  B and X are n x nrhs; X may be B, with the same ld.
  /// @return kOk; kAccuracyNotReached: X is the best found; kInterrupted.
  /// Throws InvalidArgument when shapes do not fit, B is not finite or nothing is factored: X is as
  /// it was then.  DeviceError, FileError, std::bad_alloc: X is undefined, the factor stays.
  SolveReport solve(const DenseView<const T>& b, const DenseView<T>& x) const;
  /// One right-hand side: b and x have n entries; x may be b.
  SolveReport solve(std::span<const T> b, std::span<T> x) const;

  /// Computes one part of a solve, in place on n x nrhs entries, in the factor's precision.
  /// Options::cancel does not end it.  Throws what solve() throws, and InvalidArgument for a value
  /// that is not of the enumeration Part.
  void solve_part(Part part, const DenseView<T>& x) const;

  // ---- What was computed ----

  /// log(det(A)), summed in a fixed order.
  double log_determinant() const;
  /// Diagonal of L in  P S A S P' = L L',  in the order of the permuted matrix.  Length n.
  std::vector<T> diagonal() const;
  /// A copy of L with analysis_report().nnz_stored entries: the pattern depends on the analysis
  /// alone and includes the explicit zeros of amalgamation.  The copy takes 4 + sizeof(T) bytes an
  /// entry; entries of a factor in single precision are converted to T.
  /// Throws InvalidArgument when nothing is factored, DeviceError, FileError, std::bad_alloc.
  CholeskyFactor<T> factor() const;
  /// The same into the caller's arrays, those of CholeskyFactor: colptr has n + 1 entries, rowind
  /// and values have analysis_report().nnz_stored.  Throws InvalidArgument also for other sizes;
  /// the arrays are undefined after the other exceptions.
  void factor(std::span<Offset> colptr, std::span<Index> rowind, std::span<T> values) const;
  /// P as a permutation: permutation()[new] = old, zero-based.  Length n.
  std::vector<Index> permutation() const;
  /// The fronts of the factor and their tree.
  AssemblyTree assembly_tree() const;
  /// Diagonal of S, in the order of A's rows; all ones when the matrix was not scaled.  Length n.
  std::vector<T> scaling() const;

  /// Report of the present analysis; a report with default values when there is none.
  const AnalysisReport& analysis_report() const;
  /// Report of the last factorization.  A new analysis resets the report to its default values; an
  /// analysis that was cancelled sets its status to kInterrupted.
  const FactorReport& factor_report() const;

  const Options& options() const;
  /// All options may change at any time between calls, and take effect in the next call of the
  /// phase that reads them.  When Options::analysis, or the costs of the engine by which an
  /// analysis merges fronts, have changed since the analysis, factorize() analyses again.  When the
  /// engine, the devices or Options::memory have changed, the next factorization makes a new
  /// engine.
  Options& options();

 private:
  friend class opencl::Access;
  struct CLCHOL_HIDDEN Impl;
  // Returns *impl_.  In a solver that has been moved from, impl_ is null: an empty Impl is
  // returned.
  CLCHOL_HIDDEN Impl& impl();
  CLCHOL_HIDDEN const Impl& impl() const;
  // Checks the options, and returns impl().  Throws InvalidArgument for senseless options.
  CLCHOL_HIDDEN Impl& checked();
  CLCHOL_HIDDEN const Impl& checked() const;

  std::unique_ptr<Impl> impl_;
};

extern template class SparseCholesky<float>;
extern template class SparseCholesky<double>;

/// The version of the library, such as "0.1.0".
CLCHOL_EXPORT const char* version() noexcept;

}  // namespace clchol
