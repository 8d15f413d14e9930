! L, its order and its scaling, as the module clchol gives them out.
module factor_tests
  use clchol
  use support
  implicit none
  private
  public :: test_factor

  integer(c_int) :: status

contains

  subroutine test_factor()
    call columns_of_l()
    call given_order()
    call scales()
    call refusals_of_results()
  end subroutine

  ! A = L L' with  L = [2 0 0; 1 2 0; 0 1 2]: each number of a factorization in this order is exact.
  subroutine columns_of_l()
    type(sparse_cholesky) :: solver
    real(c_double), parameter :: exact(5) = [4, 2, 5, 2, 5]
    integer(c_int32_t), allocatable :: rows(:), starts(:)
    integer(c_int64_t), allocatable :: starts_64(:), rows_64(:)
    real(c_double), allocatable :: entries(:)
    real(c_double) :: d(4)
    call solver%set_option("engine", "cpu", status)
    call solver%set_option("analysis.ordering", "natural", status)
    call solver%set_option("analysis.amalgamate", "false", status)
    call solver%factorize(n, colptr, rowind, exact, status)
    call expect(status == clchol_ok, "factorize in the natural order")
    call solver%factor(starts_64, rows, entries, status)
    call expect(status == clchol_ok, "factor")
    call expect(all(dense(starts_64, int(rows, c_int64_t), entries) == &
                    reshape([real(c_double) :: 2, 1, 0, 0, 2, 1, 0, 0, 2], [3, 3])), "L exactly")
    call expect(rows(1) == 1 .and. rows(starts_64(2)) == 2 .and. rows(starts_64(3)) == 3, &
                "the diagonal of L comes first")
    call expect(size(rows) == size(entries) .and. starts_64(4) == size(rows) + 1, "sizes of L")
    call solver%factor(starts, rows, entries, status)
    call expect(status == clchol_ok .and. all(starts == starts_64), "factor of 32 bits")
    call solver%factor(starts_64, rows_64, entries, status)
    call expect(status == clchol_ok .and. all(starts == starts_64) .and. all(rows == rows_64), &
                "factor of 64 bits")
    d = 7
    call solver%diagonal(d, status)
    call expect(status == clchol_ok .and. all(d == [2, 2, 2, 7]), "diagonal")
    call solver%scaling(d, status)
    call expect(status == clchol_ok .and. all(d == [1, 1, 1, 7]), "scaling without scaling")
  end subroutine

  ! L of a matrix of 3 rows as a whole matrix; entries of a row above the diagonal give -1.
  function dense(starts, rows, entries) result(l)
    integer(c_int64_t), intent(in) :: starts(:), rows(:)
    real(c_double), intent(in) :: entries(:)
    real(c_double) :: l(3, 3)
    integer(c_int64_t) :: column, p
    l = 0
    do column = 1, 3
      do p = starts(column), starts(column + 1) - 1
        l(rows(p), column) = merge(entries(p), -1.0_c_double, rows(p) >= column)
      end do
    end do
  end function

  ! L L' = P A P' for each order of three rows, given in indices of 32 and 64 bits.
  subroutine given_order()
    type(sparse_cholesky) :: solver
    integer(c_int32_t), parameter :: orders(3, 6) = &
        reshape([1, 2, 3, 1, 3, 2, 2, 1, 3, 2, 3, 1, 3, 1, 2, 3, 2, 1], [3, 6])
    real(c_double), parameter :: a(3, 3) = &
        reshape([real(c_double) :: 4, -1, 0, -1, 4, -1, 0, -1, 4], [3, 3])
    integer(c_int64_t), allocatable :: starts(:), rows(:)
    real(c_double), allocatable :: entries(:)
    type(clchol_analysis_report) :: report
    real(c_double) :: l(3, 3)
    integer(c_int32_t) :: perm(3)
    integer :: k
    call solver%set_option("analysis.ordering", "given", status)
    call solver%analyze(n, colptr, rowind, status)
    call expect(status == clchol_invalid_argument .and. solver%message() /= "", "no order yet")
    do k = 1, 6
      if (modulo(k, 2) == 0) then
        call solver%set_permutation(orders(:, k), status)
      else
        call solver%set_permutation(int(orders(:, k), c_int64_t), status)
      end if
      call expect(status == clchol_ok, "set_permutation")
      call solver%factorize(n, colptr, rowind, values, status)
      call expect(status == clchol_ok, "factorize in the given order")
      report = solver%analysis_report()
      ! Row 2, eliminated before its neighbours 1 and 3, couples them.
      call expect(report%nnz_l == merge(6, 5, orders(1, k) == 2), "the given order is used")
      call solver%permutation(perm, status)
      call solver%factor(starts, rows, entries, status)
      l = dense(starts, rows, entries)
      call expect(maxval(abs(matmul(l, transpose(l)) - a(perm, perm))) < 1e-15_c_double, &
                  "L L' = P A P'")
    end do
    call solver%set_permutation([1_c_int32_t, 2_c_int32_t], status)
    call solver%analyze(n, colptr, rowind, status)
    call expect(status == clchol_invalid_argument, "an order of too few rows")
    call solver%set_permutation([1_c_int32_t, 2_c_int32_t, 2_c_int32_t], status)
    call solver%analyze(n, colptr, rowind, status)
    call expect(status == clchol_invalid_argument, "a row that comes twice")
    call solver%set_permutation([1_c_int64_t, 2_c_int64_t, -huge(0_c_int64_t)], status)
    call solver%analyze(n, colptr, rowind, status)
    call expect(status == clchol_invalid_argument, "a row that is none")
    call solver%solve(b, l(:, 1), status)
    call expect(status == clchol_ok .and. is_ones(l(:, 1)), "refused orders change nothing")
  end subroutine

  ! Of the diagonal matrix with 4, 16, 64, S has 1/2, 1/4, 1/8, and L is the identity.
  subroutine scales()
    type(sparse_cholesky) :: solver
    real(c_double) :: s(3), d(3), x(3)
    real(c_double), parameter :: a(3) = [4, 16, 64]
    call solver%set_option("factor.scaling", "always", status)
    call solver%factorize(n, [1, 2, 3, 4], [1, 2, 3], a, status)
    call solver%scaling(s, status)
    call expect(status == clchol_ok .and. all(s == [0.5_c_double, 0.25_c_double, 0.125_c_double]), &
                "scaling")
    call solver%diagonal(d, status)
    call expect(status == clchol_ok .and. all(d == 1), "diagonal of a scaled matrix")
    call solver%solve(a, x, status)
    call expect(status == clchol_ok .and. all(x == 1), "solve of a scaled matrix")
  end subroutine

  subroutine refusals_of_results()
    type(sparse_cholesky) :: solver
    integer(c_int32_t), allocatable :: starts(:), rows(:), arrow(:)
    integer(c_int64_t), allocatable :: starts_64(:), rows_64(:)
    real(c_double), allocatable :: entries(:)
    real(c_double) :: short(2), x(3)
    integer(c_int32_t) :: k
    integer(c_int32_t), parameter :: large = 66000
    call solver%diagonal(x, status)
    call expect(status == clchol_invalid_argument, "diagonal before factorize")
    call solver%scaling(x, status)
    call expect(status == clchol_invalid_argument, "scaling before factorize")
    call solver%analyze(n, colptr, rowind, status)
    call solver%factor(starts, rows, entries, status)
    call expect(status == clchol_invalid_argument .and. solver%message() /= "", &
                "factor before factorize")
    call expect(.not. (allocated(starts) .or. allocated(rows) .or. allocated(entries)), &
                "no arrays after a refusal")
    call solver%factor(starts_64, rows_64, entries, status)
    call expect(status == clchol_invalid_argument .and. .not. allocated(starts_64), &
                "factor of 64 bits before factorize")
    call solver%factorize(n, colptr, rowind, values, status)
    short = 7
    call solver%diagonal(short, status)
    call expect_refused(solver, status, "d must have n elements")
    call solver%scaling(short, status)
    call expect_refused(solver, status, "s must have n elements")
    call expect(all(short == 7), "arrays after a refusal")
    call solver%refactorize(n, [1, 2, 3, 4], [1, 2, 3], values(1:3), status)
    call expect(status == clchol_invalid_argument, "refactorize of another pattern")
    call solver%refactorize(n, colptr, rowind(1:4), values, status)
    call expect_refused(solver, status, "rowind and values must have colptr(n + 1) - 1 elements")
    call solver%refactorize(values(1:4), status)
    call expect(status == clchol_invalid_argument, "refactorize of too few values")
    call solver%save_analysis("no such folder/analysis", status)
    call expect(status == clchol_invalid_argument, "save_analysis where no file can be")
    ! In the natural order, row 1 couples all rows: L is full, with 2.2e9 entries.
    arrow = [(k, k=1, large), (k, k=2, large)]
    call solver%set_option("analysis.ordering", "natural", status)
    call solver%analyze(large, [1, (large + k, k=1, large)], arrow, status)
    call expect(status == clchol_ok, "analyze of an arrow")
    call solver%factor(starts, rows, entries, status)
    call expect_refused(solver, status, "L has too many entries for a colptr of 32 bits")
  end subroutine
end module
