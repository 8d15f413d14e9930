"""clchol.plot: what is drawn."""

import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import clchol
from matrices import grid3d


@pytest.fixture
def ax():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot.figure().add_subplot()
    pyplot.close("all")


def test_spy_draws_each_entry_of_a_small_matrix(ax):
    A = sp.csc_array([[1.0, 0, 5], [0, 2, 0], [5, 0, 3]])
    image = clchol.plot.spy(A, ax=ax).images[0].get_array()
    assert (image > 0).tolist() == (A.toarray() != 0).tolist()
    moved = clchol.plot.spy(A, permutation=[1, 0, 2], ax=ax).images[1].get_array()
    assert (moved > 0).tolist() == (A.toarray()[[1, 0, 2]][:, [1, 0, 2]] != 0).tolist()


def test_spy_divides_a_large_matrix_into_blocks(ax):
    image = clchol.plot.spy(grid3d(8), ax=ax, bins=64).images[0].get_array()
    assert image.shape == (64, 64) and (np.diagonal(image) == image.max()).all()


def test_tree_draws_each_front(ax):
    solver = clchol.Solver().analyze(grid3d(6))
    tree = solver.assembly_tree()
    clchol.plot.tree(solver, ax=ax)
    lines, dots = ax.collections
    assert len(dots.get_offsets()) == len(tree.nrow)
    assert len(lines.get_segments()) == (tree.super_parent >= 0).sum()
    y = dots.get_offsets()[:, 1]
    child = np.flatnonzero(tree.super_parent >= 0)
    assert (y[tree.super_parent[child]] > y[child]).all()


def test_timeline_of_a_solver_has_the_phases(ax):
    solver = clchol.Solver().factorize(grid3d(6))
    solver.solve(np.ones(216))
    clchol.plot.timeline(solver, ax=ax)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[:2] == ["order", "symbolic"] and "factor" in labels and "solve" in labels
    assert len(ax.patches) == len(labels)


def test_timeline_of_a_trace(ax, tmp_path):
    events = [
        {"name": "process_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "host"}},
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "phases"}},
        {"name": "factor", "ph": "X", "ts": 1000.0, "dur": 3000.0, "pid": 1, "tid": 1},
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"traceEvents": events}))
    clchol.plot.timeline(path, ax=ax)
    (bar,) = ax.patches
    assert (bar.get_x(), bar.get_width()) == (1.0, 3.0) and ax.get_xlabel() == "time [ms]"


def test_without_matplotlib_it_says_what_is_missing():
    program = """
import sys
sys.modules["matplotlib"] = None  # As if it were not installed.
import clchol, scipy.sparse as sp
try:
    clchol.plot.spy(sp.eye_array(3))
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "clchol.plot needs matplotlib" in done.stdout, done.stderr
