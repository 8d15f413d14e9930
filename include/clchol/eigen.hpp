// clchol::EigenCholesky: the solver behind Eigen's sparse solver interface.
//
//   clchol::EigenCholesky<Eigen::SparseMatrix<double>> solver(A);   // lower triangle of A
//   if (solver.info() != Eigen::Success) ...
//   x = solver.solve(b);
//
// Replaces SimplicialLLT and CholmodSupernodalLLT.  A compressed matrix stored by columns or rows,
// or a Map or Ref of one, with int or 64-bit indices, is read in place, and only its triangle UpLo.
// Any other input (expressions, blocks, uncompressed matrices, other index types) is first
// evaluated into a compressed matrix, which costs a copy of A.
//
// Needs Eigen 3.4 and clchol.hpp.
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

// Eigen prescribes the names of members that all of its solvers have.
// NOLINTBEGIN(readability-identifier-naming)

/// Solves A x = b for a sparse symmetric positive definite A by Cholesky factorization.  The scalar
/// type is float or double.
///
/// Triangles: Eigen::Lower or Eigen::Upper names the triangle that is read.
/// Eigen::Lower | Eigen::Upper reads the whole matrix, which must be symmetric to a few eps.
///
/// OrderingMethod: the default uses Options::analysis.ordering; while that is kAuto, the library
/// chooses.  Any other type overrides this option.  Eigen::NaturalOrdering and Eigen::AMDOrdering
/// mean Ordering::kNatural and Ordering::kAmd.  Of any further type, compute() and analyzePattern()
/// make an object and call it with the whole matrix, as SimplicialLLT does.
///
/// Const calls, also solves, may run at the same time.  A moved-from solver is like a new one.
/// Violated preconditions end in an eigen_assert.  info() reports a matrix that cannot be factored.
/// std::bad_alloc and clchol::OutOfMemory report a lack of memory.
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
  /// Takes the options of SparseCholesky.  ErrorChecks::kAuto becomes kFirstSolve: the first
  /// solve after a factorization computes errors, and is refined only for a large normwise error;
  /// later solves compute errors, and refine, only if the first solve had to be refined.
  explicit EigenCholesky(Options options) : solver_(with_checks(std::move(options))) {}
  /// Calls compute(matrix).
  explicit EigenCholesky(const MatrixType& matrix) : EigenCholesky() { compute(matrix); }
  template <class Input>
  explicit EigenCholesky(const Eigen::SparseMatrixBase<Input>& matrix) : EigenCholesky() {
    compute(matrix);
  }
  // Moves and swaps allocate: Eigen copies permutations.  NOLINTBEGIN(*-noexcept-*)
  EigenCholesky(EigenCholesky&& other) : EigenCholesky() { swap(other); }
  EigenCholesky& operator=(EigenCholesky&& other) {
    EigenCholesky taken(std::move(other));
    swap(taken);
    return *this;
  }

  /// No other call on either solver may run at the same time.
  void swap(EigenCholesky& other) {  // NOLINTEND(*-noexcept-*)
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

  /// Factors the matrix.  Analyses it first, unless its pattern equals the analysed pattern.
  EigenCholesky& compute(const MatrixType& matrix) { return run(matrix, kCompute); }
  template <class Input>
  EigenCholesky& compute(const Eigen::SparseMatrixBase<Input>& matrix) {
    return run(matrix.derived(), kCompute);
  }

  /// Orders and analyses the pattern, with the present options.  Values are not read.
  void analyzePattern(const MatrixType& matrix) { run(matrix, kAnalyze); }
  template <class Input>
  void analyzePattern(const Eigen::SparseMatrixBase<Input>& matrix) {
    run(matrix.derived(), kAnalyze);
  }

  /// Factors new values on the analysed pattern.  A matrix of another pattern is analysed first,
  /// which costs time.  An OrderingMethod of the caller is called again only if the size has
  /// changed too; otherwise the former order is used, which may cause more fill in the new pattern.
  void factorize(const MatrixType& matrix) { factorize_analysed(matrix); }
  template <class Input>
  void factorize(const Eigen::SparseMatrixBase<Input>& matrix) {
    factorize_analysed(matrix.derived());
  }

  Eigen::Index rows() const { return size_; }
  Eigen::Index cols() const { return size_; }

  /// Success; NumericalIssue: not positive definite, or singular if the condition is estimated;
  /// InvalidInput: not square, not finite, or not symmetric; NoConvergence: cancelled.
  Eigen::ComputationInfo info() const {
    eigen_assert(m_isInitialized && "Decomposition is not initialized.");
    return info_;
  }
  /// Reason of info(), in one line; empty after success.
  const std::string& lastErrorMessage() const { return message_; }

  /// det(A); infinite or zero when it leaves the range of Scalar: see logDeterminant().
  Scalar determinant() const { return static_cast<Scalar>(std::exp(log_determinant())); }
  /// log(det(A)).
  Scalar logDeterminant() const { return static_cast<Scalar>(log_determinant()); }

  /// P of  P A P' = L L',  as a permutation matrix; the identity with NaturalOrdering.
  const PermutationType& permutationP() const { return permutations().p; }
  /// P^-1 = P'.
  const PermutationType& permutationPinv() const { return permutations().inverse; }

  /// L of  P A P' = L L',  with the scaling undone.  L has the precision of the factor: the
  /// precision of Scalar, unless Options::factor.precision says otherwise.
  MatrixL matrixL() const {
    eigen_assert(is_factored_ && "You must first call compute() or factorize()");
    return MatrixL(*this);
  }
  /// U = L'.
  MatrixU matrixU() const {
    eigen_assert(is_factored_ && "You must first call compute() or factorize()");
    return MatrixU(*this);
  }

  /// Writes the sizes of L, of the update matrices on the CPU and of the copies of P and L, in MiB.
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

  /// The next compute() or factorize() replaces each diagonal entry a_ii by offset + scale * a_ii,
  /// where an absent a_ii is zero.  Values other than the defaults, 0 and 1, cost a copy of A.
  EigenCholesky& setShift(const RealScalar& offset, const RealScalar& scale = 1) {
    shift_offset_ = offset;
    shift_scale_ = scale;
    return *this;
  }

  /// The options of SparseCholesky.  Changes take effect in the next call that reads them.
  Options& options() { return solver_.options(); }
  const Options& options() const { return solver_.options(); }
  /// The solver behind this object: for reports, and for parts of a solve.
  const SparseCholesky<Scalar>& solver() const { return solver_; }
  /// Report of the solve that ended last: refinement steps, and backward errors; the errors are
  /// empty if that solve did not compute them (see ErrorChecks).
  SolveReport solve_report() const {
    const std::lock_guard lock(report_mutex_);
    return report_;
  }

  /// Eigen calls this function to evaluate solve(b).  When there is no factor, fills dest with NaN.
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
  using Base::_solve_impl;  // Solves with sparse right-hand sides.

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

  /// Whether a matrix type has the arrays of compressed columns or rows, with supported indices.
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
    info_ = Eigen::InvalidInput;  // Stays so when an exception ends the call.
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

  /// Index type and matrix type of the copy of an input that cannot be read in place.
  template <class Input>
  using CopyIndex = std::conditional_t<kIsIndex<typename Input::StorageIndex>,
                                       typename Input::StorageIndex, std::int64_t>;
  template <class Input>
  using Copy = Eigen::SparseMatrix<Scalar, Input::IsRowMajor ? Eigen::RowMajor : Eigen::ColMajor,
                                   CopyIndex<Input>>;

  /// A matrix stored by rows is read as its transpose stored by columns: the triangles are swapped.
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

  /// Whether there is a factor to solve with, also the factor of a nearly singular matrix.
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

  /// x := L^-1 x,  or  x := L^-T x if Transposed.  When there is no factor, fills x with NaN.
  template <bool Transposed, class Dest>
  void solve_factor(Dest& x) const {
    eigen_assert(x.rows() == size_);
    if (!has_factor()) {
      x.setConstant(std::numeric_limits<Scalar>::quiet_NaN());
      return;
    }
    if (x.size() > 0) Copies::template solve<Transposed>(solver_, x);
  }

  /// L by columns.  Throws InvalidArgument when there is no factor.
  const typename Copies::Columns& factor_columns() const {
    eigen_assert(has_factor() && "There is no factor: see info()");
    return copies_.columns(solver_, size_);
  }

  SparseCholesky<Scalar> solver_;
  Eigen::Index size_ = 0;
  Eigen::Index ordered_size_ = -1;  // Rows of the matrix that OrderingMethod ordered; -1: none yet.
  Eigen::ComputationInfo info_ = Eigen::Success;
  std::string message_;
  bool is_analysed_ = false;  // Whether an analysis was called for; info_ has its outcome.
  bool is_factored_ = false;  // Whether a factorization was called for; info_ has its outcome.
  RealScalar shift_offset_ = 0;
  RealScalar shift_scale_ = 1;
  Copies copies_;
  mutable std::mutex report_mutex_;
  mutable SolveReport report_;  // Report of the solve that ended last, guarded by report_mutex_.
};

// NOLINTEND(readability-identifier-naming)

}  // namespace clchol
