#!/usr/bin/env python3
"""Forms of files that other programs write: CHOLMOD's triplets, patterns, matrices with rounding."""

import unittest

from command_support import CommandTest

# [4 1 .; 1 5 2; . 2 6], its upper triangle from 0.
UPPER = "0 0 4\n0 1 1\n1 1 5\n1 2 2\n2 2 6\n"
PATTERN = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n1 1\n2 1\n2 2\n"


class Triplets(CommandTest):
    def test_upper_triangle_from_zero(self):
        self.write("A.tri", "% a frame\n3 3 6 1\n" + UPPER + "2 0 7\n")
        result = self.solve("A.tri")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual((result.json["n"], result.json["nnz"]), (3, 5))
        self.assertLess(result.json["forward_error"], 1e-15)  # A few eps: the condition is 3.
        notes = " ".join(result.json["notes"])
        self.assertIn("1 entry stands outside the triangle that the file's stype names", notes)
        self.assertIn("counts rows and columns from 0", notes)

    def test_conversion(self):
        self.write("A.tri", "3 3 5\n" + UPPER)
        self.assertEqual(self.run_command("convert", "A.tri", "A.mtx", "--quiet").code, 0)
        lines = (self.folder / "A.mtx").read_text().splitlines()
        self.assertEqual(lines[-6:], ["3 3 5", "1 1 4", "2 1 1", "2 2 5", "3 2 2", "3 3 6"])

    def test_sparse_right_hand_side(self):
        self.write("A.tri", "3 3 5 1\n" + UPPER)
        self.write("b.tri", "3 1 1 0\n0 0 4\n")
        result = self.solve("A.tri", "-b", "b.tri", "-o", "x.mtx")
        self.assertEqual(result.code, 0, result.stderr)
        x, _, _ = self.read_vector("x.mtx")
        # By hand: det = 98, x = 4 (26, -6, 2) / 98.
        for found, exact in zip(x, [104 / 98, -24 / 98, 8 / 98]):
            self.assertAlmostEqual(found, exact, delta=1e-15)  # A few eps.

    def test_complex_forms_are_refused(self):
        self.write("c.tri", "2 2 2 -1\n0 0 1 0\n1 1 1 0\n")
        self.expect_refusal(3, "c.tri, line 2: hermitian (complex) matrices are not supported",
                            "c.tri")
        self.write("c.tri", "2 2 2\n0 0 1 0\n1 1 1 0\n")
        self.expect_refusal(3, "c.tri, line 2: complex values are not supported", "c.tri")


class Patterns(CommandTest):
    def test_analysis(self):
        result = self.run_command("analyze", self.write("P.mtx", PATTERN), "--json")
        self.check_json(result)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual((result.json["nnz"], result.json["nnz_l"]), (3, 3))

    def test_drawings(self):
        matrix = self.write("P.mtx", PATTERN)
        for what in ["spy", "tree"]:
            result = self.run_command("plot", matrix, "-o", f"{what}.svg", "--what", what)
            self.assertEqual(result.code, 0, result.stderr)
            self.assertIn("<svg", (self.folder / f"{what}.svg").read_text())

    def test_analysis_serves_a_matrix_with_values(self):
        matrix = self.write("P.mtx", PATTERN)
        self.run_command("analyze", matrix, "--save-analysis", "P.analysis")
        self.write_matrix("A.mtx", 2, [(0, 0, 2.0), (1, 0, -1.0), (1, 1, 2.0)])
        self.assertEqual(self.solve("A.mtx", "--analysis", "P.analysis").code, 0)

    def test_harwell_boeing(self):
        self.write("P.psa", "A pattern".ljust(72) + "PATTERN1\n"
                   "             2             1             1             0             0\n"
                   "PSA                        2             2             3             0\n"
                   "(3I4)           (3I4)\n   1   3   4\n   1   2   2\n")
        result = self.run_command("analyze", "P.psa", "--json")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(result.json["nnz"], 3)

    def test_where_values_are_needed_they_are_refused(self):
        matrix = self.write("P.mtx", PATTERN)
        self.expect_refusal(3, "a pattern has no values", matrix)
        result = self.run_command("convert", matrix, "A.mtx", "--json")
        self.assertEqual(result.code, 3)
        self.assertEqual(self.names_in_folder(), ["P.mtx"])


class Rounding(CommandTest):
    def test_pairs_that_are_zero_but_for_rounding(self):
        entries = [(0, 0, 100.0), (1, 0, 1.8e-15), (0, 1, -5.3e-15), (1, 1, 100.0)]
        result = self.solve(self.write_matrix("A.mtx", 2, entries, "coordinate real general"))
        self.assertEqual(result.code, 0, result.stderr)
        self.assertAlmostEqual(result.json["asymmetry"], 7.1e-17, delta=1e-19)
        self.assertIn("asymmetry 7.1e-17", " ".join(result.json["notes"]))

    def test_pairs_that_are_not(self):
        entries = [(0, 0, 100.0), (1, 0, 1.8e-13), (0, 1, -5.3e-13), (1, 1, 100.0)]
        matrix = self.write_matrix("A.mtx", 2, entries, "coordinate real general")
        self.expect_refusal(3, "worst at (2, 1) = 1.8e-13 and (1, 2) = -5.3e-13", matrix)

    def test_one_triangle_has_no_asymmetry(self):
        result = self.solve(self.write_matrix("A.mtx", 1, [(0, 0, 2.0)]))
        self.assertIsNone(result.json["asymmetry"])


if __name__ == "__main__":
    unittest.main()
