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
!
! Threads: different solvers may be used by different threads at any time, one solver by one thread
! at a time.  cancel() alone may be called while another call runs on the same solver.
module clchol
  use, intrinsic :: iso_c_binding
  implicit none
  private

  public :: c_int, c_int32_t, c_int64_t, c_double, c_ptr, c_null_ptr
  public :: sparse_cholesky, clchol_solve_report, clchol_factor_report, clchol_analysis_report
  public :: clchol_status_name, clchol_version, clchol_progress

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

  abstract interface
    ! A procedure for set_progress(), which a factorization calls with the operations done and all
    ! operations, 0 <= done <= total.  `cancel` is .false. at first; .true. ends the factorization
    ! with clchol_interrupted, and there is no factor then.
    !
    ! Threads: any thread of the library may call it, not only the one that factors, but never two
    ! at once for one solver.  It must return, and on the solver that factors it may call cancel()
    ! alone.
    subroutine clchol_progress(done, total, cancel)
      import
      real(c_double), intent(in) :: done, total
      logical, intent(inout) :: cancel
    end subroutine
  end interface

  ! What the C interface hands to call_progress().  It has a place of its own in memory, because a
  ! solver's variable may move while the C interface keeps the address.
  type :: progress_holder
    procedure(clchol_progress), pointer, nopass :: progress => null()
  end type

  ! A solver: options, an analysis, a factor.
  type :: sparse_cholesky
    type(c_ptr) :: handle = c_null_ptr     ! The clchol_solver* of the C interface, of doubles.
    character(:), allocatable, private :: own_message
    type(progress_holder), pointer, private :: progress => null()
  contains
    procedure :: create                    ! (status): the handle; other calls make it where needed
    procedure :: set_option                ! (name, value, status)
    procedure :: get_option                ! (name) -> text
    procedure, private :: set_permutation_32, set_permutation_64
    generic :: set_permutation => set_permutation_32, set_permutation_64
    procedure :: set_progress              ! (progress, status)
    procedure :: clear_progress            ! (status)
    procedure :: cancel                    ! (on, status): for any thread, at any time
    procedure, private :: analyze_32, analyze_64, factorize_32, factorize_64
    generic :: analyze => analyze_32, analyze_64
    generic :: factorize => factorize_32, factorize_64
    procedure, private :: refactorize_values, refactorize_32, refactorize_64
    generic :: refactorize => refactorize_values, refactorize_32, refactorize_64
    procedure, private :: solve_one, solve_many, solve_one_in_place, solve_many_in_place
    generic :: solve => solve_one, solve_many
    generic :: solve_in_place => solve_one_in_place, solve_many_in_place
    procedure :: solve_part                ! (part, x, status)
    procedure :: log_determinant           ! (value, status)
    procedure :: permutation               ! (perm, status): perm(new) = old, from 1
    procedure :: diagonal                  ! (d, status): of L
    procedure :: scaling                   ! (s, status): the diagonal of S
    procedure, private :: factor_32, factor_64, factor_64_32
    generic :: factor => factor_32, factor_64, factor_64_32
    procedure :: analysis_report, factor_report
    procedure :: save_analysis             ! (path, status)
    procedure, private :: load_analysis_32, load_analysis_64
    generic :: load_analysis => load_analysis_32, load_analysis_64
    procedure :: save_factor               ! (path, status)
    procedure, private :: load_factor_alone, load_factor_32, load_factor_64
    generic :: load_factor => load_factor_alone, load_factor_32, load_factor_64
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
    function c_set_permutation(solver, n, perm, index_type) bind(c, name="clchol_set_permutation")
      import
      type(c_ptr), value :: solver, perm
      integer(c_int64_t), value :: n
      integer(c_int), value :: index_type
      integer(c_int) :: c_set_permutation
    end function
    function c_set_progress(solver, progress, data) bind(c, name="clchol_set_progress")
      import
      type(c_ptr), value :: solver, data
      type(c_funptr), value :: progress
      integer(c_int) :: c_set_progress
    end function
    function c_cancel(solver, on) bind(c, name="clchol_cancel")
      import
      type(c_ptr), value :: solver
      integer(c_int), value :: on
      integer(c_int) :: c_cancel
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
    function c_refactorize(solver, a) bind(c, name="clchol_refactorize")
      import
      type(c_ptr), value :: solver
      type(clchol_matrix), intent(in) :: a
      integer(c_int) :: c_refactorize
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
    function c_diagonal(solver, diagonal) bind(c, name="clchol_diagonal")
      import
      type(c_ptr), value :: solver
      real(c_double), intent(inout) :: diagonal(*)
      integer(c_int) :: c_diagonal
    end function
    function c_scaling(solver, scaling) bind(c, name="clchol_scaling")
      import
      type(c_ptr), value :: solver
      real(c_double), intent(inout) :: scaling(*)
      integer(c_int) :: c_scaling
    end function
    function c_factor(solver, colptr, rowind, values) bind(c, name="clchol_factor")
      import
      type(c_ptr), value :: solver
      integer(c_int64_t), intent(inout) :: colptr(*)
      integer(c_int32_t), intent(inout) :: rowind(*)
      real(c_double), intent(inout) :: values(*)
      integer(c_int) :: c_factor
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
    function c_save_analysis(solver, path) bind(c, name="clchol_save_analysis")
      import
      type(c_ptr), value :: solver
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: c_save_analysis
    end function
    function c_load_analysis(solver, a, path) bind(c, name="clchol_load_analysis")
      import
      type(c_ptr), value :: solver
      type(clchol_matrix), intent(in) :: a
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: c_load_analysis
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
  interface get_matrix
    procedure get_matrix_32, get_matrix_64
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
    if (associated(self%progress)) deallocate (self%progress)
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

  ! Gives an order for analyses: perm(new) = old, from 1.  The solver keeps a copy, and reads it
  ! while the option "analysis.ordering" is "given".  An analysis refuses what is no permutation of
  ! its n rows.  An array without elements takes the order back.
  subroutine set_permutation_32(self, perm, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int32_t), intent(in) :: perm(:)
    integer(c_int), intent(out) :: status
    integer(c_int32_t), allocatable, target :: from_zero(:)
    call self%create(status)
    if (status /= clchol_ok) return
    ! What is below 1 becomes -1, which is no row either: perm - 1 could overflow.
    from_zero = max(perm, 0_c_int32_t) - 1_c_int32_t
    status = c_set_permutation(self%handle, size(perm, kind=c_int64_t), c_loc(from_zero), &
                               indices_32)
  end subroutine

  subroutine set_permutation_64(self, perm, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: perm(:)
    integer(c_int), intent(out) :: status
    integer(c_int64_t), allocatable, target :: from_zero(:)
    call self%create(status)
    if (status /= clchol_ok) return
    from_zero = max(perm, 0_c_int64_t) - 1_c_int64_t
    status = c_set_permutation(self%handle, size(perm, kind=c_int64_t), c_loc(from_zero), &
                               indices_64)
  end subroutine

  ! Has `progress` called during factorizations (clchol_progress says how), until clear_progress().
  ! It replaces a procedure that was set before.  An internal procedure sees the variables of its
  ! host, and can be called only as long as the host runs.
  subroutine set_progress(self, progress, status)
    class(sparse_cholesky), intent(inout) :: self
    procedure(clchol_progress) :: progress
    integer(c_int), intent(out) :: status
    type(progress_holder), pointer :: holder
    integer :: failed
    call self%create(status)
    if (status /= clchol_ok) return
    allocate (holder, stat=failed)
    if (failed /= 0) then
      call run_out_of_memory(self, status)
      return
    end if
    holder%progress => progress
    status = c_set_progress(self%handle, c_funloc(call_progress), c_loc(holder))
    if (status /= clchol_ok) then
      deallocate (holder)
      return
    end if
    ! The former one is freed only now that the C interface does not know it any more.
    if (associated(self%progress)) deallocate (self%progress)
    self%progress => holder
  end subroutine

  subroutine clear_progress(self, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status /= clchol_ok) return
    status = c_set_progress(self%handle, c_null_funptr, c_null_ptr)
    if (associated(self%progress)) deallocate (self%progress)
  end subroutine

  ! on = .true.: calls that analyse, factor, solve, load or save a factor end with
  ! clchol_interrupted, also one that runs now.  on = .false. ends this, for calls that begin later.
  ! Any thread may call it at any time, and so may a progress procedure.  A solver on which nothing
  ! has been called has no handle, and is refused: create() makes it.
  subroutine cancel(self, on, status)
    class(sparse_cholesky), intent(inout) :: self
    logical, intent(in) :: on
    integer(c_int), intent(out) :: status
    ! No create() here: it changes the message, which the thread of the other call may write.
    if (c_associated(self%handle)) then
      status = c_cancel(self%handle, merge(1_c_int, 0_c_int, on))
    else
      call refuse(self, "there is no solver to cancel: create() makes it", status)
    end if
  end subroutine

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
    call get_matrix(self, n, colptr, rowind, a, status, triangle)
    if (status == clchol_ok) status = c_analyze(self%handle, a)
  end subroutine

  subroutine analyze_64(self, n, colptr, rowind, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix) :: a
    call get_matrix(self, n, colptr, rowind, a, status, triangle)
    if (status == clchol_ok) status = c_analyze(self%handle, a)
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
    call get_matrix(self, n, colptr, rowind, a, status, triangle, values)
    if (status == clchol_ok) status = c_factorize(self%handle, a)
  end subroutine

  subroutine factorize_64(self, n, colptr, rowind, values, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    real(c_double), intent(in), target, contiguous :: values(:)
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix) :: a
    call get_matrix(self, n, colptr, rowind, a, status, triangle, values)
    if (status == clchol_ok) status = c_factorize(self%handle, a)
  end subroutine

  ! Factors new values on the analysed pattern, in the order of the matrix that was analysed.
  subroutine refactorize_values(self, values, status)
    class(sparse_cholesky), intent(inout) :: self
    real(c_double), intent(in), contiguous :: values(:)
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status /= clchol_ok) return
    status = c_refactorize_values(self%handle, values, size(values, kind=c_int64_t))
  end subroutine

  ! The same with the whole matrix, whose pattern is compared: another one is refused, where
  ! factorize() would analyse it.
  subroutine refactorize_32(self, n, colptr, rowind, values, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int32_t), intent(in) :: n
    integer(c_int32_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    real(c_double), intent(in), target, contiguous :: values(:)
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix) :: a
    call get_matrix(self, n, colptr, rowind, a, status, triangle, values)
    if (status == clchol_ok) status = c_refactorize(self%handle, a)
  end subroutine

  subroutine refactorize_64(self, n, colptr, rowind, values, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    real(c_double), intent(in), target, contiguous :: values(:)
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix) :: a
    call get_matrix(self, n, colptr, rowind, a, status, triangle, values)
    if (status == clchol_ok) status = c_refactorize(self%handle, a)
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

  ! The diagonal of L, in the order of the permuted matrix; d has n elements.
  subroutine diagonal(self, d, status)
    class(sparse_cholesky), intent(inout) :: self
    real(c_double), intent(inout), contiguous :: d(:)
    integer(c_int), intent(out) :: status
    call check_rows(self, size(d, kind=c_int64_t), "d", status)
    if (status == clchol_ok) status = c_diagonal(self%handle, d)
  end subroutine

  ! The diagonal of S, in the order of A's rows, all ones where A was not scaled; s has n elements.
  subroutine scaling(self, s, status)
    class(sparse_cholesky), intent(inout) :: self
    real(c_double), intent(inout), contiguous :: s(:)
    integer(c_int), intent(out) :: status
    call check_rows(self, size(s, kind=c_int64_t), "s", status)
    if (status == clchol_ok) status = c_scaling(self%handle, s)
  end subroutine

  ! A copy of L by columns, of the permuted and scaled matrix: L L' = P S A S P', P by permutation()
  ! and S by scaling().  Column j stands at colptr(j) to colptr(j + 1) - 1, by ascending rows, the
  ! diagonal first.  colptr becomes an array of n + 1 elements; rowind and values have
  ! analysis_report()%nnz_stored, which counts the explicit zeros of merged fronts too.
  !
  ! colptr and rowind are both of 32 bits, both of 64, or of 64 and 32, which takes no memory but
  ! that of the result.  Where L has too many entries for a colptr of 32 bits, that one is refused.
  ! After an error no array is allocated.
  subroutine factor_64_32(self, colptr, rowind, values, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), allocatable, intent(out) :: colptr(:)
    integer(c_int32_t), allocatable, intent(out) :: rowind(:)
    real(c_double), allocatable, intent(out) :: values(:)
    integer(c_int), intent(out) :: status
    type(clchol_analysis_report) :: report
    integer :: failed
    report = self%analysis_report()
    call self%create(status)
    if (status /= clchol_ok) return
    allocate (colptr(report%n + 1), rowind(report%nnz_stored), values(report%nnz_stored), &
              stat=failed)
    if (failed == 0) then
      status = c_factor(self%handle, colptr, rowind, values)
    else
      call run_out_of_memory(self, status)
    end if
    if (status == clchol_ok) then
      colptr = colptr + 1
      rowind = rowind + 1_c_int32_t
    else
      if (allocated(colptr)) deallocate (colptr)
      if (allocated(rowind)) deallocate (rowind)
      if (allocated(values)) deallocate (values)
    end if
  end subroutine

  subroutine factor_32(self, colptr, rowind, values, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int32_t), allocatable, intent(out) :: colptr(:), rowind(:)
    real(c_double), allocatable, intent(out) :: values(:)
    integer(c_int), intent(out) :: status
    type(clchol_analysis_report) :: report
    integer(c_int64_t), allocatable :: starts(:)
    report = self%analysis_report()
    call self%create(status)
    if (status /= clchol_ok) return
    if (report%nnz_stored >= huge(colptr)) then
      call refuse(self, "L has too many entries for a colptr of 32 bits", status)
      return
    end if
    call self%factor_64_32(starts, rowind, values, status)
    if (status == clchol_ok) colptr = int(starts, c_int32_t)
  end subroutine

  subroutine factor_64(self, colptr, rowind, values, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), allocatable, intent(out) :: colptr(:), rowind(:)
    real(c_double), allocatable, intent(out) :: values(:)
    integer(c_int), intent(out) :: status
    integer(c_int32_t), allocatable :: rows(:)
    integer :: failed
    call self%factor_64_32(colptr, rows, values, status)
    if (status /= clchol_ok) return
    allocate (rowind(size(rows, kind=c_int64_t)), stat=failed)
    if (failed == 0) then
      rowind(:) = rows
    else
      call run_out_of_memory(self, status)
      deallocate (colptr, values)
    end if
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

  ! ---- Files -------------------------------------------------------------------------------------

  ! The analysis, for load_analysis() with a matrix of the same pattern.  A file that cannot be
  ! written is an invalid argument, here and below, and so is one that cannot be read or is damaged.
  subroutine save_analysis(self, path, status)
    class(sparse_cholesky), intent(inout) :: self
    character(*), intent(in) :: path
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status == clchol_ok) status = c_save_analysis(self%handle, trim(path) // c_null_char)
  end subroutine

  ! Does the work of analyze() by reading a saved analysis; the pattern must be the one it was made
  ! for.
  subroutine load_analysis_32(self, n, colptr, rowind, path, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int32_t), intent(in) :: n
    integer(c_int32_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    character(*), intent(in) :: path
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix) :: a
    call get_matrix(self, n, colptr, rowind, a, status, triangle)
    if (status == clchol_ok) status = c_load_analysis(self%handle, a, trim(path) // c_null_char)
  end subroutine

  subroutine load_analysis_64(self, n, colptr, rowind, path, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    character(*), intent(in) :: path
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix) :: a
    call get_matrix(self, n, colptr, rowind, a, status, triangle)
    if (status == clchol_ok) status = c_load_analysis(self%handle, a, trim(path) // c_null_char)
  end subroutine

  ! The factor with its analysis, without the matrix.
  subroutine save_factor(self, path, status)
    class(sparse_cholesky), intent(inout) :: self
    character(*), intent(in) :: path
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status == clchol_ok) status = c_save_factor(self%handle, trim(path) // c_null_char)
  end subroutine

  ! Without the matrix: solves do not refine, and refactorize() is refused.
  subroutine load_factor_alone(self, path, status)
    class(sparse_cholesky), intent(inout) :: self
    character(*), intent(in) :: path
    integer(c_int), intent(out) :: status
    call self%create(status)
    if (status /= clchol_ok) return
    status = c_load_factor(self%handle, c_null_ptr, trim(path) // c_null_char)
  end subroutine

  ! With the matrix that was factored: solves refine, and refactorize() works.  Another pattern and
  ! other values are refused.
  subroutine load_factor_32(self, n, colptr, rowind, values, path, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int32_t), intent(in) :: n
    integer(c_int32_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    real(c_double), intent(in), target, contiguous :: values(:)
    character(*), intent(in) :: path
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix), target :: a
    call get_matrix(self, n, colptr, rowind, a, status, triangle, values)
    if (status /= clchol_ok) return
    status = c_load_factor(self%handle, c_loc(a), trim(path) // c_null_char)
  end subroutine

  subroutine load_factor_64(self, n, colptr, rowind, values, path, status, triangle)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    real(c_double), intent(in), target, contiguous :: values(:)
    character(*), intent(in) :: path
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    type(clchol_matrix), target :: a
    call get_matrix(self, n, colptr, rowind, a, status, triangle, values)
    if (status /= clchol_ok) return
    status = c_load_factor(self%handle, c_loc(a), trim(path) // c_null_char)
  end subroutine

  ! ---- Private -----------------------------------------------------------------------------------

  ! What the C interface calls during a factorization, with the address of a progress_holder: calls
  ! the Fortran procedure.  It is recursive because two solvers may factor in two threads at once.
  recursive function call_progress(data, done, total) bind(c, name="") result(ends)
    type(c_ptr), value :: data
    real(c_double), value :: done, total
    integer(c_int) :: ends
    type(progress_holder), pointer :: holder
    logical :: cancel
    call c_f_pointer(data, holder)
    cancel = .false.
    call holder%progress(done, total, cancel)
    ends = merge(1_c_int, 0_c_int, cancel)
  end function

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

  ! Makes the solver where there is none, and the struct of a matrix, which points to the caller's
  ! arrays; without `values`, of a pattern.  Refuses arrays that are too short.
  subroutine get_matrix_32(self, n, colptr, rowind, a, status, triangle, values)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int32_t), intent(in) :: n
    integer(c_int32_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    type(clchol_matrix), intent(out) :: a
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    real(c_double), intent(in), target, contiguous, optional :: values(:)
    integer(c_int64_t) :: entries
    entries = size(rowind, kind=c_int64_t)
    if (present(values)) entries = min(entries, size(values, kind=c_int64_t))
    call check_pattern(self, int(n, c_int64_t), size(colptr, kind=c_int64_t), entries, &
                       last_of(colptr), status)
    if (status /= clchol_ok) return
    a = matrix_of(int(n, c_int64_t), c_loc(colptr), c_loc(rowind), indices_32, triangle)
    if (present(values)) a%values = c_loc(values)
  end subroutine

  subroutine get_matrix_64(self, n, colptr, rowind, a, status, triangle, values)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(in), target, contiguous :: colptr(:), rowind(:)
    type(clchol_matrix), intent(out) :: a
    integer(c_int), intent(out) :: status
    integer(c_int), intent(in), optional :: triangle
    real(c_double), intent(in), target, contiguous, optional :: values(:)
    integer(c_int64_t) :: entries
    entries = size(rowind, kind=c_int64_t)
    if (present(values)) entries = min(entries, size(values, kind=c_int64_t))
    call check_pattern(self, int(n, c_int64_t), size(colptr, kind=c_int64_t), entries, &
                       last_of(colptr), status)
    if (status /= clchol_ok) return
    a = matrix_of(int(n, c_int64_t), c_loc(colptr), c_loc(rowind), indices_64, triangle)
    if (present(values)) a%values = c_loc(values)
  end subroutine

  subroutine run_out_of_memory(self, status)
    class(sparse_cholesky), intent(inout) :: self
    integer(c_int), intent(out) :: status
    self%own_message = "out of memory"
    status = clchol_out_of_memory
  end subroutine

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
