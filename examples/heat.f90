! The heat equation  u' = div grad u  on the unit square, u = 0 on its boundary: bilinear elements in
! space, backward Euler in time.  Each step solves  (M + dt K) u_new = M u_old.
!
! The step grows once: the pattern stays, and only new values are factored.  The first mode of the
! square is a mode of the elements too, so that its decay is known to rounding.
program heat
  use, intrinsic :: iso_c_binding
  use clchol
  implicit none

  integer, parameter :: m = 60                    ! Inner nodes in each direction.
  integer, parameter :: n = m * m
  real(c_double), parameter :: pi = acos(-1.0_c_double), h = 1.0_c_double / (m + 1)
  integer, parameter :: steps = 10

  type(sparse_cholesky) :: solver
  type(clchol_solve_report) :: report
  integer(c_int32_t) :: colptr(n + 1)
  integer(c_int32_t), allocatable :: rowind(:)
  real(c_double), allocatable :: mass(:), stiffness(:)
  real(c_double) :: u(n), b(n), first(n), dt, expected, error
  integer(c_int) :: status
  integer :: step

  call assemble(colptr, rowind, mass, stiffness)
  call first_mode(first)
  u = first
  expected = 1
  do step = 1, steps
    if (step == 1) then
      dt = 0.01_c_double
      call solver%factorize(n, colptr, rowind, mass + dt * stiffness, status)
    else if (step == steps / 2 + 1) then
      dt = 0.02_c_double
      call solver%refactorize(mass + dt * stiffness, status)
    end if
    call stop_unless_ok()
    call multiply(mass, u, b)
    call solver%solve(b, u, status, report)
    call stop_unless_ok()
    expected = expected / (1 + dt * eigenvalue())
  end do

  ! Rounding is amplified by the condition of M + dt K, some hundreds here.
  error = maxval(abs(u - expected * first)) / expected
  print '(a, f8.6, a, es7.1, a, es7.1)', "the mode has decayed to ", maxval(u) / maxval(first), &
      ", error ", error, ", backward error ", report%backward_error
  if (error > 1e-11_c_double) error stop "the decay is wrong"

contains

  ! The lower triangles of M and K, by columns.  Node (i, j) has the number i + (j - 1) m; below the
  ! diagonal it is coupled to (i + 1, j), (i - 1, j + 1), (i, j + 1), (i + 1, j + 1).
  subroutine assemble(colptr, rowind, mass, stiffness)
    integer(c_int32_t), intent(out) :: colptr(n + 1)
    integer(c_int32_t), allocatable, intent(out) :: rowind(:)
    real(c_double), allocatable, intent(out) :: mass(:), stiffness(:)
    integer, parameter :: right(5) = [0, 1, -1, 0, 1], up(5) = [0, 0, 1, 1, 1]
    real(c_double) :: element_mass(4, 4), element_stiffness(4, 4)
    integer :: i, j, k, e, f, a, b, row, column, entry, nodes(2, 4)

    allocate (rowind(5 * n))
    entry = 1
    do column = 1, n
      colptr(column) = entry
      i = modulo(column - 1, m) + 1
      j = (column - 1) / m + 1
      do k = 1, 5
        if (i + right(k) < 1 .or. i + right(k) > m .or. j + up(k) > m) cycle
        rowind(entry) = column + right(k) + up(k) * m
        entry = entry + 1
      end do
    end do
    colptr(n + 1) = entry
    rowind = rowind(1:entry - 1)
    allocate (mass(entry - 1), stiffness(entry - 1), source=0.0_c_double)

    call element_matrices(element_mass, element_stiffness)
    ! Element (e, f) has the corners (e, f), (e + 1, f), (e, f + 1), (e + 1, f + 1).
    do f = 0, m
      do e = 0, m
        nodes = reshape([e, f, e + 1, f, e, f + 1, e + 1, f + 1], [2, 4])
        do b = 1, 4
          do a = b, 4
            if (any(nodes(:, [a, b]) < 1) .or. any(nodes(:, [a, b]) > m)) cycle
            row = nodes(1, a) + (nodes(2, a) - 1) * m
            column = nodes(1, b) + (nodes(2, b) - 1) * m
            entry = colptr(column) - 1 + &
                findloc(rowind(colptr(column):colptr(column + 1) - 1), row, dim=1)
            mass(entry) = mass(entry) + element_mass(a, b)
            stiffness(entry) = stiffness(entry) + element_stiffness(a, b)
          end do
        end do
      end do
    end do
  end subroutine

  ! Products of the matrices of linear elements on an interval of length h.
  subroutine element_matrices(element_mass, element_stiffness)
    real(c_double), intent(out) :: element_mass(4, 4), element_stiffness(4, 4)
    real(c_double) :: m1(2, 2), k1(2, 2)
    integer :: a, b, ax, ay, bx, by
    m1 = h / 6 * reshape([2, 1, 1, 2], [2, 2])
    k1 = 1 / h * reshape([1, -1, -1, 1], [2, 2])
    do b = 1, 4
      do a = 1, 4
        ax = modulo(a - 1, 2) + 1
        ay = (a - 1) / 2 + 1
        bx = modulo(b - 1, 2) + 1
        by = (b - 1) / 2 + 1
        element_mass(a, b) = m1(ax, bx) * m1(ay, by)
        element_stiffness(a, b) = k1(ax, bx) * m1(ay, by) + m1(ax, bx) * k1(ay, by)
      end do
    end do
  end subroutine

  subroutine first_mode(mode)
    real(c_double), intent(out) :: mode(n)
    integer :: i, j
    do j = 1, m
      do i = 1, m
        mode(i + (j - 1) * m) = sin(pi * h * i) * sin(pi * h * j)
      end do
    end do
  end subroutine

  ! lambda in  K u = lambda M u  of the first mode: twice that of linear elements on an interval.
  real(c_double) function eigenvalue()
    real(c_double) :: c
    c = cos(pi * h)
    eigenvalue = 2 * (2 / h * (1 - c)) / (h / 3 * (2 + c))
  end function

  ! y := A x, A given by its lower triangle.
  subroutine multiply(values, x, y)
    real(c_double), intent(in) :: values(:), x(n)
    real(c_double), intent(out) :: y(n)
    integer :: column, entry, row
    y = 0
    do column = 1, n
      do entry = colptr(column), colptr(column + 1) - 1
        row = rowind(entry)
        y(row) = y(row) + values(entry) * x(column)
        if (row /= column) y(column) = y(column) + values(entry) * x(row)
      end do
    end do
  end subroutine

  subroutine stop_unless_ok()
    if (status == clchol_ok) return
    print '(4a)', clchol_status_name(status), ": ", solver%message()
    error stop
  end subroutine
end program
