#!/usr/bin/env python3
"""pypardiso solves with libclchol_pardiso.so in the place of MKL.

Skipped (exit code 77) where the interpreter has no pypardiso.
"""

import argparse
import os
import sys
import unittest

os.environ["CLCHOL_DEVICE"] = "cpu"  # As the other tests of the library: no device is needed.


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--library", required=True)
arguments, others = parser.parse_known_args()
os.environ["PYPARDISO_MKL_RT"] = arguments.library  # To be set before the import.
try:
    import numpy as np
    import pypardiso
    from pypardiso.pardiso_wrapper import PyPardisoError
    import scipy.sparse as sp
except ImportError as error:
    skip(error)


def grid(m):
    """5-point Laplacian of an m x m grid, slightly shifted."""
    line = sp.diags_array([-np.ones(m - 1), 2 * np.ones(m), -np.ones(m - 1)], offsets=[-1, 0, 1])
    one = sp.eye_array(m)
    return sp.csr_matrix(sp.kron(one, line) + sp.kron(line, one) + 1e-3 * sp.eye_array(m * m))


A = grid(30)
N = A.shape[0]
RNG = np.random.default_rng(1)


def backward_error(a, x, b):
    return abs(a @ x - b).max() / (abs(a).sum(axis=1).max() * abs(x).max() + abs(b).max())


class PositiveDefinite(unittest.TestCase):
    """Matrix type 2: the upper triangle."""

    def setUp(self):
        self.solver = pypardiso.PyPardisoSolver(mtype=2)
        self.upper = sp.triu(A, format="csr")

    def tearDown(self):
        self.solver.free_memory(everything=True)

    def check(self, x, b, a=A):
        self.assertLess(backward_error(a, x, b), 1e-15)  # What a solve of clchol reaches.

    def test_solves_in_one_call(self):
        b = RNG.standard_normal(N)
        self.check(self.solver.solve(self.upper, b), b)

    def test_factor_is_used_again(self):
        self.solver.factorize(self.upper)
        for _ in range(3):
            b = RNG.standard_normal(N)
            self.check(self.solver.solve(self.upper, b), b)
            self.assertEqual(self.solver.phase, 33)

    def test_matrix_of_right_hand_sides(self):
        b = RNG.standard_normal((N, 7))
        x = self.solver.solve(self.upper, b)
        for k in range(7):
            self.check(x[:, k], b[:, k])

    def test_other_values_and_other_size(self):
        b = RNG.standard_normal(N)
        self.check(self.solver.solve(2 * self.upper, b), b, 2 * A)
        small = grid(5)
        b = RNG.standard_normal(25)
        self.check(self.solver.solve(sp.triu(small, format="csr"), b), b, small)

    def test_spsolve_with_this_solver(self):
        b = RNG.standard_normal(N)
        self.check(pypardiso.spsolve(self.upper, b, solver=self.solver), b)

    def test_lower_memory_and_solve_again(self):
        b = RNG.standard_normal(N)
        self.solver.factorize(self.upper)
        self.solver.free_memory()
        self.check(self.solver.solve(self.upper, b), b)

    def test_reports_in_iparm(self):
        self.solver.factorize(self.upper)
        self.assertGreaterEqual(self.solver.get_iparm(18), self.upper.nnz)
        self.assertEqual(self.solver.get_iparm(22), N)

    def test_not_positive_definite(self):
        bad = self.upper.tolil()
        bad[17, 17] = -4.0
        with self.assertRaises(PyPardisoError) as caught:
            self.solver.factorize(bad.tocsr())
        self.assertEqual(caught.exception.value, -4)
        self.assertEqual(self.solver.get_iparm(30), 18)

    def test_lower_triangle_is_refused(self):
        with self.assertRaises(PyPardisoError) as caught:
            self.solver.solve(sp.tril(A, format="csr"), np.ones(N))
        self.assertEqual(caught.exception.value, -3)


class Unsymmetric(unittest.TestCase):
    """Matrix type 11, pypardiso's default: the whole matrix."""

    def tearDown(self):
        os.environ.pop("CLCHOL_PARDISO_SPD", None)
        pypardiso.ps.remove_stored_factorization()

    def test_is_refused(self):
        with self.assertRaises(PyPardisoError) as caught:
            pypardiso.spsolve(A, np.ones(N))
        self.assertEqual(caught.exception.value, -1)

    def test_is_solved_as_positive_definite_where_asked(self):
        os.environ["CLCHOL_PARDISO_SPD"] = "1"
        b = RNG.standard_normal(N)
        self.assertLess(backward_error(A, pypardiso.spsolve(A, b), b), 1e-15)
        self.assertLess(backward_error(A, pypardiso.spsolve(sp.csc_matrix(A), b), b), 1e-15)

    def test_without_symmetry_is_refused_where_asked(self):
        os.environ["CLCHOL_PARDISO_SPD"] = "1"
        bad = A.tolil()
        bad[0, 1] = -0.5
        with self.assertRaises(PyPardisoError) as caught:
            pypardiso.spsolve(bad.tocsr(), np.ones(N))
        self.assertEqual(caught.exception.value, -1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *others])
