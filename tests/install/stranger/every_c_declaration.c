/* Calls every function of clchol/clchol.h, in C89 that is C++ too (tests/install/declarations.py
   compares the lists). */
#include <clchol/clchol.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "failed: %s\n", what);
}

/* The lower triangle of  [4 -1 0; -1 4 -1; 0 -1 4],  and b of the x that is all ones. */
static const int32_t colptr[] = {0, 2, 4, 5}, rowind[] = {0, 1, 1, 2, 2};
static const double values[] = {4, -1, 4, -1, 4}, b[] = {3, 2, 3};

static clchol_matrix matrix(void) {
  clchol_matrix a;
  expect(clchol_matrix_init(&a, sizeof a) == CLCHOL_OK, "matrix_init");
  a.n = 3;
  a.colptr = colptr;
  a.rowind = rowind;
  a.values = values;
  return a;
}

static int count_calls(void* data, double done, double total) {
  *(int*)data += done <= total;
  return 0;
}

static void call_options(clchol_solver* solver) {
  static const int32_t natural[] = {0, 1, 2};
  clchol_options options;
  char* text = NULL;
  static int calls = 0;
  expect(clchol_options_init(&options, sizeof options) == CLCHOL_OK, "options_init");
  options.engine = CLCHOL_ENGINE_CPU;
  options.ordering = CLCHOL_ORDERING_GIVEN;
  expect(clchol_set_options(solver, &options) == CLCHOL_OK, "set_options");
  expect(clchol_get_options(solver, &options, sizeof options) == CLCHOL_OK, "get_options");
  expect(options.engine == CLCHOL_ENGINE_CPU, "the engine");
  expect(clchol_set_permutation(solver, 3, natural, CLCHOL_INT32) == CLCHOL_OK, "permutation");
  expect(clchol_set_option(solver, "solve.tolerance", "1e-12") == CLCHOL_OK, "set_option");
  expect(clchol_get_option(solver, "solve.tolerance", &text) == CLCHOL_OK, "get_option");
  expect(text != NULL && strcmp(text, "1e-12") == 0, "the text of an option");
  clchol_free(text);
  expect(strcmp(clchol_option_name(0), "analysis.ordering") == 0, "option_name");
  expect(clchol_set_progress(solver, count_calls, &calls) == CLCHOL_OK, "set_progress");
  expect(clchol_set_option(solver, "no.such", "1") == CLCHOL_INVALID_ARGUMENT, "no such option");
  expect(strstr(clchol_message(solver), "no.such") != NULL, "message");
  expect(clchol_copy_message(solver, NULL, 0) > 0, "copy_message");
}

static void call_phases(clchol_solver* solver) {
  const clchol_matrix a = matrix();
  double x[3];
  clchol_solve_report report;
  expect(clchol_analyze(solver, &a) == CLCHOL_OK, "analyze");
  expect(clchol_factorize(solver, &a) == CLCHOL_OK, "factorize");
  expect(clchol_refactorize(solver, &a) == CLCHOL_OK, "refactorize");
  expect(clchol_refactorize_values(solver, values, 5) == CLCHOL_OK, "refactorize_values");
  expect(clchol_solve(solver, 1, b, 0, x, 0, &report, sizeof report) == CLCHOL_OK, "solve");
  expect(report.backward_error >= 0 && report.backward_error < 1e-12, "the backward error");
  expect(x[0] > 0.999 && x[0] < 1.001, "x");
  expect(clchol_solve_part(solver, CLCHOL_PART_PERMUTE, 1, x, 0) == CLCHOL_OK, "solve_part");
  expect(clchol_cancel(solver, 1) == CLCHOL_OK, "cancel");
  expect(clchol_factorize(solver, &a) == CLCHOL_INTERRUPTED, "a call after cancel");
  expect(clchol_cancel(solver, 0) == CLCHOL_OK, "cancel no more");
  expect(clchol_factorize(solver, &a) == CLCHOL_OK, "factorize again");
}

static void call_results(const clchol_solver* solver) {
  clchol_analysis_report analysis;
  clchol_factor_report factor;
  char* json = NULL;
  double logarithm, diagonal[3], scaling[3], entries[6];
  int32_t permutation[3], rows[6], super_ptr[4], super_parent[3], nrow[3];
  int64_t starts[4], bytes = -1;
  expect(clchol_get_analysis_report(solver, &analysis, sizeof analysis) == CLCHOL_OK, "analysis");
  expect(analysis.n == 3 && analysis.nnz_stored <= 6, "sizes");
  expect(clchol_get_factor_report(solver, &factor, sizeof factor) == CLCHOL_OK, "factor report");
  expect(clchol_report_json(solver, CLCHOL_REPORT_FACTOR, &json) == CLCHOL_OK, "report_json");
  expect(json != NULL && json[0] == '{', "JSON");
  clchol_free(json);
  expect(clchol_log_determinant(solver, &logarithm) == CLCHOL_OK, "log_determinant");
  expect(clchol_diagonal(solver, diagonal) == CLCHOL_OK, "diagonal");
  expect(clchol_scaling(solver, scaling) == CLCHOL_OK, "scaling");
  expect(clchol_permutation(solver, permutation) == CLCHOL_OK, "permutation");
  expect(clchol_factor(solver, starts, rows, entries) == CLCHOL_OK, "factor");
  expect(clchol_assembly_tree(solver, super_ptr, super_parent, nrow) == CLCHOL_OK, "tree");
  expect(clchol_predict_device_bytes(solver, &bytes) == CLCHOL_OK && bytes == 0, "predict");
}

static void call_files(clchol_solver* solver, clchol_solver* other) {
  static const char path[] = "clchol_stranger_c.saved";
  const clchol_matrix a = matrix();
  void* bytes = NULL;
  size_t count = 0;
  expect(clchol_save_analysis(solver, path) == CLCHOL_OK, "save_analysis");
  expect(clchol_load_analysis(other, &a, path) == CLCHOL_OK, "load_analysis");
  expect(clchol_save_analysis_bytes(solver, &bytes, &count) == CLCHOL_OK, "save_analysis_bytes");
  expect(clchol_load_analysis_bytes(other, &a, bytes, count) == CLCHOL_OK, "load_analysis_bytes");
  clchol_free(bytes);
  expect(clchol_save_factor(solver, path) == CLCHOL_OK, "save_factor");
  expect(clchol_load_factor(other, &a, path) == CLCHOL_OK, "load_factor");
  remove(path);
}

int main(void) {
  clchol_solver* solver = NULL;
  clchol_solver* other = NULL;
  expect(strcmp(clchol_version(), "") != 0, "version");
  expect(strcmp(clchol_status_name(CLCHOL_OK), "ok") == 0, "status_name");
  expect(clchol_create(CLCHOL_DOUBLE, &solver) == CLCHOL_OK, "create");
  expect(clchol_create(CLCHOL_DOUBLE, &other) == CLCHOL_OK, "create");
  expect(clchol_type(solver) == CLCHOL_DOUBLE, "type");
  call_options(solver);
  call_phases(solver);
  call_results(solver);
  call_files(solver, other);
  clchol_destroy(other);
  clchol_destroy(solver);
  if (failures == 0) puts("clchol in C: all calls as expected");
  return failures == 0 ? 0 : 1;
}
