! clchol in Fortran: sparse Cholesky direct solver.
!
!   use clchol
!   type(sparse_cholesky) :: solver
!   call solver%factorize(n, colptr, rowind, values, status)       ! lower triangle, indices from 1
!   if (status /= clchol_ok) print *, solver%message()
!   call solver%solve(b, x, status)
!
! A module over the C interface, clchol/clchol.h, which describes each call: a program compiles this
! file with its own compiler and links libclchol.  Indices count from 1, as in Fortran; rows and
! columns in messages and reports count from 0.  `values`, `b` and `x` are of kind c_double.  n has
! the kind of colptr and rowind, c_int32_t or c_int64_t.
!
! Every subroutine returns a status: clchol_ok, a positive number for how a factorization or a solve
! ended, a negative one for an error; solver%message() then has a line for a person.
!
! A solver frees its memory when its variable goes out of scope; for elements of arrays, call
! destroy().  An assignment copies no solver: the left side becomes an empty one.
module clchol
  use, intrinsic :: iso_c_binding
  implicit none
  private

  public :: c_int, c_int32_t, c_int64_t, c_double, c_ptr, c_null_ptr
  public :: sparse_cholesky, clchol_solve_report, clchol_factor_report, clchol_analysis_report
  public :: clchol_status_name, clchol_version

  ! How a call ended.
  integer(c_int), parameter, public :: clchol_ok = 0, clchol_not_positive_definite = 1, &
      clchol_accuracy_not_reached = 2, clchol_singular = 3, clchol_interrupted = 4, &
      clchol_invalid_argument = -1, clchol_out_of_memory = -2, clchol_device_error = -3, &
      clchol_file_error = -4, clchol_internal_error = -5
  ! Which entries of a matrix are read.
  integer(c_int), parameter, public :: clchol_lower = 0, clchol_upper = 1, clchol_both = 2
  ! Steps of a solve.
  integer(c_int), parameter, public :: clchol_part_permute = 0, clchol_part_forward = 1, &
      clchol_part_backward = 2, clchol_part_unpermute = 3

  integer(c_int), parameter :: double_entries = 0, indices_32 = 0, indices_64 = 1

  ! The structs of the C interface, member for member.
  type, bind(c) :: clchol_matrix
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: n = 0
    type(c_ptr) :: colptr, rowind, values
    integer(c_int) :: colptr_type, rowind_type, triangle, index_base
  end type

  type, bind(c) :: clchol_analysis_report
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: n = 0, nnz = 0
    integer(c_int) :: ordering = 0, effort = 0
    integer(c_int64_t) :: compressed_n = 0, nnz_l = 0, nnz_stored = 0
    real(c_double) :: flops = 0, flops_stored = 0
    integer(c_int64_t) :: supernodes = 0, tree_height = 0, largest_front = 0
    integer(c_int64_t) :: factor_bytes = 0, workspace_bytes = 0
    integer(c_int64_t) :: solver_host_bytes = 0, predicted_host_bytes = 0, solve_bytes_per_rhs = 0
    integer(c_int) :: loaded = 0
    real(c_double) :: order_s = 0, symbolic_s = 0
  end type

  type, bind(c) :: clchol_factor_report
    integer(c_size_t) :: size = 0
    integer(c_int) :: status = 0, precision = 0, fell_back_to_double = 0, scaled = 0
    integer(c_int64_t) :: row = -1         ! From 0, as in C; -1: no bad pivot.
    real(c_double) :: pivot = 0, diagonal = 0, asymmetry = -1, rcond = -1
    integer(c_int) :: engine = 0, loaded = 0, threads = 0
    integer(c_int64_t) :: predicted_device_bytes = 0, peak_device_bytes = 0
    integer(c_int64_t) :: streamed_bytes = 0, file_bytes = 0
    real(c_double) :: setup_s = 0, factor_s = 0
  end type

  type, bind(c) :: clchol_solve_report
    integer(c_size_t) :: size = 0
    integer(c_int) :: status = -1, engine = 0, refine_steps = 0
    real(c_double) :: backward_error = -1, componentwise_error = -1
    integer(c_int64_t) :: peak_device_bytes = 0
    real(c_double) :: solve_s = 0, refine_s = 0
  end type

  ! A solver: options, an analysis, a factor.
  type :: sparse_cholesky
    type(c_ptr) :: handle = c_null_ptr     ! The clchol_solver* of the C interface, of doubles.
    character(:), allocatable, private :: own_message
  contains
    procedure :: create                    ! (status): the handle; other calls make it where needed
    procedure :: set_option                ! (name, value, status)
    procedure :: get_option                ! (name) -> text
    procedure, private :: analyze_32, analyze_64, factorize_32, factorize_64
    generic :: analyze => analyze_32, analyze_64
    generic :: factorize => factorize_32, factorize_64
    procedure :: refactorize               ! (values, status)
    procedure, private :: solve_one, solve_many, solve_one_in_place, solve_many_in_place
    generic :: solve => solve_one, solve_many
    generic :: solve_in_place => solve_one_in_place, solve_many_in_place
    procedure :: solve_part                ! (part, x, status)
    procedure :: log_determinant           ! (value, status)
    procedure :: permutation               ! (perm, status): perm(new) = old, from 1
    procedure :: analysis_report, factor_report
    procedure :: save_factor, load_factor  ! (path, status)
    procedure :: message
    procedure :: destroy
    procedure, private :: assign
    generic :: assignment(=) => assign
    final :: destroy_at_end
  end type

  interface
    function c_create(type, solver) bind(c, name="clchol_create")
      import
      integer(c_int), value :: type
      type(c_ptr) :: solver
      integer(c_int) :: c_create
    end function
    subroutine c_destroy(solver) bind(c, name="clchol_destroy")
      import
      type(c_ptr), value :: solver
    end subroutine
    function c_message(solver) bind(c, name="clchol_message")
      import
      type(c_ptr), value :: solver
      type(c_ptr) :: c_message
    end function
    function c_status_name(status) bind(c, name="clchol_status_name")
      import
      integer(c_int), value :: status
      type(c_ptr) :: c_status_name
    end function
    function c_version() bind(c, name="clchol_version")
      import
      type(c_ptr) :: c_version
    end function
    function c_set_option(solver, name, value) bind(c, name="clchol_set_option")
      import
      type(c_ptr), value :: solver
      character(kind=c_char), intent(in) :: name(*), value(*)
      integer(c_int) :: c_set_option
    end function
    function c_get_option(solver, name, value) bind(c, name="clchol_get_option")
      import
      type(c_ptr), value :: solver
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: value
      integer(c_int) :: c_get_option
    end function
    subroutine c_free(memory) bind(c, name="clchol_free")
      import
      type(c_ptr), value :: memory
    end subroutine
    function c_analyze(solver, a) bind(c, name="clchol_analyze")
      import
      type(c_ptr), value :: solver
      type(clchol_matrix), intent(in) :: a
      integer(c_int) :: c_analyze
    end function
    function c_factorize(solver, a) bind(c, name="clchol_factorize")
      import
      type(c_ptr), value :: solver
      type(clchol_matrix), intent(in) :: a
      integer(c_int) :: c_factorize
    end function
    function c_refactorize_values(solver, values, count) bind(c, name="clchol_refactorize_values")
      import
      type(c_ptr), value :: solver
      real(c_double), intent(in) :: values(*)
      integer(c_int64_t), value :: count
      integer(c_int) :: c_refactorize_values
    end function
    function c_solve(solver, nrhs, b, ldb, x, ldx, report, report_size) &
        bind(c, name="clchol_solve")
      import
      type(c_ptr), value :: solver
      integer(c_int64_t), value :: nrhs, ldb, ldx
      type(c_ptr), value :: b, x
      type(clchol_solve_report), intent(inout) :: report
      integer(c_size_t), value :: report_size
      integer(c_int) :: c_solve
    end function
    function c_solve_part(solver, part, nrhs, x, ldx) bind(c, name="clchol_solve_part")
      import
      type(c_ptr), value :: solver
      integer(c_int), value :: part
      integer(c_int64_t), value :: nrhs, ldx
      real(c_double), intent(inout) :: x(*)
      integer(c_int) :: c_solve_part
    end function
    function c_log_determinant(solver, value) bind(c, name="clchol_log_determinant")
      import
      type(c_ptr), value :: solver
      real(c_double) :: value
      integer(c_int) :: c_log_determinant
    end function
    function c_permutation(solver, perm) bind(c, name="clchol_permutation")
      import
      type(c_ptr), value :: solver
      integer(c_int32_t), intent(out) :: perm(*)
      integer(c_int) :: c_permutation
    end function
    function c_get_analysis_report(solver, report, size) &
        bind(c, name="clchol_get_analysis_report")
      import
      type(c_ptr), value :: solver
      type(clchol_analysis_report), intent(out) :: report
      integer(c_size_t), value :: size
      integer(c_int) :: c_get_analysis_report
    end function
    function c_get_factor_report(solver, report, size) bind(c, name="clchol_get_factor_report")
      import
      type(c_ptr), value :: solver
      type(clchol_factor_report), intent(out) :: report
      integer(c_size_t), value :: size
      integer(c_int) :: c_get_factor_report
    end function
    function c_save_factor(solver, path) bind(c, name="clchol_save_factor")
      import
      type(c_ptr), value :: solver
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: c_save_factor
    end function
    function c_load_factor(solver, a, path) bind(c, name="clchol_load_factor")
      import
      type(c_ptr), value :: solver, a
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: c_load_factor
    end function
    function c_strlen(text) bind(c, name="strlen")
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: c_strlen
    end function
  end interface

  interface last_of
    procedure last_32, last_64
  end interface

contains

  ! ---- Solver and options ------------------------------------------------------------------------

  ! Makes the solver of the C interface when there is none yet.
  subroutine create(self, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int), intent(out) :: status
    status = clchol_ok
    if (allocated(self%own_message)) deallocate (self%own_message)
    if (.not. c_associated(self%handle)) status = c_create(double_entries, self%handle)
    if (status /= clchol_ok) self%own_message = "no solver could be made"
  end subroutine

  subroutine destroy(self)
    class(sparse_cholesky), intent(inout) :: self
    if (c_associated(self%handle)) call c_destroy(self%handle)
    self%handle = c_null_ptr
    if (allocated(self%own_message)) deallocate (self%own_message)
  end subroutine

  subroutine destroy_at_end(self)
    type(sparse_cholesky), intent(inout) :: self
    call self%destroy()
  end subroutine

  ! Two variables must not own one solver: the left side becomes an empty one.
  subroutine assign(self, other)
    class(sparse_cholesky), intent(inout) :: self
    class(sparse_cholesky), intent(in) :: other
    if (.not. c_associated(self%handle, other%handle)) call self%destroy()
  end subroutine

  ! One option by its name and a text: ("solve.tolerance", "1e-12"), ("threads", "2").
  subroutine set_option(self, name, value, status)
    class(sparse_cholesky), intent(inout) :: self
    character(*), intent(in) :: name, value
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status /= clchol_ok) return
    status = c_set_option(self%handle, trim(name) // c_null_char, trim(value) // c_null_char)
  end subroutine

  ! The text of an option's value; "" where there is no such option.
  function get_option(self, name) result(value)
    class(sparse_cholesky), intent(inout) :: self
    character(*), intent(in) :: name
    character(:), allocatable :: value
    type(c_ptr) :: text
    integer(c_int) :: status
    value = ""
    call self%create(status)
    if (status /= clchol_ok) return
    if (c_get_option(self%handle, trim(name) // c_null_char, text) /= clchol_ok) return
    value = text_of(text)
    call c_free(text)
  end function

  ! What the call that ended last otherwise than with clchol_ok had to say.
  function message(self)
    class(sparse_cholesky), intent(in) :: self
    character(:), allocatable :: message
    message = ""
    if (allocated(self%own_message)) then
      message = self%own_message
    else if (c_associated(self%handle)) then
      message = text_of(c_message(self%handle))
    end if
  end function

  ! "ok", "not_positive_definite", ...
  function clchol_status_name(status) result(name)
    integer(c_int), intent(in) :: status
    character(:), allocatable :: name
    name = text_of(c_status_name(status))
  end function

  ! "0.1.0"
  function clchol_version() result(version)
    character(:), allocatable :: version
    version = text_of(c_version())
  end function

  ! ---- Analysis, factorization, solve ------------------------------------------------------------

  ! Orders and analyses the pattern: colptr(n + 1) and rowind count from 1.  triangle: clchol_lower
  ! where it is not given.
  subroutine analyze_32(self, n, colptr, rowind, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int32_t), intent(in) :: n
    integer(c_int32_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix) :: a
    call check_pattern(self, int(n, c_int64_t), size(colptr, kind=c_int64_t), &
                       size(rowind, kind=c_int64_t), last_of(colptr), status)
    if (status /= clchol_ok) return
    a = matrix_of(int(n, c_int64_t), c_loc(colptr), c_loc(rowind), indices_32, triangle)
    status = c_analyze(self%handle, a)
  end subroutine

  subroutine analyze_64(self, n, colptr, rowind, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix) :: a
    call check_pattern(self, int(n, c_int64_t), size(colptr, kind=c_int64_t), &
                       size(rowind, kind=c_int64_t), last_of(colptr), status)
    if (status /= clchol_ok) return
    a = matrix_of(n, c_loc(colptr), c_loc(rowind), indices_64, triangle)
    status = c_analyze(self%handle, a)
  end subroutine

  ! Factors A; analyses A first unless its pattern is the one that was analysed.
  subroutine factorize_32(self, n, colptr, rowind, values, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int32_t), intent(in) :: n
    integer(c_int32_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    real(c_double), intent(in), target, contiguous :: values(:)
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix) :: a
    call check_pattern(self, int(n, c_int64_t), size(colptr, kind=c_int64_t), &
                       min(size(rowind, kind=c_int64_t), size(values, kind=c_int64_t)), &
                       last_of(colptr), status)
    if (status /= clchol_ok) return
    a = matrix_of(int(n, c_int64_t), c_loc(colptr), c_loc(rowind), indices_32, triangle)
    a%values = c_loc(values)
    status = c_factorize(self%handle, a)
  end subroutine

  subroutine factorize_64(self, n, colptr, rowind, values, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    real(c_double), intent(in), target, contiguous :: values(:)
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix) :: a
    call check_pattern(self, int(n, c_int64_t), size(colptr, kind=c_int64_t), &
                       min(size(rowind, kind=c_int64_t), size(values, kind=c_int64_t)), &
                       last_of(colptr), status)
    if (status /= clchol_ok) return
    a = matrix_of(n, c_loc(colptr), c_loc(rowind), indices_64, triangle)
    a%values = c_loc(values)
    status = c_factorize(self%handle, a)
  end subroutine

  ! Factors new values on the analysed pattern, in the order of the matrix that was analysed.
  subroutine refactorize(self, values, status)
    class(sparse_cholesky), intent(inout) :: self
    real(c_double), intent(in), contiguous :: values(:)
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status /= clchol_ok) return
    status = c_refactorize_values(self%handle, values, size(values, kind=c_int64_t))
  end subroutine

  ! Solves A x = b with refinement.
  subroutine solve_one(self, b, x, status, report)
    class(sparse_cholesky), intent(inout) :: self
    real(c_double), intent(in), target, contiguous :: b(:)
    real(c_double), intent(inout), target, contiguous :: x(:)
    integer(c_int), intent(out) :: status
    type(clchol_solve_report), intent(out), optional :: report
    call solve_columns(self, 1_c_int64_t, c_loc(b), size(b, kind=c_int64_t), c_loc(x), &
                       size(x, kind=c_int64_t), status, report)
  end subroutine

  ! Solves A X = B with refinement, for all columns of B.
  subroutine solve_many(self, b, x, status, report)
    class(sparse_cholesky), intent(inout) :: self
    real(c_double), intent(in), target, contiguous :: b(:, :)
    real(c_double), intent(inout), target, contiguous :: x(:, :)
    integer(c_int), intent(out) :: status
    type(clchol_solve_report), intent(out), optional :: report
    call self%create(status)
    if (status /= clchol_ok) return
    if (size(b, 2) /= size(x, 2)) then
      call refuse(self, "b and x have different numbers of columns", status)
      return
    end if
    call solve_columns(self, size(b, 2, kind=c_int64_t), c_loc(b), size(b, 1, kind=c_int64_t), &
                       c_loc(x), size(x, 1, kind=c_int64_t), status, report)
  end subroutine

  ! The same with B in x at first.
  subroutine solve_one_in_place(self, x, status, report)
    class(sparse_cholesky), intent(inout) :: self
    real(c_double), intent(inout), target, contiguous :: x(:)
    integer(c_int), intent(out) :: status
    type(clchol_solve_report), intent(out), optional :: report
    call solve_columns(self, 1_c_int64_t, c_loc(x), size(x, kind=c_int64_t), c_loc(x), &
                       size(x, kind=c_int64_t), status, report)
  end subroutine

  subroutine solve_many_in_place(self, x, status, report)
    class(sparse_cholesky), intent(inout) :: self
    real(c_double), intent(inout), target, contiguous :: x(:, :)
    integer(c_int), intent(out) :: status
    type(clchol_solve_report), intent(out), optional :: report
    call solve_columns(self, size(x, 2, kind=c_int64_t), c_loc(x), size(x, 1, kind=c_int64_t), &
                       c_loc(x), size(x, 1, kind=c_int64_t), status, report)
  end subroutine

  ! One part of a solve, clchol_part_..., in place.
  subroutine solve_part(self, part, x, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int), intent(in) :: part
    real(c_double), intent(inout), contiguous :: x(:)
    integer(c_int), intent(out) :: status
    call check_rows(self, size(x, kind=c_int64_t), "x", status)
    if (status == clchol_ok) status = c_solve_part(self%handle, part, 1_c_int64_t, x, 0_c_int64_t)
  end subroutine

  ! ---- What was computed -------------------------------------------------------------------------

  ! log(det(A)).
  subroutine log_determinant(self, value, status)
    class(sparse_cholesky), intent(inout) :: self
    real(c_double), intent(out) :: value
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status == clchol_ok) status = c_log_determinant(self%handle, value)
  end subroutine

  ! perm(new) = old, from 1; perm has n elements.
  subroutine permutation(self, perm, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int32_t), intent(inout), contiguous :: perm(:)
    integer(c_int), intent(out) :: status
    call check_rows(self, size(perm, kind=c_int64_t), "perm", status)
    if (status == clchol_ok) status = c_permutation(self%handle, perm)
    if (status == clchol_ok) perm(1:rows_of(self)) = perm(1:rows_of(self)) + 1
  end subroutine

  function analysis_report(self) result(report)
    class(sparse_cholesky), intent(inout) :: self
    type(clchol_analysis_report) :: report
    integer(c_int) :: status
    call self%create(status)
    status = c_get_analysis_report(self%handle, report, c_sizeof(report))
  end function

  function factor_report(self) result(report)
    class(sparse_cholesky), intent(inout) :: self
    type(clchol_factor_report) :: report
    integer(c_int) :: status
    call self%create(status)
    status = c_get_factor_report(self%handle, report, c_sizeof(report))
  end function

  subroutine save_factor(self, path, status)
    class(sparse_cholesky), intent(inout) :: self
    character(*), intent(in) :: path
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status == clchol_ok) status = c_save_factor(self%handle, trim(path) // c_null_char)
  end subroutine

  ! Without the matrix: solves do not refine.
  subroutine load_factor(self, path, status)
    class(sparse_cholesky), intent(inout) :: self
    character(*), intent(in) :: path
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status /= clchol_ok) return
    status = c_load_factor(self%handle, c_null_ptr, trim(path) // c_null_char)
  end subroutine

  ! ---- Private -----------------------------------------------------------------------------------

  integer(c_int64_t) function last_32(colptr)
    integer(c_int32_t), intent(in) :: colptr(:)
    last_32 = 1
    if (size(colptr) > 0) last_32 = colptr(size(colptr))
  end function

  integer(c_int64_t) function last_64(colptr)
    integer(c_int64_t), intent(in) :: colptr(:)
    last_64 = 1
    if (size(colptr) > 0) last_64 = colptr(size(colptr, kind=c_int64_t))
  end function

  function matrix_of(n, colptr, rowind, index_type, triangle) result(a)
    integer(c_int64_t), intent(in) :: n
    type(c_ptr), intent(in) :: colptr, rowind
    integer(c_int), intent(in) :: index_type
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix) :: a
    a%size = c_sizeof(a)
    a%n = n
    a%colptr = colptr
    a%rowind = rowind
    a%values = c_null_ptr
    a%colptr_type = index_type
    a%rowind_type = index_type
    a%triangle = clchol_lower
    if (present(triangle)) a%triangle = triangle
    a%index_base = 1
  end function

  subroutine refuse(self, text, status)
    class(sparse_cholesky), intent(inout) :: self
    character(*), intent(in) :: text
    integer(c_int), intent(out) :: status
    self%own_message = text
    status = clchol_invalid_argument
  end subroutine

  ! Refuses arrays that are too short for the pattern: `entries` elements of rowind and values,
  ! where colptr ends with `last`.
  subroutine check_pattern(self, n, columns, entries, last, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n, columns, entries, last
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status /= clchol_ok) return
    if (columns /= n + 1) then
      call refuse(self, "colptr must have n + 1 elements", status)
    else if (entries < last - 1) then
      call refuse(self, "rowind and values must have colptr(n + 1) - 1 elements", status)
    end if
  end subroutine

  ! Refuses an array with fewer elements than the matrix has rows.
  subroutine check_rows(self, elements, name, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: elements
    character(*), intent(in) :: name
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status /= clchol_ok) return
    if (elements < rows_of(self)) call refuse(self, name // " must have n elements", status)
  end subroutine

  ! Rows of the matrix that was analysed; 0 where there is none.
  integer(c_int64_t) function rows_of(self)
    class(sparse_cholesky), intent(in) :: self
    type(clchol_analysis_report) :: report
    rows_of = 0
    if (c_get_analysis_report(self%handle, report, c_sizeof(report)) == clchol_ok) &
        rows_of = report%n
  end function

  subroutine solve_columns(self, nrhs, b, ldb, x, ldx, status, report)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: nrhs, ldb, ldx
    type(c_ptr), intent(in) :: b, x
    integer(c_int), intent(out) :: status
    type(clchol_solve_report), intent(out), optional :: report
    type(clchol_solve_report) :: own_report
    call check_rows(self, min(ldb, ldx), "b and x", status)
    if (status == clchol_ok) then
      status = c_solve(self%handle, nrhs, b, ldb, x, ldx, own_report, c_sizeof(own_report))
    end if
    if (present(report)) report = own_report
  end subroutine

  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: k
    call c_f_pointer(pointer, letters, [c_strlen(pointer)])
    allocate (character(size(letters)) :: text)
    do k = 1, size(letters)
      text(k:k) = letters(k)
    end do
  end function
end module
