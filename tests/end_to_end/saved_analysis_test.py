#!/usr/bin/env python3
"""--save-analysis and --analysis: what was analysed once serves later runs, and no other matrix."""

import unittest

from command_support import CommandTest, grid, path


class SavedAnalysis(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = self.write_matrix("A.mtx", 600, grid(30, 20, 0.1))

    def save(self, *arguments, name="A.analysis"):
        result = self.run_command("analyze", self.matrix, "--save-analysis", name, "--json", *arguments)
        self.check_json(result)
        self.assertEqual(result.code, 0, result.stderr)
        return result.json

    def test_gives_the_same_solution(self):
        saved = self.save("--ordering", "nd")
        self.assertEqual(self.solve(self.matrix, "--ordering", "nd", "-o", "x.mtx").code, 0)

        result = self.solve(self.matrix, "--analysis", "A.analysis", "-o", "y.mtx", "--threads", 2)

        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual((self.folder / "x.mtx").read_bytes(), (self.folder / "y.mtx").read_bytes())
        for name in ["ordering", "nnz_l", "flops", "supernodes", "largest_front", "compressed_n",
                     "tree_height", "factor_bytes"]:
            self.assertEqual(result.json[name], saved[name], name)
        self.assertEqual(result.json["ordering"], "nd")
        self.assertIs(saved["analysis_loaded"], False)
        self.assertIs(result.json["analysis_loaded"], True)
        self.assertEqual(result.json["order_s"], 0)

    def test_serves_other_values_and_precisions(self):
        self.save()
        other = self.write_matrix("B.mtx", 600, grid(30, 20, 0.7))

        for precision in ["double", "single", "mixed"]:
            with self.subTest(precision=precision):
                result = self.solve(other, "--analysis", "A.analysis", "--precision", precision)
                self.assertEqual(result.code, 0, result.stderr)

    def test_is_saved_again_to_the_same_bytes(self):
        self.save()

        result = self.solve(self.matrix, "--analysis", "A.analysis", "--save-analysis", "again",
                            "--write-permutation", "p.mtx")

        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual((self.folder / "A.analysis").read_bytes(),
                         (self.folder / "again").read_bytes())
        by_permutation = self.solve(self.matrix, "--ordering", "p.mtx")
        self.assertEqual(by_permutation.json["nnz_l"], result.json["nnz_l"])

    def test_may_be_compressed(self):
        self.save(name="A.analysis.gz")
        self.assertEqual((self.folder / "A.analysis.gz").read_bytes()[:2], b"\x1f\x8b")
        self.assertEqual(self.solve(self.matrix, "--analysis", "A.analysis.gz").code, 0)

    def test_summary_says_that_it_was_loaded(self):
        self.save()
        result = self.run_command("analyze", self.matrix, "--analysis", "A.analysis")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn("loaded in", result.stdout)
        self.assertNotIn("analysed in", result.stdout)

    def test_leaves_nothing_beside_the_file(self):
        self.save()
        self.assertEqual(self.names_in_folder(), ["A.analysis", "A.mtx"])


class Refusals(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = self.write_matrix("A.mtx", 9, path(9))
        self.assertEqual(
            self.run_command("analyze", self.matrix, "--save-analysis", "good", "-q").code, 0)

    def expect(self, words, name, matrix=None):
        self.expect_refusal(3, [name, *words], matrix or self.matrix, "--analysis", name, "-o", "x")
        self.assertFalse((self.folder / "x").exists())

    def test_missing(self):
        self.expect(["No such file"], "none")

    def test_directory(self):
        (self.folder / "sub").mkdir()
        self.expect(["directory"], "sub")

    def test_other_format(self):
        self.expect(["no saved analysis"], "A.mtx")

    def test_empty(self):
        self.expect(["empty"], self.write("bad", b""))

    def test_damaged(self):
        content = bytearray((self.folder / "good").read_bytes())
        content[len(content) // 2] ^= 1
        self.expect(["damaged", "checksum"], self.write("bad", bytes(content)))

    def test_truncated(self):
        self.expect(["truncated"], self.write("bad", (self.folder / "good").read_bytes()[:-1]))

    def test_newer_version(self):
        content = bytearray((self.folder / "good").read_bytes())
        content[12] += 1
        self.expect(["version 2", "reads version 1"], self.write("bad", bytes(content)))

    def test_another_pattern(self):
        self.expect(["another pattern"], "good", self.write_matrix("B.mtx", 9, grid(3, 3)))

    def test_with_an_ordering(self):
        self.expect_refusal(2, ["--analysis", "--ordering"], self.matrix, "--analysis", "good",
                            "--ordering", "amd")

    def test_over_an_input(self):
        self.expect_refusal(2, ["--save-analysis", "same file"], self.matrix, "--save-analysis",
                            "A.mtx")
        self.expect_refusal(2, ["--save-analysis", "same file"], self.matrix, "--analysis", "good",
                            "--save-analysis", "good")

    def test_unwritable(self):
        """Found before the matrix is read: there is none."""
        self.expect_refusal(2, "nowhere/a", "missing.mtx", "--save-analysis", "nowhere/a")


if __name__ == "__main__":
    unittest.main()
