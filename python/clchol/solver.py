"""The solver with all options."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _clchol
from .errors import (
    AccuracyWarning,
    CancelledError,
    InvalidArgumentError,
    NotPositiveDefiniteError,
)
from .inputs import TRIANGLES, Pattern, check_real, compressed, data_of, pattern_of, values_of
from .options import Options
from .reports import AnalysisReport, AssemblyTree, DeviceMode, FactorReport, HostMode, SolveReport

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, DTypeLike, NDArray
    from typing_extensions import Self, Unpack

    from .options import OptionKeywords

_CORES: dict[Any, Callable[[], _clchol.Solver64]] = {
    np.dtype(np.float64): _clchol.Solver64,
    np.dtype(np.float32): _clchol.Solver32,
}
_PARTS = {"permute": 0, "forward": 1, "backward": 2, "unpermute": 3}


class Solver:
    """Solves A x = b for a sparse symmetric positive definite A.

    Parameters
    ----------
    dtype : float64 (default) or float32
        Type of the entries of A, b and x; what is passed is converted to it.
    triangle : "both" (default), "lower" or "upper"
        The entries of A that are read.  "both": the whole matrix is stored, and it must be
        symmetric but for rounding.  "lower", "upper": entries in the other triangle are ignored.
    **options
        The fields of :class:`clchol.Options`, such as ``threads=2`` or ``ordering="nd"``.

    A is a csc or csr matrix or array of SciPy, with int32 or int64 indices, which is read where it
    lies; other formats are converted to csc.

    >>> import clchol, numpy as np, scipy.sparse as sp
    >>> A = sp.diags_array([[-1.0] * 4, [4.0] * 5, [-1.0] * 4], offsets=[-1, 0, 1], format="csc")
    >>> solver = clchol.Solver(threads=1)
    >>> x = solver.factorize(A).solve(np.ones(5))
    >>> bool(abs(A @ x - 1).max() < 1e-15)
    True
    >>> solver.refactorize(2 * A).solve(A @ np.ones(5))
    array([0.5, 0.5, 0.5, 0.5, 0.5])

    Threads of Python may use one solver: solves run at the same time, other calls wait for each
    other.  The GIL is released.  Ctrl-C ends every call; there is no factor then.

    A solver can be pickled: the copy has the options, but for `progress`, and the analysis, but no
    factor.  As a context manager, it is closed at the end.
    """

    __slots__ = ("__weakref__", "_core", "_dtype", "_options", "_pattern", "_progress", "_triangle")

    def __init__(
        self,
        *,
        dtype: DTypeLike = np.float64,
        triangle: str = "both",
        **options: Unpack[OptionKeywords],
    ) -> None:
        self._dtype = np.dtype(dtype)
        if self._dtype.kind == "c":
            raise TypeError("clchol solves in float64 and float32 alone, not in complex numbers")
        if self._dtype not in _CORES:
            raise TypeError(f"dtype is {self._dtype}, must be float64 or float32")
        if triangle not in TRIANGLES:
            raise InvalidArgumentError(
                f"triangle is {triangle!r}, must be 'lower', 'upper' or 'both'"
            )
        self._triangle = TRIANGLES[triangle]
        self._pattern: Pattern | None = None  # A copy of what was analysed.
        self._core = _CORES[self._dtype]()
        self._options = Options()
        self._progress: Callable[[float, float], object] | None = None
        self.set_options(**options)

    # ---- Options ----

    @property
    def options(self) -> Options:
        """The present options."""
        return self._options

    def set_options(self, **changes: Unpack[OptionKeywords]) -> None:
        """Changes options.  They take effect in the next call that reads them."""
        options = self._options.changed(dict(changes))
        self._core.set_options(options.as_dict())
        self._options = options
        self._progress = options.progress

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the entries of A, b and x."""
        return self._dtype

    @property
    def triangle(self) -> str:
        """The entries of A that are read."""
        return list(TRIANGLES)[self._triangle]

    # ---- Analysis and factorization ----

    def analyze(self, A: Any) -> Self:
        """Orders and analyses the pattern of A; values are not read.  Returns the solver."""
        return self._analysed(compressed(A), self._core.analyze)

    def factorize(self, A: Any) -> Self:
        """Factors A, and analyses it first unless its pattern has been analysed.

        Returns the solver.  Raises :class:`clchol.NotPositiveDefiniteError`.
        """
        A = compressed(A)
        pattern = pattern_of(A, self._triangle)
        data = data_of(A, len(pattern.indices), self._dtype)
        try:
            status = self._core.factorize(*pattern, data, self._progress)
        except InvalidArgumentError as error:
            if "not symmetric" in str(error):
                raise InvalidArgumentError(
                    f"{error}; triangle='lower' or 'upper' reads one triangle alone"
                ) from None
            raise
        except BaseException:
            self._keep(pattern)
            raise
        self._keep(pattern)
        if status != "ok":
            self._raise(status)
        return self

    def refactorize(self, A: Any) -> Self:
        """Factors new values on the analysed pattern.

        A is a matrix of the same pattern, which is checked, or the vector of its values
        ``A.data``, in the order of the matrix that was analysed.  Returns the solver.
        """
        if type(A) is np.ndarray:
            if A.ndim != 1:
                raise InvalidArgumentError(
                    f"the values have the shape {A.shape}, must be a vector like A.data"
                )
            status = self._core.refactorize_values(values_of(A, self._dtype), self._progress)
        else:
            A = compressed(A)
            pattern = pattern_of(A, self._triangle)
            data = data_of(A, len(pattern.indices), self._dtype)
            status = self._core.refactorize(*pattern, data, self._progress)
        if status != "ok":
            self._raise(status)
        return self

    # ---- Solve ----

    def solve(self, b: Any, out: NDArray[Any] | None = None) -> Any:
        """Solves A x = b with refinement, and returns x.

        Parameters
        ----------
        b : (n,) or (n, k) array, or sparse matrix
            Right-hand sides.  One dimension, or a matrix in Fortran's order, is read where it
            lies; a matrix in C's order costs a copy.
        out : array like x, optional
            Receives x.  It must have the solver's dtype, and be a contiguous vector or a matrix
            in Fortran's order; it may be b.

        Returns
        -------
        x : array of b's shape
            In Fortran's order where b is a matrix; sparse where b is sparse.

        `solve_report` has the errors of x.  When the accuracy asked for was not reached, an
        :class:`clchol.AccuracyWarning` says so, and x is the best that was found.
        """
        if type(b) is not np.ndarray:
            if hasattr(b, "tocsc"):
                from .parts import by_columns

                if out is not None:
                    raise InvalidArgumentError("out must be None where b is sparse")
                return by_columns(self.solve, b)
            b = np.asarray(b)
        dtype = self._dtype
        if out is None:
            x = np.empty(b.shape, dtype, "F")
        else:
            x = out
            self._check_out(b, x)
        if b.dtype is not dtype or not b.flags.f_contiguous:
            check_real(b.dtype, "b")
            x[...] = b
            b = x
        status = self._core.solve(b, x)
        if status != "ok":
            self._raise(status)
        return x

    def _check_out(self, b: NDArray[Any], x: NDArray[Any]) -> None:
        if not isinstance(x, np.ndarray) or x.dtype != self._dtype:
            raise TypeError(f"out must be an array of {self._dtype}")
        if x.shape != b.shape:
            raise InvalidArgumentError(f"out has the shape {x.shape}, must have {b.shape} of b")
        if not x.flags.f_contiguous or not x.flags.writeable:
            raise InvalidArgumentError(
                "out must be writeable, and a contiguous vector or a matrix in Fortran's order"
            )
        if x is not b and np.may_share_memory(b, x) and x.ctypes.data != b.ctypes.data:
            raise InvalidArgumentError("out overlaps b; it must be b or lie elsewhere")

    def solve_part(self, part: str, b: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Computes one part of a solve with the factor of P S A S P' = L L'.

        "permute" returns P S b, "forward" L^-1 b, "backward" L^-T b, "unpermute" S P' b; the four
        in this order make A^-1 b.
        """
        if part not in _PARTS:
            raise InvalidArgumentError(f"part is {part!r}, must be one of {', '.join(_PARTS)}")
        b = np.asarray(b)
        check_real(b.dtype, "b")
        x = np.empty(b.shape, self._dtype, "F") if out is None else out
        self._check_out(b, x)
        x[...] = b
        self._core.solve_part(_PARTS[part], x)
        return x

    # ---- Files ----

    def save_analysis(self, path: str | os.PathLike[str]) -> None:
        """Writes the analysis to a file; a name that ends in ".gz" is compressed."""
        self._core.save_analysis(os.fspath(path))

    def load_analysis(self, A: Any, source: str | os.PathLike[str] | bytes) -> Self:
        """Does the work of analyze(A) by reading a file of save_analysis(), or its bytes."""
        if isinstance(source, bytes):
            return self._analysed(compressed(A), self._core.load_analysis_bytes, source)
        return self._analysed(compressed(A), self._core.load_analysis, os.fspath(source))

    def analysis_bytes(self) -> bytes:
        """The bytes that save_analysis() would write."""
        return self._core.analysis_bytes()

    def save_factor(self, path: str | os.PathLike[str]) -> None:
        """Writes the factor, with its analysis but without A, to a file."""
        self._check(self._core.save_factor(os.fspath(path)))

    def load_factor(self, path: str | os.PathLike[str], A: Any = None) -> Self:
        """Reads a file of save_factor().

        Without A, solves compute no errors and do not refine, and refactorize() raises.
        """
        if A is None:
            status = self._core.load_factor(os.fspath(path))
            self._pattern = None
        else:
            A = compressed(A)
            pattern = pattern_of(A, self._triangle)
            data = data_of(A, len(pattern.indices), self._dtype)
            status = self._core.load_factor_of(*pattern, data, os.fspath(path))
            self._keep(pattern)
        self._check(status)
        return self

    # ---- Results ----

    @property
    def n(self) -> int:
        """Number of rows of the analysed matrix."""
        return self.analysis_report.n

    def factor(self) -> Any:
        """L of P S A S P' = L L' as a csc_array, with the explicit zeros of merged fronts."""
        from scipy import sparse

        indptr, indices, values = self._core.factor()
        n = len(indptr) - 1
        return sparse.csc_array((values, indices, indptr), shape=(n, n))

    def permutation(self) -> NDArray[Any]:
        """P as a permutation: the row that is eliminated k-th is permutation()[k], from 0."""
        return self._core.permutation()

    def scaling(self) -> NDArray[Any]:
        """The diagonal of S; all ones when the matrix was not scaled."""
        return self._core.scaling()

    def diagonal(self) -> NDArray[Any]:
        """The diagonal of L, in the order of elimination."""
        return self._core.diagonal()

    def logdet(self) -> float:
        """log(det(A))."""
        return self._core.log_determinant()

    def assembly_tree(self) -> AssemblyTree:
        """The fronts of the factor and their tree."""
        return AssemblyTree(*self._core.assembly_tree())

    @property
    def analysis_report(self) -> AnalysisReport:
        """Report of the present analysis."""
        return AnalysisReport(**self._core.analysis_report())

    @property
    def factor_report(self) -> FactorReport:
        """Report of the last factorization."""
        return FactorReport._of(self._core.factor_report())

    @property
    def solve_report(self) -> SolveReport:
        """Report of the solve that ended last, in whichever thread."""
        return SolveReport(**self._core.solve_report())

    def host_modes(self) -> list[HostMode]:
        """Predicted memory of a factorization on the CPU, in several modes."""
        return [HostMode(**mode) for mode in self._core.host_modes()]

    def device_modes(self) -> list[DeviceMode]:
        """Predicted memory and times of a factorization on the first device, in several modes."""
        return [DeviceMode(**mode) for mode in self._core.device_modes()]

    def predict_device_bytes(self) -> int:
        """Predicted bytes of device memory of a factorization; 0: the CPU would factor."""
        return self._core.predict_device_bytes()

    # ---- Control ----

    def cancel(self) -> None:
        """Ends the calls on this solver that run now: they raise :class:`clchol.CancelledError`.

        Any thread may call it, and the progress function.
        """
        self._core.cancel()

    def close(self) -> None:
        """Releases the memory.  Later calls raise :class:`clchol.InvalidArgumentError`."""
        self._core.close()
        self._pattern = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._core.is_closed:
            return "<clchol.Solver, closed>"
        status = f"n = {self.n}, {self.analysis_report.ordering}" if self.n else "no matrix"
        return f"<clchol.Solver of {self._dtype}, {status}, {self.factor_report.engine}>"

    # ---- Pickling ----

    def __reduce__(self) -> tuple[Any, ...]:
        options = self._options.changed({"progress": None})
        # The bytes are refused for a factor that was loaded without its matrix.
        saved = (self._core.analysis_bytes(), self._pattern) if self.n else None
        return _restored, (self._dtype.name, self.triangle, options.as_dict(), saved)

    # ---- Parts of the above ----

    def _analysed(self, A: Any, call: Callable[..., str], *rest: Any) -> Self:
        pattern = pattern_of(A, self._triangle)
        self._check(call(*pattern, *rest))
        self._keep(pattern)
        return self

    def _keep(self, pattern: Pattern) -> None:
        """Keeps a copy of the pattern, for pickling: the caller may change his own."""
        if not pattern.equals(self._pattern):
            self._pattern = pattern.copy()

    def _check(self, status: str) -> None:
        if status != "ok":
            self._raise(status)

    def _raise(self, status: str) -> None:
        """Raises the exception, or issues the warning, for how a call ended."""
        if status == "interrupted":
            raise CancelledError("the call was cancelled")
        if status == "accuracy_not_reached":
            warnings.warn(self.solve_report.message, AccuracyWarning, stacklevel=3)
            return
        report = self.factor_report
        if status == "singular":
            warnings.warn(report.message, AccuracyWarning, stacklevel=3)
            return
        assert report.row is not None
        raise NotPositiveDefiniteError(report.message, report.row, report.pivot, report.diagonal)


def _restored(
    dtype: str, triangle: str, options: dict[str, Any], saved: tuple[bytes, Pattern] | None
) -> Solver:
    """The solver of a pickle."""
    if not len(options["permutation"]):
        options = {**options, "permutation": None}
    solver = Solver(dtype=dtype, triangle=triangle, **options)
    if saved is not None:
        analysis, pattern = saved
        solver._check(solver._core.load_analysis_bytes(*pattern, analysis))
        solver._pattern = Pattern(*pattern)
    return solver
