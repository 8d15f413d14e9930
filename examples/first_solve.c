/* The shortest program in C: solve a small system given by its lower triangle. */
#include <clchol/clchol.h>
#include <stdio.h>

int main(void) {
  /* [ 4 -1  0 ]       [ 3 ]
     [-1  4 -1 ] x  =  [ 2 ]      lower triangle, by columns
     [ 0 -1  4 ]       [ 3 ] */
  static const int32_t colptr[] = {0, 2, 4, 5}, rowind[] = {0, 1, 1, 2, 2};
  static const double values[] = {4, -1, 4, -1, 4}, b[] = {3, 2, 3};
  double x[3] = {0, 0, 0};
  clchol_solver* solver;
  clchol_matrix a;
  clchol_solve_report report;
  int status;

  if (clchol_create(CLCHOL_DOUBLE, &solver) != CLCHOL_OK) return 1;
  clchol_matrix_init(&a, sizeof a);
  a.n = 3;
  a.colptr = colptr;
  a.rowind = rowind;
  a.values = values;

  status = clchol_factorize(solver, &a);
  if (status == CLCHOL_OK) status = clchol_solve(solver, 1, b, 0, x, 0, &report, sizeof report);
  if (status == CLCHOL_OK) {
    printf("x = %g %g %g, backward error %.1e\n", x[0], x[1], x[2], report.backward_error);
  } else {
    fprintf(stderr, "%s: %s\n", clchol_status_name(status), clchol_message(solver));
  }
  clchol_destroy(solver);
  return status == CLCHOL_OK ? 0 : 1;
}
