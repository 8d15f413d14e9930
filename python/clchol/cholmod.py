"""The interface of scikit-sparse 0.4's ``sksparse.cholmod``, for real matrices.

>>> from clchol.cholmod import cholesky     # for: from sksparse.cholmod import cholesky
>>> import numpy as np, scipy.sparse as sp
>>> A = sp.csc_matrix(np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]))
>>> F = cholesky(A)
>>> F(np.array([5.0, 5, 3])).round(12)
array([1., 1., 1.])
>>> P, L = F.P(), F.L()
>>> bool(abs(L @ L.T - A[P[:, np.newaxis], P[np.newaxis, :]]).max() < 1e-15)
True

The matrix is not scaled, so that P A P' = L L' holds for the A that was passed.
"""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from .errors import (
    DeviceError,
    Error,
    InvalidArgumentError,
    NotPositiveDefiniteError,
    OutOfMemoryError,
)
from .inputs import check_real, check_square
from .parts import Parts, by_columns, new_solver, unit_factor
from .solver import Solver

__all__ = [
    "CholmodError",
    "CholmodGpuProblemError",
    "CholmodInvalidError",
    "CholmodNotPositiveDefiniteError",
    "CholmodOutOfMemoryError",
    "CholmodTooLargeError",
    "CholmodTypeConversionWarning",
    "CholmodWarning",
    "Factor",
    "analyze",
    "analyze_AAt",
    "cholesky",
    "cholesky_AAt",
]

CholmodError = Error
CholmodInvalidError = InvalidArgumentError
CholmodTooLargeError = InvalidArgumentError
CholmodOutOfMemoryError = OutOfMemoryError
CholmodGpuProblemError = DeviceError


class CholmodWarning(Warning):
    """Base class of the warnings of this module."""


class CholmodTypeConversionWarning(CholmodWarning):
    """A matrix was converted to the format csc."""


class CholmodNotPositiveDefiniteError(NotPositiveDefiniteError):
    """The matrix is not positive definite.

    `column` is the first column of P A P' whose pivot is not positive, `row` the row of A that it
    is, and `factor` the factor whose factorization failed.
    """

    def __init__(self, message: str, column: int, factor: Factor, cause: NotPositiveDefiniteError):
        super().__init__(message, cause.row, cause.pivot, cause.diagonal)
        self.column = column
        self.factor = factor


def _csc(A: Any) -> Any:
    """A in float64 as a csc matrix, a copy."""
    if getattr(A, "format", None) != "csc":
        if not hasattr(A, "tocsc"):
            raise TypeError(f"A is a {type(A).__name__}, must be a sparse matrix")
        warnings.warn(
            f"converting matrix of class {type(A).__name__} to CSC format",
            CholmodTypeConversionWarning,
            stacklevel=3,
        )
        A = A.tocsc()
    check_real(A.dtype, "A")
    return A.astype(np.float64, copy=True)


def _plus(A: Any, beta: float) -> Any:
    """A + beta I."""
    from scipy import sparse

    check_square(A)
    if beta == 0:
        return A
    return (A + beta * sparse.eye(A.shape[0], format="csc")).tocsc()


def _times_transposed(A: Any, beta: float) -> Any:
    """A A' + beta I."""
    return _plus((A @ A.T).tocsc(), beta)


class Factor:
    """The factor of P A P' = L L' = M D M', where M is L with a unit diagonal.

    Factors are made by :func:`cholesky`, :func:`cholesky_AAt`, :func:`analyze` and
    :func:`analyze_AAt`.  Right-hand sides are vectors or matrices, dense or sparse; results have
    the shape of the right-hand side.  Only the lower triangle of A is read.
    """

    __slots__ = ("_A", "_is_shared", "_solver")

    def __init__(self, solver: Solver, A: Any = None) -> None:
        self._solver = solver
        self._A = A  # A copy of what was factored, for updates; None: nothing was.
        self._is_shared = False  # Whether another Factor uses the solver.

    # ---- Factorization ----

    def cholesky_inplace(self, A: Any, beta: float = 0) -> None:
        """Factors A + beta I.  A matrix of another pattern than before is analysed first."""
        self._factorize(_plus(_csc(A), beta))

    def cholesky_AAt_inplace(self, A: Any, beta: float = 0) -> None:
        """Factors A A' + beta I."""
        self._factorize(_times_transposed(_csc(A), beta))

    def cholesky(self, A: Any, beta: float = 0) -> Factor:
        """A new factor of A + beta I, with the analysis of this one."""
        factor = self.copy()
        factor._factorize(_plus(_csc(A), beta))
        return factor

    def cholesky_AAt(self, A: Any, beta: float = 0) -> Factor:
        """A new factor of A A' + beta I, with the analysis of this one."""
        factor = self.copy()
        factor._factorize(_times_transposed(_csc(A), beta))
        return factor

    def update_inplace(self, C: Any, subtract: bool = False) -> None:
        """Factors A + C C', or A - C C' if `subtract`, for the A of the present factor.

        The cost is that of a new factorization of A + C C', with an analysis where its pattern is
        not that of A.  When it fails, the factor is as it was.
        """
        if self._A is None:
            raise InvalidArgumentError("update_inplace: no matrix has been factored")
        if not hasattr(C, "tocsc"):
            raise TypeError(f"C is a {type(C).__name__}, must be a sparse matrix")
        check_real(C.dtype, "C")
        if C.ndim != 2 or C.shape[0] != self._A.shape[0]:
            raise InvalidArgumentError(
                f"C has the shape {C.shape}, must have {self._A.shape[0]} rows"
            )
        C = C.tocsc().astype(np.float64)
        product = C @ C.T
        A = (self._A - product if subtract else self._A + product).tocsc()
        updated = Factor(copy.copy(self._solver))
        updated._factorize(A)
        self._solver, self._A, self._is_shared = updated._solver, A, False

    def copy(self) -> Factor:
        """A factor that later changes of this one do not change.  Nothing is factored."""
        other = Factor(self._solver, self._A)
        self._is_shared = other._is_shared = True
        return other

    def _factorize(self, A: Any) -> None:
        if self._is_shared:
            self._solver = copy.copy(self._solver)  # With the analysis, without the factor.
            self._is_shared = False
        self._A = None
        try:
            self._solver.factorize(A)
        except NotPositiveDefiniteError as error:
            column = int(np.flatnonzero(self._parts.permutation() == error.row)[0])
            raise CholmodNotPositiveDefiniteError(str(error), column, self, error) from None
        self._A = A

    # ---- Solves ----

    def __call__(self, b: Any) -> Any:
        """x of A x = b."""
        return self._parts.solve("A", b)

    def solve_A(self, b: Any) -> Any:
        """x of A x = b."""
        return self._parts.solve("A", b)

    def solve_LDLt(self, b: Any) -> Any:
        """x of M D M' x = b: no permutation is applied."""
        return self._parts.solve("LLt", b)

    def solve_LD(self, b: Any) -> Any:
        """x of M D x = b."""
        return self._parts.solve("MD", b)

    def solve_DLt(self, b: Any) -> Any:
        """x of D M' x = b."""
        return self._parts.solve("DMt", b)

    def solve_L(self, b: Any, use_LDLt_decomposition: bool = True) -> Any:
        """x of M x = b; of L x = b without `use_LDLt_decomposition`."""
        return self._parts.solve("M" if use_LDLt_decomposition else "L", b)

    def solve_Lt(self, b: Any, use_LDLt_decomposition: bool = True) -> Any:
        """x of M' x = b; of L' x = b without `use_LDLt_decomposition`."""
        return self._parts.solve("Mt" if use_LDLt_decomposition else "Lt", b)

    def solve_D(self, b: Any) -> Any:
        """x of D x = b."""
        return self._parts.solve("D", b)

    def apply_P(self, b: Any) -> Any:
        """P b."""
        return self._parts.solve("P", b)

    def apply_Pt(self, b: Any) -> Any:
        """P' b."""
        return self._parts.solve("Pt", b)

    # ---- The factor ----

    def P(self) -> Any:
        """The permutation: P A P' is A[P[:, np.newaxis], P[np.newaxis, :]]."""
        return self._parts.permutation()

    def L(self) -> Any:
        """L of P A P' = L L' as a csc_matrix."""
        from scipy import sparse

        return sparse.csc_matrix(self._parts.factor())

    def D(self) -> Any:
        """The diagonal of D as a vector."""
        return self._parts.diagonal() ** 2

    def L_D(self) -> tuple[Any, Any]:
        """M and D of P A P' = M D M', both sparse."""
        from scipy import sparse

        M, d = unit_factor(self.L())
        return M, sparse.diags(d, format="dia")

    def LD(self) -> Any:
        """M with D in the place of its diagonal."""
        M, d = unit_factor(self.L())
        M.data[M.indptr[:-1]] = d
        return M

    # ---- Determinant and inverse ----

    def logdet(self) -> float:
        """log(det(A))."""
        return self._solver.logdet()

    def slogdet(self) -> tuple[float, float]:
        """(1.0, log(det(A))), as numpy.linalg.slogdet returns."""
        return 1.0, self._solver.logdet()

    def det(self) -> float:
        """det(A); see :meth:`logdet` for large matrices."""
        return float(np.prod(self.D()))

    def inv(self) -> Any:
        """The inverse of A as a csc_matrix, by n solves; it is usually full."""
        from scipy import sparse

        identity = sparse.eye(self._solver.n, format="csc")
        return by_columns(self._solver.solve, sparse.csc_matrix(identity))

    # ---- The solver behind it ----

    @property
    def _parts(self) -> Parts:
        return Parts(self._solver)

    @property
    def solver(self) -> Solver:
        """The solver that holds the factor: its options and reports.  It must not be closed or
        factorize."""
        return self._solver


def analyze(
    A: Any, mode: str = "auto", ordering_method: str = "default", use_long: bool | None = None
) -> Factor:
    """Orders and analyses A without factoring it.

    `mode` and `use_long` are accepted and have no effect.  `ordering_method` is "default" (the
    library chooses), "best" (it searches longer), "natural", "amd", "colamd", "metis" or "nesdis"
    (both are clchol's own nested dissection).
    """
    A = _csc(A)
    check_square(A)
    return Factor(new_solver(mode, ordering_method, "lower").analyze(A))


def analyze_AAt(
    A: Any, mode: str = "auto", ordering_method: str = "default", use_long: bool | None = None
) -> Factor:
    """Orders and analyses A A' without factoring it; see :func:`analyze`."""
    A = _csc(A)
    A.data[:] = 1.0  # So that no entry of the product cancels.
    return Factor(new_solver(mode, ordering_method, "lower").analyze(_times_transposed(A, 0)))


def cholesky(
    A: Any,
    beta: float = 0,
    mode: str = "auto",
    ordering_method: str = "default",
    use_long: bool | None = None,
) -> Factor:
    """The factor of A + beta I; see :func:`analyze`.

    Raises :class:`CholmodNotPositiveDefiniteError`.
    """
    factor = Factor(new_solver(mode, ordering_method, "lower"))
    factor._factorize(_plus(_csc(A), beta))
    return factor


def cholesky_AAt(
    A: Any,
    beta: float = 0,
    mode: str = "auto",
    ordering_method: str = "default",
    use_long: bool | None = None,
) -> Factor:
    """The factor of A A' + beta I; see :func:`analyze`."""
    factor = Factor(new_solver(mode, ordering_method, "lower"))
    factor._factorize(_times_transposed(_csc(A), beta))
    return factor
