// cholmod_solve2 and cholmod_spsolve by clchol.
#pragma once

#include "drop_in/cholmod/fill.hpp"
#include "drop_in/cholmod/guard.hpp"
#include "drop_in/cholmod/input.hpp"

namespace clchol::drop_in {

/// Runs `read`, which passes L to CHOLMOD, after filling L if it is hollow.  Where L has lost its
/// values, or has others than real ones, afterwards, clchol's are dropped.
template <class Int, class Read>
auto with_filled(cholmod_factor* l, cholmod_common* common, Read read) -> decltype(read()) {
  const HeldPointer held = is_inside_cholmod() ? nullptr : find_held(l);
  if (!held) return read();
  const auto filled = [&]() -> decltype(read()) {
    if (!fill<Int>(*held, l, common)) return {};
    const auto result = read();
    if (l->xtype != CHOLMOD_REAL) held->has_values = false;
    return result;
  };
  return guarded<Int>(common, filled, [] { return decltype(read()){}; });
}

/// The same for a function that changes values of L: they are CHOLMOD's afterwards.
template <class Int, class Write>
auto with_given_up(cholmod_factor* l, cholmod_common* common, Write write) -> decltype(write()) {
  return with_filled<Int>(l, common, [&] {
    if (const HeldPointer held = is_inside_cholmod() ? nullptr : find_held(l)) {
      held->has_values = false;
    }
    return write();
  });
}

/// Returns whether clchol solves system `sys` with L.  CHOLMOD solves with L or D of L D L', and
/// with everything but A itself where clchol's order is not that of L.
inline bool solves(int sys, const HeldFactor& held, const cholmod_factor& l) {
  if (sys == CHOLMOD_A) return true;
  if (held.has_exact_order) return false;
  switch (sys) {
    case CHOLMOD_LDLt:
    case CHOLMOD_P:
    case CHOLMOD_Pt:
      return true;
    case CHOLMOD_LD:
    case CHOLMOD_DLt:
    case CHOLMOD_L:
    case CHOLMOD_Lt:
    case CHOLMOD_D:
      return l.is_ll != 0;
    default:
      return false;
  }
}

/// X := the solution of system `sys` of L L' = P A P' with right-hand sides B; D is I.
inline void solve_system(const SparseCholesky<double>& solver, int sys,
                         const DenseView<const double>& b, const DenseView<double>& x) {
  if (sys == CHOLMOD_A) {
    const SolveReport report = solver.solve(b, x);
    if (is_verbose()) say(kLibrary, summary(report, b.ncol));
    return;
  }
  if (b.data != x.data) {
    for (Index j = 0; j < b.ncol; ++j) std::copy_n(b.column(j), b.nrow, x.column(j));
  }
  switch (sys) {
    case CHOLMOD_LDLt:
      solver.solve_part(Part::kForward, x);
      solver.solve_part(Part::kBackward, x);
      break;
    case CHOLMOD_L:
    case CHOLMOD_LD:
      solver.solve_part(Part::kForward, x);
      break;
    case CHOLMOD_Lt:
    case CHOLMOD_DLt:
      solver.solve_part(Part::kBackward, x);
      break;
    case CHOLMOD_P:
      solver.solve_part(Part::kPermute, x);
      break;
    case CHOLMOD_Pt:
      solver.solve_part(Part::kUnpermute, x);
      break;
    default:  // CHOLMOD_D: the identity.
      break;
  }
}

/// Returns what clchol holds for L if clchol solves system `sys` with right-hand sides of this
/// type; otherwise null: CHOLMOD solves.
inline HeldPointer find_solver(int sys, const cholmod_factor* l, int xtype, int dtype,
                               std::size_t rows, std::size_t columns) {
  if (is_inside_cholmod()) return nullptr;
  HeldPointer held = find_held(l);
  if (!held) return nullptr;
  const std::lock_guard lock(held->mutex);
  const bool is_ours = held->has_values && solves(sys, *held, *l) && is_real_double(xtype, dtype) &&
                       rows == l->n && columns > 0 &&
                       columns <= static_cast<std::size_t>(std::numeric_limits<Index>::max());
  return is_ours ? held : nullptr;
}

inline DenseView<double> dense_view(const cholmod_dense& x) {
  return {static_cast<double*>(x.x), static_cast<Index>(x.nrow), static_cast<Index>(x.ncol),
          static_cast<Offset>(x.d)};
}

/// Solves system `sys` with right-hand sides B.  Returns X; null when that fails.
template <class Int>
cholmod_dense* solve(int sys, cholmod_factor* l, cholmod_dense* b, cholmod_common* common) {
  const auto by_cholmod = [&] {
    return with_filled<Int>(l, common, [&] { return Real<Int>::solve(sys, l, b, common); });
  };
  const HeldPointer held =
      b == nullptr ? nullptr : find_solver(sys, l, b->xtype, b->dtype, b->nrow, b->ncol);
  if (!held) return by_cholmod();
  cholmod_dense* x = nullptr;
  const auto by_clchol = [&] {
    x = Real<Int>::allocate_dense(b->nrow, b->ncol, b->nrow, int{CHOLMOD_REAL}, common);
    if (x == nullptr) return x;
    solve_system(held->solver, sys, dense_view(*b), dense_view(*x));
    common->status = CHOLMOD_OK;
    return std::exchange(x, nullptr);
  };
  cholmod_dense* const solution = guarded<Int>(common, by_clchol, by_cholmod);
  if (x != nullptr) Real<Int>::free_dense(&x, common);
  return solution;
}

/// Solves system `sys` with right-hand sides B into *x, which is allocated where its shape is
/// another.  Only CHOLMOD solves for a few rows of X (bset), with L filled.
template <class Int>
int solve_into(int sys, cholmod_factor* l, cholmod_dense* b, cholmod_sparse* bset,
               cholmod_dense** x, cholmod_sparse** xset, cholmod_dense** y, cholmod_dense** e,
               cholmod_common* common) {
  const auto by_cholmod = [&] {
    return with_filled<Int>(
        l, common, [&] { return Real<Int>::solve2(sys, l, b, bset, x, xset, y, e, common); });
  };
  const HeldPointer held = b == nullptr || bset != nullptr || x == nullptr
                               ? nullptr
                               : find_solver(sys, l, b->xtype, b->dtype, b->nrow, b->ncol);
  if (!held) return by_cholmod();
  const auto by_clchol = [&] {
    if (Real<Int>::ensure_dense(x, b->nrow, b->ncol, b->nrow, int{CHOLMOD_REAL}, common) ==
        nullptr) {
      return 0;
    }
    solve_system(held->solver, sys, dense_view(*b), dense_view(**x));
    common->status = CHOLMOD_OK;
    return 1;
  };
  return guarded<Int>(common, by_clchol, by_cholmod);
}

/// Columns of a sparse matrix, one after another.
template <class Int>
struct SparseColumns {
  std::vector<Int> colptr{0};
  std::vector<Int> rowind;
  std::vector<double> values;

  // Appends a column, without its zeros.
  void append(std::span<const double> column) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (column[i] == 0) continue;
      rowind.push_back(static_cast<Int>(i));
      values.push_back(column[i]);
    }
    colptr.push_back(static_cast<Int>(rowind.size()));
  }
};

template <class Int>
cholmod_sparse* to_cholmod(const SparseColumns<Int>& columns, std::size_t rows,
                           cholmod_common* common) {
  if (columns.values.size() > static_cast<std::size_t>(std::numeric_limits<Int>::max())) {
    report<Int>(CHOLMOD_TOO_LARGE, "X has more entries than its integers can count", common);
    return nullptr;
  }
  cholmod_sparse* const x = Real<Int>::allocate_sparse(
      rows, columns.colptr.size() - 1, columns.values.size(), 1, 1, 0, int{CHOLMOD_REAL}, common);
  if (x == nullptr) return nullptr;
  std::ranges::copy(columns.colptr, static_cast<Int*>(x->p));
  std::ranges::copy(columns.rowind, static_cast<Int*>(x->i));
  std::ranges::copy(columns.values, static_cast<double*>(x->x));
  return x;
}

/// Writes columns [first, first + b.ncol) of the sparse matrix B to the dense matrix b.
template <class Int>
void scatter(const cholmod_sparse& sparse, std::size_t first, const DenseView<double>& b) {
  const auto* const colptr = static_cast<const Int*>(sparse.p);
  const auto* const counts = static_cast<const Int*>(sparse.nz);
  for (Index k = 0; k < b.ncol; ++k) {
    const std::size_t j = first + static_cast<std::size_t>(k);
    const Int last = sparse.packed != 0 ? colptr[j + 1] : colptr[j] + counts[j];
    std::fill_n(b.column(k), b.nrow, 0.0);
    for (Int p = colptr[j]; p < last; ++p) {
      b.column(k)[static_cast<const Int*>(sparse.i)[p]] = static_cast<const double*>(sparse.x)[p];
    }
  }
}

/// Solves system `sys` with sparse right-hand sides B.  Returns X without its zeros; null when that
/// fails.
template <class Int>
cholmod_sparse* solve_sparse(int sys, cholmod_factor* l, cholmod_sparse* b,
                             cholmod_common* common) {
  const auto by_cholmod = [&] {
    return with_filled<Int>(l, common, [&] { return Real<Int>::spsolve(sys, l, b, common); });
  };
  const HeldPointer held = b == nullptr || b->stype != 0 || b->itype != Real<Int>::kIntegers
                               ? nullptr
                               : find_solver(sys, l, b->xtype, b->dtype, b->nrow, b->ncol);
  if (!held) return by_cholmod();
  const auto by_clchol = [&] {
    // Solves of many columns at once read L once.
    constexpr std::size_t kBlock = 16;
    const std::size_t n = b->nrow;
    std::vector<double> block(n * std::min(kBlock, b->ncol));
    SparseColumns<Int> solution;
    for (std::size_t first = 0; first < b->ncol; first += kBlock) {
      const std::size_t width = std::min(kBlock, b->ncol - first);
      const DenseView<double> x(block.data(), static_cast<Index>(n), static_cast<Index>(width));
      scatter<Int>(*b, first, x);
      solve_system(held->solver, sys, x, x);
      for (Index k = 0; k < x.ncol; ++k) solution.append({x.column(k), n});
    }
    common->status = CHOLMOD_OK;
    return to_cholmod(solution, n, common);
  };
  return guarded<Int>(common, by_clchol, by_cholmod);
}

/// CHOLMOD's estimate of the reciprocal condition of A:  (min L(j,j) / max L(j,j))^2,  which is
/// min D(j,j) / max D(j,j).
template <class Int>
double reciprocal_condition(cholmod_factor* l, cholmod_common* common) {
  const auto by_cholmod = [&] { return Real<Int>::rcond(l, common); };
  const HeldPointer held = is_inside_cholmod() ? nullptr : find_held(l);
  if (!held || !is_hollow(*held, *l)) return by_cholmod();
  if (held->has_exact_order) return with_filled<Int>(l, common, by_cholmod);
  const auto by_clchol = [&] {
    const std::vector<double> diagonal = held->solver.diagonal();
    const auto [least, greatest] = std::ranges::minmax(diagonal);
    common->status = CHOLMOD_OK;
    return (least / greatest) * (least / greatest);
  };
  return guarded<Int>(common, by_clchol, by_cholmod);
}

}  // namespace clchol::drop_in
