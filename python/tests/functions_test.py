"""clchol.spsolve and clchol.factorized beside SciPy's."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import linalg

import clchol
from matrices import random_spd

A = random_spd(60)
B = np.random.default_rng(1).standard_normal((60, 3))


def close(x, y, rtol=1e-12):
    assert type(x) is type(y) and x.shape == y.shape and x.dtype == y.dtype
    x, y = (v.toarray() if sp.issparse(v) else v for v in (x, y))
    np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol * abs(y).max())


@pytest.mark.parametrize("b", [B, B[:, 0], B[:, :1], B[:, 0].astype(np.float32), np.arange(60)])
@pytest.mark.parametrize("make", [sp.csc_array, sp.csr_array, sp.csc_matrix])
def test_spsolve(b, make):
    close(clchol.spsolve(make(A), b), linalg.spsolve(make(A), b))


def test_spsolve_with_options_sparse_and_single():
    expected = linalg.spsolve(A, B)
    close(clchol.spsolve(A, B, permc_spec="NATURAL", use_umfpack=False), expected)
    x = clchol.spsolve(A, sp.csc_array(B))
    assert sp.issparse(x)
    close(x.toarray(), expected)
    single = clchol.spsolve(A.astype(np.float32), B.astype(np.float32))
    close(single, expected.astype(np.float32), 1e-5)


def test_factorized():
    mine, theirs = clchol.factorized(A), linalg.factorized(A)
    for b in (B, B[:, 0]):
        close(mine(b), theirs(b))


def test_refuses_what_is_not_positive_definite():
    with pytest.raises(np.linalg.LinAlgError):
        clchol.spsolve(-A, B)
    with pytest.raises(ValueError, match="not symmetric"):
        clchol.factorized(sp.tril(A))
    with pytest.raises(TypeError, match="complex"):
        clchol.spsolve(A, 1j * B)
