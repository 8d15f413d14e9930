// The library's functions: all of CHOLMOD's that have a factor among their arguments, under their
// own names.  A program that is started with LD_PRELOAD=libclchol_cholmod.so, or linked with
// -lclchol_cholmod before -lcholmod, calls these instead of CHOLMOD's.
//
// clchol takes real symmetric positive definite matrices; all others go on to CHOLMOD.
#include <cholmod.h>

#include "drop_in/cholmod/analyze.hpp"
#include "drop_in/cholmod/factorize.hpp"
#include "drop_in/cholmod/solve.hpp"

namespace clchol::drop_in {
namespace {

// cholmod_free_factor.  A hollow L is symbolic for CHOLMOD.
template <class Int>
int release(cholmod_factor** l, cholmod_common* common) {
  if (l != nullptr && *l != nullptr) {
    if (const HeldPointer held = find_held(*l)) {
      if (is_hollow(*held, **l)) (*l)->xtype = CHOLMOD_PATTERN;
    }
    spare_held(*l);
  }
  return Real<Int>::free_factor(l, common);
}

// cholmod_finish.  Of the last factor, the analysis alone is left.
template <class Int>
int finish(cholmod_common* common) {
  if (!is_on("CLCHOL_KEEP")) save_spare();
  return Real<Int>::finish(common);
}

}  // namespace
}  // namespace clchol::drop_in

// NOLINTBEGIN(readability-identifier-naming): CHOLMOD's names.
#pragma GCC visibility push(default)
extern "C" {

using clchol::drop_in::analyze;
using clchol::drop_in::copy;
using clchol::drop_in::factorize;
using clchol::drop_in::finish;
using clchol::drop_in::Real;
using clchol::drop_in::reciprocal_condition;
using clchol::drop_in::release;
using clchol::drop_in::solve;
using clchol::drop_in::solve_into;
using clchol::drop_in::solve_sparse;
using clchol::drop_in::with_filled;
using clchol::drop_in::with_given_up;

#define CLCHOL_INT int
#define CLCHOL_NAME(name) cholmod_##name
#include "drop_in/cholmod/entry_points.inc"
#undef CLCHOL_INT
#undef CLCHOL_NAME

#define CLCHOL_INT SuiteSparse_long
#define CLCHOL_NAME(name) cholmod_l_##name
#include "drop_in/cholmod/entry_points.inc"
#undef CLCHOL_INT
#undef CLCHOL_NAME

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)
