// EigenFactor, the type of clchol::EigenCholesky::matrixL() and matrixU(): L, or U = L', of
// P A P' = L L'.
//
// EigenFactor is a sparse expression of Eigen: it can be multiplied, added, transposed, and
// assigned to sparse and dense matrices.  The first such use after a factorization copies L from
// the solver, which takes the time of about two solves, and 8 bytes per entry of L in float or 12
// in double (up to 16 with 64-bit indices).  EigenFactor::solve() needs no copy; it takes half the
// time of EigenCholesky::solve(), which solves with both L and L'.
//
// An EigenFactor refers to the EigenCholesky.  It is valid until that solver factors again, is
// moved, or is destroyed.
#pragma once

#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "clchol/clchol.hpp"

namespace clchol {

template <class Solver, bool Upper>
class EigenFactor;

}  // namespace clchol

namespace Eigen::internal {

// Eigen prescribes the names of members.
// NOLINTBEGIN(readability-identifier-naming)

// To Eigen, an EigenFactor is what nestedExpression() returns: the sparse matrix L by columns, or
// for U the transpose of this matrix.  The two types below name these expressions; the traits and
// the evaluator of EigenFactor are derived from theirs.

template <class Solver>
using clchol_factor_columns =
    SparseMatrix<typename Solver::Scalar, ColMajor, typename Solver::StorageIndex>;
template <class Solver, bool Upper>
using clchol_factor_expression =
    std::conditional_t<Upper, Transpose<const clchol_factor_columns<Solver>>,
                       const clchol_factor_columns<Solver>>;

/// Traits of the expression that is evaluated, without its flags for entries that can be written or
/// have an address.
template <class Solver, bool Upper>
struct traits<clchol::EigenFactor<Solver, Upper>>
    : traits<std::remove_const_t<clchol_factor_expression<Solver, Upper>>> {
  enum { Flags = Upper ? RowMajorBit : 0 };
};

template <class Solver, bool Upper>
struct evaluator<clchol::EigenFactor<Solver, Upper>>
    : evaluator<std::remove_const_t<clchol_factor_expression<Solver, Upper>>> {
  using Base = evaluator<std::remove_const_t<clchol_factor_expression<Solver, Upper>>>;
  using XprType = clchol::EigenFactor<Solver, Upper>;
  enum { Flags = Upper ? RowMajorBit : 0 };
  explicit evaluator(const XprType& factor) : Base(factor.nestedExpression()) {}
};

}  // namespace Eigen::internal

namespace clchol {

template <class Solver, bool Upper>
class EigenFactor : public Eigen::SparseMatrixBase<EigenFactor<Solver, Upper>> {
  using Base = Eigen::SparseMatrixBase<EigenFactor>;

 public:
  EIGEN_SPARSE_PUBLIC_INTERFACE(EigenFactor)
  using Columns = Eigen::internal::clchol_factor_columns<Solver>;

  explicit EigenFactor(const Solver& solver) : solver_(&solver) {}

  Eigen::Index rows() const { return solver_->rows(); }
  Eigen::Index cols() const { return solver_->cols(); }

  /// Returns the solution x of  L x = b,  or of  L' x = b  if Upper.  b is dense, with rows() rows.
  template <class Rhs>
  auto solve(const Eigen::MatrixBase<Rhs>& b) const {
    Eigen::Matrix<Scalar, Eigen::Dynamic, Rhs::ColsAtCompileTime> x(b.derived());
    solver_->template solve_factor<Upper>(x);
    return x;
  }
  /// Solves in place, with dense right-hand sides.
  template <class Dest>
  void solveInPlace(const Eigen::MatrixBase<Dest>& x) const {
    x.const_cast_derived() = solve(x);
  }
  /// Solves in place, with sparse right-hand sides: some columns at a time, by way of dense ones.
  template <class Dest>
  void solveInPlace(Eigen::SparseMatrixBase<Dest>& x) const {
    const Columns b(x.derived());
    Columns solution(b.rows(), b.cols());
    Eigen::internal::solve_sparse_through_dense_panels(*this, b, solution);
    x.derived() = solution;
  }

  EigenFactor<Solver, !Upper> transpose() const { return EigenFactor<Solver, !Upper>(*solver_); }
  EigenFactor<Solver, !Upper> adjoint() const { return transpose(); }

  /// The copy of L, or the transpose of this copy if Upper.
  decltype(auto) nestedExpression() const {
    if constexpr (Upper) {
      return solver_->factor_columns().transpose();
    } else {
      return (solver_->factor_columns());  // A reference.
    }
  }
  Eigen::Index nonZeros() const { return solver_->factor_columns().nonZeros(); }

 private:
  const Solver* solver_;
};

// NOLINTEND(readability-identifier-naming)

/// Copies of P and L of  P A P' = L L',  made when they are first asked for.  Const calls may run
/// at the same time.  The references that they return are valid until drop().
///
/// SparseCholesky has a permutation Q and factors the scaled matrix:  Q S A S Q' = M M'.  The
/// factor that Eigen's users expect follows from Q, S and M.  With D = Q S^-1 Q':
///
///   Natural is false   P = Q  and  L = D M
///   Natural is true    P = I  and  L = Q' D M Q
///
/// `Natural` says that the caller asked for Eigen::NaturalOrdering.  Q is then a postorder of the
/// elimination tree, so that Q' D M Q is a lower triangle [Liu90].
template <class Scalar, class StorageIndex, bool Natural>
class EigenFactorCopies {
 public:
  using Columns = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, StorageIndex>;
  using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, StorageIndex>;
  /// P and P^-1.
  struct Permutations {
    Permutation p, inverse;
  };

  /// Marks the copies as outdated.  Must be called before the solver's factor changes.
  void drop() { has_permutations_ = has_columns_ = false; }

  void swap(EigenFactorCopies& other) {  // NOLINT(*-noexcept-swap): Eigen copies permutations.
    std::swap(permutations_, other.permutations_);
    columns_.swap(other.columns_);
    std::swap(has_permutations_, other.has_permutations_);
    std::swap(has_columns_, other.has_columns_);
  }

  /// Returns P and P^-1.  The solver must have an analysis, unless size is 0.
  /// @param size  rows of the matrix.
  const Permutations& permutations(const SparseCholesky<Scalar>& solver, Eigen::Index size) const {
    const std::lock_guard lock(mutex_);
    if (has_permutations_) return permutations_;
    if (Natural || size == 0) {
      permutations_.inverse.setIdentity(size);
    } else {
      permutations_.inverse = inverse_order(solver);
    }
    permutations_.p = permutations_.inverse.inverse();
    has_permutations_ = true;
    return permutations_;
  }

  /// Returns L by columns, the factor of P A P'.  The solver must have a factor, unless size is 0.
  /// @param size  rows of the matrix.
  /// Throws InvalidArgument when StorageIndex cannot count L's entries.
  const Columns& columns(const SparseCholesky<Scalar>& solver, Eigen::Index size) const {
    const std::lock_guard lock(mutex_);
    if (has_columns_) return columns_;
    if (size == 0) {
      columns_.resize(0, 0);
    } else {
      copy(solver.factor());
      const Column scale = inverse_scale(solver);
      if (scale.size() > 0) columns_ = scale.cwiseInverse().asDiagonal() * columns_;
      if constexpr (Natural) {
        const Permutation inverse = inverse_order(solver);
        const Columns rows_back = inverse * columns_, both_back = rows_back * inverse.inverse();
        // Explicit zeros of merged fronts may lie above the diagonal.
        columns_ = both_back.template triangularView<Eigen::Lower>();
      }
    }
    has_columns_ = true;
    return columns_;
  }

  /// x := L^-1 x,  or  x := L^-T x if Transposed, where L is the factor of P A P'.  Precondition:
  /// the solver has a factor.
  template <bool Transposed, class Dest>
  static void solve(const SparseCholesky<Scalar>& solver, Dest& x) {
    const Column scale = inverse_scale(solver);
    Permutation inverse;
    if constexpr (Natural) {
      inverse = inverse_order(solver);
      x = inverse.inverse() * x;
    }
    if (!Transposed && scale.size() > 0) x = scale.asDiagonal() * x;
    const auto n = static_cast<Index>(x.rows());
    solver.solve_part(Transposed ? Part::kBackward : Part::kForward,
                      DenseView<Scalar>{x.data(), n, static_cast<Index>(x.cols()), n});
    if (Transposed && scale.size() > 0) x = scale.asDiagonal() * x;
    if constexpr (Natural) x = inverse * x;
  }

  /// Bytes of the copies.
  std::int64_t bytes() const {
    constexpr auto kIndex = static_cast<std::int64_t>(sizeof(StorageIndex));
    constexpr auto kEntry = kIndex + static_cast<std::int64_t>(sizeof(Scalar));
    const std::lock_guard lock(mutex_);
    return columns_.nonZeros() * kEntry +
           (columns_.outerSize() + 2 * permutations_.p.size()) * kIndex;
  }

 private:
  template <class Integer>
  static StorageIndex narrow(Integer value) {
    return static_cast<StorageIndex>(value);
  }

  /// Returns Q'.
  static Permutation inverse_order(const SparseCholesky<Scalar>& solver) {
    const std::vector<Index> perm = solver.permutation();
    Permutation inverse(static_cast<Eigen::Index>(perm.size()));
    std::transform(perm.begin(), perm.end(), inverse.indices().data(), narrow<Index>);
    return inverse;
  }

  /// Returns the diagonal of D^-1 = Q S Q'.  Length n; empty when the matrix is not scaled.
  static Column inverse_scale(const SparseCholesky<Scalar>& solver) {
    if (!solver.factor_report().scaled) return {};
    const std::vector<Scalar> s = solver.scaling();
    const std::vector<Index> perm = solver.permutation();
    Column scale(static_cast<Eigen::Index>(perm.size()));
    std::transform(perm.begin(), perm.end(), scale.data(),
                   [&](Index old) { return s[static_cast<std::size_t>(old)]; });
    return scale;
  }

  /// Copies M to columns_.  Throws InvalidArgument when StorageIndex cannot count its entries.
  void copy(const CholeskyFactor<Scalar>& factor) const {
    constexpr StorageIndex kMost = (std::numeric_limits<StorageIndex>::max)();
    if (factor.colptr.back() > kMost) {
      throw InvalidArgument("matrixL: L has " + std::to_string(factor.colptr.back()) +
                            " entries, the matrix' StorageIndex counts to " +
                            std::to_string(kMost));
    }
    columns_.resize(factor.n, factor.n);
    columns_.resizeNonZeros(static_cast<Eigen::Index>(factor.colptr.back()));
    std::transform(factor.colptr.begin(), factor.colptr.end(), columns_.outerIndexPtr(),
                   narrow<Offset>);
    std::transform(factor.rowind.begin(), factor.rowind.end(), columns_.innerIndexPtr(),
                   narrow<Index>);
    std::copy(factor.values.begin(), factor.values.end(), columns_.valuePtr());
  }

  mutable std::mutex mutex_;  // Guards the members below.
  mutable Permutations permutations_;
  mutable Columns columns_;
  mutable bool has_permutations_ = false;
  mutable bool has_columns_ = false;
};

}  // namespace clchol
