"""Progress, cancelling, Ctrl-C, threads, fork and leaks."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest

import clchol
from matrices import error_of, grid3d, random_spd

# Its factorization takes about 0.1 s: it runs in a thread of its own.
LARGE = grid3d(28)
ONES = np.ones(LARGE.shape[0])
SMALL = random_spd(60)


def works(solver, A):
    b = np.ones(A.shape[0])
    return error_of(A, solver.factorize(A).solve(b), b) < 1e-15


# ---- Progress and cancel ----


@pytest.mark.parametrize("A", [SMALL, LARGE], ids=["small", "large"])
def test_progress_ends_with_all_flops(A):
    calls = []
    solver = clchol.Solver(progress=lambda done, total: calls.append((done, total)))
    solver.factorize(A)
    assert calls[-1][0] == calls[-1][1]
    done = [done for done, _ in calls]
    assert done == sorted(done)
    solver.set_options(progress=None)
    count = len(calls)
    solver.refactorize(A)
    assert len(calls) == count


@pytest.mark.parametrize("A", [SMALL, LARGE], ids=["small", "large"])
def test_an_exception_of_progress_reaches_the_caller(A):
    class Mine(Exception):
        pass

    def progress(done, total):
        raise Mine("enough")

    solver = clchol.Solver(progress=progress)
    with pytest.raises(Mine, match="enough"):
        solver.factorize(A)
    with pytest.raises(clchol.InvalidArgumentError, match="factored"):
        solver.solve(np.ones(A.shape[0]))
    solver.set_options(progress=None)
    assert works(solver, A)


def test_progress_must_not_use_the_solver():
    solver = clchol.Solver()
    solver.set_options(progress=lambda done, total: solver.solve(ONES))
    with pytest.raises(RuntimeError, match="progress function must not use the solver"):
        solver.factorize(LARGE)


def test_progress_may_use_another_solver():
    other = clchol.Solver().factorize(SMALL)
    solver = clchol.Solver(progress=lambda done, total: other.solve(np.ones(60)))
    assert works(solver, LARGE)


def test_cancel_ends_the_call_that_runs():
    solver = clchol.Solver()
    solver.set_options(progress=lambda done, total: solver.cancel())
    with pytest.raises(clchol.CancelledError):
        solver.factorize(LARGE)
    assert solver.factor_report.status == "interrupted"
    solver.set_options(progress=None)
    solver.cancel()  # No call runs: nothing happens.
    assert works(solver, LARGE)


# ---- Ctrl-C ----


class Interrupt:
    """Sends SIGINT from the progress function, and waits there until its handler has run."""

    def __init__(self):
        self.handled = threading.Event()
        self.before = signal.signal(signal.SIGINT, self.handle)

    def handle(self, number, frame):
        self.handled.set()
        raise KeyboardInterrupt

    def progress(self, done, total):
        if not self.handled.is_set():
            os.kill(os.getpid(), signal.SIGINT)
            assert self.handled.wait(60)


def test_ctrl_c_ends_a_factorization():
    interrupt = Interrupt()
    try:
        solver = clchol.Solver(progress=interrupt.progress)
        with pytest.raises(KeyboardInterrupt):
            solver.factorize(LARGE)
    finally:
        signal.signal(signal.SIGINT, interrupt.before)
    assert solver.factor_report.status == "interrupted"
    assert works(solver, LARGE)


def test_ctrl_c_ends_an_analysis():
    def handle(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handle)
    try:
        solver = clchol.Solver(ordering="nd:best")
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.02)  # The analysis takes seconds.
            solver.analyze(grid3d(48))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert solver.n == 0
    assert works(solver, SMALL)


def test_ctrl_c_ends_the_wait_for_another_thread():
    interrupt = Interrupt()
    begun = threading.Event()

    def progress(done, total):
        begun.set()
        time.sleep(0.1)  # So that the main thread waits in solve(), in most runs of the test.
        interrupt.progress(done, total)

    solver = clchol.Solver(progress=progress)
    thread = threading.Thread(target=solver.factorize, args=[SMALL])
    try:
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            assert begun.wait(60)
            solver.solve(np.ones(60))
    finally:
        thread.join()
        signal.signal(signal.SIGINT, interrupt.before)
    assert solver.factor_report.status == "ok"  # The other thread's call went on.


# ---- Threads ----


def run_in_threads(functions):
    failures = []

    def run(function):
        try:
            function()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=[function]) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_threads_solve_with_one_factor_while_it_is_replaced():
    solver = clchol.Solver().factorize(SMALL)
    b = [np.random.default_rng(k).standard_normal(60) for k in range(3)]
    x = [solver.solve(each) for each in b]

    def solve(k):
        for _ in range(200):
            assert (solver.solve(b[k]) == x[k]).all()

    def refactorize():
        for _ in range(200):
            solver.refactorize(SMALL.data)

    run_in_threads([lambda: solve(0), lambda: solve(1), lambda: solve(2), refactorize])


def test_solves_without_end_do_not_keep_a_factorization_waiting():
    solver = clchol.Solver().factorize(SMALL)
    done = threading.Event()

    def solve():
        while not done.is_set():
            solver.solve(np.ones(60))

    def refactorize():
        try:
            for _ in range(20):
                solver.refactorize(SMALL.data)
        finally:
            done.set()

    run_in_threads([solve, solve, refactorize])


def test_other_threads_run_meanwhile():
    asked, answered = threading.Event(), threading.Event()

    def answer():
        assert asked.wait(60)
        answered.set()

    def progress(done, total):
        asked.set()
        assert answered.wait(60)

    solver = clchol.Solver(progress=progress)
    run_in_threads([answer, lambda: solver.factorize(LARGE)])


def test_close_waits_for_calls_that_run():
    solver = clchol.Solver()
    closing = threading.Event()

    def close():
        assert begun.wait(60)
        closing.set()
        solver.close()

    begun = threading.Event()

    def progress(done, total):
        begun.set()
        assert closing.wait(60)

    solver.set_options(progress=progress)
    run_in_threads([close, lambda: solver.factorize(LARGE)])
    with pytest.raises(clchol.InvalidArgumentError, match="closed"):
        solver.solve(ONES)


# ---- Fork ----


@pytest.mark.parametrize("A", [SMALL, LARGE], ids=["small", "large"])
def test_a_forked_child_goes_on(A):
    b = np.ones(A.shape[0])
    solver = clchol.Solver(threads=2).factorize(A)
    x = solver.solve(b)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            same = (solver.solve(b) == x).all() and (solver.refactorize(A).solve(b) == x).all()
            new = clchol.Solver(threads=2).factorize(A).solve(b)
            status = 0 if same and (new == x).all() else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert (solver.refactorize(A).solve(b) == x).all()


# ---- Leaks ----


def use(solver):
    solver.refactorize(SMALL).solve(np.ones(60))
    solver.refactorize(SMALL.data).solve(np.ones((60, 3)))
    solver.factor(), solver.permutation(), solver.assembly_tree(), solver.factor_report
    for bad in (SMALL[:, :3], SMALL * np.nan, -SMALL):
        with pytest.raises(ValueError):
            clchol.Solver(progress=print).factorize(bad)
    with pytest.raises(ZeroDivisionError):
        clchol.Solver(progress=lambda done, total: 1 / 0).factorize(SMALL)


def test_nothing_leaks():
    solver = clchol.Solver().factorize(SMALL)
    for _ in range(3):
        use(solver)
    tracemalloc.start()
    try:
        use(solver)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        turns = 50
        for _ in range(turns):
            use(solver)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    vector = 60 * 8  # Bytes of the smallest array that a turn makes.
    assert grown < turns * vector / 2


def test_resident_memory_does_not_grow():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("no /proc")
    solver = clchol.Solver(threads=1).factorize(grid3d(12))

    def turn():
        solver.refactorize(grid3d(12))
        solver.factor()
        pickle.loads(pickle.dumps(solver)).factorize(grid3d(12)).solve(np.ones(12**3))

    for _ in range(10):
        turn()
    before = resident()
    for _ in range(30):
        turn()
    # A leaked factor of 0.4 MB in each turn would be 12 MB.
    assert resident() - before < 6_000_000


def test_no_object_is_left_at_the_end_of_the_process():
    program = """
import clchol, numpy as np, scipy.sparse as sp
solver = clchol.Solver(progress=print)
solver.set_options(progress=lambda done, total: solver.cancel())  # A cycle, which is collected.
with open("/dev/null", "w"):
    try:
        solver.factorize(sp.eye_array(3, format="csc"))
    except clchol.CancelledError:
        pass
    try:
        clchol.Solver().factorize(-sp.eye_array(3, format="csc"))
    except clchol.NotPositiveDefiniteError as error:
        kept = error
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")  # nanobind tells of leaks on stderr.
