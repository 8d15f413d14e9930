"""Sparse Cholesky direct solver for CPUs and OpenCL devices.

>>> import clchol, numpy as np, scipy.sparse as sp
>>> A = sp.csc_array(np.array([[4.0, -1, 0], [-1, 4, -1], [0, -1, 4]]))
>>> F = clchol.cholesky(A)              # as in scikit-sparse
>>> F(np.array([3.0, 2, 3])).round(12)
array([1., 1., 1.])
>>> with clchol.Solver() as solver:     # all options, reports, refactorization
...     x = solver.factorize(A).solve(np.array([3.0, 2, 3]))

Every name is loaded when it is first used: ``import clchol`` alone loads neither NumPy nor the
library.
"""

from importlib import import_module as _import_module

# The module of each public name.
_MODULES = {
    "Solver": "solver",
    "Options": "options",
    "AnalysisReport": "reports",
    "FactorReport": "reports",
    "SolveReport": "reports",
    "DeviceSetup": "reports",
    "DevicePart": "reports",
    "HostMode": "reports",
    "DeviceMode": "reports",
    "AssemblyTree": "reports",
    "Error": "errors",
    "InvalidArgumentError": "errors",
    "NotPositiveDefiniteError": "errors",
    "CancelledError": "errors",
    "OutOfMemoryError": "errors",
    "DeviceError": "errors",
    "FileError": "errors",
    "AccuracyWarning": "errors",
    "spsolve": "functions",
    "factorized": "functions",
    "cholesky": "cholmod",
    "cholesky_AAt": "cholmod",
    "analyze": "cholmod",
    "analyze_AAt": "cholmod",
    "Factor": "cholmod",
    "CholeskyFactor": "cholesky_factor",
    "cho_factor": "cholesky_factor",
    "cho_solve": "cholesky_factor",
}
_SUBMODULES = ("cholmod", "plot")

__all__ = [*_MODULES, *_SUBMODULES, "__version__"]


def __getattr__(name):
    if name in _MODULES:
        value = getattr(_import_module("." + _MODULES[name], __name__), name)
    elif name in _SUBMODULES:
        value = _import_module("." + name, __name__)
    elif name == "__version__":
        value = _import_module("._clchol", __name__).version()
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # The next access finds it at once.
    return value


def __dir__():
    return __all__
