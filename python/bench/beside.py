"""Times of clchol from Python, beside scikit-sparse 0.4 and SciPy where they are installed.

    python beside.py data/1138_bus.mtx.gz [...]      Matrix Market files
    python beside.py elasticity:16                   scikit-fem's block of 16 x 16 x 32 bricks

For each matrix: seconds of a first solve (analysis, factorization, solve), and of a solve after
new values on the same pattern; the least of several.  What the library itself takes, without
Python:  clchol solve data/1138_bus.mtx.gz --no-condition --repeat 1000
"""

import pathlib
import sys
import time
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sp
from scipy.sparse import linalg

import clchol

try:
    from sksparse import cholmod
except ImportError:
    cholmod = None


def read(name):
    if not name.startswith("elasticity:"):
        return sp.csc_array(scipy.io.mmread(name))
    sys.path.append(str(pathlib.Path(__file__).parents[1] / "examples"))
    from scikit_fem import block
    from skfem import condense

    stiffness, load, clamped = block(int(name.partition(":")[2]))
    return sp.csc_array(condense(stiffness, load, D=clamped)[0])


def least(call, seconds=2.0, most=2000):
    """The least time of a call in some seconds of calls, at least three."""
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or (len(times) < most and time.perf_counter() < end):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def show(name, first, again):
    print(f"  {name:24} {least(first):12.6f} {least(again):12.6f}", flush=True)


def measure(name):
    A = read(name)
    b = np.ones(A.shape[0])
    values = A.data.copy()
    print(f"{name}: n = {A.shape[0]:,}, {A.nnz:,} entries")
    print(f"  {'seconds':24} {'first solve':>12} {'new values':>12}")
    solver = clchol.Solver().factorize(A)
    show(
        "clchol.Solver",
        lambda: clchol.Solver().factorize(A).solve(b),
        lambda: solver.refactorize(values).solve(b),
    )
    F = clchol.cholesky(A)

    def again(factor):
        factor.cholesky_inplace(A)
        factor(b)

    show("clchol.cholesky", lambda: clchol.cholesky(A)(b), lambda: again(F))
    if cholmod is not None and hasattr(cholmod, "analyze_AAt"):
        G = cholmod.cholesky(A)
        show("scikit-sparse", lambda: cholmod.cholesky(A)(b), lambda: again(G))
    if A.nnz < 100_000:
        seconds = least(lambda: linalg.spsolve(A, b))
        print(f"  {'scipy spsolve':24} {seconds:12.6f}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for argument in sys.argv[1:] or ["elasticity:12"]:
        measure(argument)
