"""clchol.cholmod: the identities of scikit-sparse 0.4, and its numbers where it is installed."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import clchol
from clchol import cholmod
from matrices import error_of, grid3d, random_sparse, random_spd

A = sp.csc_matrix(random_spd(60))
B = np.random.default_rng(1).standard_normal((60, 3))
ORDERINGS = ["default", "best", "natural", "amd", "colamd", "metis", "nesdis"]
# Solutions of well-conditioned systems (condition below 10) agree to this relative error.
RTOL = 1e-12


def close(x, y):
    x, y = (v.toarray() if sp.issparse(v) else np.asarray(v) for v in (x, y))
    assert x.shape == y.shape
    np.testing.assert_allclose(x, y, rtol=RTOL, atol=RTOL * abs(y).max())


def permuted(matrix, P):
    return matrix[P[:, np.newaxis], P[np.newaxis, :]]


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("mode", ["auto", "simplicial", "supernodal"])
def test_factors(ordering, mode):
    F = cholmod.cholesky(A, mode=mode, ordering_method=ordering, use_long=False)
    P, L = F.P(), F.L()
    if ordering == "natural":
        assert (P == np.arange(60)).all()
    assert sp.isspmatrix_csc(L) and L.has_sorted_indices and (sp.tril(L) != L).nnz == 0
    close(L @ L.T, permuted(A, P))
    M, D = F.L_D()
    assert (M.diagonal() == 1).all() and (D.diagonal() == F.D()).all()
    close(M @ D @ M.T, permuted(A, P))
    close(F.LD(), M - sp.eye(60) + D)


@pytest.mark.parametrize("ordering", ["default", "natural"])
@pytest.mark.parametrize("b", [B, B[:, 0], B[:, :1], np.asfortranarray(B), sp.csc_matrix(B),
                               np.arange(60)])  # fmt: skip
def test_solves(ordering, b):
    F = cholmod.cholesky(A, ordering_method=ordering)
    L, (M, D) = F.L(), F.L_D()
    dense = b.toarray() if sp.issparse(b) else np.asarray(b)
    systems = {
        F: A,
        F.solve_A: A,
        F.solve_LDLt: M @ D @ M.T,
        F.solve_LD: M @ D,
        F.solve_DLt: D @ M.T,
        F.solve_L: M,
        F.solve_Lt: M.T,
        F.solve_D: D,
        (lambda b: F.solve_L(b, use_LDLt_decomposition=False)): L,
        (lambda b: F.solve_Lt(b, False)): L.T,
    }
    for solve, matrix in systems.items():
        x = solve(b)
        assert sp.issparse(x) == sp.issparse(b) and x.shape == b.shape
        close(matrix @ x, dense)
    P = np.eye(60)[F.P()]
    close(F.apply_P(b), P @ dense)
    close(F.apply_Pt(b), P.T @ dense)


def test_reads_the_lower_triangle_alone():
    F = cholmod.cholesky(sp.csc_matrix(sp.tril(A) + 5 * sp.triu(A, 1)))
    close(A @ F(B), B)


def test_determinant_and_inverse():
    F = cholmod.cholesky(A)
    sign, logdet = np.linalg.slogdet(A.toarray())
    close(F.logdet(), logdet)
    close(F.slogdet(), (sign, logdet))
    close(F.det(), np.linalg.det(A.toarray()))
    assert sp.isspmatrix_csc(F.inv())
    close(F.inv(), np.linalg.inv(A.toarray()))


def test_beta():
    close((A + 3 * sp.eye(60)) @ cholmod.cholesky(A, beta=3)(B), B)
    F = cholmod.analyze(A)
    F.cholesky_inplace(A, beta=0.5)
    close((A + 0.5 * sp.eye(60)) @ F(B), B)
    hollow = sp.csc_matrix(A - sp.diags(A.diagonal()))  # Without a diagonal.
    hollow.eliminate_zeros()
    F = cholmod.analyze(hollow)
    F.cholesky_inplace(hollow, beta=50)
    close((hollow + 50 * sp.eye(60)) @ F(B), B)


def test_products():
    R = sp.csc_matrix(random_sparse(40, 90, 0.1))
    product = R @ R.T + sp.eye(40)
    close(product @ cholmod.cholesky_AAt(R, beta=1)(B[:40]), B[:40])
    F = cholmod.analyze_AAt(R)
    G = F.cholesky_AAt(R, beta=1)
    close(product @ G(B[:40]), B[:40])
    F.cholesky_AAt_inplace(2 * R, beta=4)
    close(4 * product @ F(B[:40]), B[:40])


def test_copies_are_independent():
    F = cholmod.cholesky(A)
    x = F(B)
    G, H = F.copy(), F.cholesky(4 * A)
    F.cholesky_inplace(2 * A)
    assert (G(B) == x).all() and (H(B) == x / 4).all()
    close(F(B), x / 2)
    G.update_inplace(sp.csc_matrix(B))
    close(F(B), x / 2)


def test_another_pattern_is_analysed():
    F = cholmod.cholesky(A)
    other = sp.csc_matrix(random_spd(60, seed=8))
    F.cholesky_inplace(other)
    close(other @ F(B), B)


def test_updates():
    F = cholmod.cholesky(A)
    C = sp.csc_matrix(random_sparse(60, 4, 0.1))
    F.update_inplace(C)
    close((A + C @ C.T) @ F(B), B)
    F.update_inplace(C, subtract=True)
    close(A @ F(B), B)
    changed = A.copy()
    F.cholesky_inplace(changed)
    changed.data[:] = np.nan  # The factor has a copy.
    F.update_inplace(C)
    close((A + C @ C.T) @ F(B), B)


def test_an_update_that_fails_changes_nothing():
    F = cholmod.cholesky(A)
    x = F(B)
    with pytest.raises(cholmod.CholmodNotPositiveDefiniteError):
        F.update_inplace(sp.csc_matrix(100 * np.eye(60)[:, :1]), subtract=True)
    assert (F(B) == x).all()
    with pytest.raises(cholmod.CholmodError, match="rows"):
        F.update_inplace(sp.csc_matrix((59, 1)))
    with pytest.raises(TypeError, match="sparse"):
        F.update_inplace(np.ones((60, 1)))
    with pytest.raises(cholmod.CholmodError, match="factored"):
        cholmod.analyze(A).update_inplace(sp.csc_matrix((60, 1)))


@pytest.mark.parametrize("ordering", ["default", "natural"])
def test_not_positive_definite(ordering):
    bad = A.copy()
    bad[41, 41] = -1.0
    F = cholmod.analyze(A, ordering_method=ordering)
    with pytest.raises(cholmod.CholmodNotPositiveDefiniteError) as caught:
        F.cholesky_inplace(bad)
    assert caught.value.factor is F and caught.value.row == 41
    assert F.P()[caught.value.column] == 41
    assert isinstance(caught.value, (cholmod.CholmodError, np.linalg.LinAlgError))
    with pytest.raises(cholmod.CholmodError):
        F(B)
    F.cholesky_inplace(A)
    close(A @ F(B), B)


def test_conversions_warn():
    for matrix in (sp.csr_matrix(A), sp.coo_matrix(A), sp.csr_array(A)):
        with pytest.warns(cholmod.CholmodTypeConversionWarning, match="CSC"):
            close(A @ cholmod.cholesky(matrix)(B), B)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close(A @ cholmod.cholesky(sp.csc_array(A))(B), B)


@pytest.mark.parametrize("call, error", [
    (lambda: cholmod.cholesky(A.toarray()), TypeError),
    (lambda: cholmod.cholesky(A * 1j), TypeError),
    (lambda: cholmod.cholesky(sp.csc_matrix((3, 4))), cholmod.CholmodError),
    (lambda: cholmod.cholesky(sp.csc_matrix((0, 0))), cholmod.CholmodError),
    (lambda: cholmod.cholesky(A, mode="x"), ValueError),
    (lambda: cholmod.cholesky(A, ordering_method="x"), ValueError),
    (lambda: cholmod.cholesky(A)(B[:59]), cholmod.CholmodError),
    (lambda: cholmod.cholesky(A)(1j * B), TypeError),
    (lambda: cholmod.analyze(A)(B), cholmod.CholmodError),
])  # fmt: skip
def test_refuses(call, error):
    with pytest.raises(error):
        call()


def test_names_at_the_top():
    assert clchol.cholesky is cholmod.cholesky and clchol.Factor is cholmod.Factor
    large = grid3d(12)
    F = clchol.cholesky(large)
    assert error_of(large, F(np.ones(12**3)), np.ones(12**3)) < 1e-15
    assert F.solver.analysis_report.n == 12**3


def test_agrees_with_scikit_sparse():
    sksparse = pytest.importorskip("sksparse.cholmod")
    if not hasattr(sksparse, "analyze_AAt"):
        pytest.skip("scikit-sparse 0.5 or later")
    F = cholmod.cholesky(A, ordering_method="natural")
    G = sksparse.cholesky(A, ordering_method="natural")
    assert (F.P() == G.P()).all()
    for name in ("L", "LD", "D", "logdet", "slogdet", "det", "inv"):
        close(getattr(F, name)(), getattr(G, name)())
    for name in ("__call__", "solve_A", "solve_LDLt", "solve_LD", "solve_DLt", "solve_L",
                 "solve_Lt", "solve_D", "apply_P", "apply_Pt"):  # fmt: skip
        for b in (B, B[:, 0], sp.csc_matrix(B)):
            close(getattr(F, name)(b), getattr(G, name)(b))
    for name in ("solve_L", "solve_Lt"):
        close(getattr(F, name)(B, False), getattr(G, name)(B, False))
    C = sp.csc_matrix(random_sparse(60, 4, 0.1))
    F.update_inplace(C)
    G.update_inplace(C)
    close(F(B), G(B))
