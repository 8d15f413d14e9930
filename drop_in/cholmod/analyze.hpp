// cholmod_analyze_p2 by clchol.
#pragma once

#include <utility>

#include "drop_in/cholmod/guard.hpp"
#include "drop_in/cholmod/held_factor_states.hpp"
#include "drop_in/cholmod/input.hpp"

namespace clchol::drop_in {

/// Returns the ordering that Common asks for: CHOLMOD_NATURAL and CHOLMOD_GIVEN, where they are the
/// only method, are meant as they are.  All others ask for little fill, and clchol chooses.
template <class Int>
AnalysisOptions analysis_options(const cholmod_common& common, const Int* user_perm, Index n) {
  AnalysisOptions options;
  if (common.nmethods != 1) return options;
  const int method = common.method[0].ordering;
  if (method == CHOLMOD_NATURAL) {
    options.ordering = Ordering::kNatural;
  } else if (method == CHOLMOD_GIVEN && user_perm != nullptr) {
    options.ordering = Ordering::kGiven;
    options.permutation.reserve(static_cast<std::size_t>(n));
    for (Index k = 0; k < n; ++k) {
      const Int row = user_perm[k];
      if (row < 0 || row >= n) throw InvalidArgument("the permutation has a row that is not there");
      options.permutation.push_back(static_cast<Index>(row));
    }
  }
  return options;
}

/// Options of a solver that does what CHOLMOD would do: A is not scaled, and solutions are not
/// refined.
inline Options cholmod_options() {
  Options options = options_from_environment();
  options.factor.scaling = Scaling::kNever;
  options.solve.error_checks = ErrorChecks::kNever;
  options.solve.max_refine_steps = 0;
  return options;
}

/// Returns whether the caller asks for exactly its own order, without a postorder.
inline bool wants_exact_order(const cholmod_common& common) {
  return common.nmethods == 1 && common.postorder == 0 &&
         (common.method[0].ordering == CHOLMOD_NATURAL ||
          common.method[0].ordering == CHOLMOD_GIVEN);
}

/// Returns whether CHOLMOD should do the work by what A and Common's options ask for:
///   final_pack is 0    L is to be modified later.
///   dbound is above 0  Small pivots are to be replaced.
///   an exact order     The caller reads L, as it asks for a final form, or forms A A'.
///   a pattern          The caller wants the order alone: UMFPACK asks for a simplicial analysis.
inline bool asks_for_cholmod(const cholmod_sparse& a, const cholmod_common& common) {
  if (common.final_pack == 0 || common.dbound > 0) return true;
  if (wants_exact_order(common) &&
      (common.final_asis == 0 || a.stype == 0 || is_on("CLCHOL_FILL"))) {
    return true;
  }
  return a.xtype == CHOLMOD_PATTERN && common.supernodal == CHOLMOD_SIMPLICIAL;
}

/// Returns whether A is so small that CHOLMOD's analysis is shorter by more than clchol's saves in
/// two or three factorizations.
template <class Int>
bool is_tiny(const cholmod_sparse& a) {
  constexpr std::size_t kEntries = 4000;
  return num_entries<Int>(a) < kEntries;
}

inline int ordering_of(const AnalysisReport& report) {
  switch (report.ordering) {
    case Ordering::kNatural:
      return CHOLMOD_NATURAL;
    case Ordering::kGiven:
      return CHOLMOD_GIVEN;
    case Ordering::kNestedDissection:
      return CHOLMOD_NESDIS;
    default:
      return CHOLMOD_AMD;
  }
}

/// Writes what an analysis found to Common, where CHOLMOD's callers read it.
inline void write_statistics(const AnalysisReport& report, cholmod_common* common) {
  common->status = CHOLMOD_OK;
  common->lnz = static_cast<double>(report.nnz_l);
  common->fl = report.flops;
  common->anz = static_cast<double>(report.nnz);
  common->selected = 0;
  common->current = 0;
  common->method[0].lnz = common->lnz;
  common->method[0].fl = common->fl;
  common->called_nd = report.ordering == Ordering::kNestedDissection ? 1 : 0;
}

/// Returns a symbolic factor with clchol's analysis; null where CHOLMOD cannot allocate it.
template <class Int>
cholmod_factor* symbolic_factor(HeldFactor& held, cholmod_common* common) {
  const AnalysisReport& found = held.solver.analysis_report();
  cholmod_factor* const l = Real<Int>::allocate_factor(static_cast<std::size_t>(found.n), common);
  if (l == nullptr) return nullptr;
  write_analysis<Int>(held, l);
  write_statistics(found, common);
  l->ordering = ordering_of(found);
  held.is_supernodal =
      common->supernodal > CHOLMOD_AUTO ||
      (common->supernodal == CHOLMOD_AUTO && common->fl >= common->supernodal_switch * common->lnz);
  l->is_ll = held.is_supernodal ? 1 : 0;
  return l;
}

/// Analyses the matrix, or reads the analysis that was saved of its pattern.  A saved analysis may
/// be of another pattern than the one it is known by: cholmod_factorize takes a matrix of any
/// pattern, and clchol analyses that one.
template <class Int>
Status analyze_or_load(const SparseView<double, Int, Int>& a, const Fingerprint& pattern,
                       SparseCholesky<double>& solver) {
  const std::vector<std::byte> saved = take_saved(pattern, solver.options().analysis);
  if (!saved.empty()) {
    try {
      const Status status = solver.load_analysis(a, saved);
      say(kLibrary, "the saved analysis of the same pattern");
      return status;
    } catch (const InvalidArgument& error) {
      say(kLibrary, error.what());
    }
  }
  return solver.analyze(a);
}

/// Returns clchol's analysis of A, made now, saved before or found in the spare factor; null where
/// an analysis was interrupted.
template <class Int>
HeldPointer analyzed(cholmod_sparse* a, const Int* user_perm, ColumnSet<Int> fset,
                     cholmod_common* common) {
  const SymmetricInput<Int> input(a, nullptr, fset, common);
  const bool exact = wants_exact_order(*common);
  Options options = cholmod_options();
  if (!exact) options.analysis = analysis_options(*common, user_perm, input.view().n);
  const Fingerprint pattern = fingerprint_of(*a, input.view());
  HeldPointer held = take_spare(pattern, options.analysis);
  if (held) {
    held->solver.options() = std::move(options);
    say(kLibrary, "the analysis of the same pattern before");
  } else {
    held = std::make_shared<HeldFactor>(std::move(options));
    if (analyze_or_load(input.view(), pattern, held->solver) != Status::kOk) return nullptr;
    say(kLibrary, summary(held->solver.analysis_report()));
  }
  held->pattern = pattern;
  held->has_exact_order = exact;
  return held;
}

/// Analyses A.  Returns a symbolic factor that clchol holds, or CHOLMOD's own.
template <class Int>
cholmod_factor* analyze(int for_whom, cholmod_sparse* a, Int* user_perm, ColumnSet<Int> fset,
                        cholmod_common* common) {
  const auto by_cholmod = [&] {
    return Real<Int>::analyze_p2(for_whom, a, user_perm, fset.columns, fset.size, common);
  };
  if (is_inside_cholmod() || for_whom != CHOLMOD_ANALYZE_FOR_CHOLESKY ||
      !is_suitable_pattern<Int>(a, common) ||
      !(a->xtype == CHOLMOD_PATTERN || is_suitable<Int>(a, common)) || is_tiny<Int>(*a) ||
      asks_for_cholmod(*a, *common)) {
    return by_cholmod();
  }
  const auto by_clchol = [&]() -> cholmod_factor* {
    HeldPointer held = analyzed(a, user_perm, fset, common);
    if (!held) return by_cholmod();
    cholmod_factor* l = held->has_exact_order ? by_cholmod() : symbolic_factor<Int>(*held, common);
    if (l == nullptr) return nullptr;
    if (held->has_exact_order) held->is_supernodal = l->is_super != 0;
    try {
      keep_held(l, std::move(held));
    } catch (...) {
      Real<Int>::free_factor(&l, common);
      throw;
    }
    return l;
  };
  return guarded<Int>(common, by_clchol, by_cholmod);
}

}  // namespace clchol::drop_in
