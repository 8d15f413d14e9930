"""pypardiso in its ways to solve: spsolve, PyPardisoSolver, factorized.

  PYPARDISO_MKL_RT=LIBRARY python3 pypardiso_solve.py SIZE

A is the 7-point Laplacian of a cube of SIZE^3 points, plus the identity.  Symmetric positive
definite matrices (mtype 2) are given as their upper triangle.
"""

import sys
import time

import numpy as np
import pypardiso
import scipy.sparse

size = int(sys.argv[1])
n = size**3
T = scipy.sparse.diags([-np.ones(size - 1), 2 * np.ones(size), -np.ones(size - 1)], [-1, 0, 1])
I = scipy.sparse.eye(size)
A = (scipy.sparse.kron(scipy.sparse.kron(T, I), I) + scipy.sparse.kron(scipy.sparse.kron(I, T), I)
     + scipy.sparse.kron(scipy.sparse.kron(I, I), T) + scipy.sparse.eye(n)).tocsr()
x = np.sin(0.37 * np.arange(n))
b = A @ x
many = np.column_stack([b, 2 * b, 3 * b])


def show(name, y, expected):
    print("value", name, repr(float(np.cos(0.11 * np.arange(n)) @ y.reshape(n, -1)[:, -1])))
    print("bound", name + "_error", float(abs(y - expected).max()), flush=True)


print("case positive definite", n)
U = scipy.sparse.triu(A, format="csr")
solver = pypardiso.PyPardisoSolver(mtype=2)
solver.factorize(U)
show("solve", solver.solve(U, b), x)
show("three", solver.solve(U, many), np.column_stack([x, 2 * x, 3 * x]))
U2 = U.copy()
U2.data *= 2
began = time.perf_counter()
solver.factorize(U2)
print("time factorize_again", time.perf_counter() - began)
began = time.perf_counter()
y = solver.solve(U2, b)
print("time solve_again", time.perf_counter() - began)
show("other_values", y, x / 2)
solver.free_memory(everything=True)

print("case symmetric", n)
solver = pypardiso.PyPardisoSolver(mtype=-2)
show("solve", solver.solve(U, b), x)
solver.free_memory(everything=True)

print("case unsymmetric", n)
show("spsolve", pypardiso.spsolve(A, b), x)
