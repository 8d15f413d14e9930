! Progress and cancelling through the module clchol.
module control_tests
  use clchol
  use support
  implicit none
  private
  public :: test_control

  integer(c_int) :: status
  ! What the progress procedures see and do.
  type(sparse_cholesky) :: watched           ! The solver that factors.
  integer :: calls                           ! Number of calls.
  real(c_double) :: last_done, last_total    ! Arguments of the last call; -1 before the first one.

contains

  subroutine test_control()
    call progress()
    call cancelling()
  end subroutine

  ! A progress procedure that checks its arguments.
  subroutine watch(done, total, cancel)
    real(c_double), intent(in) :: done, total
    logical, intent(inout) :: cancel
    call expect(.not. cancel, "cancel is false at first")
    call expect(done >= max(last_done, 0.0_c_double) .and. done <= total, "done ascends to total")
    call expect(calls == 0 .or. total == last_total, "total stays")
    calls = calls + 1
    last_done = done
    last_total = total
  end subroutine

  ! Ends the call at the third time.
  subroutine watch_and_end(done, total, cancel)
    real(c_double), intent(in) :: done, total
    logical, intent(inout) :: cancel
    call watch(done, total, cancel)
    cancel = calls == 3
  end subroutine

  ! Ends the call as another thread would.
  subroutine watch_and_cancel(done, total, cancel)
    real(c_double), intent(in) :: done, total
    logical, intent(inout) :: cancel
    integer(c_int) :: of_cancel
    call watch(done, total, cancel)
    call watched%cancel(.true., of_cancel)
    call expect(of_cancel == clchol_ok, "cancel in a progress procedure")
  end subroutine

  subroutine forget_calls()
    calls = 0
    last_done = -1
    last_total = -1
  end subroutine

  subroutine progress()
    type(sparse_cholesky) :: other
    type(clchol_factor_report) :: report
    type(clchol_analysis_report) :: analysis
    integer(c_int32_t), allocatable :: starts(:), rows(:)
    real(c_double), allocatable :: entries(:)
    real(c_double) :: x(900)
    call make_grid(30, starts, rows, entries)
    call watched%set_option("engine", "cpu", status)
    call watched%set_progress(watch, status)
    call expect(status == clchol_ok, "set_progress")
    call forget_calls()
    call watched%factorize(900, starts, rows, entries, status)
    analysis = watched%analysis_report()
    call expect(status == clchol_ok .and. calls > 3, "progress is told")
    call expect(all([last_done, last_total] == analysis%flops_stored), "all operations")
    x = 1
    call watched%solve_in_place(x, status)
    call expect(status == clchol_ok, "solve after progress")

    call watched%set_progress(watch_and_end, status)
    call forget_calls()
    call watched%refactorize(entries, status)
    call expect(status == clchol_interrupted .and. calls == 3, "progress ends a call")
    call expect(watched%message() == "ended by the progress function", watched%message())
    report = watched%factor_report()
    call expect(report%status == clchol_interrupted, "the report of a call that was ended")
    call watched%solve_in_place(x, status)
    call expect(status == clchol_invalid_argument, "no factor after a call that was ended")

    call watched%clear_progress(status)
    call expect(status == clchol_ok, "clear_progress")
    call forget_calls()
    call watched%refactorize(entries, status)
    call expect(status == clchol_ok .and. calls == 0, "no progress any more")
    call other%clear_progress(status)
    call expect(status == clchol_ok, "clear_progress of none")
    call watched%set_progress(watch, status)
    call watched%destroy()
    call watched%factorize(900, starts, rows, entries, status)
    call expect(status == clchol_ok .and. calls == 0, "a destroyed solver tells no progress")
    call watched%destroy()
  end subroutine

  subroutine cancelling()
    integer(c_int32_t), allocatable :: starts(:), rows(:)
    real(c_double), allocatable :: entries(:)
    real(c_double) :: x(3)
    call make_grid(30, starts, rows, entries)
    call watched%cancel(.true., status)
    call expect_refused(watched, status, "there is no solver to cancel: create() makes it")
    call watched%create(status)
    call watched%cancel(.true., status)
    call expect(status == clchol_ok, "cancel")
    call watched%factorize(n, colptr, rowind, values, status)
    call expect(status == clchol_interrupted .and. watched%message() == "interrupted", "cancelled")
    call watched%analyze(n, colptr, rowind, status)
    call expect(status == clchol_interrupted, "cancelled until it is taken back")
    call watched%cancel(.false., status)
    call watched%factorize(n, colptr, rowind, values, status)
    call expect(status == clchol_ok, "not cancelled any more")
    call watched%solve(b, x, status)
    call expect(status == clchol_ok .and. is_ones(x), "solve after cancelling")

    ! A call that runs.
    call watched%set_option("engine", "cpu", status)
    call watched%set_progress(watch_and_cancel, status)
    call forget_calls()
    call watched%factorize(900, starts, rows, entries, status)
    call expect(status == clchol_interrupted .and. calls >= 1, "a call is cancelled while it runs")
    call watched%clear_progress(status)
    call watched%cancel(.false., status)
    call watched%refactorize(entries, status)
    call expect(status == clchol_ok, "the analysis stays")
    call watched%destroy()
  end subroutine
end module
