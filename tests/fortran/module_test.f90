! The module clchol: what the C interface computes comes out with indices from 1, and what is wrong is
! refused with a message.  examples/heat.f90 has the usual calls.
program module_test
  use clchol
  use support
  use factor_tests, only: test_factor
  use control_tests, only: test_control
  implicit none

  integer(c_int) :: status

  call results()
  call indices_of_64_bits()
  call files()
  call analyses_in_files()
  call refusals()
  call assignments()
  call test_factor()
  call test_control()
  if (failures > 0) error stop "module_test failed"
  print '(a)', "the module does what it should"

contains

  subroutine results()
    type(sparse_cholesky) :: solver
    type(clchol_analysis_report) :: analysis
    type(clchol_factor_report) :: factor
    type(clchol_solve_report) :: report
    real(c_double) :: x(3), many(3, 2), solutions(3, 2), parts(3), logarithm
    integer(c_int32_t) :: perm(3)
    call solver%set_option("engine", "cpu", status)
    call expect(status == clchol_ok .and. solver%get_option("engine") == "cpu", "set_option")
    call solver%refactorize(n, colptr, rowind, values, status)
    call expect(status == clchol_invalid_argument, "refactorize before analyze")
    call solver%analyze(n, colptr, rowind, status)
    call expect(status == clchol_ok, "analyze")
    call solver%refactorize(values, status)
    call expect(status == clchol_ok, "refactorize after analyze")
    call solver%solve(b, x, status, report)
    call expect(status == clchol_ok .and. is_ones(x), "solve")
    call expect(report%backward_error >= 0 .and. report%backward_error < 1e-15_c_double, "report")
    many = reshape([b, 2 * b], [3, 2])
    call solver%solve(many, solutions, status)
    call expect(status == clchol_ok .and. is_ones(solutions(:, 1)) .and. &
                is_ones(solutions(:, 2) / 2), "solve of two columns")
    call solver%solve_in_place(many, status)
    call expect(status == clchol_ok .and. all(many == solutions), "solve_in_place of two columns")
    x = b
    call solver%solve_in_place(x, status)
    call expect(status == clchol_ok .and. is_ones(x), "solve_in_place")
    parts = b
    call solver%solve_part(clchol_part_permute, parts, status)
    call solver%solve_part(clchol_part_forward, parts, status)
    call solver%solve_part(clchol_part_backward, parts, status)
    call solver%solve_part(clchol_part_unpermute, parts, status)
    call expect(status == clchol_ok .and. is_ones(parts), "solve_part")
    call solver%log_determinant(logarithm, status)
    call expect(abs(logarithm - log(56.0_c_double)) < 1e-14_c_double, "log_determinant")
    call solver%permutation(perm, status)
    call expect(status == clchol_ok .and. sum(perm) == 6 .and. minval(perm) == 1, "permutation")
    analysis = solver%analysis_report()
    call expect(analysis%n == 3 .and. analysis%nnz == 5 .and. analysis%supernodes > 0, "analysis")
    ! The last members, where a struct with other gaps would have other bytes.
    call expect(analysis%symbolic_s > 0 .and. analysis%symbolic_s < 60, "the end of a report")
    factor = solver%factor_report()
    call expect(factor%status == 0 .and. factor%row == -1 .and. factor%rcond == -1, "factor_report")
  end subroutine

  subroutine indices_of_64_bits()
    type(sparse_cholesky) :: solver
    real(c_double) :: x(3)
    call solver%factorize(int(n, c_int64_t), int(colptr, c_int64_t), int(rowind, c_int64_t), &
                          values, status)
    call expect(status == clchol_ok, "factorize with indices of 64 bits")
    call solver%solve(b, x, status)
    call expect(is_ones(x), "solve with indices of 64 bits")
    call solver%refactorize(int(n, c_int64_t), int(colptr, c_int64_t), int(rowind, c_int64_t), &
                            2 * values, status)
    call expect(status == clchol_ok, "refactorize with indices of 64 bits")
    call solver%solve(2 * b, x, status)
    call expect(is_ones(x), "solve after refactorize")
    ! The whole matrix.
    call solver%factorize(2_c_int64_t, [1_c_int64_t, 3_c_int64_t, 5_c_int64_t], &
                          [1_c_int64_t, 2_c_int64_t, 1_c_int64_t, 2_c_int64_t], &
                          [2.0_c_double, 1.0_c_double, 1.0_c_double, 2.0_c_double], status, &
                          triangle=clchol_both)
    call expect(status == clchol_ok, "factorize of the whole matrix")
  end subroutine

  subroutine files()
    type(sparse_cholesky) :: solver, other
    type(clchol_solve_report) :: report
    real(c_double) :: x(3)
    character(*), parameter :: path = "clchol_module_test.factor"
    call solver%factorize(n, colptr, rowind, values, status)
    call solver%save_factor(path, status)
    call expect(status == clchol_ok, "save_factor")
    call other%load_factor(path, status)
    call expect(status == clchol_ok, "load_factor")
    call other%solve(b, x, status)
    call expect(status == clchol_ok .and. is_ones(x), "solve of a loaded factor")
    call other%refactorize(values, status)
    call expect(status == clchol_invalid_argument, "refactorize without the matrix")
    call other%load_factor(n, colptr, rowind, values, path, status)
    call expect(status == clchol_ok, "load_factor with the matrix")
    call other%solve(b, x, status, report)
    call expect(status == clchol_ok .and. is_ones(x) .and. report%backward_error >= 0, &
                "solve of a factor that was loaded with its matrix")
    call other%refactorize(2 * values, status)
    call expect(status == clchol_ok, "refactorize after load_factor")
    call other%load_factor(int(n, c_int64_t), int(colptr, c_int64_t), int(rowind, c_int64_t), &
                           values, path, status)
    call expect(status == clchol_ok, "load_factor with indices of 64 bits")
    call other%load_factor(n, colptr, rowind, 2 * values, path, status)
    call expect(status == clchol_invalid_argument, "load_factor with other values")
    call other%load_factor(n, colptr, rowind, values(1:4), path, status)
    call expect_refused(other, status, "rowind and values must have colptr(n + 1) - 1 elements")
    call other%solve(b, x, status)
    call expect(status == clchol_ok .and. is_ones(x), "refused files change nothing")
    call remove_file(path)
    call other%load_factor(path, status)
    call expect(status == clchol_invalid_argument, "load_factor of nothing")
    call expect(index(other%message(), path) > 0, "the message names the file")
    call other%load_factor(n, colptr, rowind, values, path, status)
    call expect(status == clchol_invalid_argument, "load_factor of nothing with the matrix")
  end subroutine

  subroutine analyses_in_files()
    type(sparse_cholesky) :: solver, other
    type(clchol_analysis_report) :: report
    real(c_double) :: x(3)
    character(*), parameter :: path = "clchol_module_test.analysis"
    call solver%save_analysis(path, status)
    call expect(status == clchol_invalid_argument .and. solver%message() /= "", "nothing to save")
    call solver%analyze(n, colptr, rowind, status)
    call solver%save_analysis(path, status)
    call expect(status == clchol_ok, "save_analysis")
    call other%load_analysis(n, colptr, rowind, path, status)
    report = other%analysis_report()
    call expect(status == clchol_ok .and. report%loaded == 1, "load_analysis")
    call other%refactorize(n, colptr, rowind, values, status)
    call expect(status == clchol_ok, "refactorize after load_analysis")
    call other%solve(b, x, status)
    call expect(status == clchol_ok .and. is_ones(x), "solve after load_analysis")
    call other%load_analysis(int(n, c_int64_t), int(colptr, c_int64_t), int(rowind, c_int64_t), &
                             path, status)
    call expect(status == clchol_ok, "load_analysis with indices of 64 bits")
    ! The whole matrix has the same pattern in its lower triangle.
    call other%load_analysis(n, [1, 3, 6, 8], [1, 2, 1, 2, 3, 2, 3], path, status, &
                             triangle=clchol_both)
    call expect(status == clchol_ok, "load_analysis for the whole matrix")
    call other%load_analysis(n, colptr(1:3), rowind, path, status)
    call expect_refused(other, status, "colptr must have n + 1 elements")
    call other%load_analysis(n, [1, 2, 3, 4], [1, 2, 3], path, status)
    call expect(status == clchol_invalid_argument, "load_analysis of another pattern")
    call remove_file(path)
    call other%load_analysis(n, colptr, rowind, path, status)
    call expect(status == clchol_invalid_argument .and. index(other%message(), path) > 0, &
                "load_analysis of nothing")
  end subroutine

  subroutine refusals()
    type(sparse_cholesky) :: solver
    type(clchol_solve_report) :: report
    real(c_double) :: x(3), short(2)
    integer(c_int32_t) :: perm(2)
    call solver%solve(b, x, status, report)
    call expect(status == clchol_invalid_argument .and. report%status < 0, "solve before factorize")
    call solver%factorize(n, colptr(1:3), rowind, values, status)
    call expect_refused(solver, status, "colptr must have n + 1 elements")
    call solver%factorize(n, colptr, rowind(1:4), values, status)
    call expect_refused(solver, status, "rowind and values must have colptr(n + 1) - 1 elements")
    call solver%factorize(n, colptr, rowind, values(1:4), status)
    call expect_refused(solver, status, "rowind and values must have colptr(n + 1) - 1 elements")
    call solver%factorize(n, colptr - 1, rowind - 1, values, status)
    call expect_refused(solver, status, "matrix: colptr[0] is 0, must be index_base = 1")
    call solver%factorize(n, colptr, rowind, values, status)
    call expect(status == clchol_ok, "factorize after refusals")
    call solver%solve(short, x, status)
    call expect_refused(solver, status, "b and x must have n elements")
    call solver%solve(reshape(b, [3, 1]), reshape_two(), status)
    call expect_refused(solver, status, "b and x have different numbers of columns")
    perm = 7
    call solver%permutation(perm, status)
    call expect_refused(solver, status, "perm must have n elements")
    call expect(all(perm == 7), "perm after a refusal")
    call solver%set_option("threads", "two", status)
    call expect(status == clchol_invalid_argument .and. index(solver%message(), "two") > 0, "option")
    call solver%factorize(n, colptr, rowind, -values, status)
    call expect(status == clchol_not_positive_definite, "a matrix that is not positive definite")
    call expect(clchol_status_name(status) == "not_positive_definite", "clchol_status_name")
    call expect(solver%message() /= "", "its message")
  end subroutine

  function reshape_two() result(x)
    real(c_double), pointer, contiguous :: x(:, :)
    real(c_double), target, save :: two(3, 2)
    x => two
  end function

  ! Two variables with one solver would free it twice.
  subroutine assignments()
    type(sparse_cholesky) :: first, second
    real(c_double) :: x(3)
    call first%factorize(n, colptr, rowind, values, status)
    second = first
    call second%solve(b, x, status)
    call expect(status == clchol_invalid_argument, "an assigned solver is empty")
    call first%solve(b, x, status)
    call expect(status == clchol_ok .and. is_ones(x), "the right side is as it was")
    call first%destroy()
    call first%destroy()
    call first%solve(b, x, status)
    call expect(status == clchol_invalid_argument, "a destroyed solver is empty")
  end subroutine
end program
