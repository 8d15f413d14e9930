#!/usr/bin/env python3
"""--save-factor and --factor: what was factored once is solved with in later runs."""

import unittest

from command_support import CommandTest, grid, path

ROWS = 600


class SavedFactor(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = self.write_matrix("A.mtx", ROWS, grid(30, 20, 0.1))
        self.b = self.write_vector("b.mtx", [[i % k + 1.0 for i in range(ROWS)] for k in (7, 5)])

    def save(self, *arguments):
        result = self.solve(self.matrix, "--save-factor", "F", "-b", self.b, "-o", "x.mtx",
                            "--device", "cpu", *arguments)
        self.assertEqual(result.code, 0, result.stderr)
        return result.json

    def expect_same_solution(self, tolerance):
        x, y = self.read_vector("x.mtx")[0], self.read_vector("y.mtx")[0]
        self.assertEqual(len(x), len(y))
        greatest = max(map(abs, x))
        for p, q in zip(x, y):
            self.assertLessEqual(abs(p - q), tolerance * greatest)

    def test_serves_its_matrix(self):
        saved = self.save()

        result = self.solve(self.matrix, "--factor", "F", "-b", self.b, "-o", "y.mtx")

        self.assertEqual(result.code, 0, result.stderr)
        # Both are solutions to a backward error of 1e-15; the condition is below 1e3.
        self.expect_same_solution(1e-12)
        self.assertLessEqual(result.json["backward_error"], 1e-15)
        self.assertGreater(result.json["load_s"], 0)
        self.assertIsNone(saved["load_s"])
        self.assertIsNone(result.json["factor_s"])
        self.assertIsNone(result.json["factor_first_s"])
        self.assertEqual(result.json["engine"], "cpu")
        for name in ["n", "nnz", "ordering", "nnz_l", "flops", "rcond", "precision"]:
            self.assertEqual(result.json[name], saved[name], name)

    def test_serves_without_its_matrix(self):
        saved = self.save()

        result = self.solve("--factor", "F", "-b", self.b, "-o", "y.mtx", "--threads", 2)

        self.assertEqual(result.code, 0, result.stderr)
        self.expect_same_solution(1e-12)
        self.assertIsNone(result.json["matrix"])
        self.assertIsNone(result.json["nnz"])
        self.assertIsNone(result.json["backward_error"])
        self.assertIsNone(result.json["componentwise_error"])
        self.assertEqual(result.json["n"], saved["n"])
        self.assertEqual(result.json["refine_steps"], 0)

    def test_in_single_precision_refines_with_its_matrix(self):
        self.save("--precision", "mixed")

        result = self.solve(self.matrix, "--factor", "F", "-b", self.b, "-o", "y.mtx")

        self.assertEqual(result.code, 0, result.stderr)
        self.assertLessEqual(result.json["backward_error"], 1e-15)
        self.assertGreater(result.json["refine_steps"], 0)
        self.expect_same_solution(1e-12)

    def test_summary_says_that_it_was_loaded(self):
        self.save()
        result = self.run_command("solve", "--factor", "F", "-b", self.b)
        self.assertEqual(result.code, 0, result.stderr)
        for words in ["loaded in", "not known", "without the matrix"]:
            self.assertIn(words, result.stdout)
        for words in ["factored in", "analysed in", "workspace"]:
            self.assertNotIn(words, result.stdout)

    def test_has_the_same_bytes_each_time(self):
        self.save()
        first = (self.folder / "F").read_bytes()
        self.save("--threads", 2)
        self.assertEqual((self.folder / "F").read_bytes(), first)
        self.assertEqual(self.names_in_folder(), ["A.mtx", "F", "b.mtx", "x.mtx"])

    def test_traces_saving_and_loading(self):
        self.save("--trace", "save.json")
        self.assertIn('"save"', (self.folder / "save.json").read_text())
        result = self.solve("--factor", "F", "-b", self.b, "--trace", "load.json")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIn('"load"', (self.folder / "load.json").read_text())


class Refusals(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = self.write_matrix("A.mtx", 9, path(9))
        self.assertEqual(self.run_command("solve", self.matrix, "--save-factor", "good", "-q").code, 0)
        self.b = self.write_vector("b.mtx", [1.0] * 9)

    def expect(self, words, name, *matrix):
        self.expect_refusal(3, [name, *words], *matrix, "--factor", name, "-b", self.b, "-o", "x")
        self.assertFalse((self.folder / "x").exists())

    def test_missing(self):
        self.expect(["No such file"], "none")

    def test_directory(self):
        (self.folder / "sub").mkdir()
        self.expect(["no regular file"], "sub")

    def test_other_format(self):
        self.expect(["no saved factor"], "A.mtx")

    def test_empty(self):
        self.expect(["empty"], self.write("bad", b""))

    def test_damaged(self):
        content = bytearray((self.folder / "good").read_bytes())
        content[5000] ^= 1
        self.expect(["damaged", "block 0", "byte 4096"], self.write("bad", bytes(content)))

    def test_truncated(self):
        self.expect(["truncated"], self.write("bad", (self.folder / "good").read_bytes()[:-1]))

    def test_another_pattern(self):
        self.expect(["another pattern"], "good", self.write_matrix("B.mtx", 9, grid(3, 3)))

    def test_other_values(self):
        self.expect(["other values"], "good", self.write_matrix("B.mtx", 9, path(9, 3.0)))

    def test_right_hand_sides_of_another_length(self):
        b = self.write_vector("c.mtx", [1.0] * 8)
        self.expect_refusal(3, ["c.mtx", "8", "9"], "--factor", "good", "-b", b)

    def test_without_right_hand_sides(self):
        self.expect_refusal(2, ["--factor", "-b"], "--factor", "good")

    def test_with_what_it_replaces(self):
        for option, value in [("--ordering", "amd"), ("--analysis", "a"), ("--device", "cpu"),
                              ("--precision", "mixed"), ("--save-factor", "again"),
                              ("--save-analysis", "again"), ("--write-permutation", "again")]:
            with self.subTest(option=option):
                self.expect_refusal(2, ["--factor", option], self.matrix, "--factor", "good",
                                    option, value)

    def test_over_an_input(self):
        self.expect_refusal(2, ["--save-factor", "same file"], self.matrix, "--save-factor", "A.mtx")
        self.expect_refusal(2, ["-o", "--factor", "same file"], self.matrix, "--factor", "good",
                            "-o", "good")

    def test_compressed(self):
        self.expect_refusal(2, ["f.gz", "not compressed"], self.matrix, "--save-factor", "f.gz")

    def test_unwritable(self):
        """Found before the matrix is read: there is none."""
        self.expect_refusal(2, "nowhere/f", "missing.mtx", "--save-factor", "nowhere/f")


if __name__ == "__main__":
    unittest.main()
