"""The interface of scikit-sparse 0.5's ``sksparse.cholmod``, for real matrices.

>>> from clchol.cholesky_factor import cho_factor
>>> import numpy as np, scipy.sparse as sp
>>> A = sp.csc_array(np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]))
>>> f = cho_factor(A, lower=True)
>>> f.solve(np.array([5.0, 5, 3])).round(12)
array([1., 1., 1.])
>>> L, p = f.get_factor(), f.get_perm()
>>> bool(abs(L @ L.T - A[p][:, p]).max() < 1e-15)
True

The matrix is not scaled.  Graph partitioning is not there.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from .errors import InvalidArgumentError
from .inputs import check_real, check_square, compressed
from .parts import Parts, new_solver, unit_factor
from .solver import Solver

__all__ = ["CholeskyFactor", "cho_factor", "cho_solve", "cholesky", "ldl", "ldl_factor"]

# Systems of solve(), with L L' and with M D M'.
_SYSTEMS = {
    "A": ("A", "A"),
    "P": ("P", "P"),
    "Pt": ("Pt", "Pt"),
    "LDLt": ("LLt", "LLt"),
    "L": ("L", "M"),
    "Lt": ("Lt", "Mt"),
    "LD": ("L", "MD"),
    "DLt": ("Lt", "DMt"),
    "D": ("", "D"),
}


class CholeskyFactor:
    """A factor of P A P' = L L' (or M D M', or with R = L').

    The constructor analyses A; :meth:`factorize` factors it.

    Parameters
    ----------
    A : sparse matrix
        With `sym_kind` "sym" (default) a square matrix of which one triangle is read, the lower
        one if `lower`.  With "row", A A' is factored, with "col" A' A.
    order : str
        "default", "best", "natural", "amd", "colamd", "metis" or "nesdis"; None is "natural".
    supernodal_mode : str, optional
        Is accepted and has no effect.
    """

    def __init__(
        self,
        A: Any,
        *,
        lower: bool = True,
        order: str | None = "default",
        sym_kind: str | None = None,
        supernodal_mode: str | None = None,
    ) -> None:
        self.sym_kind = sym_kind or "sym"
        if self.sym_kind not in ("sym", "row", "col"):
            raise ValueError(f"sym_kind is {sym_kind!r}, must be 'sym', 'row' or 'col'")
        self.order = order or "natural"
        self.is_lower = bool(lower)
        self.is_ll = True
        self._A: Any = None  # A copy of what was factored, for updates.
        triangle = "lower" if lower or self.sym_kind != "sym" else "upper"
        symmetric = self._symmetric(A, 0.0)
        dtype = np.float32 if symmetric.dtype == np.float32 else np.float64
        self._solver = new_solver(supernodal_mode or "auto", self.order, triangle, dtype)
        self._solver.analyze(symmetric)

    def _symmetric(self, A: Any, beta: float) -> Any:
        """The matrix to factor, as a csc_array of its own."""
        from scipy import sparse

        if not hasattr(A, "tocsc"):
            A = sparse.csc_array(A)
        check_real(A.dtype, "A")
        dtype = np.float32 if A.dtype == np.float32 else np.float64
        if self.sym_kind == "sym":
            check_square(A)
        A = sparse.csc_array(A.tocsc(), dtype=dtype, copy=True)
        if self.sym_kind == "row":
            A = (A @ A.T).tocsc()
        elif self.sym_kind == "col":
            A = (A.T @ A).tocsc()
        if beta != 0:
            A = (A + dtype(beta) * sparse.eye_array(A.shape[0], dtype=dtype)).tocsc()
        return A

    # ---- Factorization ----

    def factorize(self, A: Any, ldl: bool | None = None, beta: float = 0.0) -> CholeskyFactor:
        """Factors A + beta I (or A A' + beta I, A' A + beta I), and returns the factor itself.

        `ldl` chooses the form of what is returned later; None leaves it.
        """
        symmetric = self._symmetric(A, beta)
        if ldl is not None:
            self.is_ll = not ldl
        self._A = None
        self._solver.factorize(symmetric)
        self._A = symmetric
        return self

    def update(self, C: Any) -> CholeskyFactor:
        """Factors A + C C' by a new factorization; returns the factor itself."""
        return self._add(C, 1)

    def downdate(self, C: Any) -> CholeskyFactor:
        """Factors A - C C' by a new factorization; returns the factor itself.  When it fails, the
        factor is as it was."""
        return self._add(C, -1)

    def _add(self, C: Any, sign: int) -> CholeskyFactor:
        self._need_factor()
        C = C.reshape((-1, 1)).tocsc() if C.ndim == 1 else C.tocsc()
        if C.shape[0] != self.N:
            raise InvalidArgumentError(f"C has {C.shape[0]} rows, must have {self.N}")
        return self._replace((self._A + sign * (C @ C.T)).tocsc())

    def rowadd(self, k: int, C: Any) -> CholeskyFactor:
        """Sets row and column k of A to C, by a new factorization; returns the factor itself.

        `C` is a sparse array of N entries, or N x 1.  `k` counts rows of A, not of P A P'.  When
        the factorization fails, the factor is as it was.
        """
        from scipy import sparse

        self._need_row(k)
        if not sparse.issparse(C) or C.ndim not in (1, 2):
            raise InvalidArgumentError(f"C is {type(C).__name__}, must be a sparse array")
        if C.shape not in ((self.N,), (self.N, 1)):
            raise InvalidArgumentError(f"C has shape {C.shape}, must have {self.N} rows")
        C = (C.reshape((-1, 1)) if C.ndim == 1 else C).tocoo()
        return self._set_row(k, C.row, C.data)

    def rowdel(self, k: int) -> CholeskyFactor:
        """Sets row and column k of A to those of the identity, by a new factorization; returns the
        factor itself."""
        self._need_row(k)
        return self._set_row(k, np.array([k]), np.ones(1, self.dtype))

    def resymbol(self, A: Any, is_permuted: bool = True) -> CholeskyFactor:
        """Checks the shape of A, and returns the factor itself: L never holds entries that a
        downdate or :meth:`rowdel` has made superfluous."""
        self._need_factor()
        check_square(A)
        if A.shape[0] != self.N:
            raise InvalidArgumentError(f"A has {A.shape[0]} rows, must have {self.N}")
        return self

    def _set_row(self, k: int, rows: Any, values: Any) -> CholeskyFactor:
        """Sets row and column k of A: the entries in `rows` to `values`, the others to zero."""
        from scipy import sparse

        A = self._A.tocoo()
        kept = (A.row != k) & (A.col != k)
        below = rows != k  # The diagonal entry is in column k alone.
        column, row = np.full(rows.size, k), np.full(np.count_nonzero(below), k)
        data = np.concatenate((A.data[kept], values, values[below])).astype(self.dtype)
        i = np.concatenate((A.row[kept], rows, row))
        j = np.concatenate((A.col[kept], column, rows[below]))
        return self._replace(sparse.csc_array((data, (i, j)), shape=A.shape))

    def _replace(self, A: Any) -> CholeskyFactor:
        """Factors A instead of the present matrix."""
        solver = copy.copy(self._solver)
        solver.factorize(A)
        self._solver, self._A = solver, A
        return self

    def _need_row(self, k: int) -> None:
        self._need_factor()
        if not 0 <= k < self.N:
            raise IndexError(f"row {k} is out of bounds, the matrix has {self.N} rows")

    def change_factor(self, kind: str) -> CholeskyFactor:
        """Chooses the form of what is returned: "LL" or "LDL"."""
        if kind not in ("LL", "LDL"):
            raise ValueError(f"kind is {kind!r}, must be 'LL' or 'LDL'")
        self.is_ll = kind == "LL"
        return self

    def copy(self) -> CholeskyFactor:
        """A copy with a factor of its own, which is computed anew."""
        other = copy.copy(self)
        other._solver = copy.copy(self._solver)
        if self._A is not None:
            other._solver.factorize(self._A)
        return other

    # ---- Solves ----

    def solve(self, b: Any, system: str = "A") -> Any:
        """x of A x = b, or of another system: "LDLt", "LD", "DLt", "L", "Lt", "D"; "P" and "Pt"
        multiply.  In the form "LL", D is the identity."""
        self._need_factor()
        if system not in _SYSTEMS:
            raise ValueError(f"system is {system!r}, must be one of {', '.join(_SYSTEMS)}")
        name = _SYSTEMS[system][0 if self.is_ll else 1]
        if not name:
            return b.copy()
        return Parts(self._solver).solve(name, b)

    # ---- The factor ----

    def get_factor(self, kind: str | None = None, lower: bool | None = None) -> Any:
        """L as a csc_array in the form "LL", (L, D) in the form "LDL"; transposed unless
        `lower`.  None stands for what was chosen before."""
        from scipy import sparse

        self._need_factor()
        kind = kind or ("LL" if self.is_ll else "LDL")
        if kind not in ("LL", "LDL"):
            raise ValueError(f"kind is {kind!r}, must be 'LL' or 'LDL'")
        L = Parts(self._solver).factor()
        D = None
        if kind == "LDL":
            L, d = unit_factor(L)
            D = sparse.diags_array(d)
        L.eliminate_zeros()
        if not (self.is_lower if lower is None else lower):
            L = L.T.tocsc()
        return L if D is None else (L, D)

    def get_perm(self) -> Any:
        """The permutation p: P A P' is A[p][:, p]."""
        return Parts(self._solver).permutation()

    @property
    def L(self) -> Any:
        """The lower triangular factor, of the present form."""
        factor = self.get_factor(lower=True)
        return factor if self.is_ll else factor[0]

    @property
    def R(self) -> Any:
        """The upper triangular factor, of the present form."""
        factor = self.get_factor(lower=False)
        return factor if self.is_ll else factor[0]

    @property
    def D(self) -> Any:
        """The diagonal matrix D of the form "LDL"."""
        return self.get_factor(kind="LDL")[1]

    @property
    def perm(self) -> Any:
        """The permutation."""
        return self.get_perm()

    @property
    def N(self) -> int:
        """Number of rows."""
        return self._solver.n

    @property
    def nnz(self) -> int:
        """Entries of L."""
        return self._solver.analysis_report.nnz_l

    @property
    def dtype(self) -> Any:
        """Type of the entries."""
        return self._solver.dtype

    @property
    def rcond(self) -> float:
        """(min L(i,i) / max L(i,i))^2, a rough estimate of the reciprocal condition; -1.0 before
        the factorization."""
        if self._A is None:
            return -1.0
        d = self._solver.diagonal()
        return float((d.min() / d.max()) ** 2)

    def logdet(self) -> float:
        """log(det(A))."""
        self._need_factor()
        return self._solver.logdet()

    def slogdet(self) -> tuple[float, float]:
        """(1.0, log(det(A)))."""
        return 1.0, self.logdet()

    def det(self) -> float:
        """det(A)."""
        return float(np.exp(self.logdet()))

    def inv(self) -> Any:
        """The inverse of A as a csc_array; it is usually full."""
        from scipy import sparse

        return self.solve(sparse.eye_array(self.N, format="csc", dtype=self.dtype))

    @property
    def solver(self) -> Solver:
        """The solver that holds the factor: its options and reports."""
        return self._solver

    def _need_factor(self) -> None:
        if self._A is None:
            raise InvalidArgumentError("no matrix has been factored; call factorize() first")


def cho_factor(
    A: Any,
    beta: float = 0.0,
    *,
    lower: bool = False,
    order: str | None = "default",
    sym_kind: str | None = None,
    supernodal_mode: str | None = None,
) -> CholeskyFactor:
    """The factor of A + beta I in the form "LL"; one triangle of A is read."""
    factor = CholeskyFactor(
        A, lower=lower, order=order, sym_kind=sym_kind, supernodal_mode=supernodal_mode
    )
    return factor.factorize(A, ldl=False, beta=beta)


def ldl_factor(
    A: Any,
    beta: float = 0.0,
    *,
    lower: bool = True,
    order: str | None = "default",
    sym_kind: str | None = None,
    supernodal_mode: str | None = None,
) -> CholeskyFactor:
    """The factor of A + beta I in the form "LDL"; A must be positive definite."""
    factor = CholeskyFactor(
        A, lower=lower, order=order, sym_kind=sym_kind, supernodal_mode=supernodal_mode
    )
    return factor.factorize(A, ldl=True, beta=beta)


def cholesky(
    A: Any, beta: float = 0.0, *, lower: bool = False, order: str | None = "default"
) -> tuple[Any, Any]:
    """(R, p) of A[p][:, p] = R' R, or (L, p) of L L' if `lower`."""
    factor = cho_factor(A, beta, lower=lower, order=order)
    return factor.get_factor(), factor.get_perm()


def ldl(
    A: Any, beta: float = 0.0, *, lower: bool = True, order: str | None = "default"
) -> tuple[Any, Any, Any]:
    """(L, D, p) of A[p][:, p] = L D L', or (R, D, p) of R' D R unless `lower`."""
    factor = ldl_factor(A, beta, lower=lower, order=order)
    return (*factor.get_factor(), factor.get_perm())


def cho_solve(A: Any, b: Any, *, lower: bool = False, order: str | None = "default") -> Any:
    """x of A x = b, for a matrix A of which one triangle is read."""
    return cho_factor(compressed(A).tocsc(), lower=lower, order=order).solve(b)
