// clchol: sparse Cholesky direct solver.
//
//   clchol::SparseCholesky<double> solver;
//   clchol::SparseView<double> a{n, colptr, rowind, values};      // lower triangle, by columns
//   if (solver.factorize(a) != clchol::Status::kOk) ...           // factor_report().message
//   clchol::SolveReport report = solver.solve(b, x);
//
// A is symmetric positive definite.  The analysis (ordering, symbolic factorization, plan) depends
// on the pattern of A alone and is kept: new values on the same pattern cost refactorize().  The
// library prints nothing, sets no global state, and returns the same bits for any number of
// threads.
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

/// A sparse symmetric matrix by columns, not owned.  Rows may come in any order; duplicates are
/// summed, and refactorize() takes values with the same duplicates.  A matrix stored by rows is
/// given as it is, with kLower and kUpper exchanged. T is float or double; (Ptr, Ind) is (int32,
/// int32), (int64, int64) or (int64, int32).
template <class T, class Ptr = std::int32_t, class Ind = std::int32_t>
struct SparseView {
  Index n = 0;                  ///< Rows and columns.
  std::span<const Ptr> colptr;  ///< Start of each column.  Length n + 1, colptr[0] == 0.
  std::span<const Ind> rowind;  ///< Zero-based rows.       Length colptr[n].
  std::span<const T> values;    ///< Length colptr[n]; may be empty where only the pattern is read.
  Triangle triangle = Triangle::kLower;
};

// ---- Results ------------------------------------------------------------------------------------

/// The fronts of the factor in the order of elimination, a postorder of their tree.  Columns are
/// those of the permuted matrix.
struct AssemblyTree {
  std::vector<Index> super_ptr;     ///< Front s eliminates columns [super_ptr[s],
                                    ///< super_ptr[s + 1]).              Length fronts + 1.
  std::vector<Index> super_parent;  ///< Parent of s, kNone at a root.  Length fronts.
  std::vector<Index> nrow;          ///< Rows of front s, pivots included.  Length fronts.
};

/// L by columns, the factor of A's permuted and scaled form,  P S A S P' = L L'.
template <class T>
struct CholeskyFactor {
  Index n = 0;                 ///< Rows and columns.
  std::vector<Offset> colptr;  ///< Start of each column.  Length n + 1.
  std::vector<Index> rowind;   ///< Rows, ascending in each column, the diagonal first.
  std::vector<T> values;       ///< Entries of L.
};

/// Factors of A's permuted and scaled form,  P S A S P' = L L', S diagonal.
enum class Part {
  kPermute,    ///< x := P S x
  kForward,    ///< x := L^-1 x
  kBackward,   ///< x := L^-T x
  kUnpermute,  ///< x := S P' x; all four in turn solve A x = b.
};

// ---- Solver -------------------------------------------------------------------------------------

namespace opencl {
class Access;  // What clchol/opencl.hpp is made of.
}

/// A solver holds options, an analysis and a factor.  A call that fails leaves
///
///   InvalidArgument   everything as it was, reports included: it is thrown before any work;
///   another exception, kInterrupted, kNotPositiveDefinite
///                     no factor.  The analysis stays unless it was the analysis that failed, and
///                     the next factorization with good values works.
///
/// Calls that solve or report change nothing: on one solver, they may run at the same time.  Every
/// call that reads options throws InvalidArgument for senseless ones (clchol/options.hpp).  A
/// solver that has been moved from is like a new one with default options.
template <class T>
class CLCHOL_EXPORT SparseCholesky {
 public:
  explicit SparseCholesky(Options options = {});
  ~SparseCholesky();
  SparseCholesky(SparseCholesky&&) noexcept;
  SparseCholesky& operator=(SparseCholesky&&) noexcept;

  // ---- Analysis ----

  /// Orders and analyses the pattern; a factor that was there is dropped.
  /// @return kOk; kInterrupted when cancelled: the solver is empty then.
  /// Throws InvalidArgument (a bad pattern or permutation), std::bad_alloc.
  template <class Ptr, class Ind>
  Status analyze(const SparseView<T, Ptr, Ind>& a);

  /// Writes the analysis (permutation, fronts, row structure) to a file, or returns its bytes, for
  /// load_analysis() of any scalar type and number of threads.  The file is written under another
  /// name and renamed; a name that ends in ".gz" is compressed.
  /// Throws InvalidArgument when nothing is analysed or the file cannot be written (also a pipe
  /// that nobody reads, once Options::cancel is true), std::bad_alloc.
  void save_analysis(const std::string& path) const;
  std::vector<std::byte> save_analysis() const;

  /// Replaces analyze(a) by an analysis that was saved for a matrix of the same pattern: nothing is
  /// ordered, and Options::analysis is not read.  Options and machine may differ from those of the
  /// solver that saved the analysis.
  /// @return kOk; kInterrupted when cancelled: the solver is empty then.
  /// Throws InvalidArgument for a bad matrix, and for bytes that are damaged, foreign, of another
  /// version or pattern; std::bad_alloc.  Cost O(nnz(A) + bytes).
  template <class Ptr, class Ind>
  Status load_analysis(const SparseView<T, Ptr, Ind>& a, const std::string& path);
  template <class Ptr, class Ind>
  Status load_analysis(const SparseView<T, Ptr, Ind>& a, std::span<const std::byte> bytes);

  /// What a factorization of the analysed matrix would take on the CPU: in memory; out of core
  /// within MemoryOptions::host or what is free, where the first does not fit and this does; and
  /// out of core with the least memory.  Throws InvalidArgument when nothing is analysed.
  std::vector<HostMode> host_modes() const;

  /// What a factorization would take on the device that options mean: in core; streamed within a
  /// half, a quarter and an eighth of the memory that this takes, where that is enough; and
  /// streamed within the least memory, whatever MemoryOptions::device is.  Empty: the CPU would
  /// factor. Throws as predict_device_bytes(), but for memory.  Cost: up to six times that of a
  /// set-up.
  std::vector<DeviceMode> device_modes() const;

  /// Bytes of memory that a factorization and a solve with one right-hand side would take on the
  /// devices that options mean.  The devices are opened and their kernels built, nothing is
  /// allocated.  0: the CPU would factor.
  /// Throws as factorize(): OutOfMemory where the device's memory or MemoryOptions::device is not
  /// enough.
  std::int64_t predict_device_bytes() const;

  // ---- Factorization ----

  /// Factors A.  Analyses A first unless its pattern is the one that was analysed, with the options
  /// that an analysis reads as they are now (see options()).
  /// @return kOk; kNotPositiveDefinite: factor_report() names the row; kSingular: factored, but the
  /// estimated condition (FactorOptions::estimate_condition) is below 2 eps, and solves work;
  /// kInterrupted.
  /// Throws InvalidArgument for bad input (values that are not finite, an unsymmetric matrix, an
  /// unknown device), OutOfMemory, DeviceError, FileError, std::bad_alloc.
  template <class Ptr, class Ind>
  Status factorize(const SparseView<T, Ptr, Ind>& a);

  /// Factors new values on the analysed pattern.  Returns, throws and leaves what factorize() does;
  /// throws InvalidArgument also for another pattern, and when Options::analysis has changed since
  /// the analysis.
  template <class Ptr, class Ind>
  Status refactorize(const SparseView<T, Ptr, Ind>& a);
  /// @param values  in the order of the matrix that was analysed.
  Status refactorize(std::span<const T> values);

  /// Writes the factor to a file, with the analysis and the scaling but without A, for
  /// load_factor() of any number of threads.  The file is written under another name and renamed,
  /// and never compressed.  Its bytes do not depend on the number of threads.
  /// @return kOk; kInterrupted when cancelled: no file is written then.
  /// Throws InvalidArgument when nothing is factored, when the factor was loaded without its matrix
  /// and where the file cannot be written; DeviceError, std::bad_alloc.
  /// Cost: one pass over L, nnz_stored entries, to the disk.
  Status save_factor(const std::string& path) const;

  /// Replaces factorize() by a factor that save_factor() has written, on the CPU whatever
  /// Options::engine says.  The matrix is not known: solves compute no errors and do not refine, so
  /// that X has the accuracy of the factor's precision, and refactorize(), save_analysis() and
  /// save_factor() throw InvalidArgument.
  /// @return kOk; kSingular as the factorization did; kInterrupted when cancelled: the solver is
  /// empty then. Throws InvalidArgument for a file that is damaged, foreign or of another version,
  /// OutOfMemory where the factor exceeds MemoryOptions::host or what is free, std::bad_alloc: the
  /// solver is as it was.  Cost: reading nnz_stored entries by all threads.
  Status load_factor(const std::string& path);
  /// With the matrix that was factored: solves refine, and refactorize() works.
  /// Throws InvalidArgument also for a matrix with another pattern or other values.
  template <class Ptr, class Ind>
  Status load_factor(const SparseView<T, Ptr, Ind>& a, const std::string& path);

  // ---- Solve ----

  /// Solves A X = B with refinement.  B and X are n x nrhs; X may be B.
  /// @return kOk; kAccuracyNotReached: X is the best found; kInterrupted.
  /// Throws InvalidArgument when shapes do not fit, B is not finite or nothing is factored: X is as
  /// it was then.  DeviceError, FileError, std::bad_alloc: X is undefined, the factor stays.
  SolveReport solve(const DenseView<const T>& b, const DenseView<T>& x) const;
  /// One right-hand side: b and x have n entries; x may be b.
  SolveReport solve(std::span<const T> b, std::span<T> x) const;

  /// One part of a solve, in place on n x nrhs entries, in the factor's precision.  Throws as
  /// solve(), and for a part that is not of the enumeration.
  void solve_part(Part part, const DenseView<T>& x) const;

  // ---- What was computed ----

  /// log(det(A)), summed in a fixed order.
  double log_determinant() const;
  /// Diagonal of L, of the permuted and scaled matrix.  Length n.
  std::vector<T> diagonal() const;
  /// A copy of L with analysis_report().nnz_stored entries: the pattern depends on the analysis
  /// alone and includes the explicit zeros of amalgamation.  Takes 4 + sizeof(T) bytes an entry;
  /// a factor in single precision is widened.
  /// Throws InvalidArgument when nothing is factored, DeviceError, FileError, std::bad_alloc.
  CholeskyFactor<T> factor() const;
  /// permutation()[new] = old.  Length n.
  std::vector<Index> permutation() const;
  AssemblyTree assembly_tree() const;
  /// Diagonal of S; all ones when the matrix was not scaled.  Length n.
  std::vector<T> scaling() const;

  const AnalysisReport& analysis_report() const;  ///< Of the analysis that is there.
  /// Of the last factorization, or of an analysis that ended otherwise than with kOk since.
  const FactorReport& factor_report() const;

  const Options& options() const;
  /// All options may change at any time between calls, and take effect in the next call of the
  /// phase that reads them.  Where an analysis would differ now (Options::analysis; costs of the
  /// engine), factorize() analyses again.  Where the engine would differ (engine, devices, memory),
  /// the next factorization makes another one.
  Options& options();

 private:
  friend class opencl::Access;
  struct CLCHOL_HIDDEN Impl;
  // One that is empty takes the place of one that has been moved away.
  CLCHOL_HIDDEN Impl& impl();
  CLCHOL_HIDDEN const Impl& impl() const;
  // The same, with options that make sense.  Throws InvalidArgument.
  CLCHOL_HIDDEN Impl& checked();
  CLCHOL_HIDDEN const Impl& checked() const;

  std::unique_ptr<Impl> impl_;
};

extern template class SparseCholesky<float>;
extern template class SparseCholesky<double>;

/// "0.1.0"
CLCHOL_EXPORT const char* version() noexcept;

}  // namespace clchol
