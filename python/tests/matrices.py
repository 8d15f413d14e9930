"""Matrices of the tests."""

import numpy as np
import scipy.sparse as sp


def grid3d(k, dtype=np.float64):
    """The 7-point Laplacian of a k x k x k grid, with 6.5 on the diagonal, as a csc_array."""
    line = sp.diags_array([np.ones(k - 1), np.ones(k - 1)], offsets=[-1, 1])
    one = sp.eye_array(k)
    neighbours = (
        sp.kron(sp.kron(line, one), one)
        + sp.kron(sp.kron(one, line), one)
        + sp.kron(sp.kron(one, one), line)
    )
    return sp.csc_array(6.5 * sp.eye_array(k**3) - neighbours, dtype=dtype)


def random_sparse(rows, columns, density, seed=0):
    """A random matrix with entries in [0, 1), as a csc_array."""
    return sp.csc_array(sp.random(rows, columns, density=density, random_state=seed))


def random_spd(n, seed=0, density=0.05, dtype=np.float64):
    """A random matrix with a dominant diagonal, as a csc_array."""
    entries = random_sparse(n, n, density, seed)
    symmetric = entries + entries.T
    return sp.csc_array(symmetric + 2 * n * density * sp.eye_array(n), dtype=dtype)


def error_of(A, x, b):
    """|b - A x| / (|A| |x| + |b|) in infinity norms."""
    norm = abs(A).sum(axis=1).max() * abs(x).max() + abs(b).max()
    return abs(b - A @ x).max() / norm
