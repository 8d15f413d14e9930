/* clchol in C: sparse Cholesky direct solver.

     clchol_solver* solver;
     clchol_matrix a;
     if (clchol_create(CLCHOL_DOUBLE, &solver) != CLCHOL_OK) ...
     clchol_matrix_init(&a, sizeof a);
     a.n = n; a.colptr = colptr; a.rowind = rowind; a.values = values;
     if (clchol_factorize(solver, &a) != CLCHOL_OK) ...    clchol_message(solver) says why
     clchol_solve(solver, 1, b, 0, x, 0, NULL, 0);
     clchol_destroy(solver);

   The functions are those of the C++ class clchol::SparseCholesky (clchol/clchol.hpp), under which
   each call is described in full: state after a failure, cost, precision.  This header is C89 (with
   <stdint.h>) and C++.

   Return values.  Functions that return int return a status.
     0          CLCHOL_OK
     positive   CLCHOL_NOT_POSITIVE_DEFINITE, ...: how a factorization or a solve ended
     negative   CLCHOL_INVALID_ARGUMENT, ...: an error
   After any status but CLCHOL_OK of a function with a solver, clchol_message() has one line for a
   person.  No C++ exception leaves a function.

   Structs.  Every struct begins with its size in bytes, which tells the library which version of
   the struct the caller was compiled with.  clchol_options_init(), clchol_matrix_init() and the
   functions that fill reports set it from their argument `size`.  Later versions of the library
   only add members at the end of a struct: programs run with them as they are.

   Null pointers.  A solver that is NULL, and a pointer that is NULL where one is needed, give
   CLCHOL_INVALID_ARGUMENT.  clchol_destroy() and clchol_free() accept NULL.

   Threads.  Different solvers may be used by different threads at any time.  On one solver,
   functions with a parameter `const clchol_solver*` may run at the same time; a function with a
   parameter `clchol_solver*` must run alone.  clchol_cancel() may be called at any time. */
#ifndef CLCHOL_CLCHOL_H
#define CLCHOL_CLCHOL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define CLCHOL_C_EXPORT __attribute__((visibility("default")))
#else
#define CLCHOL_C_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; clchol_version() is that of the library. */
#define CLCHOL_VERSION_MAJOR 0
#define CLCHOL_VERSION_MINOR 1
#define CLCHOL_VERSION_PATCH 0

/* ---- Constants ------------------------------------------------------------------------------- */

/* Type of the entries of A, B and X. */
enum { CLCHOL_DOUBLE = 0, CLCHOL_FLOAT = 1 };

/* Type of indices. */
enum { CLCHOL_INT32 = 0, CLCHOL_INT64 = 1 };

/* How a call ended. */
enum {
  CLCHOL_OK = 0,
  CLCHOL_NOT_POSITIVE_DEFINITE = 1, /* A pivot was not > 0: clchol_factor_report has its row. */
  CLCHOL_ACCURACY_NOT_REACHED = 2,  /* Solved; the backward error asked for was not reached. */
  CLCHOL_SINGULAR = 3,              /* Factored; the estimated condition is above 1 / (2 eps). */
  CLCHOL_INTERRUPTED = 4,           /* By clchol_cancel() or the progress function. */

  CLCHOL_INVALID_ARGUMENT = -1, /* A bad argument, unsuitable input or file; nothing changed. */
  CLCHOL_OUT_OF_MEMORY = -2,    /* A budget would be exceeded, or an allocation has failed. */
  CLCHOL_DEVICE_ERROR = -3,     /* A device or its driver failed. */
  CLCHOL_FILE_ERROR = -4,       /* A scratch file failed. */
  CLCHOL_INTERNAL_ERROR = -5    /* A fault of the library. */
};

/* Which entries of a matrix are read. */
enum {
  CLCHOL_LOWER = 0, /* Entries with row >= column; others are ignored. */
  CLCHOL_UPPER = 1, /* Entries with row <= column; others are ignored. */
  CLCHOL_BOTH = 2   /* The whole matrix is stored; it must be symmetric but for rounding. */
};

/* Option `ordering`. */
enum {
  CLCHOL_ORDERING_AUTO = 0,
  CLCHOL_ORDERING_AMD = 1,
  CLCHOL_ORDERING_MINIMUM_DEGREE = 2,
  CLCHOL_ORDERING_MULTIPLE_MINIMUM_DEGREE = 3,
  CLCHOL_ORDERING_NESTED_DISSECTION = 4,
  CLCHOL_ORDERING_NATURAL = 5,
  CLCHOL_ORDERING_GIVEN = 6 /* clchol_set_permutation(). */
};

/* Option `effort`, of nested dissection. */
enum { CLCHOL_EFFORT_FAST = 0, CLCHOL_EFFORT_BALANCED = 1, CLCHOL_EFFORT_BEST = 2 };

/* Option `precision`, of L; reports have DOUBLE or SINGLE. */
enum {
  CLCHOL_PRECISION_AUTO = 0,   /* That of the entries. */
  CLCHOL_PRECISION_DOUBLE = 1, /* L in double. */
  CLCHOL_PRECISION_SINGLE = 2, /* L in single; X with the accuracy of single. */
  CLCHOL_PRECISION_MIXED = 3   /* L in single; X refined to the accuracy of double. */
};

/* Option `scaling`: when the matrix is scaled symmetrically by powers of two. */
enum { CLCHOL_SCALING_NEVER = 0, CLCHOL_SCALING_AUTO = 1, CLCHOL_SCALING_ALWAYS = 2 };

/* Option `error_checks`: for which solutions backward errors are computed. */
enum {
  CLCHOL_CHECKS_AUTO = 0, /* EVERY_SOLVE. */
  CLCHOL_CHECKS_EVERY_SOLVE = 1,
  CLCHOL_CHECKS_FIRST_SOLVE = 2, /* The first after a factorization. */
  CLCHOL_CHECKS_NEVER = 3
};

/* Option `engine`; reports have CPU or OPENCL, and AUTO where nothing was factored. */
enum { CLCHOL_ENGINE_AUTO = 0, CLCHOL_ENGINE_CPU = 1, CLCHOL_ENGINE_OPENCL = 2 };

/* Steps of a solve, of the factors of the permuted and scaled matrix, P S A S P' = L L'. */
enum {
  CLCHOL_PART_PERMUTE = 0,  /* x := P S x */
  CLCHOL_PART_FORWARD = 1,  /* x := L^-1 x */
  CLCHOL_PART_BACKWARD = 2, /* x := L^-T x */
  CLCHOL_PART_UNPERMUTE = 3 /* x := S P' x; all four in turn solve A x = b. */
};

/* Texts of clchol_report_json(). */
enum {
  CLCHOL_REPORT_ANALYSIS = 0,    /* What the analysis found and predicts. */
  CLCHOL_REPORT_FACTOR = 1,      /* What the last factorization did. */
  CLCHOL_REPORT_SOLVE = 2,       /* What the solve that ended last did. */
  CLCHOL_REPORT_HOST_MODES = 3,  /* What ways to factor on the CPU would take. */
  CLCHOL_REPORT_DEVICE_MODES = 4 /* What ways to factor on the device would take. */
};

/* ---- Structs --------------------------------------------------------------------------------- */

typedef struct clchol_solver clchol_solver;

/* A sparse symmetric matrix by columns, not owned.  Rows may come in any order; duplicates are
   summed.  A matrix stored by rows is given as it is, with LOWER and UPPER exchanged. */
typedef struct clchol_matrix {
  size_t size;        /* sizeof(clchol_matrix). */
  int64_t n;          /* Rows and columns, 1 to 2^31 - 2. */
  const void* colptr; /* Start of each column: n + 1 indices; colptr[0] is index_base. */
  const void* rowind; /* Rows: colptr[n] - colptr[0] indices. */
  const void* values; /* One entry of the solver's type for each row; NULL where only the pattern is
                         read. */
  int colptr_type;    /* CLCHOL_INT32 or CLCHOL_INT64. */
  int rowind_type;    /* CLCHOL_INT32 or CLCHOL_INT64; not INT64 beside a colptr of INT32. */
  int triangle;       /* CLCHOL_LOWER, ... */
  int index_base;     /* 0, or 1: the number of the first row and of the first entry, as in Fortran.
                         Messages and reports count from 0. */
} clchol_matrix;

/* What a caller chooses (clchol/options.hpp has the full text).  Texts are copied. */
typedef struct clchol_options {
  size_t size; /* sizeof(clchol_options). */

  /* Read by an analysis. */
  int ordering;                /* CLCHOL_ORDERING_... */
  int effort;                  /* CLCHOL_EFFORT_... */
  uint64_t seed;               /* Of nested dissection's random choices. */
  int expected_factorizations; /* Factorizations of each analysis, at least 1. */
  int expected_solves;         /* Right-hand sides of each factorization, at least 1. */
  int compress;                /* Not 0: order rows with equal patterns as one vertex. */
  int amalgamate;              /* Not 0: merge small fronts where that saves time. */

  /* Read by a factorization. */
  int precision;          /* CLCHOL_PRECISION_... */
  int scaling;            /* CLCHOL_SCALING_... */
  int estimate_condition; /* Not 0: estimate the condition after each factorization. */

  /* Read by a solve. */
  double tolerance;     /* Normwise backward error asked for, in [0, 1]; 0: the library's. */
  int max_refine_steps; /* Most steps of refinement of a right-hand side; 0: none. */
  int error_checks;     /* CLCHOL_CHECKS_... */

  /* Read by all. */
  int threads;                   /* Most threads, up to 256; 0: as many as the process may use. */
  int64_t host_bytes;            /* Host memory that the solver may use; 0: what is free. */
  int64_t device_bytes;          /* Memory of each device that it may use; 0: 19/20 of it. */
  const char* scratch_directory; /* Where a scratch file may be made; NULL or "": none. */
  int engine;                    /* CLCHOL_ENGINE_... */
  const char* devices; /* OpenCL devices, separated by commas: "0", "0:1", "H200"; NULL or "": none
                          is named. */
} clchol_options;

/* What the analysis found and predicts. */
typedef struct clchol_analysis_report {
  size_t size;
  int64_t n;                    /* Rows of A. */
  int64_t nnz;                  /* Entries of one triangle of A, duplicates summed. */
  int ordering;                 /* The method that was used. */
  int effort;                   /* Of nested dissection. */
  int64_t compressed_n;         /* Vertices that were ordered: rows with equal patterns are one. */
  int64_t nnz_l;                /* Entries of L. */
  int64_t nnz_stored;           /* Entries of L with the explicit zeros of merged fronts. */
  double flops;                 /* Operations of a factorization. */
  double flops_stored;          /* Operations with the explicit zeros. */
  int64_t supernodes;           /* Number of fronts. */
  int64_t tree_height;          /* Fronts on the longest path of their tree. */
  int64_t largest_front;        /* Rows of the largest front. */
  int64_t factor_bytes;         /* Of L on the CPU. */
  int64_t workspace_bytes;      /* Of a factorization's workspace on the CPU. */
  int64_t solver_host_bytes;    /* Host memory of this solver: what host_bytes limits. */
  int64_t predicted_host_bytes; /* Peak of the process' resident memory. */
  int64_t solve_bytes_per_rhs;  /* What each further right-hand side adds. */
  int loaded;                   /* Whether the analysis was loaded. */
  double order_s;               /* Seconds of the ordering. */
  double symbolic_s;            /* Seconds of the symbolic factorization and plan. */
} clchol_analysis_report;

/* What the last factorization did. */
typedef struct clchol_factor_report {
  size_t size;
  int status;                     /* CLCHOL_OK, ...; OK too where nothing was factored. */
  int precision;                  /* Of L: CLCHOL_PRECISION_DOUBLE or _SINGLE. */
  int fell_back_to_double;        /* Whether single was asked for, but L is in double. */
  int scaled;                     /* Whether the matrix was scaled. */
  int64_t row;                    /* First row, zero-based, of A with a bad pivot; -1: none. */
  double pivot;                   /* Value of that pivot, in the scale of A. */
  double diagonal;                /* A(row, row). */
  double asymmetry;               /* Largest relative difference of a pair; -1: one triangle. */
  double rcond;                   /* Estimated reciprocal condition; -1: not estimated. */
  int engine;                     /* CLCHOL_ENGINE_CPU or _OPENCL. */
  int loaded;                     /* Whether the factor was loaded. */
  int threads;                    /* Threads of the call. */
  int64_t predicted_device_bytes; /* Memory of all devices, with one right-hand side. */
  int64_t peak_device_bytes;      /* Most memory of all devices so far. */
  int64_t streamed_bytes;         /* Host memory for what the devices' budget does not hold. */
  int64_t file_bytes;             /* Size of the scratch file; 0: L is in memory. */
  double setup_s;                 /* Seconds of allocation, and of a device's kernels and lists. */
  double factor_s;                /* Seconds from values to L. */
} clchol_factor_report;

/* What a solve did. */
typedef struct clchol_solve_report {
  size_t size;
  int status;            /* What the solve returned. */
  int engine;            /* CLCHOL_ENGINE_CPU or _OPENCL. */
  int refine_steps;      /* Most steps of refinement of any right-hand side. */
  double backward_error; /* |b - A x| / (|A| |x| + |b|), of the worst column; -1: not computed. */
  double componentwise_error; /* max_i |b - A x|_i / (|A| |x| + |b|)_i; -1: not computed. */
  int64_t peak_device_bytes;  /* Most memory of all devices so far. */
  double solve_s;             /* Seconds of the first solution. */
  double refine_s;            /* Seconds of residuals and further solves. */
} clchol_solve_report;

/* Called during a factorization with the operations done and all operations, by any thread, never
   by two threads of a call at once.  A value other than 0 ends the call with CLCHOL_INTERRUPTED,
   and there is no factor then; clchol_message() and the text of CLCHOL_REPORT_FACTOR say what ended
   the call.  The function must return: no exception, longjmp or end of the thread.  Of the
   functions below, it may call clchol_cancel() alone on the same solver. */
typedef int (*clchol_progress)(void* data, double done, double total);

/* ---- Solver and options ---------------------------------------------------------------------- */

/* "0.1.0" */
CLCHOL_C_EXPORT const char* clchol_version(void);
/* "ok", "not_positive_definite", ..., "invalid_argument", ...; "unknown" for other numbers. */
CLCHOL_C_EXPORT const char* clchol_status_name(int status);

/* Makes a solver for entries of type CLCHOL_DOUBLE or CLCHOL_FLOAT.  Opens no device and starts no
   thread.  *solver is NULL after an error. */
CLCHOL_C_EXPORT int clchol_create(int type, clchol_solver** solver);
CLCHOL_C_EXPORT void clchol_destroy(clchol_solver* solver);

/* CLCHOL_DOUBLE or CLCHOL_FLOAT; CLCHOL_INVALID_ARGUMENT for NULL. */
CLCHOL_C_EXPORT int clchol_type(const clchol_solver* solver);

/* What the call that ended last otherwise than with CLCHOL_OK had to say; "" before such a call.
   The text is the solver's, until the next call on the solver ends otherwise than with CLCHOL_OK:
   in printf("%s", clchol_message(solver)) no other argument may call a function on the solver.
   Where several threads solve at once, the text may be of another thread's call, and
   clchol_copy_message() copies it in one piece. */
CLCHOL_C_EXPORT const char* clchol_message(const clchol_solver* solver);
/* Copies as much of the message as fits in `size` bytes, a zero included.  Returns the length of
   the message, without the zero. */
CLCHOL_C_EXPORT size_t clchol_copy_message(const clchol_solver* solver, char* text, size_t size);

/* Sets all members to the library's defaults, and `options->size` to `size`. */
CLCHOL_C_EXPORT int clchol_options_init(clchol_options* options, size_t size);
/* Options take effect in the next call of the phase that reads them.  Texts of
   clchol_get_options() are the solver's, until its options change. */
CLCHOL_C_EXPORT int clchol_get_options(const clchol_solver* solver, clchol_options* options,
                                       size_t size);
CLCHOL_C_EXPORT int clchol_set_options(clchol_solver* solver, const clchol_options* options);

/* One option by its name and a text: ("solve.tolerance", "1e-12"), ("engine", "opencl"),
   ("devices", "0,1").  Numbers are read and written in the form of C, whatever the locale. */
CLCHOL_C_EXPORT int clchol_set_option(clchol_solver* solver, const char* name, const char* value);
/* The text of an option's value, which the caller frees with clchol_free(). */
CLCHOL_C_EXPORT int clchol_get_option(const clchol_solver* solver, const char* name, char** value);
/* Names of all options, by their number from 0; NULL after the last. */
CLCHOL_C_EXPORT const char* clchol_option_name(int number);

/* For CLCHOL_ORDERING_GIVEN: permutation[new] = old, zero-based, n indices; n = 0: none.  The
   solver keeps a copy, and reads it while the option `ordering` is CLCHOL_ORDERING_GIVEN. */
CLCHOL_C_EXPORT int clchol_set_permutation(clchol_solver* solver, int64_t n,
                                           const void* permutation, int index_type);
/* `progress` may be NULL. */
CLCHOL_C_EXPORT int clchol_set_progress(clchol_solver* solver, clchol_progress progress,
                                        void* data);
/* on = 1: calls that analyse, factor, solve, load or save a factor end with CLCHOL_INTERRUPTED,
   also those that run.  on = 0 ends this, for calls that begin when no other such call runs.  May
   be called by any thread at any time, and in a signal handler. */
CLCHOL_C_EXPORT int clchol_cancel(clchol_solver* solver, int on);

/* Sets all members to zero but `matrix->size`: LOWER, and indices of 32 bits. */
CLCHOL_C_EXPORT int clchol_matrix_init(clchol_matrix* matrix, size_t size);
/* Frees what the library has allocated for the caller. */
CLCHOL_C_EXPORT void clchol_free(void* memory);

/* ---- Analysis, factorization, solve ---------------------------------------------------------- */

/* Orders and analyses the pattern of A. */
CLCHOL_C_EXPORT int clchol_analyze(clchol_solver* solver, const clchol_matrix* a);
/* Factors A; analyses A first unless its pattern is the one that was analysed. */
CLCHOL_C_EXPORT int clchol_factorize(clchol_solver* solver, const clchol_matrix* a);
/* Factors new values on the analysed pattern. */
CLCHOL_C_EXPORT int clchol_refactorize(clchol_solver* solver, const clchol_matrix* a);
/* The same; `values` has `count` entries in the order of the matrix that was analysed. */
CLCHOL_C_EXPORT int clchol_refactorize_values(clchol_solver* solver, const void* values,
                                              int64_t count);

/* Solves A X = B with refinement.  B and X are n x nrhs, by columns; ldb and ldx are the distances
   from a column to the next in entries, at least n; 0 means n.  X may be B, with ldx = ldb;
   otherwise B and X must not overlap.  `report` may be NULL; otherwise `report_size` is its size in
   bytes, and it is filled whatever the status is. */
CLCHOL_C_EXPORT int clchol_solve(const clchol_solver* solver, int64_t nrhs, const void* b,
                                 int64_t ldb, void* x, int64_t ldx, clchol_solve_report* report,
                                 size_t report_size);
/* One part of a solve, CLCHOL_PART_..., in place on n x nrhs entries. */
CLCHOL_C_EXPORT int clchol_solve_part(const clchol_solver* solver, int part, int64_t nrhs, void* x,
                                      int64_t ldx);

/* ---- What was computed ----------------------------------------------------------------------- */

CLCHOL_C_EXPORT int clchol_get_analysis_report(const clchol_solver* solver,
                                               clchol_analysis_report* report, size_t size);
CLCHOL_C_EXPORT int clchol_get_factor_report(const clchol_solver* solver,
                                             clchol_factor_report* report, size_t size);
/* A report, CLCHOL_REPORT_..., as a JSON text with the names of the members of the C++ reports
   (clchol/reports.hpp).  The caller frees it with clchol_free().  MODES predict before a
   factorization: DEVICE_MODES opens the device. */
CLCHOL_C_EXPORT int clchol_report_json(const clchol_solver* solver, int report, char** json);

/* log(det(A)). */
CLCHOL_C_EXPORT int clchol_log_determinant(const clchol_solver* solver, double* value);
/* Diagonal of L, of the permuted and scaled matrix: n entries of the solver's type. */
CLCHOL_C_EXPORT int clchol_diagonal(const clchol_solver* solver, void* diagonal);
/* Diagonal of S; all ones when the matrix was not scaled: n entries of the solver's type. */
CLCHOL_C_EXPORT int clchol_scaling(const clchol_solver* solver, void* scaling);
/* permutation[new] = old, zero-based: n indices. */
CLCHOL_C_EXPORT int clchol_permutation(const clchol_solver* solver, int32_t* permutation);
/* L by columns, of the permuted and scaled matrix: colptr has n + 1 positions; rowind and values
   have nnz_stored entries (clchol_analysis_report), in each column by ascending rows, the diagonal
   first.  After an error but CLCHOL_INVALID_ARGUMENT the arrays are undefined. */
CLCHOL_C_EXPORT int clchol_factor(const clchol_solver* solver, int64_t* colptr, int32_t* rowind,
                                  void* values);
/* Fronts, `supernodes` of them (clchol_analysis_report), in the order of elimination.  Front s
   eliminates columns [super_ptr[s], super_ptr[s + 1]) of the permuted matrix; its parent is
   super_parent[s], -1 at a root; it has nrow[s] rows.  super_ptr has supernodes + 1 entries. */
CLCHOL_C_EXPORT int clchol_assembly_tree(const clchol_solver* solver, int32_t* super_ptr,
                                         int32_t* super_parent, int32_t* nrow);
/* Device memory of a factorization and a solve with one right-hand side, in bytes; 0: the CPU would
   factor.  Opens the devices. */
CLCHOL_C_EXPORT int clchol_predict_device_bytes(const clchol_solver* solver, int64_t* bytes);

/* ---- Files -----------------------------------------------------------------------------------

   A file that cannot be read or written, or that is damaged or foreign, gives
   CLCHOL_INVALID_ARGUMENT. */

/* The analysis, for clchol_load_analysis() with a matrix of the same pattern. */
CLCHOL_C_EXPORT int clchol_save_analysis(const clchol_solver* solver, const char* path);
CLCHOL_C_EXPORT int clchol_load_analysis(clchol_solver* solver, const clchol_matrix* a,
                                         const char* path);
/* The same in memory.  The caller frees *bytes, *count of them, with clchol_free(). */
CLCHOL_C_EXPORT int clchol_save_analysis_bytes(const clchol_solver* solver, void** bytes,
                                               size_t* count);
CLCHOL_C_EXPORT int clchol_load_analysis_bytes(clchol_solver* solver, const clchol_matrix* a,
                                               const void* bytes, size_t count);
/* The factor.  `a` may be NULL: solves then do not refine. */
CLCHOL_C_EXPORT int clchol_save_factor(const clchol_solver* solver, const char* path);
CLCHOL_C_EXPORT int clchol_load_factor(clchol_solver* solver, const clchol_matrix* a,
                                       const char* path);

#ifdef __cplusplus
}
#endif

#endif
