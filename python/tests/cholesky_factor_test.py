"""clchol.cholesky_factor: the interface of scikit-sparse 0.5."""

import numpy as np
import pytest
import scipy.sparse as sp

import clchol
from clchol import cholesky_factor
from matrices import random_sparse, random_spd

A = random_spd(60)
B = np.random.default_rng(1).standard_normal((60, 3))
RTOL = 1e-12  # Of well-conditioned systems.


def close(x, y, rtol=RTOL):
    x, y = (v.toarray() if sp.issparse(v) else np.asarray(v) for v in (x, y))
    np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol * abs(y).max())


@pytest.mark.parametrize("order", ["default", "best", "natural", None, "amd", "nesdis"])
@pytest.mark.parametrize("lower", [True, False])
def test_factors(order, lower):
    f = clchol.cho_factor(A, lower=lower, order=order)
    p = f.get_perm()
    if order in (None, "natural"):
        assert (p == np.arange(60)).all()
    L = f.get_factor(lower=True)
    assert (sp.tril(L) != L).nnz == 0
    close(L @ L.T, A[p][:, p])
    assert (f.get_factor() != (L if lower else L.T)).nnz == 0
    assert (f.L != L).nnz == 0 and (f.R != L.T).nnz == 0 and (f.perm == p).all()
    M, D = f.get_factor(kind="LDL", lower=True)
    close(M @ D @ M.T, A[p][:, p])
    assert (M.diagonal() == 1).all() and (f.D != D).nnz == 0
    assert L.nnz <= f.nnz and f.N == 60 and f.dtype == np.float64


def test_reads_one_triangle():
    mixed = sp.csc_array(sp.tril(A) + 5 * sp.triu(A, 1))
    close(A @ clchol.cho_factor(mixed, lower=True).solve(B), B)
    close(A @ clchol.cho_factor(sp.csc_array(mixed.T)).solve(B), B)
    close(A @ clchol.cho_solve(sp.csr_array(mixed.T), B), B)
    close(A @ clchol.cho_solve(mixed, B, lower=True), B)


@pytest.mark.parametrize("ldl", [True, False])
def test_solves_systems(ldl):
    f = clchol.CholeskyFactor(A).factorize(A, ldl=ldl)
    L = f.L
    D = f.D if ldl else sp.eye_array(60)
    P = sp.eye_array(60, format="csr")[f.perm]
    systems = {"A": A, "LDLt": L @ D @ L.T, "LD": L @ D, "DLt": D @ L.T, "L": L, "Lt": L.T,
               "D": D}  # fmt: skip
    for system, matrix in systems.items():
        close(matrix @ f.solve(B, system), B)
    close(f.solve(B, "P"), P @ B)
    close(f.solve(B, "Pt"), P.T @ B)
    close(A @ f.solve(sp.csc_array(B)), B)
    with pytest.raises(ValueError, match="system"):
        f.solve(B, "X")


@pytest.mark.parametrize("sym_kind, product", [("row", lambda R: R @ R.T),
                                               ("col", lambda R: R.T @ R)])  # fmt: skip
def test_products(sym_kind, product):
    R = random_sparse(60, 60, 0.1)
    f = clchol.cho_factor(R, beta=0.5, sym_kind=sym_kind)
    close((product(R) + 0.5 * sp.eye_array(60)) @ f.solve(B), B, 1e-9)


def test_updates_and_copies():
    C = random_sparse(60, 4, 0.1)
    f = clchol.cho_factor(A, lower=True)
    g = f.copy()
    close((A + C @ C.T) @ f.update(C).solve(B), B)
    close(A @ f.downdate(C).solve(B), B)
    close((2 * A) @ g.factorize(2 * A).solve(B), B)
    close(A @ f.solve(B), B)
    with pytest.raises(clchol.NotPositiveDefiniteError):
        f.downdate(100 * sp.eye_array(60, format="csc"))
    close(A @ f.solve(B), B)


@pytest.mark.parametrize("k", [0, 7, 59])
@pytest.mark.parametrize("lower", [True, False])
def test_replaces_rows(k, lower):
    b = B[:, 0]
    f = clchol.cho_factor(A, lower=lower)
    assert f.rowdel(k) is f
    without = A.toarray()
    without[k] = without[:, k] = 0
    without[k, k] = 1
    close(f.solve(b), np.linalg.solve(without, b))
    if k == 7:
        before = f.nnz
        assert f.resymbol(sp.csc_array(without), is_permuted=False).nnz == before
    f.rowadd(k, sp.csc_array(A[:, [k]]))
    close(f.solve(b), np.linalg.solve(A.toarray(), b))
    with pytest.raises(clchol.NotPositiveDefiniteError):
        f.rowadd(k, sp.csc_array(-A[:, [k]]))
    close(f.solve(b), np.linalg.solve(A.toarray(), b))


def test_replaces_rows_of_normal_equations():
    C = random_sparse(30, 50, 0.1)
    f = clchol.cho_factor(C, beta=1.0, sym_kind="row")
    expected = (C @ C.T).toarray() + np.eye(30)
    expected[3] = expected[:, 3] = 0
    expected[3, 3] = 1
    close(f.rowdel(3).solve(B[:30]), np.linalg.solve(expected, B[:30]))


def test_numbers():
    f = clchol.CholeskyFactor(A)
    assert f.rcond == -1.0
    with pytest.raises(clchol.InvalidArgumentError, match="factorize"):
        f.solve(B)
    f.factorize(A)
    d = f.L.diagonal()
    assert f.rcond == (d.min() / d.max()) ** 2
    close(f.logdet(), np.linalg.slogdet(A.toarray())[1])
    close(f.det(), np.linalg.det(A.toarray()))
    close(f.inv(), np.linalg.inv(A.toarray()))
    assert f.slogdet() == (1.0, f.logdet())


def test_functions_return_factors():
    R, p = cholesky_factor.cholesky(A)
    close(R.T @ R, A[p][:, p])
    L, D, p = cholesky_factor.ldl(A)
    close(L @ D @ L.T, A[p][:, p])
    f = cholesky_factor.ldl_factor(A)
    assert not f.is_ll and f.change_factor("LL").is_ll


def test_single_precision():
    f = clchol.cho_factor(A.astype(np.float32), beta=1)
    assert f.dtype == np.float32
    x = f.solve(B.astype(np.float32))
    assert x.dtype == np.float32
    close((A + sp.eye_array(60)) @ x, B, 1e-5)


@pytest.mark.parametrize("call, error", [
    (lambda: clchol.CholeskyFactor(A, order="x"), ValueError),
    (lambda: clchol.CholeskyFactor(A, sym_kind="x"), ValueError),
    (lambda: clchol.CholeskyFactor(A, supernodal_mode="x"), ValueError),
    (lambda: clchol.CholeskyFactor(A * 1j), TypeError),
    (lambda: clchol.cho_factor(A).get_factor(kind="X"), ValueError),
    (lambda: clchol.cho_factor(A).change_factor("X"), ValueError),
    (lambda: clchol.cho_factor(A).rowdel(60), IndexError),
    (lambda: clchol.cho_factor(A).rowadd(-1, A[:, [0]]), IndexError),
    (lambda: clchol.cho_factor(A).rowadd(0, A[:, [0, 1]]), ValueError),
    (lambda: clchol.cho_factor(A).rowadd(0, B[:, 0]), ValueError),
    (lambda: clchol.cho_factor(A).resymbol(A[:, :30]), ValueError),
    (lambda: clchol.cho_factor(A).resymbol(A[:30, :30]), ValueError),
    (lambda: clchol.CholeskyFactor(A).rowdel(0), ValueError),
])  # fmt: skip
def test_refuses(call, error):
    with pytest.raises(error):
        call()
