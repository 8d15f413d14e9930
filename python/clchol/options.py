"""Options of a solver."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from typing import TypedDict

    from numpy.typing import ArrayLike

    class OptionKeywords(TypedDict, total=False):
        ordering: str
        effort: str
        seed: int
        expected_factorizations: int
        expected_solves: int
        permutation: ArrayLike | None
        compress: bool
        amalgamate: bool
        precision: str
        scaling: str
        estimate_condition: bool
        tolerance: float
        max_refine_steps: int
        error_checks: str
        host_bytes: int
        device_bytes: int
        scratch_directory: str | os.PathLike[str]
        engine: str
        devices: str | int | Sequence[str | int]
        threads: int
        progress: Callable[[float, float], object] | None


@dataclasses.dataclass(frozen=True, eq=False)
class Options:
    """What a caller chooses.  The fields are the keywords of :class:`clchol.Solver`."""

    ordering: str = "auto"
    """"auto", "amd", "md" (minimum degree), "mmd" (multiple minimum degree), "nd" (nested
    dissection), "natural" or "given".  "nd:fast" and "nd:best" set `effort` too."""
    effort: str = "balanced"
    """How long nested dissection searches for small separators: "fast", "balanced" or "best"."""
    seed: int = 1
    """Seed of the random numbers in nested dissection."""
    expected_factorizations: int = 1
    """Number of factorizations that an analysis will serve.  For more of them, the ordering
    "auto" searches longer."""
    expected_solves: int = 1
    """Number of right-hand sides that each factorization will serve."""
    permutation: Any = None
    """For the ordering "given": the row that is eliminated k-th is permutation[k], from 0.  With
    the ordering "auto" it makes the ordering "given"."""
    compress: bool = True
    """Whether rows with equal patterns are ordered as one."""
    amalgamate: bool = True
    """Whether small fronts are merged where that saves time, at the cost of explicit zeros."""
    precision: str = "auto"
    """Precision of L: "auto" (that of the solver), "double", "single" (x is single too) or
    "mixed" (L is single, x is refined to double)."""
    scaling: str = "auto"
    """Whether the matrix is scaled by powers of two: "never", "auto" or "always"."""
    estimate_condition: bool = False
    """Whether each factorization estimates the reciprocal condition, for FactorReport.rcond."""
    tolerance: float = 0.0
    """Normwise backward error that a solve asks for; 0: 1e-15, in single precision 1e-6."""
    max_refine_steps: int = 30
    """Greatest number of refinement steps for a right-hand side."""
    error_checks: str = "auto"
    """For which solutions errors are computed: "auto" (that is "every_solve"), "every_solve",
    "first_solve" or "never"."""
    host_bytes: int = 0
    """Limit of host memory in bytes; 0: the free memory."""
    device_bytes: int = 0
    """Limit of memory of each device in bytes; 0: 19/20 of the memory of the device."""
    scratch_directory: str = ""
    """Directory for the parts of L for which host memory has no room; "": no file is made."""
    engine: str = "auto"
    """What factors and solves: "auto", "cpu" or "opencl"."""
    devices: tuple[str, ...] = ()
    """OpenCL devices, each by its number ("0" or 0), as "platform:device" or by a part of its
    name.  Several devices share one factor."""
    threads: int = 0
    """Greatest number of threads, up to 256; 0: as many as the process may use."""
    progress: Callable[[float, float], object] | None = None
    """Is called as progress(done, total) during factorizations, with flops, at most 20 times a
    second, by any thread.  An exception ends the factorization.  It must not use the solver,
    except for cancel()."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        name, colon, effort = str(self.ordering).partition(":")
        if name == "nd" and colon:
            put(self, "ordering", name)
            put(self, "effort", effort)
        if self.permutation is not None:
            permutation = np.asarray(self.permutation)
            if permutation.dtype.kind not in "iu" or permutation.ndim != 1:
                raise TypeError("permutation must be a vector of integers")
            put(self, "permutation", permutation)
            if self.ordering == "auto":
                put(self, "ordering", "given")
        put(self, "scratch_directory", os.fspath(self.scratch_directory))
        devices = self.devices
        if isinstance(devices, (str, int)):
            devices = (devices,)
        put(self, "devices", tuple(str(device) for device in devices))
        if self.progress is not None and not callable(self.progress):
            raise TypeError("progress must be a callable or None")

    def changed(self, changes: dict[str, Any]) -> Options:
        """A copy with other values.  Another ordering than "given" drops the permutation."""
        unknown = [name for name in changes if name not in self.__dataclass_fields__]
        if unknown:
            raise TypeError(f"there is no option {unknown[0]!r}")
        if changes.get("ordering", "given") != "given":
            changes = {"permutation": None, **changes}
        if str(changes.get("ordering", "")).startswith("nd:"):
            changes = {**changes, "effort": "balanced"}  # __post_init__ takes it from the name.
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """What the extension module takes."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        del values["progress"]
        permutation = values["permutation"]
        values["permutation"] = [] if permutation is None else permutation.tolist()
        values["devices"] = list(values["devices"])
        return values
