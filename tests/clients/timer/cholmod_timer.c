/* The time that a program spends in CHOLMOD's functions, whoever defines them.
 *
 *   cc -O2 -fPIC -shared cholmod_timer.c -o libcholmod_timer.so -ldl
 *   LD_PRELOAD=libcholmod_timer.so program
 *   LD_PRELOAD=libcholmod_timer.so:libclchol_cholmod.so program
 *
 * At the program's end it prints one line for each function that was called:
 *   cholmod_timer: NAME SECONDS CALLS
 * A call inside another one counts as the outer one's time.  Times of all threads add up.
 */
#define _GNU_SOURCE
#include <cholmod.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { kAnalyze, kFactorize, kSolve, kFree, kFinish, kNumKinds };

static const char* const names[kNumKinds] = {"analyze", "factorize", "solve", "free", "finish"};
static double seconds[kNumKinds];
static long calls[kNumKinds];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Number of timed functions that this thread is inside of. */
static __thread int depth = 0;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double begin(void) { return depth++ == 0 ? now() : 0; }

static void end(int kind, double began) {
  if (--depth > 0) return;
  const double took = now() - began;
  pthread_mutex_lock(&mutex);
  seconds[kind] += took;
  calls[kind] += 1;
  pthread_mutex_unlock(&mutex);
}

__attribute__((destructor)) static void print(void) {
  for (int kind = 0; kind < kNumKinds; ++kind) {
    if (calls[kind] == 0) continue;
    fprintf(stderr, "cholmod_timer: %s %.9f %ld\n", names[kind], seconds[kind], calls[kind]);
  }
}

/* Defines `name` for both integer types: the next definition of the name, timed. */
#define TIMED_AS(kind, result, name, parameters, arguments)               \
  result name parameters {                                                \
    static result(*function) parameters = NULL;                           \
    if (function == NULL) *(void**)(&function) = dlsym(RTLD_NEXT, #name); \
    const double began = begin();                                         \
    const result found = function arguments;                              \
    end(kind, began);                                                     \
    return found;                                                         \
  }

typedef cholmod_common* Common;
typedef cholmod_factor* Factor;
typedef cholmod_sparse* Sparse;
typedef cholmod_dense* Dense;

#define TIMED_FOR(prefix, Int)                                                                    \
  TIMED_AS(kAnalyze, Factor, prefix##analyze, (Sparse a, Common c), (a, c))                       \
  TIMED_AS(kAnalyze, Factor, prefix##analyze_p, (Sparse a, Int * p, Int * f, size_t k, Common c), \
           (a, p, f, k, c))                                                                       \
  TIMED_AS(kAnalyze, Factor, prefix##analyze_p2,                                                  \
           (int w, Sparse a, Int* p, Int* f, size_t k, Common c), (w, a, p, f, k, c))             \
  TIMED_AS(kFactorize, int, prefix##factorize, (Sparse a, Factor l, Common c), (a, l, c))         \
  TIMED_AS(kFactorize, int, prefix##factorize_p,                                                  \
           (Sparse a, double* beta, Int* f, size_t k, Factor l, Common c), (a, beta, f, k, l, c)) \
  TIMED_AS(kSolve, Dense, prefix##solve, (int s, Factor l, Dense b, Common c), (s, l, b, c))      \
  TIMED_AS(kSolve, int, prefix##solve2,                                                           \
           (int s, Factor l, Dense b, Sparse bset, Dense* x, Sparse* xset, Dense* y, Dense* e,    \
            Common c),                                                                            \
           (s, l, b, bset, x, xset, y, e, c))                                                     \
  TIMED_AS(kSolve, Sparse, prefix##spsolve, (int s, Factor l, Sparse b, Common c), (s, l, b, c))  \
  TIMED_AS(kFree, int, prefix##free_factor, (Factor * l, Common c), (l, c))                       \
  TIMED_AS(kFinish, int, prefix##finish, (Common c), (c))

TIMED_FOR(cholmod_, int)
TIMED_FOR(cholmod_l_, SuiteSparse_long)
