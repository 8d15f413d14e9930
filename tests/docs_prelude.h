/* Names that C blocks of README.md and docs/ use without declaring them (tests/docs_test.py; the
   C++ blocks have docs_prelude.hpp).  Nothing is defined here: blocks are compiled, not linked. */
#ifndef CLCHOL_TESTS_DOCS_PRELUDE_H
#define CLCHOL_TESTS_DOCS_PRELUDE_H

#include <clchol/clchol.h>
#include <stdio.h>

extern const int32_t n;                  /* Rows of A. */
extern const int64_t nnz;                /* Entries of A's lower triangle. */
extern const int32_t colptr[], rowind[]; /* The lower triangle by columns. */
extern const double values[];            /* Entries of A's lower triangle. */
extern const double b[];                 /* One right-hand side, n entries. */
extern double x[];                       /* One solution, n entries. */

extern clchol_solver* solver; /* A solver with a factor of A. */
extern int status;            /* What a call returned. */

int show_progress(void* data, double done, double total);

#endif
