"""cvxopt.cholmod in all its functions, and a quadratic program whose KKT systems it solves.

  python3 cvxopt_solve.py SIZE [FUNCTION]

A is the 5-point Laplacian of a SIZE by SIZE grid, plus the identity (lower triangle).
"""

import math
import sys
import time

from cvxopt import cholmod, matrix, normal, setseed, solvers, sparse, spdiag, spmatrix

size = int(sys.argv[1])
only = sys.argv[2] if len(sys.argv) > 2 else ""
n = size * size


def laplacian(shift):
    rows, columns, values = [], [], []
    for k in range(n):
        rows.append(k)
        columns.append(k)
        values.append(4.0 + shift)
        if k % size + 1 < size:
            rows.append(k + 1)
            columns.append(k)
            values.append(-1.0)
        if k + size < n:
            rows.append(k + size)
            columns.append(k)
            values.append(-1.0)
    return spmatrix(values, rows, columns, (n, n))


def symmetric(lower):
    upper = lower.T
    upper[:: n + 1] = 0
    return lower + upper


def weighted(x):
    return sum(math.cos(0.11 * k) * x[k] for k in range(len(x)))


A = laplacian(1.0)
full = symmetric(A)
b = matrix([math.sin(0.37 * k) for k in range(n)])


def error(x, right=None):
    return max(abs(full * x - (b if right is None else right)))


def linsolve():
    x = +b
    cholmod.linsolve(A, x)
    yield "value", "sum", weighted(x)
    yield "bound", "residual", error(x)


def splinsolve():
    x = cholmod.splinsolve(A, sparse(b))
    yield "value", "sum", weighted(matrix(x))
    yield "bound", "residual", error(matrix(x))


def numeric():
    F = cholmod.symbolic(A)
    cholmod.numeric(A, F)
    for system in range(9):
        x = +b
        cholmod.solve(F, x, sys=system)
        # Solutions of all other systems depend on the ordering.
        if system == 0:
            yield "value", "solve", weighted(x)
            yield "bound", "residual", error(x)
    x = +b
    for system in (7, 4, 5, 8):
        cholmod.solve(F, x, sys=system)
    yield "bound", "residual_by_parts", error(x)
    shifted = laplacian(3.0)
    began = time.perf_counter()
    cholmod.numeric(shifted, F)
    yield "time", "numeric_again", time.perf_counter() - began
    x = +b
    began = time.perf_counter()
    cholmod.solve(F, x)
    yield "time", "solve_again", time.perf_counter() - began
    yield "value", "solve_again", weighted(x)
    yield "bound", "residual_again", max(abs(symmetric(shifted) * x - b))


def spsolve():
    F = cholmod.symbolic(A)
    cholmod.numeric(A, F)
    x = matrix(cholmod.spsolve(F, sparse(b)))
    yield "value", "sum", weighted(x)
    yield "bound", "residual", error(x)


def diag():
    F = cholmod.symbolic(A)
    cholmod.numeric(A, F)
    yield "value", "logdet", 2 * sum(math.log(d) for d in cholmod.diag(F))


def getfactor():
    """L L' is P A P', of which no permutation changes the sums."""
    F = cholmod.symbolic(A)
    cholmod.numeric(A, F)
    L = cholmod.getfactor(F)
    product = L * L.T
    yield "value", "trace", sum(product[:: n + 1])
    yield "value", "squares", sum(v * v for v in product.V)


def refused():
    """A matrix that is not positive definite: ArithmeticError with the row."""
    indefinite = laplacian(1.0)
    indefinite[n - 1, n - 1] = -1.0
    try:
        F = cholmod.symbolic(indefinite)
        cholmod.numeric(indefinite, F)
        yield "value", "refused", 0
    except ArithmeticError:
        yield "value", "refused", 1


def program():
    """minimize x' A x / 2 + q' x  subject to  -1/4 <= x <= 1/4."""
    setseed(1)
    q = normal(n, 1)
    I = spdiag([1.0] * n)
    G = sparse([I, -I])
    h = matrix(0.25, (2 * n, 1))
    solvers.options["show_progress"] = False
    began = time.perf_counter()
    answer = solvers.qp(full, q, G, h, kktsolver="chol2")
    yield "time", "program", time.perf_counter() - began
    yield "value", "optimal", float(answer["status"] == "optimal")
    yield "value", "cost", answer["primal objective"]


for function in (linsolve, splinsolve, numeric, spsolve, diag, getfactor, refused, program):
    if only in ("", function.__name__):
        print("case", function.__name__, n)
        for kind, name, number in function():
            print(kind, name, repr(float(number)), flush=True)
