! What the tests of the module share: a count of failures, and matrices.
module support
  use clchol
  implicit none
  public

  integer :: failures = 0
  ! The lower triangle of  [4 -1 0; -1 4 -1; 0 -1 4],  and b of the x that is all ones.
  integer(c_int32_t), parameter :: n = 3, colptr(4) = [1, 3, 5, 6], rowind(5) = [1, 2, 2, 3, 3]
  real(c_double), parameter :: values(5) = [4, -1, 4, -1, 4], b(3) = [3, 2, 3]

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(2a)', "failed: ", what
  end subroutine

  logical function is_ones(x)
    real(c_double), intent(in) :: x(:)
    is_ones = all(abs(x - 1) < 1e-14_c_double)  ! The condition of the matrix is 2.
  end function

  subroutine expect_refused(solver, status, message)
    type(sparse_cholesky), intent(in) :: solver
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: message
    call expect(status == clchol_invalid_argument, "refused: " // message)
    call expect(solver%message() == message, "message: " // solver%message())
  end subroutine

  subroutine remove_file(path)
    character(*), intent(in) :: path
    integer :: unit
    open (newunit=unit, file=path, status="old")
    close (unit, status="delete")
  end subroutine

  ! The lower triangle of the Laplacian on a grid of m x m points.
  subroutine make_grid(m, starts, rows, entries)
    integer(c_int32_t), intent(in) :: m
    integer(c_int32_t), allocatable, intent(out) :: starts(:), rows(:)
    real(c_double), allocatable, intent(out) :: entries(:)
    integer(c_int32_t) :: node, last, k, neighbours(3)
    allocate (starts(m * m + 1), rows(3 * m * m), entries(3 * m * m))
    last = 0
    do node = 1, m * m
      starts(node) = last + 1
      neighbours = [node, merge(node + 1, 0, modulo(node, m) /= 0), node + m]
      do k = 1, 3
        if (neighbours(k) < 1 .or. neighbours(k) > m * m) cycle
        last = last + 1
        rows(last) = neighbours(k)
        entries(last) = merge(4, -1, k == 1)
      end do
    end do
    starts(m * m + 1) = last + 1
    rows = rows(1:last)
    entries = entries(1:last)
  end subroutine
end module
