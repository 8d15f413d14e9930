"""clchol.Solver: what it takes, solves and refuses."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import clchol
from matrices import error_of, grid3d, random_sparse, random_spd

# A backward error of a refined solution: a few units of the last place.
EPS = {np.dtype(np.float64): 1e-15, np.dtype(np.float32): 1e-6}

A = random_spd(60)
b = np.random.default_rng(1).standard_normal(60)


def test_solves_the_smallest_matrices():
    assert clchol.Solver().factorize(sp.csc_array([[4.0]])).solve([2.0]) == 0.5
    two = sp.csc_array([[2.0, 1.0], [1.0, 2.0]])
    x = clchol.Solver().factorize(two).solve([3.0, 3.0])
    np.testing.assert_allclose(x, [1, 1], rtol=1e-15)


@pytest.mark.parametrize("make", [sp.csc_array, sp.csr_array, sp.coo_array, sp.csc_matrix,
                                  sp.csr_matrix, sp.coo_matrix, sp.lil_array, sp.dok_array,
                                  sp.bsr_array, sp.dia_array])  # fmt: skip
@pytest.mark.parametrize("triangle", ["both", "lower", "upper"])
def test_takes_all_formats_and_triangles(make, triangle):
    part = {"both": A, "lower": sp.tril(A), "upper": sp.triu(A)}[triangle]
    solver = clchol.Solver(triangle=triangle).factorize(make(part))
    assert error_of(A, solver.solve(b), b) < EPS[solver.dtype]
    assert solver.triangle == triangle


@pytest.mark.parametrize("make", [sp.csc_array, sp.csr_array])
def test_ignores_the_other_triangle(make):
    lower = sp.tril(A) + 7 * sp.triu(A, 1)
    x = clchol.Solver(triangle="lower").factorize(make(lower)).solve(b)
    assert error_of(A, x, b) < 1e-15
    x = clchol.Solver(triangle="upper").factorize(make(lower.T)).solve(b)
    assert error_of(A, x, b) < 1e-15


@pytest.mark.parametrize("indptr", [np.int32, np.int64, np.int16])
@pytest.mark.parametrize("indices", [np.int32, np.int64, np.uint16])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_takes_all_types(indptr, indices, dtype):
    matrix = A.astype(dtype)
    matrix.indptr = matrix.indptr.astype(indptr)
    matrix.indices = matrix.indices.astype(indices)
    solver = clchol.Solver(dtype=dtype).factorize(matrix)
    x = solver.solve(b)
    assert x.dtype == dtype
    assert error_of(A, x, b) < EPS[solver.dtype]


def test_converts_integers_and_other_floats():
    integers = sp.csc_array([[4, -1], [-1, 4]])
    x = clchol.Solver().factorize(integers.astype(float)).solve(np.array([3.0, 3.0]))
    np.testing.assert_allclose(x, [1, 1], rtol=1e-15)
    for dtype in (np.int64, np.uint8, np.float32):
        matrix = integers + 4 * sp.eye_array(2, dtype=np.int64) if dtype == np.uint8 else integers
        matrix = abs(matrix).astype(dtype)
        expected = clchol.Solver().factorize(matrix.astype(float)).solve([3.0, 3.0])
        solved = clchol.Solver().factorize(matrix).solve(np.array([3, 3], dtype))
        assert solved.dtype == np.float64 and (solved == expected).all()


def test_reads_arrays_that_are_not_contiguous_or_too_long():
    long = A.copy()
    long.data = np.append(long.data, [np.nan, np.nan])
    long.indices = np.append(long.indices, [-1, -1]).astype(np.int32)
    strided = A.copy()
    strided.data = np.repeat(strided.data, 2)[::2]
    strided.indices = np.repeat(strided.indices, 2)[::2]
    for matrix in (long, strided):
        assert error_of(A, clchol.Solver().factorize(matrix).solve(b), b) < 1e-15


def test_sums_duplicates():
    twice = sp.coo_array((np.tile(A.data / 2, 2), np.tile(A.tocoo().coords, 2)), shape=A.shape)
    assert error_of(A, clchol.Solver().factorize(twice).solve(b), b) < 1e-15


# ---- Right-hand sides ----


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("columns", [1, 2, 33, 100])
def test_solves_for_many_right_hand_sides(order, columns):
    B = np.asarray(np.random.default_rng(2).standard_normal((60, columns)), order=order)
    before = B.copy()
    X = clchol.Solver().factorize(A).solve(B)
    assert X.shape == B.shape and X.flags.f_contiguous and (B == before).all()
    assert error_of(A, X, B) < 1e-15


def test_solves_for_slices_lists_and_read_only_arrays():
    solver = clchol.Solver().factorize(A)
    x = solver.solve(b)
    frozen = b.copy()
    frozen.flags.writeable = False
    for other in (np.repeat(b, 3)[::3], b[::-1][::-1], b.tolist(), frozen, b.astype(">f8")):
        assert (solver.solve(other) == x).all()
    wide = np.zeros((80, 4), order="F")
    wide[:60, 1] = b
    assert error_of(A, solver.solve(wide[:60, 1:3]), wide[:60, 1:3]) < 1e-15


def test_solves_for_no_right_hand_side():
    assert clchol.Solver().factorize(A).solve(np.empty((60, 0))).shape == (60, 0)


@pytest.mark.parametrize("make", [sp.csc_array, sp.csr_array, sp.csc_matrix, sp.coo_matrix])
def test_solves_for_sparse_right_hand_sides(make):
    B = random_sparse(60, 130, 0.05)
    solver = clchol.Solver().factorize(A)
    X = solver.solve(make(B))
    assert sp.issparse(X) and sp.isspmatrix(X) == sp.isspmatrix(make(B))
    assert abs(X.toarray() - solver.solve(B.toarray())).max() < 1e-15


def test_writes_into_out():
    solver = clchol.Solver().factorize(A)
    x = solver.solve(b)
    out = np.empty(60)
    assert solver.solve(b, out=out) is out and (out == x).all()
    in_place = b.copy()
    solver.solve(in_place, out=in_place)
    assert (in_place == x).all()
    integers = np.ones(60, int)
    assert (solver.solve(integers, out=out) == solver.solve(np.ones(60))).all()


@pytest.mark.parametrize("out, error, message", [
    (np.empty(60, np.float32), TypeError, "float64"),
    ([0.0] * 60, TypeError, "array"),
    (np.empty(59), ValueError, "shape"),
    (np.empty(120)[::2], ValueError, "contiguous"),
])  # fmt: skip
def test_refuses_bad_out(out, error, message):
    with pytest.raises(error, match=message):
        clchol.Solver().factorize(A).solve(b, out=out)


def test_refuses_out_that_overlaps_b():
    buffer = np.ones(61)
    with pytest.raises(ValueError, match="overlaps"):
        clchol.Solver().factorize(A).solve(buffer[:60], out=buffer[1:])


# ---- New values ----


def test_refactorizes_a_matrix_or_its_values():
    solver = clchol.Solver().factorize(A)
    x = solver.solve(b)
    # Multiplication by 4 doubles L, without rounding.
    assert (solver.refactorize(4 * A).solve(b) == x / 4).all()
    assert (solver.refactorize(4 * A.data).solve(b) == x / 4).all()
    assert (solver.refactorize(np.repeat(A.data, 2)[::2]).solve(b) == x).all()
    assert not solver.analysis_report.loaded


def test_refuses_another_pattern():
    solver = clchol.Solver().factorize(A)
    x = solver.solve(b)
    with pytest.raises(clchol.InvalidArgumentError, match="pattern"):
        solver.refactorize(sp.eye_array(60, format="csc"))
    with pytest.raises(clchol.InvalidArgumentError, match="values"):
        solver.refactorize(A.data[1:])
    with pytest.raises(clchol.InvalidArgumentError, match="vector"):
        solver.refactorize(np.ones((3, 3)))
    assert (solver.solve(b) == x).all()


def test_factorize_analyses_another_pattern():
    solver = clchol.Solver().factorize(A)
    other = grid3d(4)
    x = solver.factorize(other).solve(np.ones(64))
    assert solver.n == 64 and error_of(other, x, np.ones(64)) < 1e-15


# ---- Failures ----


def test_names_the_row_that_is_not_positive_definite():
    bad = sp.csc_array(np.diag([1.0, 2.0, -3.0, 4.0]))
    solver = clchol.Solver()
    with pytest.raises(clchol.NotPositiveDefiniteError) as caught:
        solver.factorize(bad)
    assert (caught.value.row, caught.value.pivot, caught.value.diagonal) == (2, -3.0, -3.0)
    assert "row 2" in str(caught.value)
    assert isinstance(caught.value, np.linalg.LinAlgError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.row, str(again)) == (2, str(caught.value))
    with pytest.raises(clchol.InvalidArgumentError, match="factored"):
        solver.solve(np.ones(4))
    x = solver.refactorize(abs(bad)).solve(np.ones(4))
    np.testing.assert_allclose(x, [1, 1 / 2, 1 / 3, 1 / 4], rtol=1e-15)


@pytest.mark.parametrize("bad, error, message", [
    (A.toarray(), TypeError, r"csc_array\(A\)"),
    (None, TypeError, "sparse"),
    (A * 1j, TypeError, "complex"),
    (sp.csc_array((0, 0)), ValueError, "at least one row"),
    (sp.csc_array((3, 4)), ValueError, "square"),
    (A * np.nan, ValueError, "finite"),
    (sp.tril(A).tocsc(), ValueError, "not symmetric.*triangle='lower'"),
    (sp.csc_array((2, 2)), np.linalg.LinAlgError, "positive definite"),
])  # fmt: skip
def test_refuses_bad_matrices(bad, error, message):
    with pytest.raises(error, match=message):
        clchol.Solver().factorize(bad)


def test_refuses_objects():
    with pytest.raises(TypeError, match="real numbers"):
        broken = A.copy()
        broken.data = broken.data.astype(object)
        clchol.Solver().factorize(broken)


def test_refuses_broken_patterns():
    broken = A.copy()
    broken.indices = broken.indices.copy()
    broken.indices[3] = 60
    with pytest.raises(clchol.InvalidArgumentError, match="60"):
        clchol.Solver().factorize(broken)
    broken = A.copy()
    broken.indptr = broken.indptr[:-1]
    with pytest.raises(clchol.InvalidArgumentError):
        clchol.Solver().factorize(broken)


@pytest.mark.parametrize("bad, error, message", [
    (np.ones(59), ValueError, "59 rows"),
    (np.ones((60, 2, 2)), ValueError, "3 dimensions"),
    (np.full(60, np.inf), ValueError, "finite"),
    (1j * b, TypeError, "complex"),
    (["a"] * 60, TypeError, "real numbers"),
    (3.0, ValueError, "0 dimensions"),
    (sp.csc_array((59, 1)), ValueError, "59 rows"),
])  # fmt: skip
def test_refuses_bad_right_hand_sides(bad, error, message):
    with pytest.raises(error, match=message):
        clchol.Solver().factorize(A).solve(bad)


def test_refuses_calls_in_the_wrong_order():
    for call in (lambda s: s.solve(b), lambda s: s.factor(), lambda s: s.logdet(),
                 lambda s: s.permutation(), lambda s: s.refactorize(A.data)):  # fmt: skip
        with pytest.raises(clchol.InvalidArgumentError):
            call(clchol.Solver())


def test_refuses_calls_after_close():
    solver = clchol.Solver().factorize(A)
    solver.close()
    solver.close()
    for call in (lambda: solver.solve(b), lambda: solver.factorize(A), lambda: solver.n,
                 lambda: solver.set_options(threads=1)):  # fmt: skip
        with pytest.raises(clchol.InvalidArgumentError, match="closed"):
            call()
    assert "closed" in repr(solver)


def test_closes_at_the_end_of_a_with_statement():
    with clchol.Solver() as solver:
        solver.factorize(A)
    with pytest.raises(clchol.InvalidArgumentError, match="closed"):
        solver.solve(b)
