"""Elasticity of scikit-fem, solved by one of several packages.

  python3 scikit_fem_elasticity.py PACKAGE CELLS

PACKAGE: scikit-sparse, clchol, pypardiso; the environment's CLIENT_PACKAGE, if set, instead.
A cube of CELLS^3 hexahedra with linear elements (clamped on one side, under its weight); its
matrix is factored for three moduli, of which the first is not timed.
"""

import os
import sys
import time

import numpy as np
import scipy.sparse
import skfem
from skfem.models.elasticity import lame_parameters, linear_elasticity

package = os.environ.get("CLIENT_PACKAGE", sys.argv[1])
cells = int(sys.argv[2])

mesh = skfem.MeshHex.init_tensor(*3 * (np.linspace(0, 1, cells + 1),))
basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementHex1()))
clamped = basis.get_dofs(lambda x: x[0] == 0)


@skfem.LinearForm
def weight(v, w):
    return -v[2]


def scikit_sparse(A, b):
    from sksparse.cholmod import cholesky
    return cholesky(A.tocsc())(b)


def with_clchol(A, b):
    import clchol
    return clchol.spsolve(A, b)


def with_pypardiso(A, b):
    import pypardiso
    solver = pypardiso.PyPardisoSolver(mtype=2)
    x = solver.solve(scipy.sparse.triu(A, format="csr"), b)
    solver.free_memory(everything=True)
    return x


PACKAGES = {"scikit-sparse": scikit_sparse, "clchol": with_clchol, "pypardiso": with_pypardiso}
solve = PACKAGES[package]
b = weight.assemble(basis)
print("case elasticity", cells)
print("note unknowns", basis.N - len(clamped.flatten()))
stiffness = linear_elasticity(*lame_parameters(1e3, 0.3)).assemble(basis)
stiffness, right, x, free = skfem.condense(stiffness, b, D=clamped)
# Entries that are mirror images differ by rounding.
stiffness = 0.5 * (stiffness + stiffness.T)
for step in range(3):
    A = ((1 + step) * stiffness).tocsr()
    began = time.perf_counter()
    y = solve(A, right)
    if step:
        print("time factorize_and_solve", time.perf_counter() - began)
    print(f"value norm_{step}", repr(float(np.linalg.norm(y))))
    print(f"value least_{step}", repr(float(y.min())))
    scale = abs(A).max() * abs(y).max()
    print(f"bound residual_{step}", float(abs(A @ y - right).max() / scale), flush=True)
