/* Solves the 7-point Laplacian of a cube with PETSc: a Cholesky factorization and five solves, then
 * the same again with other values in the same pattern (warm).
 *
 *   laplacian -n 30 -ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type cholmod
 */
#include <petscksp.h>
#include <petsctime.h>

static PetscErrorCode fill(Mat A, PetscInt n, PetscScalar shift) {
  PetscInt row, last, k;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &row, &last));
  for (; row < last; ++row) {
    const PetscInt place[3] = {row % n, row / n % n, row / (n * n)};
    const PetscInt stride[3] = {1, n, n * n};
    const PetscScalar diagonal = 6 + shift;
    for (k = 0; k < 3; ++k) {
      /* SBAIJ keeps the upper triangle. */
      if (place[k] + 1 < n) PetscCall(MatSetValue(A, row, row + stride[k], -1.0, INSERT_VALUES));
    }
    PetscCall(MatSetValue(A, row, row, diagonal, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode show(const char* name, PetscInt step, PetscInt k, PetscReal number) {
  return PetscPrintf(PETSC_COMM_SELF, "%s_%d%d %.17g\n", name, (int)step, (int)k, number);
}

int main(int argc, char** argv) {
  PetscInt n = 20, N, row, step, k;
  Mat A;
  Vec x, b, r, weights;
  KSP ksp;
  PetscLogDouble before, after, setup = 0, solves = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  N = n * n * n;
  PetscCall(MatCreateSeqSBAIJ(PETSC_COMM_SELF, 1, N, N, 4, NULL, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecDuplicate(b, &weights));
  for (row = 0; row < N; ++row) {
    PetscCall(VecSetValue(weights, row, PetscSinReal(0.11 * row), INSERT_VALUES));
  }
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "case laplacian %" PetscInt_FMT "\n", n));
  for (step = 0; step < 2; ++step) {
    PetscCall(fill(A, n, (PetscScalar)(step + 1) / 8));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(PetscTime(&before));
    PetscCall(KSPSetUp(ksp));
    PetscCall(PetscTime(&after));
    setup = after - before;
    solves = 0;
    for (k = 0; k < 5; ++k) {
      PetscReal norm, residual;
      PetscScalar sum;
      for (row = 0; row < N; ++row) {
        PetscCall(VecSetValue(b, row, PetscCosReal(0.37 * (row + k)), INSERT_VALUES));
      }
      PetscCall(PetscTime(&before));
      PetscCall(KSPSolve(ksp, b, x));
      PetscCall(PetscTime(&after));
      solves += after - before;
      PetscCall(MatMult(A, x, r));
      PetscCall(VecAXPY(r, -1.0, b));
      PetscCall(VecNorm(r, NORM_INFINITY, &residual));
      PetscCall(VecNorm(x, NORM_2, &norm));
      PetscCall(VecDot(x, weights, &sum));
      PetscCall(show("value norm", step, k, norm));
      PetscCall(show("value sum", step, k, sum));
      PetscCall(show("bound residual", step, k, residual));
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "time factorize %.6g\ntime solve %.6g\n", setup, solves));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&weights));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  return PetscFinalize();
}
