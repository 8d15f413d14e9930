// Assertions that detect bugs.  Bad input throws InvalidArgument instead.
//
// CLCHOL_ASSERT(cond)        Checked in debug builds.
// CLCHOL_ASSERT_HEAVY(cond)  For conditions that recompute an invariant from scratch.  Checked in
//                            debug builds with CLCHOL_HEAVY_ASSERTIONS only.
// Release builds evaluate the argument of neither macro.
#pragma once

#include <cassert>

#ifdef NDEBUG
#define CLCHOL_ASSERT(cond) static_cast<void>(sizeof(!(cond)))
#else
#define CLCHOL_ASSERT(cond) assert(cond)
#endif

#if !defined(NDEBUG) && defined(CLCHOL_HEAVY_ASSERTIONS)
#define CLCHOL_ASSERT_HEAVY(cond) assert(cond)
#else
#define CLCHOL_ASSERT_HEAVY(cond) static_cast<void>(sizeof(!(cond)))
#endif
