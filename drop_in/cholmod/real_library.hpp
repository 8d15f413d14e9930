// CHOLMOD's own functions, of the library that this one stands in front of.
//
// The functions of entry_points.cpp have CHOLMOD's names, so that a call by name would come back to
// them.  Real<Int> calls the next definition of a name instead (dlsym(RTLD_NEXT)), which is that of
// CHOLMOD itself.
#pragma once

#include <cholmod.h>

namespace clchol::drop_in {

/// Returns the address of CHOLMOD's function `name`; null if there is none.
void* next_definition(const char* name);

/// Whether this thread is inside a function of CHOLMOD, which calls others by their public names:
/// such calls must reach CHOLMOD.
bool is_inside_cholmod();

/// Marks the time from its construction to its destruction as inside CHOLMOD.
class InsideCholmod {
 public:
  InsideCholmod();
  ~InsideCholmod();
  InsideCholmod(const InsideCholmod&) = delete;
  InsideCholmod& operator=(const InsideCholmod&) = delete;
};

/// Calls CHOLMOD's function `name`, which has the type Function.  A function that is missing gives
/// zero (FALSE, NULL).
template <class Function, class... Args>
auto call_cholmod(Function* function, Args... args) {
  const InsideCholmod inside;
  using Result = decltype(function(args...));
  return function == nullptr ? Result{} : function(args...);
}

/// CHOLMOD's functions for integers of type Int: int (cholmod_*) or SuiteSparse_long (cholmod_l_*).
template <class Int>
struct Real;

// A static member function of Real<Int>, of the same name without the prefix.
#define CLCHOL_REAL(prefix, name)                                                  \
  template <class... Args>                                                         \
  static auto name(Args... args) {                                                 \
    static auto* const function =                                                  \
        reinterpret_cast<decltype(&prefix##name)>(next_definition(#prefix #name)); \
    return call_cholmod(function, args...);                                        \
  }

// CHOLMOD's functions that have a factor among their arguments, and those that make or free what
// these functions return.
#define CLCHOL_REAL_FUNCTIONS(prefix)    \
  CLCHOL_REAL(prefix, aat)               \
  CLCHOL_REAL(prefix, allocate_dense)    \
  CLCHOL_REAL(prefix, allocate_factor)   \
  CLCHOL_REAL(prefix, allocate_sparse)   \
  CLCHOL_REAL(prefix, analyze_p2)        \
  CLCHOL_REAL(prefix, change_factor)     \
  CLCHOL_REAL(prefix, check_factor)      \
  CLCHOL_REAL(prefix, copy_factor)       \
  CLCHOL_REAL(prefix, ensure_dense)      \
  CLCHOL_REAL(prefix, error)             \
  CLCHOL_REAL(prefix, factor_to_sparse)  \
  CLCHOL_REAL(prefix, factor_xtype)      \
  CLCHOL_REAL(prefix, factorize_p)       \
  CLCHOL_REAL(prefix, finish)            \
  CLCHOL_REAL(prefix, free)              \
  CLCHOL_REAL(prefix, free_dense)        \
  CLCHOL_REAL(prefix, free_factor)       \
  CLCHOL_REAL(prefix, free_sparse)       \
  CLCHOL_REAL(prefix, lsolve_pattern)    \
  CLCHOL_REAL(prefix, malloc)            \
  CLCHOL_REAL(prefix, pack_factor)       \
  CLCHOL_REAL(prefix, print_factor)      \
  CLCHOL_REAL(prefix, rcond)             \
  CLCHOL_REAL(prefix, reallocate_column) \
  CLCHOL_REAL(prefix, reallocate_factor) \
  CLCHOL_REAL(prefix, resymbol)          \
  CLCHOL_REAL(prefix, resymbol_noperm)   \
  CLCHOL_REAL(prefix, row_lsubtree)      \
  CLCHOL_REAL(prefix, rowadd)            \
  CLCHOL_REAL(prefix, rowadd_mark)       \
  CLCHOL_REAL(prefix, rowadd_solve)      \
  CLCHOL_REAL(prefix, rowdel)            \
  CLCHOL_REAL(prefix, rowdel_mark)       \
  CLCHOL_REAL(prefix, rowdel_solve)      \
  CLCHOL_REAL(prefix, rowfac)            \
  CLCHOL_REAL(prefix, rowfac_mask)       \
  CLCHOL_REAL(prefix, rowfac_mask2)      \
  CLCHOL_REAL(prefix, solve)             \
  CLCHOL_REAL(prefix, solve2)            \
  CLCHOL_REAL(prefix, spsolve)           \
  CLCHOL_REAL(prefix, super_lsolve)      \
  CLCHOL_REAL(prefix, super_ltsolve)     \
  CLCHOL_REAL(prefix, super_numeric)     \
  CLCHOL_REAL(prefix, super_symbolic)    \
  CLCHOL_REAL(prefix, super_symbolic2)   \
  CLCHOL_REAL(prefix, updown)            \
  CLCHOL_REAL(prefix, updown_mark)       \
  CLCHOL_REAL(prefix, updown_mask)       \
  CLCHOL_REAL(prefix, updown_mask2)      \
  CLCHOL_REAL(prefix, updown_solve)      \
  CLCHOL_REAL(prefix, version)

template <>
struct Real<int> {
  static constexpr int kIntegers = CHOLMOD_INT;
  CLCHOL_REAL_FUNCTIONS(cholmod_)
};

template <>
struct Real<SuiteSparse_long> {
  static constexpr int kIntegers = CHOLMOD_LONG;
  CLCHOL_REAL_FUNCTIONS(cholmod_l_)
};

#undef CLCHOL_REAL_FUNCTIONS
#undef CLCHOL_REAL

/// Reports an error or a warning as CHOLMOD does: sets common->status, and calls the caller's error
/// handler or prints, as `common` says.
template <class Int>
void report(int status, const char* message, cholmod_common* common) {
  Real<Int>::error(status, __FILE__, __LINE__, message, common);
}

/// Returns whether the library found at run time has the structures that this one was compiled
/// with: they changed with the first number of the version.
bool is_known_version();

}  // namespace clchol::drop_in
