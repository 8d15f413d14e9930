"""Checks what callers pass, and converts it to what the extension module takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .errors import InvalidArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_INT32 = np.dtype(np.int32)
_INT64 = np.dtype(np.int64)

# Numbers of the triangles, for arrays that are read by columns.
TRIANGLES = {"lower": 0, "upper": 1, "both": 2}
# The same triangles for arrays that are stored by rows: those of the transposed matrix.
_BY_ROWS = (1, 0, 2)


class Pattern(NamedTuple):
    """A pattern by columns, as the extension module takes it."""

    n: int
    indptr: NDArray[Any]
    indices: NDArray[Any]
    triangle: int

    def equals(self, other: Pattern | None) -> bool:
        return (
            other is not None
            and self.n == other.n
            and self.triangle == other.triangle
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
        )

    def copy(self) -> Pattern:
        return Pattern(self.n, self.indptr.copy(), self.indices.copy(), self.triangle)


def check_real(dtype: np.dtype[Any], name: str) -> None:
    """Raises TypeError unless values of `dtype` can be converted to real numbers."""
    if dtype.kind == "c":
        raise TypeError(f"{name} is complex; clchol solves in float64 and float32 alone")
    if dtype.kind not in "fiub":
        raise TypeError(f"{name} has values of type {dtype}, must be real numbers")


def values_of(data: Any, dtype: np.dtype[Any], name: str = "A") -> NDArray[Any]:
    """The values as a contiguous vector of `dtype`; the same array where it is one."""
    if data.dtype is dtype and data.flags.c_contiguous:
        return data  # type: ignore[no-any-return]
    check_real(data.dtype, name)
    return np.ascontiguousarray(data, dtype)


def compressed(A: Any) -> Any:
    """A sparse matrix of SciPy in a compressed format: csc or csr as it is, others as csc.

    Raises TypeError for anything else, and InvalidArgumentError unless A is square.
    """
    format = getattr(A, "format", None)
    if format != "csc" and format != "csr":
        if not hasattr(A, "tocsc") or not hasattr(A, "dtype"):
            raise TypeError(
                f"A is a {type(A).__module__}.{type(A).__qualname__}, must be a sparse matrix; "
                "scipy.sparse.csc_array(A) makes one"
            )
        check_square(A)
        A = A.tocsc()
    else:
        check_square(A)
    return A


def check_square(A: Any) -> None:
    shape = A.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InvalidArgumentError(f"A has the shape {shape}, must be square")
    if shape[0] == 0:
        raise InvalidArgumentError("A has the shape (0, 0), must have at least one row")


def pattern_of(A: Any, triangle: int) -> Pattern:
    """The pattern of a csc or csr matrix, without a copy where its arrays are contiguous and their
    types are those that the library reads."""
    indptr = A.indptr
    indices = A.indices
    if indices.dtype is not _INT32 or indptr.dtype is not _INT32:
        indptr, indices = _with_index_types(indptr, indices)
    if not (indices.flags.c_contiguous and indptr.flags.c_contiguous):
        indptr, indices = np.ascontiguousarray(indptr), np.ascontiguousarray(indices)
    if len(indptr) > 0 and len(indices) > indptr[-1] >= 0:  # SciPy allows space behind the entries.
        indices = indices[: indptr[-1]]
    if A.format == "csr":
        triangle = _BY_ROWS[triangle]
    return Pattern(A.shape[0], indptr, indices, triangle)


def _with_index_types(
    indptr: NDArray[Any], indices: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        raise TypeError("indptr and indices must have integers")
    if indices.dtype not in (_INT32, _INT64):
        indices = indices.astype(_INT64)
    if indptr.dtype != indices.dtype and indptr.dtype != _INT64:
        indptr = indptr.astype(_INT64)
    return indptr, indices


def data_of(A: Any, nnz: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The values of a csc or csr matrix with `nnz` entries."""
    data = A.data
    if len(data) > nnz:
        data = data[:nnz]
    return values_of(data, dtype)
