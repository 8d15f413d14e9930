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

namespace clchol {

// Eigen prescribes the names of what its other solvers have too.
// NOLINTBEGIN(readability-identifier-naming)

/// A x = b for a sparse symmetric positive definite A by L L'.
///
/// Scalar is float or double.  UpLo: Eigen::Lower or Eigen::Upper names the triangle that is read;
/// Eigen::Lower | Eigen::Upper reads the whole matrix, which must be symmetric to a few eps.
/// Solves on one factorization may run at the same time.
///
/// Eigen's preconditions are Eigen's assertions.  A matrix that cannot be factored is told by
/// info(); memory that cannot be had, by std::bad_alloc or clchol::OutOfMemory.
template <class SparseMatrixType, int Triangles = Eigen::Lower>
class EigenCholesky : public Eigen::SparseSolverBase<EigenCholesky<SparseMatrixType, Triangles>> {
  using Base = Eigen::SparseSolverBase<EigenCholesky>;
  using Base::m_isInitialized;

 public:
  using MatrixType = SparseMatrixType;
  using Scalar = typename MatrixType::Scalar;
  using RealScalar = typename MatrixType::RealScalar;
  using StorageIndex = typename MatrixType::StorageIndex;
  using PermutationType = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, StorageIndex>;
  enum {
    UpLo = Triangles,
    ColsAtCompileTime = MatrixType::ColsAtCompileTime,
    MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime
  };
  static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
                "clchol solves in float and in double");
  static_assert((Triangles & (Eigen::Lower | Eigen::Upper)) != 0 &&
                    (Triangles & ~(Eigen::Lower | Eigen::Upper)) == 0,
                "UpLo is Eigen::Lower, Eigen::Upper or both");

  EigenCholesky() = default;
  /// Options as those of SparseCholesky; see also options().
  explicit EigenCholesky(Options options) : solver_(std::move(options)) {}
  /// As compute(matrix).
  explicit EigenCholesky(const MatrixType& matrix) { compute(matrix); }
  template <class Input>
  explicit EigenCholesky(const Eigen::SparseMatrixBase<Input>& matrix) {
    compute(matrix);
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
  /// that costs time, and nothing else.
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

  /// P of P S A S P' = L L', as a matrix to multiply with; S is a diagonal of powers of two.
  PermutationType permutationP() const { return permutationPinv().inverse(); }
  /// P^-1 = P'.
  PermutationType permutationPinv() const {
    eigen_assert(is_analysed_ && "You must first call analyzePattern()");
    const std::vector<Index> perm = size_ > 0 ? solver_.permutation() : std::vector<Index>();
    PermutationType result(static_cast<Eigen::Index>(perm.size()));
    Eigen::Index k = 0;
    for (Index old : perm) result.indices()[k++] = static_cast<StorageIndex>(old);
    return result;
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
  /// What the solve that ended last reached: backward errors, refinement steps.
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
  enum Task { kAnalyze, kFactorize, kCompute };

  // ---- from Eigen's matrix to a view
  // ----------------------------------------------------------------

  template <class I>
  static constexpr bool kIsIndex =
      std::is_same_v<I, std::int32_t> || std::is_same_v<I, std::int64_t>;

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
    info_ = Eigen::InvalidInput;  // Until something better is known, exceptions included.
    message_.clear();
    eigen_assert(input.rows() == input.cols() && "the matrix must be square");
    size_ = input.cols();
    if (input.rows() != input.cols()) return fail(Eigen::InvalidInput, "matrix: not square");
    if (size_ > std::numeric_limits<Index>::max() - 1) {
      return fail(Eigen::InvalidInput, "matrix: too many rows");
    }
    try {
      run_shifted(input, task);
    } catch (const InvalidArgument& error) {
      fail(Eigen::InvalidInput, error.what());
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
    using I = typename Compressed::StorageIndex;
    const I* outer = a.outerIndexPtr();
    const auto n = static_cast<std::size_t>(size_), nnz = static_cast<std::size_t>(outer[n]);
    const SparseView<Scalar, I, I> view{static_cast<Index>(size_),
                                        {outer, n + 1},
                                        {a.innerIndexPtr(), nnz},
                                        {a.valuePtr(), nnz},
                                        triangle(Compressed::IsRowMajor)};
    finish(task == kAnalyze ? solver_.analyze(view) : solver_.factorize(view));
  }

  template <class Input>
  void factorize_analysed(const Input& input) {
    eigen_assert(is_analysed_ && "You must first call analyzePattern()");
    run(input, kFactorize);
  }

  // ---- outcome
  // --------------------------------------------------------------------------------------

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

  SparseCholesky<Scalar> solver_;
  Eigen::Index size_ = 0;
  Eigen::ComputationInfo info_ = Eigen::Success;
  std::string message_;
  bool is_analysed_ = false;  // What has been called; what came of it says info_.
  bool is_factored_ = false;
  RealScalar shift_offset_ = 0;
  RealScalar shift_scale_ = 1;
  mutable std::mutex report_mutex_;
  mutable SolveReport report_;  // Of the solve that ended last, guarded by report_mutex_.
};

// NOLINTEND(readability-identifier-naming)

}  // namespace clchol
