"""SciPy's ``spsolve`` and ``factorized``, for symmetric positive definite matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .inputs import check_real
from .solver import Solver

if TYPE_CHECKING:
    from collections.abc import Callable


def spsolve(A: Any, b: Any, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """Solves A x = b, as scipy.sparse.linalg.spsolve does.

    Parameters
    ----------
    A : sparse matrix, symmetric positive definite
        Both triangles must be stored.
    b : vector, matrix or sparse matrix
    permc_spec : str, optional
        "NATURAL" keeps the order of the rows; otherwise the library chooses an ordering.
    use_umfpack : bool
        Has no effect.

    x is in float32 where A and b are, otherwise in float64; a vector where b has one column.

    >>> import clchol, numpy as np, scipy.sparse as sp
    >>> A = sp.diags_array([[-1.0, -1], [4.0, 4, 4], [-1.0, -1]], offsets=[-1, 0, 1], format="csr")
    >>> clchol.spsolve(A, np.array([3.0, 2, 3])).round(12)
    array([1., 1., 1.])
    """
    if not hasattr(b, "tocsc"):
        b = np.asarray(b)
    check_real(b.dtype, "b")
    ordering = "natural" if permc_spec == "NATURAL" else "auto"
    with Solver(dtype=_common_type(A, b.dtype), ordering=ordering) as solver:
        x = solver.factorize(A).solve(b)
    return x.ravel() if isinstance(x, np.ndarray) and x.ndim == 2 and x.shape[1] == 1 else x


def factorized(A: Any) -> Callable[[Any], Any]:
    """Factors A, and returns a function that solves A x = b for its argument b, as
    scipy.sparse.linalg.factorized does.

    >>> import clchol, numpy as np, scipy.sparse as sp
    >>> A = sp.diags_array([[-1.0, -1], [4.0, 4, 4], [-1.0, -1]], offsets=[-1, 0, 1], format="csc")
    >>> solve = clchol.factorized(A)
    >>> solve(np.array([3.0, 2, 3])).round(12)
    array([1., 1., 1.])
    """
    return Solver(dtype=_common_type(A), expected_solves=10).factorize(A).solve


def _common_type(A: Any, other: Any = np.float32) -> Any:
    """float32 where A and `other` are, otherwise float64."""
    single = getattr(A, "dtype", None) == np.float32 and other == np.float32
    return np.float32 if single else np.float64
