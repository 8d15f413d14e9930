"""Exceptions and warnings of the package."""

from __future__ import annotations

from numpy.linalg import LinAlgError


class Error(Exception):
    """Base class of all exceptions of the package, but for ``TypeError`` and
    ``KeyboardInterrupt``."""


class InvalidArgumentError(Error, ValueError):
    """A bad argument or unsuitable input; nothing was changed."""


class NotPositiveDefiniteError(Error, LinAlgError):
    """The matrix is not positive definite.

    Attributes
    ----------
    row : int
        First row with a pivot that is not positive, from 0, in the numbering of the matrix.
    pivot : float
        The pivot in this row.
    diagonal : float
        The diagonal entry of the matrix in this row.
    """

    def __init__(self, message: str, row: int, pivot: float, diagonal: float):
        super().__init__(message, row, pivot, diagonal)  # All of them, so that pickling works.
        self.row = row
        self.pivot = pivot
        self.diagonal = diagonal

    def __str__(self) -> str:
        return str(self.args[0])


class CancelledError(Error):
    """The call was ended by :meth:`clchol.Solver.cancel`."""


class OutOfMemoryError(Error, MemoryError):
    """A limit of memory would be exceeded, or an allocation has failed."""


class DeviceError(Error, RuntimeError):
    """An OpenCL device or its driver failed."""


class FileError(Error, OSError):
    """A scratch file failed."""


class AccuracyWarning(RuntimeWarning):
    """The accuracy asked for was not reached, or the matrix is nearly singular."""
