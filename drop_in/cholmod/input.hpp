// The symmetric matrix that CHOLMOD's arguments (A, beta, fset) describe, as clchol takes it.
//
//   A->stype > 0    A + beta I, of which the upper triangle is stored
//   A->stype < 0    A + beta I, of which the lower triangle is stored
//   A->stype == 0   A(:,f) A(:,f)' + beta I, with f = fset, or all columns
#pragma once

#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "clchol/clchol.hpp"
#include "drop_in/cholmod/held_factor.hpp"
#include "drop_in/cholmod/real_library.hpp"

namespace clchol::drop_in {

/// Columns of A that take part where A->stype is 0.  Null: all.
template <class Int>
struct ColumnSet {
  Int* columns = nullptr;
  std::size_t size = 0;
};

/// Returns whether a matrix of this type has real entries in double.  Before version 4, CHOLMOD did
/// not read dtype, and callers leave it as it is.
inline bool is_real_double(int xtype, int dtype) {
#if CHOLMOD_MAIN_VERSION < 4
  static_cast<void>(dtype);
  return xtype == CHOLMOD_REAL;
#else
  return xtype == CHOLMOD_REAL && dtype == CHOLMOD_DOUBLE;
#endif
}

/// Returns whether clchol takes matrices of A's shape and integers: square, or A A'.
template <class Int>
bool is_suitable_pattern(const cholmod_sparse* a, const cholmod_common* common) {
  constexpr std::size_t kMostRows = 0x7ffffffe;
  return is_known_version() && a != nullptr && common != nullptr &&
         common->itype == Real<Int>::kIntegers && a->itype == Real<Int>::kIntegers && a->nrow > 0 &&
         a->nrow <= kMostRows && (a->stype == 0 || a->nrow == a->ncol) && a->p != nullptr &&
         a->i != nullptr && (a->packed != 0 || a->nz != nullptr);
}

/// Returns whether clchol factors matrices like A.
template <class Int>
bool is_suitable(const cholmod_sparse* a, const cholmod_common* common) {
  return is_suitable_pattern<Int>(a, common) && is_real_double(a->xtype, a->dtype) &&
         a->x != nullptr;
}

/// Returns the number of stored entries of A.
template <class Int>
std::size_t num_entries(const cholmod_sparse& a) {
  const auto* const colptr = static_cast<const Int*>(a.p);
  if (a.packed != 0) return static_cast<std::size_t>(colptr[a.ncol]);
  const auto* const counts = static_cast<const Int*>(a.nz);
  return static_cast<std::size_t>(std::accumulate(counts, counts + a.ncol, Int{0}));
}

/// The matrix; A's own arrays where they are the matrix as it is.  Without values where A has none.
template <class Int>
class SymmetricInput {
 public:
  /// @param beta  null, or the number that is added to the diagonal.
  /// Throws std::bad_alloc.
  SymmetricInput(cholmod_sparse* a, const double* beta, ColumnSet<Int> fset,
                 cholmod_common* common) {
    if (a->stype == 0) {
      const int mode = a->xtype == CHOLMOD_PATTERN ? 0 : 1;
      product_.reset(Real<Int>::aat(a, fset.columns, fset.size, mode, common), Free{common});
      if (!product_) throw std::bad_alloc();
      a = product_.get();
    }
    const double shift = beta == nullptr ? 0 : beta[0];
    if (a->packed == 0 || shift != 0) {
      copy(*a, shift);
      view_.colptr = colptr_;
      view_.rowind = rowind_;
      view_.values = values_;
    } else {
      const auto* const colptr = static_cast<const Int*>(a->p);
      const std::size_t nnz = num_entries<Int>(*a);
      view_.colptr = {colptr, a->ncol + 1};
      view_.rowind = {static_cast<const Int*>(a->i), nnz};
      if (a->x != nullptr) view_.values = {static_cast<const double*>(a->x), nnz};
    }
    view_.n = static_cast<Index>(a->nrow);
    view_.triangle = a->stype > 0 ? Triangle::kUpper : Triangle::kLower;
  }

  const SparseView<double, Int, Int>& view() const { return view_; }

 private:
  struct Free {
    cholmod_common* common;
    void operator()(cholmod_sparse* a) const { Real<Int>::free_sparse(&a, common); }
  };

  // Copies A without gaps, with `shift` as an entry of its own in each column: duplicates are
  // summed.
  void copy(const cholmod_sparse& a, double shift) {
    const auto* const colptr = static_cast<const Int*>(a.p);
    const auto* const rowind = static_cast<const Int*>(a.i);
    const auto* const values = static_cast<const double*>(a.x);
    const auto* const counts = static_cast<const Int*>(a.nz);
    colptr_.reserve(a.ncol + 1);
    colptr_.push_back(0);
    for (std::size_t j = 0; j < a.ncol; ++j) {
      const Int first = colptr[j];
      const Int last = a.packed != 0 ? colptr[j + 1] : first + counts[j];
      rowind_.insert(rowind_.end(), rowind + first, rowind + last);
      if (values != nullptr) values_.insert(values_.end(), values + first, values + last);
      if (shift != 0) {
        rowind_.push_back(static_cast<Int>(j));
        values_.push_back(shift);
      }
      colptr_.push_back(static_cast<Int>(rowind_.size()));
    }
  }

  std::shared_ptr<cholmod_sparse> product_;  // A A'.
  std::vector<Int> colptr_;
  std::vector<Int> rowind_;
  std::vector<double> values_;
  SparseView<double, Int, Int> view_;
};

template <class Int>
Fingerprint fingerprint_of(const cholmod_sparse& a, const SparseView<double, Int, Int>& view) {
  return {.hash = hash_of(std::as_bytes(view.colptr), std::as_bytes(view.rowind)),
          .rows = a.nrow,
          .entries = view.rowind.size(),
          .stype = a.stype};
}

}  // namespace clchol::drop_in
