"""clchol.Solver: options, results, reports, files and pickles."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import clchol
from matrices import error_of, grid3d, random_spd

A = random_spd(60)
b = np.random.default_rng(1).standard_normal(60)


# ---- Options ----


@pytest.mark.parametrize("options, error, message", [
    ({"thread": 1}, TypeError, "thread"),
    ({"threads": "1"}, TypeError, "integer"),
    ({"threads": True}, TypeError, "integer"),
    ({"compress": 1}, TypeError, "True or False"),
    ({"tolerance": "x"}, TypeError, "number"),
    ({"ordering": "best"}, ValueError, "one of auto, amd"),
    ({"effort": "x"}, ValueError, "one of fast"),
    ({"permutation": [0.5]}, TypeError, "integers"),
    ({"progress": 1}, TypeError, "callable"),
    ({"host_bytes": 2**70}, TypeError, "suitable size"),
    ({"dtype": np.int32}, TypeError, "float64 or float32"),
    ({"dtype": complex}, TypeError, "complex"),
    ({"triangle": "left"}, ValueError, "both"),
])  # fmt: skip
def test_refuses_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        clchol.Solver(**options)


def test_the_library_checks_ranges():
    with pytest.raises(clchol.InvalidArgumentError, match="threads"):
        clchol.Solver(threads=-1).factorize(A)
    with pytest.raises(clchol.InvalidArgumentError, match="permutation"):
        clchol.Solver(permutation=[0, 0]).factorize(A)


def test_options_have_an_effect():
    reverse = np.arange(60)[::-1]
    solver = clchol.Solver(permutation=reverse, scaling="always", precision="mixed",
                           estimate_condition=True, threads=1)  # fmt: skip
    solver.factorize(A)
    assert solver.options.ordering == "given"
    assert sorted(solver.permutation()) == list(range(60))
    assert solver.analysis_report.ordering == "given"
    report = solver.factor_report
    assert report.scaled and report.precision == "single" and report.threads == 1
    assert 0 < report.rcond <= 1
    solver.set_options(ordering="nd:fast", precision="double")
    assert (solver.options.ordering, solver.options.effort) == ("nd", "fast")
    assert solver.options.permutation is None and solver.options.threads == 1
    with pytest.raises(clchol.InvalidArgumentError, match="changed since the analysis"):
        solver.refactorize(A)
    assert solver.factorize(A).analysis_report.ordering == "nd:fast"
    assert solver.factor_report.precision == "double"


def test_options_may_be_numbers_of_numpy():
    solver = clchol.Solver(threads=np.int64(1), tolerance=np.float32(0.5), seed=np.uint8(3))
    assert solver.factorize(A).factor_report.threads == 1


def test_a_bad_option_changes_nothing():
    solver = clchol.Solver(threads=1)
    with pytest.raises(TypeError):
        solver.set_options(seed=3, threads="x")
    assert (solver.options.seed, solver.options.threads) == (1, 1)


def test_devices_are_names_or_numbers():
    assert clchol.Options(devices=0).devices == ("0",)
    assert clchol.Options(devices="H200").devices == ("H200",)
    assert clchol.Options(devices=[0, "0:1"]).devices == ("0", "0:1")
    with pytest.raises(clchol.Error, match="no such device"):
        clchol.Solver(devices="no such device").factorize(A)


def test_memory_is_limited(tmp_path):
    big = grid3d(16)
    with pytest.raises(MemoryError) as caught:
        clchol.Solver(host_bytes=2**20).factorize(big)
    assert isinstance(caught.value, clchol.OutOfMemoryError)
    solver = clchol.Solver()
    least = solver.analyze(big).host_modes()[-1]
    assert least.is_least and least.is_out_of_core
    solver.set_options(host_bytes=least.host_bytes + 2**20, scratch_directory=tmp_path)
    x = solver.factorize(big).solve(np.ones(16**3))
    assert solver.factor_report.file_bytes > 0
    assert error_of(big, x, np.ones(16**3)) < 1e-15
    assert list(tmp_path.iterdir()) == []


def test_warns_when_the_accuracy_is_not_reached():
    hilbert = sp.csc_array(1.0 / (np.add.outer(np.arange(6), np.arange(6)) + 1))
    solver = clchol.Solver(precision="single", tolerance=1e-16, max_refine_steps=0)
    solver.factorize(hilbert)
    with pytest.warns(clchol.AccuracyWarning):
        solver.solve(np.arange(6.0))
    assert solver.solve_report.status == "accuracy_not_reached"


def test_warns_of_singular_matrices():
    nearly = sp.csc_array([[1.0, 1.0], [1.0, 1.0 + 2.3e-16]])
    with pytest.warns(clchol.AccuracyWarning):
        solver = clchol.Solver(estimate_condition=True).factorize(nearly)
    assert solver.factor_report.status == "singular"


# ---- Results and reports ----


def test_the_factor_is_that_of_the_scaled_and_permuted_matrix():
    solver = clchol.Solver(scaling="always").factorize(A)
    L, p, s = solver.factor(), solver.permutation(), solver.scaling()
    scaled = sp.diags_array(s) @ A @ sp.diags_array(s)
    # Rounding of sums of at most 60 products.
    assert abs(L @ L.T - scaled.tocsc()[p][:, p]).max() < 60 * 2.3e-16 * abs(scaled).max()
    assert (sp.tril(L) != L).nnz == 0
    assert (L.diagonal() == solver.diagonal()).all()
    np.testing.assert_allclose(solver.logdet(), np.linalg.slogdet(A.toarray())[1], rtol=1e-13)


def test_the_parts_make_a_solve():
    solver = clchol.Solver(scaling="always", max_refine_steps=0).factorize(A)
    B = np.stack([b, 2 * b], axis=1)
    for rhs in (b, B):
        x = rhs
        for part in ("permute", "forward", "backward", "unpermute"):
            x = solver.solve_part(part, x)
        np.testing.assert_allclose(x, solver.solve(rhs), rtol=1e-12)
    with pytest.raises(clchol.InvalidArgumentError, match="permute"):
        solver.solve_part("left", b)


def test_the_tree_covers_the_columns():
    tree = clchol.Solver().analyze(grid3d(6)).assembly_tree()
    assert tree.super_ptr[0] == 0 and tree.super_ptr[-1] == 216
    fronts = len(tree.super_parent)
    assert len(tree.nrow) == fronts == len(tree.super_ptr) - 1
    assert tree.super_parent[-1] == -1
    parents = tree.super_parent[tree.super_parent >= 0]
    assert (parents > np.flatnonzero(tree.super_parent >= 0)).all()


def test_reports():
    solver = clchol.Solver()
    assert solver.analysis_report.n == 0 and solver.factor_report.engine == "auto"
    solver.factorize(A).solve(b)
    assert solver.analysis_report.n == 60
    assert solver.analysis_report.nnz == sp.tril(A).nnz
    assert solver.factor_report.status == "ok" and solver.factor_report.row is None
    assert solver.factor_report.asymmetry == 0
    assert solver.solve_report.backward_error < 1e-15
    with pytest.raises(AttributeError):
        solver.solve_report.status = "x"
    solver.set_options(error_checks="never")
    solver.solve(b)
    assert solver.solve_report.backward_error is None
    assert "amd" in repr(solver) or "nd" in repr(solver)


# ---- Files and pickles ----


def test_saves_and_loads_an_analysis(tmp_path):
    solver = clchol.Solver().analyze(A)
    solver.save_analysis(tmp_path / "a.analysis.gz")
    x = solver.factorize(A).solve(b)
    for source in (tmp_path / "a.analysis.gz", solver.analysis_bytes()):
        other = clchol.Solver().load_analysis(A, source)
        assert other.analysis_report.loaded
        assert (other.factorize(A).solve(b) == x).all() and other.analysis_report.loaded
    with pytest.raises(clchol.InvalidArgumentError):
        clchol.Solver().load_analysis(grid3d(3), solver.analysis_bytes())
    with pytest.raises(clchol.InvalidArgumentError):
        clchol.Solver().load_analysis(A, b"damaged")


def test_saves_and_loads_a_factor(tmp_path):
    solver = clchol.Solver().factorize(A)
    x = solver.solve(b)
    solver.save_factor(tmp_path / "a.factor")
    other = clchol.Solver().load_factor(tmp_path / "a.factor", A)
    assert other.factor_report.loaded and (other.factor() != solver.factor()).nnz == 0
    assert error_of(A, other.solve(b), b) < 1e-15
    assert error_of(2 * A, other.refactorize(2 * A).solve(b), b) < 1e-15
    alone = clchol.Solver().load_factor(tmp_path / "a.factor")
    np.testing.assert_allclose(alone.solve(b), x, rtol=1e-12)
    assert alone.solve_report.backward_error is None
    for call in (lambda: alone.refactorize(A), lambda: pickle.dumps(alone)):
        with pytest.raises(clchol.InvalidArgumentError, match="without its matrix"):
            call()
    with pytest.raises(clchol.InvalidArgumentError):
        clchol.Solver().load_factor(tmp_path / "missing")


@pytest.mark.parametrize("clone", [lambda s: pickle.loads(pickle.dumps(s)), copy.copy])
def test_pickles_the_analysis(clone):
    matrix = A.copy()
    solver = clchol.Solver(triangle="lower", ordering="nd", progress=print, dtype=np.float32)
    solver.factorize(matrix)
    matrix.indices[:] = 0  # The solver has a copy of the pattern.
    other = clone(solver)
    assert other.options.ordering == "nd" and other.options.progress is None
    assert other.triangle == "lower" and other.dtype == np.float32
    assert other.analysis_report.loaded
    with pytest.raises(clchol.InvalidArgumentError, match="factored"):
        other.solve(b)
    assert (other.refactorize(A.data).solve(b) == solver.solve(b)).all()


def test_pickles_a_solver_without_an_analysis():
    other = pickle.loads(pickle.dumps(clchol.Solver(threads=1)))
    assert other.options.threads == 1 and other.n == 0
