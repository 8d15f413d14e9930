// clchol::EigenCholesky: the solver behind Eigen's sparse solver interface.
//
//   clchol::EigenCholesky<Eigen::SparseMatrix<double>> solver(A);   // lower triangle of A
//   if (solver.info() != Eigen::Success) ...
//   x = solver.solve(b);
//
// Takes the place of SimplicialLLT and CholmodSupernodalLLT.  A is a compressed matrix of either
// storage order, or a Map or a Ref of one, with int or 64-bit indices: it is read where it lies,
// and only its triangle UpLo.  Everything else (expressions, blocks, uncompressed matrices, other
// index types) is evaluated into a compressed matrix first, which costs a copy of A.
//
// Needs Eigen 3.3 or later besides clchol.hpp.
#pragma once

#include <Eigen/SparseCore>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "clchol/clchol.hpp"
#include "clchol/eigen_factor.hpp"
#include "clchol/eigen_ordering.hpp"

namespace clchol {

// Eigen prescribes the names of what its other solvers have too.
// NOLINTBEGIN(readability-identifier-naming)

/// A x = b for a sparse symmetric positive definite A by L L'.
///
/// Scalar is float or double.  UpLo: Eigen::Lower or Eigen::Upper names the triangle that is read;
/// Eigen::Lower | Eigen::Upper reads the whole matrix, which must be symmetric to a few eps.
/// Const calls on one factorization, solves among them, may run at the same time.
///
/// OrderingMethod: by default Options::analysis.ordering, which lets the library choose;
/// Eigen::NaturalOrdering and Eigen::AMDOrdering mean Ordering::kNatural and Ordering::kAmd;
/// another type is called with the whole matrix, as SimplicialLLT calls it, by compute() and
/// analyzePattern().  A type that is named takes the place of Options::analysis.ordering.
///
/// A moved-from solver is as new.
///
/// Eigen's preconditions are Eigen's assertions.  A matrix that cannot be factored is told by
/// info(); memory that cannot be had, by std::bad_alloc or clchol::OutOfMemory.
template <class SparseMatrixType, int Triangles = Eigen::Lower,
          class OrderingMethod = OrderingOfOptions>
class EigenCholesky
    : public Eigen::SparseSolverBase<EigenCholesky<SparseMatrixType, Triangles, OrderingMethod>> {
  static_assert(std::is_same_v<typename SparseMatrixType::Scalar, float> ||
                    std::is_same_v<typename SparseMatrixType::Scalar, double>,
                "clchol solves in float and in double; for complex and long double there is "
                "Eigen::SimplicialLLT");
  using Base = Eigen::SparseSolverBase<EigenCholesky>;
  using Base::m_isInitialized;

 public:
  using MatrixType = SparseMatrixType;
  using Scalar = typename MatrixType::Scalar;
  using RealScalar = typename MatrixType::RealScalar;
  using StorageIndex = typename MatrixType::StorageIndex;
  using OrderingType = OrderingMethod;
  using PermutationType = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, StorageIndex>;
  using MatrixL = EigenFactor<EigenCholesky, false>;
  using MatrixU = EigenFactor<EigenCholesky, true>;
  enum {
    UpLo = Triangles,
    ColsAtCompileTime = MatrixType::ColsAtCompileTime,
    MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime
  };
  static_assert((Triangles & (Eigen::Lower | Eigen::Upper)) != 0 &&
                    (Triangles & ~(Eigen::Lower | Eigen::Upper)) == 0,
                "UpLo is Eigen::Lower, Eigen::Upper or both");

  EigenCholesky() : EigenCholesky(Options{}) {}
  /// Options as those of SparseCholesky; see also options().  ErrorChecks::kAuto means kFirstSolve
  /// here: errors are taken in the first solve after a factorization, which is refined only for its
  /// normwise error, and later solves are refined only if that one had to be.
  explicit EigenCholesky(Options options) : solver_(with_checks(std::move(options))) {}
  /// As compute(matrix).
  explicit EigenCholesky(const MatrixType& matrix) : EigenCholesky() { compute(matrix); }
  template <class Input>
  explicit EigenCholesky(const Eigen::SparseMatrixBase<Input>& matrix) : EigenCholesky() {
    compute(matrix);
  }
  EigenCholesky(EigenCholesky&& other) : EigenCholesky() { swap(other); }
  EigenCholesky& operator=(EigenCholesky&& other) {
    EigenCholesky taken(std::move(other));
    swap(taken);
    return *this;
  }

  /// Not while other calls on either solver run.
  void swap(EigenCholesky& other) {
    std::swap(m_isInitialized, other.m_isInitialized);
    std::swap(solver_, other.solver_);
    std::swap(size_, other.size_);
    std::swap(ordered_size_, other.ordered_size_);
    std::swap(info_, other.info_);
    std::swap(message_, other.message_);
    std::swap(is_analysed_, other.is_analysed_);
    std::swap(is_factored_, other.is_factored_);
    std::swap(shift_offset_, other.shift_offset_);
    std::swap(shift_scale_, other.shift_scale_);
    copies_.swap(other.copies_);
    std::swap(report_, other.report_);
  }

  /// Factors the matrix; analyses it first unless its pattern is the one analysed.
  EigenCholesky& compute(const MatrixType& matrix) { return run(matrix, kCompute); }
  template <class Input>
  EigenCholesky& compute(const Eigen::SparseMatrixBase<Input>& matrix) {
    return run(matrix.derived(), kCompute);
  }

  /// Orders and analyses the pattern, with the options of now; values are not read.
  void analyzePattern(const MatrixType& matrix) { run(matrix, kAnalyze); }
  template <class Input>
  void analyzePattern(const Eigen::SparseMatrixBase<Input>& matrix) {
    run(matrix.derived(), kAnalyze);
  }

  /// Factors new values on the pattern analysed.  A matrix of another pattern is analysed first:
  /// that costs time, and nothing else.  (An OrderingMethod that is called is not called again
  /// unless the size is another: that may cost fill.)
  void factorize(const MatrixType& matrix) { factorize_analysed(matrix); }
  template <class Input>
  void factorize(const Eigen::SparseMatrixBase<Input>& matrix) {
    factorize_analysed(matrix.derived());
  }

  Eigen::Index rows() const { return size_; }
  Eigen::Index cols() const { return size_; }

  /// Success; NumericalIssue: not positive definite, or singular where the condition was asked for;
  /// InvalidInput: not square, not finite, not symmetric; NoConvergence: cancelled.
  Eigen::ComputationInfo info() const {
    eigen_assert(m_isInitialized && "Decomposition is not initialized.");
    return info_;
  }
  /// What info() is due to, in one line; empty after success.
  const std::string& lastErrorMessage() const { return message_; }

  /// det(A); infinite or zero where it leaves the scalar's range: see logDeterminant().
  Scalar determinant() const { return static_cast<Scalar>(std::exp(log_determinant())); }
  /// log(det(A)).
  Scalar logDeterminant() const { return static_cast<Scalar>(log_determinant()); }

  /// P of  P A P' = L L',  as a matrix to multiply with; with NaturalOrdering the identity.
  const PermutationType& permutationP() const { return permutations().p; }
  /// P^-1 = P'.
  const PermutationType& permutationPinv() const { return permutations().inverse; }

  /// L of  P A P' = L L';  Options::factor.scaling is in L.  In the precision of the factor: that
  /// of the scalar type, unless Options::factor.precision says otherwise.
  MatrixL matrixL() const {
    eigen_assert(is_factored_ && "You must first call compute() or factorize()");
    return MatrixL(*this);
  }
  /// U = L'.
  MatrixU matrixU() const {
    eigen_assert(is_factored_ && "You must first call compute() or factorize()");
    return MatrixU(*this);
  }

  /// Writes to the stream, in MiB: the factor, the update matrices, the copies of P and L.
  template <class Stream>
  void dumpMemory(Stream& stream) const {
    const AnalysisReport& analysis = solver_.analysis_report();
    const std::int64_t factor = analysis.factor_bytes, updates = analysis.workspace_bytes;
    const std::int64_t copies = copies_.bytes();
    stream << "  L:        " << (factor >> 20) << "Mb\n"
           << "  updates:  " << (updates >> 20) << "Mb\n"
           << "  copies:   " << (copies >> 20) << "Mb\n"
           << "  TOTAL:    " << ((factor + updates + copies) >> 20) << "Mb\n";
  }

  /// Factors offset * I + scale * diag(A) + the rest of A from the next call on; a diagonal entry
  /// that is not stored counts as zero.  The default is offset 0, scale 1; anything else copies A.
  EigenCholesky& setShift(const RealScalar& offset, const RealScalar& scale = 1) {
    shift_offset_ = offset;
    shift_scale_ = scale;
    return *this;
  }

  /// Ordering, threads, precision, refinement, callbacks, ...
  Options& options() { return solver_.options(); }
  const Options& options() const { return solver_.options(); }
  /// The solver itself: reports, and the pieces of the solve.
  const SparseCholesky<Scalar>& solver() const { return solver_; }
  /// What the solve that ended last reached: backward errors, -1 where they were not taken (see
  /// ErrorChecks), refinement steps.
  SolveReport solve_report() const {
    const std::lock_guard lock(report_mutex_);
    return report_;
  }

  /// Called by the expression solve(b).  Where there is no factor, dest is filled with NaN.
  template <class Rhs, class Dest>
  void _solve_impl(const Eigen::MatrixBase<Rhs>& b, Eigen::MatrixBase<Dest>& dest) const {
    static_assert(std::is_same_v<typename Rhs::Scalar, Scalar> &&
                      std::is_same_v<typename Dest::Scalar, Scalar>,
                  "the right-hand side has the matrix' scalar type; use cast<>()");
    eigen_assert(
        is_factored_ &&
        "The decomposition is not in a valid state for solving, you must first call either "
        "compute() or analyzePattern()/factorize()");
    if (!has_factor()) {
      dest.derived().setConstant(std::numeric_limits<Scalar>::quiet_NaN());
      return;
    }
    if (b.size() == 0) return;
    const Eigen::Ref<const Columns> b_ref(b.derived());
    if constexpr ((Dest::Flags & Eigen::DirectAccessBit) != 0 && !Dest::IsRowMajor) {
      if (dest.derived().innerStride() == 1) {
        solve_columns(b_ref, dest.derived().data(), dest.derived().outerStride());
        return;
      }
    }
    Columns x(b.rows(), b.cols());
    solve_columns(b_ref, x.data(), x.rows());
    dest = x;
  }
  using Base::_solve_impl;  // For sparse right-hand sides.

 private:
  using Columns = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using SetOrdering = EigenOrdering<OrderingMethod>;
  using Copies = EigenFactorCopies<Scalar, StorageIndex, SetOrdering::kIsNatural>;
  template <class, bool>
  friend class EigenFactor;
  enum Task { kAnalyze, kFactorize, kCompute };

  static Options with_checks(Options options) {
    if (options.solve.error_checks == ErrorChecks::kAuto)
      options.solve.error_checks = ErrorChecks::kFirstSolve;
    return options;
  }

  // ---- from Eigen's matrix to a view ------------------------------------------------------------

  template <class Integer>
  static constexpr bool kIsIndex =
      std::is_same_v<Integer, std::int32_t> || std::is_same_v<Integer, std::int64_t>;

  /// Whether a matrix of this type lies in memory as compressed columns or rows do.
  template <class Input>
  static constexpr bool is_compressed_type() {
    if constexpr (std::is_base_of_v<Eigen::SparseCompressedBase<Input>, Input>) {
      return kIsIndex<typename Input::StorageIndex> && !Input::IsVectorAtCompileTime &&
             std::is_same_v<typename Input::Scalar, Scalar>;
    } else {
      return false;
    }
  }

  template <class Input>
  EigenCholesky& run(const Input& input, Task task) {
    static_assert(std::is_same_v<typename Input::Scalar, Scalar>,
                  "the matrix has the solver's scalar type; use cast<>()");
    m_isInitialized = is_analysed_ = true;
    is_factored_ = task != kAnalyze;
    copies_.drop();
    info_ = Eigen::InvalidInput;  // Until something better is known, exceptions included.
    message_.clear();
    eigen_assert(input.rows() == input.cols() && "the matrix must be square");
    size_ = input.cols();
    if (input.rows() != input.cols()) return fail(Eigen::InvalidInput, "matrix: not square");
    if (size_ > (std::numeric_limits<Index>::max)() - 1) {
      return fail(Eigen::InvalidInput, "matrix: too many rows");
    }
    try {
      run_shifted(input, task);
    } catch (const InvalidArgument& refusal) {
      fail(Eigen::InvalidInput, refusal.what());
    }
    return *this;
  }

  template <class Input>
  void run_shifted(const Input& input, Task task) {
    if (shift_offset_ == RealScalar(0) && shift_scale_ == RealScalar(1)) {
      run_compressed(input, task);
      return;
    }
    Copy<Input> shifted(input);
    for (Eigen::Index j = 0; j < size_; ++j) {
      const auto i = static_cast<CopyIndex<Input>>(j);
      Scalar& d = shifted.coeffRef(i, i);
      d = shift_offset_ + shift_scale_ * d;
    }
    shifted.makeCompressed();
    run_view(shifted, task);
  }

  template <class Input>
  void run_compressed(const Input& input, Task task) {
    if constexpr (is_compressed_type<Input>()) {
      if (input.isCompressed() && (size_ == 0 || input.outerIndexPtr()[0] == 0)) {
        run_view(input, task);
        return;
      }
    }
    Copy<Input> copy(input);
    copy.makeCompressed();
    run_view(copy, task);
  }

  /// Index and matrix types of the copy of an input that cannot be read where it lies.
  template <class Input>
  using CopyIndex = std::conditional_t<kIsIndex<typename Input::StorageIndex>,
                                       typename Input::StorageIndex, std::int64_t>;
  template <class Input>
  using Copy = Eigen::SparseMatrix<Scalar, Input::IsRowMajor ? Eigen::RowMajor : Eigen::ColMajor,
                                   CopyIndex<Input>>;

  /// Rows of a matrix stored by rows are columns of its transpose: the triangles change places.
  static constexpr Triangle triangle(bool by_rows) {
    if (Triangles == (Eigen::Lower | Eigen::Upper)) return Triangle::kBoth;
    return (Triangles == Eigen::Lower) != by_rows ? Triangle::kLower : Triangle::kUpper;
  }

  template <class Compressed>
  void run_view(const Compressed& a, Task task) {
    if (size_ == 0) {
      info_ = Eigen::Success;
      return;
    }
    using IndexType = typename Compressed::StorageIndex;
    const IndexType* outer = a.outerIndexPtr();
    const auto n = static_cast<std::size_t>(size_), nnz = static_cast<std::size_t>(outer[n]);
    const SparseView<Scalar, IndexType, IndexType> view{static_cast<Index>(n),
                                                        {outer, n + 1},
                                                        {a.innerIndexPtr(), nnz},
                                                        {a.valuePtr(), nnz},
                                                        triangle(Compressed::IsRowMajor)};
    if constexpr (SetOrdering::kIsCalled) {
      if (task != kFactorize || ordered_size_ != size_) {
        SetOrdering::template set<Triangles, StorageIndex>(a, solver_.options());
        ordered_size_ = size_;
        finish(solver_.analyze(view));
        if (info_ != Eigen::Success) return;
      }
    } else {
      SetOrdering::set(solver_.options());
    }
    if (task != kAnalyze) {
      finish(solver_.factorize(view));
    } else if constexpr (!SetOrdering::kIsCalled) {
      finish(solver_.analyze(view));
    }
  }

  template <class Input>
  void factorize_analysed(const Input& input) {
    eigen_assert(is_analysed_ && "You must first call analyzePattern()");
    run(input, kFactorize);
  }

  // ---- outcome ----------------------------------------------------------------------------------

  EigenCholesky& fail(Eigen::ComputationInfo info, std::string message) {
    info_ = info;
    message_ = std::move(message);
    return *this;
  }

  void finish(Status status) {
    switch (status) {
      case Status::kOk:
        info_ = Eigen::Success;
        break;
      case Status::kInterrupted:
        fail(Eigen::NoConvergence, "interrupted");
        break;
      default:
        fail(Eigen::NumericalIssue, solver_.factor_report().message);
    }
  }

  /// Whether solve() has something to solve with: a factor, be it of a nearly singular matrix.
  bool has_factor() const {
    if (info_ == Eigen::NumericalIssue) {
      return solver_.factor_report().status == Status::kSingular;
    }
    return info_ == Eigen::Success;
  }

  double log_determinant() const {
    eigen_assert(is_factored_ && "You must first call compute() or factorize()");
    if (!has_factor()) return std::numeric_limits<double>::quiet_NaN();
    return size_ > 0 ? solver_.log_determinant() : 0.0;
  }

  void solve_columns(const Eigen::Ref<const Columns>& b, Scalar* x, Eigen::Index ldx) const {
    const auto n = static_cast<Index>(b.rows()), nrhs = static_cast<Index>(b.cols());
    const auto ld = [&](Eigen::Index stride) { return static_cast<Offset>(nrhs > 1 ? stride : n); };
    SolveReport report =
        solver_.solve(DenseView<const Scalar>{b.data(), n, nrhs, ld(b.outerStride())},
                      DenseView<Scalar>{x, n, nrhs, ld(ldx)});
    const std::lock_guard lock(report_mutex_);
    report_ = std::move(report);
  }

  // ---- P and L ----------------------------------------------------------------------------------

  const typename Copies::Permutations& permutations() const {
    eigen_assert(is_analysed_ && "You must first call analyzePattern()");
    return copies_.permutations(solver_, size_);
  }

  /// x := L^-1 x,  or  L^-T x;  filled with NaN where there is no factor.
  template <bool Transposed, class Dest>
  void solve_factor(Dest& x) const {
    eigen_assert(x.rows() == size_);
    if (!has_factor()) {
      x.setConstant(std::numeric_limits<Scalar>::quiet_NaN());
      return;
    }
    if (x.size() > 0) Copies::template solve<Transposed>(solver_, x);
  }

  /// L by columns.  Throws InvalidArgument where there is no factor.
  const typename Copies::Columns& factor_columns() const {
    eigen_assert(has_factor() && "There is no factor: see info()");
    return copies_.columns(solver_, size_);
  }

  SparseCholesky<Scalar> solver_;
  Eigen::Index size_ = 0;
  Eigen::Index ordered_size_ = -1;  // Of the matrix that OrderingMethod was called with.
  Eigen::ComputationInfo info_ = Eigen::Success;
  std::string message_;
  bool is_analysed_ = false;  // What has been called; what came of it says info_.
  bool is_factored_ = false;
  RealScalar shift_offset_ = 0;
  RealScalar shift_scale_ = 1;
  Copies copies_;
  mutable std::mutex report_mutex_;
  mutable SolveReport report_;  // Of the solve that ended last, guarded by report_mutex_.
};

// NOLINTEND(readability-identifier-naming)

}  // namespace clchol
