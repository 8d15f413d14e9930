// Assertions for bugs (never for bad input, which throws InvalidArgument).
//
// CLCHOL_ASSERT(cond)        checked in debug builds.
// CLCHOL_ASSERT_HEAVY(cond)  recomputes an invariant from scratch; debug builds with
//                            CLCHOL_HEAVY_ASSERTIONS only.
// In release builds neither evaluates its argument.
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
