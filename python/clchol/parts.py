"""What the factor classes of both generations of scikit-sparse share.

With P A P' = L L' and d = diag(L), the other form P A P' = M D M' has D = diag(d)^2 and the unit
lower triangular M = L diag(d)^-1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InvalidArgumentError
from .inputs import check_real
from .solver import Solver

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Options of scikit-sparse's orderings.
ORDERINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "best": {"expected_factorizations": 1000},
    "natural": {"ordering": "natural"},
    "amd": {"ordering": "amd"},
    "colamd": {"ordering": "amd"},
    "metis": {"ordering": "nd"},
    "nesdis": {"ordering": "nd"},
}
MODES = ("auto", "simplicial", "supernodal")


def new_solver(mode: str, order: str, triangle: str, dtype: Any = np.float64) -> Solver:
    """A solver that does not scale.  `mode` is checked and has no other effect.

    Raises ValueError for an unknown mode or ordering.
    """
    if mode not in MODES:
        raise ValueError(f"mode is {mode!r}, must be one of {', '.join(MODES)}")
    if order not in ORDERINGS:
        raise ValueError(f"ordering is {order!r}, must be one of {', '.join(ORDERINGS)}")
    return Solver(dtype=dtype, triangle=triangle, scaling="never", **ORDERINGS[order])


def by_columns(solve: Callable[[Any], Any], b: Any) -> Any:
    """solve(b) for a sparse b, in blocks of dense columns, as a csc_matrix, or a csc_array where b
    is a sparse array."""
    from scipy import sparse

    check_real(b.dtype, "b")
    if b.ndim != 2:
        raise InvalidArgumentError(f"b has the shape {b.shape}, must be a matrix")
    block = 64
    columns = b.tocsc()
    parts = [
        sparse.csc_matrix(solve(columns[:, k : k + block].toarray(order="F")))
        for k in range(0, b.shape[1], block)
    ]
    x = sparse.hstack(parts, format="csc") if parts else sparse.csc_matrix(b.shape)
    return x if sparse.isspmatrix(b) else sparse.csc_array(x)


class Parts:
    """The factor of a solver, piece by piece.

    With the ordering "natural", the solver eliminates in a postorder Q of the elimination tree,
    which leaves the fill as it is.  Here P is then the identity, and L is Q' L Q, which is lower
    triangular too.
    """

    __slots__ = ("is_natural", "solver")

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.is_natural = solver.options.ordering == "natural"

    def permutation(self) -> NDArray[Any]:
        """P, such that P A P' is A[P][:, P]."""
        return np.arange(self.solver.n) if self.is_natural else self.solver.permutation()

    def diagonal(self) -> NDArray[Any]:
        """The diagonal of L."""
        d = self.solver.diagonal()
        return d[self._inverse()] if self.is_natural else d

    def factor(self) -> Any:
        """L as a csc_array with sorted columns."""
        L = self.solver.factor()
        if self.is_natural:
            from scipy import sparse

            inverse = self._inverse()
            # Above the diagonal are only zeros that merged fronts have brought in.
            L = sparse.csc_array(sparse.tril(L[inverse][:, inverse], format="csc"))
            L.sort_indices()
        return L

    def _inverse(self) -> NDArray[Any]:
        return np.argsort(self.solver.permutation())

    def solve(self, system: str, b: Any) -> Any:
        """Solves one of the systems of CHOLMOD.

        "A", "P", "Pt" (which multiply), "LLt", "L", "Lt" of P A P' = L L', and "M", "Mt", "MD",
        "DMt", "D" of P A P' = M D M'.
        """
        if hasattr(b, "tocsc"):
            return by_columns(lambda columns: self.solve(system, columns), b)
        if system == "A":
            return self.solver.solve(b)
        if not self.is_natural:
            return self._solve_part(system, b)
        if system in ("P", "Pt"):
            return np.array(b, self.solver.dtype)
        b = self.solver.solve_part("permute", b)
        return self.solver.solve_part("unpermute", self._solve_part(system, b))

    def _solve_part(self, system: str, b: Any) -> Any:
        solver = self.solver
        if system == "P":
            return solver.solve_part("permute", b)
        if system == "Pt":
            return solver.solve_part("unpermute", b)
        if system == "L":
            return solver.solve_part("forward", b)
        if system == "Lt":
            return solver.solve_part("backward", b)
        if system == "LLt":
            x = solver.solve_part("forward", b)
            return solver.solve_part("backward", x, out=x)
        b = np.asarray(b)
        d = solver.diagonal()
        if b.ndim == 2:
            d = d[:, np.newaxis]
        if system == "M":  # M = L d^-1
            return solver.solve_part("forward", b) * d
        if system == "MD":  # M D = L d
            return solver.solve_part("forward", b) / d
        if system == "Mt":  # M' = d^-1 L'
            return solver.solve_part("backward", d * b)
        if system == "DMt":  # D M' = d L'
            return solver.solve_part("backward", b / d)
        return b / (d * d)  # D


def unit_factor(L: Any) -> tuple[Any, Any]:
    """(M, diagonal of D) of M D M' = L L', for a csc matrix L with sorted columns."""
    first = L.indptr[:-1]
    d = L.data[first].copy()
    M = L.copy()
    M.data /= np.repeat(d, np.diff(L.indptr))
    M.data[first] = 1.0
    return M, d * d
