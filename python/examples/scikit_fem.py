"""Linear elasticity with scikit-fem: a clamped block of hexahedra, pulled down by its weight.

    pip install scikit-fem
    python scikit_fem.py [CELLS]

clchol takes the place of scikit-fem's default solver, SciPy's SuperLU, by the keyword `solver`.
"""

import sys
import time

import numpy as np
from skfem import Basis, ElementHex1, ElementVector, LinearForm, MeshHex, condense, solve
from skfem.models.elasticity import lame_parameters, linear_elasticity

import clchol


def block(cells):
    """Stiffness matrix, load and clamped unknowns of a block of cells x cells x 2 cells bricks."""
    long = np.linspace(0, 2, 2 * cells + 1)
    short = np.linspace(0, 1, cells + 1)
    mesh = MeshHex.init_tensor(short, short, long)
    basis = Basis(mesh, ElementVector(ElementHex1()), intorder=2)
    stiffness = linear_elasticity(*lame_parameters(1000.0, 0.3)).assemble(basis)
    load = LinearForm(lambda v, w: -v[1]).assemble(basis)
    clamped = basis.get_dofs(lambda x: x[2] == 0.0)
    return stiffness, load, clamped


def main():
    cells = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    stiffness, load, clamped = block(cells)

    start = time.perf_counter()
    u = solve(*condense(stiffness, load, D=clamped), solver=clchol.spsolve)
    seconds = time.perf_counter() - start
    print(f"{len(u)} unknowns in {seconds:.3f} s, largest displacement {abs(u).max():.4g}")

    # Another load on the same block: keep the factor.
    A, b, x, free = condense(stiffness, load, D=clamped)
    # Assembly makes a symmetric matrix: one triangle is enough.
    solver = clchol.Solver(triangle="lower", expected_solves=10).factorize(A)
    for scale in (1.0, 2.0, 3.0):
        x[free] = solver.solve(scale * b)
        print(
            f"load {scale}: largest displacement {abs(x).max():.4g}, "
            f"backward error {solver.solve_report.backward_error:.1e}"
        )


if __name__ == "__main__":
    main()
