"""Pictures of a matrix, of its assembly tree and of the time that was spent; needs matplotlib.

Each function draws into `ax`, or into a new figure, and returns the axes.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .solver import Solver

__all__ = ["spy", "timeline", "tree"]


def spy(A: Any, permutation: ArrayLike | None = None, ax: Any = None, bins: int = 250) -> Any:
    """Draws where A has entries, in the order `permutation` of rows and columns.

    A large matrix is divided into at most `bins` x `bins` blocks; the darker a block, the more
    entries it has.  A is a sparse matrix, such as ``solver.factor()``.
    """
    ax = _axes(ax)
    entries = A.tocoo()
    row, column = entries.row, entries.col
    n = A.shape[0]
    if permutation is not None:
        position = np.empty(n, np.int64)
        position[np.asarray(permutation)] = np.arange(n)
        row, column = position[row], position[column]
    blocks = min(n, bins)
    count, _, _ = np.histogram2d(row, column, bins=blocks, range=[[0, n], [0, n]])
    largest = max(count.max(), 1)
    shade = np.where(count > 0, 0.35 + 0.65 * np.log1p(count) / np.log1p(largest), 0.0)
    ax.imshow(shade, cmap="Greys", vmin=0, vmax=1, extent=(0, n, n, 0), interpolation="nearest")
    ax.set_xlabel(f"{len(row):,} entries")
    return ax


def tree(solver: Solver, ax: Any = None) -> Any:
    """Draws the assembly tree: a dot for each front, as large as the front has rows, and as dark
    as its factorization has flops; roots are at the top."""
    from matplotlib.collections import LineCollection

    ax = _axes(ax)
    fronts = solver.assembly_tree()
    parent = fronts.super_parent
    x, y = _tree_layout(parent)
    below = np.flatnonzero(parent >= 0)
    ends = np.stack([np.stack([x, y], 1)[below], np.stack([x, y], 1)[parent[below]]], 1)
    ax.add_collection(LineCollection(list(ends), colors="0.7", linewidths=0.6, zorder=1))
    columns = np.diff(fronts.super_ptr).astype(float)
    rows = fronts.nrow.astype(float)
    flops = columns * rows**2 - columns**2 * rows + columns**3 / 3
    dots = ax.scatter(
        x, y, s=120 * rows / rows.max() + 2, c=np.log10(flops + 1), cmap="viridis_r", zorder=2
    )
    ax.figure.colorbar(dots, ax=ax, label="log10 of flops")
    ax.set_xticks([])
    ax.set_ylabel("height")
    ax.set_title(f"{len(rows):,} fronts, the largest {int(rows.max()):,} x {int(rows.max()):,}")
    return ax


def timeline(source: Solver | str | os.PathLike[str], ax: Any = None) -> Any:
    """Draws what took how long.

    `source` is a solver, whose reports have the time of each phase, or a file that the command
    ``clchol solve A.mtx --trace FILE`` has written, which has every phase and each kernel of a
    device on the time axis.
    """
    ax = _axes(ax)
    if isinstance(source, (str, os.PathLike)):
        rows, bars = _trace_bars(source)
    else:
        rows, bars = _report_bars(source)
    scale, unit = _unit(max((start + length for _, start, length, _ in bars), default=0.0))
    colours: dict[str, str] = {}
    for row, start, length, name in bars:
        colour = colours.setdefault(name, f"C{len(colours) % 10}")
        ax.barh(row, length * scale, left=start * scale, color=colour, height=0.7)
    ax.set_yticks(range(len(rows)), rows)
    ax.invert_yaxis()
    ax.set_xlabel(f"time [{unit}]")
    if isinstance(source, (str, os.PathLike)):
        from matplotlib.patches import Patch

        ax.legend(handles=[Patch(color=c, label=name) for name, c in list(colours.items())[:10]])
    return ax


def _report_bars(solver: Solver) -> tuple[list[str], list[tuple[int, float, float, str]]]:
    analysis, factor, solve = solver.analysis_report, solver.factor_report, solver.solve_report
    phases = [
        ("order", analysis.order_s),
        ("symbolic", analysis.symbolic_s),
        ("load", factor.load_s),
        ("set up", factor.setup_s),
        ("factor", factor.factor_s),
        ("condition", factor.condition_s),
        ("solve", solve.solve_s),
        ("refine", solve.refine_s),
    ]
    phases = [(name, seconds) for name, seconds in phases if seconds > 0]
    bars = []
    start = 0.0
    for row, (name, seconds) in enumerate(phases):
        bars.append((row, start, seconds, name))
        start += seconds
    return [name for name, _ in phases], bars


def _trace_bars(
    path: str | os.PathLike[str],
) -> tuple[list[str], list[tuple[int, float, float, str]]]:
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names: dict[tuple[int, int], str] = {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[event["pid"], event["tid"]] = event["args"]["name"]
    rows = {track: row for row, track in enumerate(names)}
    bars = [
        (rows[event["pid"], event["tid"]], event["ts"] / 1e6, event["dur"] / 1e6, event["name"])
        for event in events
        if event["ph"] == "X"
    ]
    return list(names.values()), bars


def _unit(seconds: float) -> tuple[float, str]:
    for scale, unit in ((1.0, "s"), (1e3, "ms")):
        if seconds * scale >= 1:
            return scale, unit
    return 1e6, "us"


def _tree_layout(parent: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Places of the fronts: leaves side by side, parents above the middle of their children."""
    count = len(parent)
    height = np.zeros(count)
    total = np.zeros(count)  # Sum of the children's places.
    children = np.zeros(count)
    x = np.empty(count)
    leaves = 0
    for s in range(count):  # A postorder: children come first.
        if children[s] == 0:
            x[s] = leaves
            leaves += 1
        else:
            x[s] = total[s] / children[s]
        p = parent[s]
        if p >= 0:
            total[p] += x[s]
            children[p] += 1
            height[p] = max(height[p], height[s] + 1)
    return x, height


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("clchol.plot needs matplotlib:  pip install matplotlib") from error
    return pyplot.subplots(layout="constrained")[1]
