// cholmod_factorize_p by clchol.
#pragma once

#include <utility>

#include "drop_in/cholmod/analyze.hpp"
#include "drop_in/cholmod/solve.hpp"

namespace clchol::drop_in {

/// Factors the matrix with the solver of `held`.  The first factorization of a copy begins with the
/// analysis that was copied.
template <class Int>
Status factorize_held(HeldFactor& held, const SymmetricInput<Int>& input) {
  if (!held.copied_analysis.empty()) {
    const std::vector<std::byte> saved = std::exchange(held.copied_analysis, {});
    const Status status = held.solver.load_analysis(input.view(), saved);
    if (status != Status::kOk) return status;
  }
  return held.solver.factorize(input.view());
}

/// Row of the permuted matrix that is row `row` of A.
inline std::size_t permuted_row(const std::vector<Index>& permutation, Index row) {
  return static_cast<std::size_t>(std::ranges::find(permutation, row) - permutation.begin());
}

/// Returns whether L is to become L L' rather than L D L' (the documentation of cholmod_factorize:
/// a supernodal factor is L L' unless Common asks for another final form, a simplicial one is what
/// Common->final_ll says).
inline bool becomes_ll(bool is_supernodal, const cholmod_common& common) {
  if (common.final_ll != 0) return true;
  return is_supernodal && (common.final_asis != 0 || common.final_super != 0);
}

/// Copies the matrix to `kept`.
template <class Int>
void keep_matrix(const cholmod_sparse& a, const SparseView<double, Int, Int>& view, double beta,
                 KeptMatrix& kept) {
  kept.colptr.assign(view.colptr.begin(), view.colptr.end());
  kept.rowind.assign(view.rowind.begin(), view.rowind.end());
  kept.values.assign(view.values.begin(), view.values.end());
  kept.stype = a.stype;
  kept.beta = beta;
}

/// Factors beta I + A, or beta I + A(:,f) A(:,f)', into L.
template <class Int>
int factorize(cholmod_sparse* a, double* beta, ColumnSet<Int> fset, cholmod_factor* l,
              cholmod_common* common) {
  const auto by_cholmod = [&] {
    return Real<Int>::factorize_p(a, beta, fset.columns, fset.size, l, common);
  };
  const HeldPointer held = is_inside_cholmod() ? nullptr : find_held(l);
  if (!held) return by_cholmod();
  const auto by_cholmod_from_now_on = [&] {
    make_symbolic<Int>(*held, l, common);
    drop_held(l);
    return by_cholmod();
  };
  const double shift = beta == nullptr ? 0 : beta[0];
  const bool exact = held->has_exact_order;
  if (!is_suitable<Int>(a, common) || a->nrow != l->n || (exact && a->stype == 0)) {
    return by_cholmod_from_now_on();
  }

  const auto by_clchol = [&] {
    make_symbolic<Int>(*held, l, common);
    if (l->is_super == 0) l->is_ll = becomes_ll(held->is_supernodal, *common) ? 1 : 0;
    held->fills_supernodal =
        held->is_supernodal && (common->final_asis != 0 || common->final_super != 0);
    const Status status = factorize_held(*held, SymmetricInput<Int>(a, beta, fset, common));
    say(kLibrary, summary(held->solver.factor_report()));
    if (!exact) write_analysis<Int>(*held, l);
    if (status == Status::kNotPositiveDefinite) {
      // L D L' exists for other matrices too, and in another order another column fails.
      if (l->is_ll == 0 || exact) return by_cholmod();
      l->minor = permuted_row(held->solver.permutation(), held->solver.factor_report().row);
      report<Int>(CHOLMOD_NOT_POSDEF, "matrix not positive definite", common);
      return 1;
    }
    if (exact) {
      keep_matrix<Int>(*a, SymmetricInput<Int>(a, nullptr, fset, common).view(), shift,
                       held->matrix);
    }
    common->status = CHOLMOD_OK;
    make_hollow(*held, l);
    const bool drops_zeros =
        common->final_asis == 0 && common->final_resymbol != 0 && !held->fills_supernodal;
    if (drops_zeros || is_on("CLCHOL_FILL")) {
      if (!fill<Int>(*held, l, common)) return 0;
    }
    if (drops_zeros) return Real<Int>::resymbol(a, fset.columns, fset.size, 1, l, common);
    return 1;
  };
  return guarded<Int>(common, by_clchol, by_cholmod_from_now_on);
}

/// Copies L.  clchol factors the copy, too, with a copy of the analysis.
template <class Int>
cholmod_factor* copy(cholmod_factor* l, cholmod_common* common) {
  const HeldPointer held = is_inside_cholmod() ? nullptr : find_held(l);
  cholmod_factor* const copied =
      with_filled<Int>(l, common, [&] { return Real<Int>::copy_factor(l, common); });
  if (!held || copied == nullptr) return copied;
  const auto hold = [&] {
    auto own = std::make_shared<HeldFactor>(held->solver.options());
    own->copied_analysis =
        held->copied_analysis.empty() ? held->solver.save_analysis() : held->copied_analysis;
    own->is_supernodal = held->is_supernodal;
    own->has_exact_order = held->has_exact_order;
    keep_held(copied, std::move(own));
    return copied;
  };
  cholmod_factor* result = guarded<Int>(common, hold, [&] { return copied; });
  if (result == nullptr) {
    cholmod_factor* unused = copied;
    Real<Int>::free_factor(&unused, common);
  }
  return result;
}

}  // namespace clchol::drop_in
