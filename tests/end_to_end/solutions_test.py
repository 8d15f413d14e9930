#!/usr/bin/env python3
"""What the command computes and writes when all is well."""

import gzip
import json
import os
import pathlib
import unittest

from command_support import (NAMES, CommandTest, dense, diagonal, grid, multiply, path)

# A pseudo-random integer sequence, the same everywhere: x -> 1103515245 x + 12345 (mod 2^31).
SEED = 12345


def shuffled(n):
    order, state = list(range(n)), SEED
    for k in range(n - 1, 0, -1):
        state = (1103515245 * state + 12345) % 2**31
        swap = state % (k + 1)
        order[k], order[swap] = order[swap], order[k]
    return order


class Solutions(CommandTest):
    def solve_known(self, n, entries, *options):
        """Solves for the x = 1, 2, 3, ... and compares."""
        x = [float(i + 1) for i in range(n)]
        matrix = self.write_matrix("A.mtx", n, entries)
        b = self.write_vector("b.mtx", multiply(n, entries, x))
        result = self.solve(matrix, "-b", b, "-o", "x.mtx", *options)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIsNone(result.json["forward_error"])
        found, nrow, ncol = self.read_vector("x.mtx")
        self.assertEqual((nrow, ncol), (n, 1))
        # Condition numbers are below 1e5 here, so that 11 digits are right.
        for i, value in enumerate(found):
            self.assertAlmostEqual(value / x[i], 1.0, delta=1e-11)
        return result

    def test_one_row(self):
        result = self.solve_known(1, diagonal([4.0]))
        self.assertEqual(result.json["nnz_l"], 1)

    def test_diagonal(self):
        self.solve_known(5, diagonal([1.0, 2.0, 4.0, 8.0, 1e6]))

    def test_dense(self):
        self.solve_known(60, dense(60))

    def test_disconnected(self):
        two = grid(5, 5) + [(i + 25, j + 25, v) for i, j, v in dense(7)] + [(32, 32, 3.0)]
        self.solve_known(33, two)

    def test_grid(self):
        self.solve_known(400, grid(20, 20))

    def test_natural_order(self):
        result = self.solve_known(100, path(100), "--ordering", "natural")
        self.assertEqual(result.json["ordering"], "natural")
        self.assertEqual(result.json["nnz_l"], 199)

    def test_minimum_degree_orders(self):
        for ordering in ["md", "mmd"]:
            with self.subTest(ordering=ordering):
                result = self.solve_known(400, grid(20, 20), "--ordering", ordering)
                self.assertEqual(result.json["ordering"], ordering)
                result = self.solve_known(100, path(100), "--ordering", ordering)
                self.assertEqual(result.json["nnz_l"], 199)

    def test_general_file_of_a_symmetric_matrix(self):
        lower = path(10)
        both = lower + [(j, i, v) for i, j, v in lower if i != j]
        matrix = self.write_matrix("A.mtx", 10, both, "coordinate real general")
        result = self.solve(matrix)
        self.assertEqual(result.code, 0)
        self.assertTrue(result.json["general_but_symmetric"])
        self.assertEqual(result.json["nnz"], 19)

    def test_duplicates_are_summed_and_noted(self):
        matrix = self.write_matrix("A.mtx", 2, [(0, 0, 1.0), (0, 0, 1.0), (1, 1, 2.0)])
        result = self.solve(matrix)
        self.assertEqual(result.json["duplicates_summed"], 1)
        self.assertTrue(any("summed" in note for note in result.json["notes"]))

    def test_several_right_hand_sides_from_a_file(self):
        columns = [[float(i == k) for i in range(10)] for k in range(3)]
        matrix = self.write_matrix("A.mtx", 10, path(10))
        b = self.write_vector("b.mtx", columns)
        result = self.solve(matrix, "-b", b, "-o", "x.mtx")
        x, nrow, ncol = self.read_vector("x.mtx")
        self.assertEqual((result.json["nrhs"], nrow, ncol), (3, 10, 3))
        # The first column of the inverse of the path's matrix: (n - i) / (n + 1).
        for i in range(10):
            self.assertAlmostEqual(x[i], (10 - i) / 11, delta=1e-14)

    def test_known_solution(self):
        matrix = self.write_matrix("A.mtx", 100, grid(10, 10))
        result = self.solve(matrix, "--nrhs", 9, "-o", "x.mtx")
        self.assertEqual(result.json["nrhs"], 9)
        self.assertLess(result.json["forward_error"], 1e-13)  # The condition is below 100.
        x, _, ncol = self.read_vector("x.mtx")
        columns = {tuple(round(v, 3) for v in x[100 * r:100 * (r + 1)]) for r in range(ncol)}
        self.assertEqual(len(columns), 9)

    def test_compressed_solution(self):
        matrix = self.write_matrix("A.mtx", 3, path(3))
        self.assertEqual(self.solve(matrix, "-o", "x.mtx.gz").code, 0)
        self.assertTrue(gzip.decompress((self.folder / "x.mtx.gz").read_bytes()).startswith(b"%%M"))

    def test_no_other_file_is_left(self):
        matrix = self.write_matrix("A.mtx", 3, path(3))
        self.solve(matrix, "-o", "x.mtx", "--report", "r.json", "--write-permutation", "p.mtx")
        self.assertEqual(self.names_in_folder(), ["A.mtx", "p.mtx", "r.json", "x.mtx"])

    def test_precisions(self):
        matrix = self.write_matrix("A.mtx", 400, grid(20, 20))
        for precision, bound in [("double", 1e-15), ("mixed", 1e-15), ("single", 1e-6)]:
            with self.subTest(precision=precision):
                result = self.solve(matrix, "--precision", precision)
                self.assertEqual(result.code, 0, result.stderr)
                self.assertEqual(result.json["precision"], precision)
                self.assertLessEqual(result.json["backward_error"], bound)

    def test_any_scale(self):
        for unit in [1e-300, 1e-165, 1e160, 1e300]:
            for precision in ["double", "single", "mixed"]:
                with self.subTest(unit=unit, precision=precision):
                    definite = self.write_matrix(
                        "A.mtx", 2, [(0, 0, 2 * unit), (1, 0, unit), (1, 1, 2 * unit)])
                    result = self.solve(definite, "--precision", precision)
                    self.assertEqual(result.code, 0, result.stderr)
                    self.assertLessEqual(result.json["forward_error"], 1e-6)
                    self.assertLess(abs(result.json["rcond"] - 1 / 3), 1e-6)
                    indefinite = self.write_matrix(
                        "B.mtx", 2, [(0, 0, unit), (1, 0, 2 * unit), (1, 1, unit)])
                    self.assertEqual(self.solve(indefinite, "--precision", precision).code, 4)

    def test_refinement_can_be_switched_off(self):
        matrix = self.write_matrix("A.mtx", 400, grid(20, 20))
        result = self.solve(matrix, "--refine-steps", 0, "--tol", 1e-12)
        self.assertEqual((result.code, result.json["refine_steps"]), (0, 0))

    def test_threads_give_the_same_bits(self):
        matrix = self.write_matrix("A.mtx", 90 * 90, grid(90, 90, 0.01))
        files = set()
        for threads in [1, 2, 3, 4, 2]:
            result = self.solve(matrix, "-o", "x.mtx", "--threads", threads)
            self.assertEqual((result.code, result.json["threads"]), (0, threads))
            files.add((self.folder / "x.mtx").read_bytes())
        self.assertEqual(len(files), 1)


class Permutations(CommandTest):
    def test_round_trip_keeps_the_fill(self):
        matrix = self.write_matrix("A.mtx", 900, grid(30, 30))
        first = self.solve(matrix, "--write-permutation", "p.mtx")
        again = self.solve(matrix, "--ordering", "p.mtx")
        self.assertEqual(again.code, 0, again.stderr)
        self.assertEqual((first.json["ordering"], again.json["ordering"]), ("amd", "given"))
        self.assertEqual(first.json["nnz_l"], again.json["nnz_l"])
        self.assertEqual(first.json["flops"], again.json["flops"])

    def test_plain_list(self):
        matrix = self.write_matrix("A.mtx", 50, path(50))
        self.write("p.txt", "".join(f"{i + 1}\n" for i in shuffled(50)))
        result = self.solve(matrix, "--ordering", "p.txt")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertGreater(result.json["nnz_l"], 99)

    def test_what_is_no_permutation(self):
        matrix = self.write_matrix("A.mtx", 3, path(3))
        for text in ["1\n2\n2\n", "1\n2\n", "1\n2\n4\n", "a\nb\nc\n", ""]:
            with self.subTest(text=text):
                self.expect_refusal(3, "p.txt", matrix, "--ordering", self.write("p.txt", text))


class Output(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = self.write_matrix("A.mtx", 400, grid(20, 20))

    def test_numbers_fit_together(self):
        j = self.solve(self.matrix, "--repeat", 3).json
        self.assertEqual((j["n"], j["nnz"], j["matrix"]), (400, 1160, "A.mtx"))
        self.assertEqual((j["engine"], j["status"], j["exit_code"]), ("cpu", "ok", 0))
        self.assertAlmostEqual(j["analyze_s"], j["order_s"] + j["symbolic_s"], delta=1e-12)
        self.assertLessEqual(j["factor_s"], j["factor_first_s"])
        self.assertGreater(j["refactor_s"], 0)
        self.assertGreater(j["total_s"], j["read_s"] + j["analyze_s"] + j["factor_first_s"])
        self.assertAlmostEqual(j["gflops"], j["flops"] / j["factor_s"] / 1e9, delta=1e-6)
        self.assertGreaterEqual(j["nnz_stored"], j["nnz_l"])
        self.assertGreater(j["peak_host_bytes"], 1e6)
        self.assertEqual((j["peak_device_bytes"], j["predicted_device_bytes"]), (0, 0))
        self.assertTrue(0 < j["rcond"] <= 1)
        self.assertLessEqual(j["backward_error"], 1e-15)
        self.assertLessEqual(j["componentwise_error"], 1e-14)

    def test_every_name_is_documented(self):
        guide = pathlib.Path(__file__).resolve().parents[2] / "docs" / "command.md"
        text = guide.read_text(encoding="utf-8")
        names = self.solve(self.matrix).json
        self.assertEqual([name for name in names if f"`{name}`" not in text], [])

    def test_one_repeat_refactors_nothing(self):
        j = self.solve(self.matrix).json
        self.assertIsNone(j["refactor_s"])
        self.assertEqual(j["factor_s"], j["factor_first_s"])

    def test_analyze_predicts_and_factors_nothing(self):
        result = self.run_command("analyze", self.matrix, "--json")
        self.check_json(result)
        self.assertEqual(result.code, 0)
        known = self.solve(self.matrix).json
        for name in ["n", "nnz", "ordering", "nnz_l", "flops", "supernodes", "largest_front",
                     "tree_height", "threads", "factor_bytes"]:
            self.assertEqual(result.json[name], known[name], name)
        for name in ["factor_s", "solve_s", "backward_error", "forward_error", "rcond", "gflops"]:
            self.assertIsNone(result.json[name], name)
        # Two vectors of 400 doubles are the difference in what is resident, and noise is pages.
        self.assertAlmostEqual(result.json["predicted_host_bytes"],
                               known["predicted_host_bytes"], delta=1e6)

    def test_analyze_takes_a_matrix_that_is_not_positive_definite(self):
        matrix = self.write_matrix("B.mtx", 2, diagonal([1.0, -1.0]))
        self.assertEqual(self.run_command("analyze", matrix).code, 0)

    def test_byte_counts(self):
        for text, count in [("1000000000", 10**9), ("1G", 10**9), ("1Gi", 2**30), ("1.5g", 1500000000),
                            ("2000000k", 2 * 10**9), ("0.001T", 10**9), ("2GB", 2 * 10**9),
                            ("1048576Ki", 2**30), ("2048MiB", 2**31)]:
            with self.subTest(text=text):
                json = self.solve(self.matrix, "--memory", text).json
                self.assertEqual(json["host_memory_limit_bytes"], count)
                self.assertEqual(json["device_memory_limit_bytes"], count)

    def test_memory_by_tier(self):
        for text, host, device in [("device=8G,host=16G", 16 * 10**9, 8 * 10**9),
                                   ("host=1Gi", 2**30, None), ("device=500M", None, 5 * 10**8)]:
            with self.subTest(text=text):
                json = self.solve(self.matrix, "--memory", text).json
                self.assertEqual(json["host_memory_limit_bytes"], host)
                self.assertEqual(json["device_memory_limit_bytes"], device)

    def test_report_file_is_what_json_prints(self):
        result = self.solve(self.matrix, "--report", "r.json")
        text = (self.folder / "r.json").read_text()
        self.assertEqual(text.count("\n"), 1)
        self.assertEqual(json.loads(text), result.json)

    def test_report_file_of_a_failure(self):
        matrix = self.write_matrix("B.mtx", 2, diagonal([1.0, -1.0]))
        result = self.run_command("solve", matrix, "--report", "r.json", "--quiet")
        self.assertEqual((result.code, result.stdout), (4, ""))
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual((report["status"], report["row"]), ("not_positive_definite", 2))
        self.assertEqual([name for name in NAMES if name not in report], [])

    def test_summary(self):
        result = self.run_command("solve", self.matrix)
        self.assertEqual((result.code, result.stderr), (0, ""))
        for word in ["A.mtx", "Matrix", "Analysis", "Factorization", "Solution", "Memory",
                     "backward error", "forward error", "rcond", "nnz(L)"]:
            self.assertIn(word, result.stdout)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)

    def test_quiet(self):
        result = self.run_command("solve", self.matrix, "--quiet")
        self.assertEqual((result.code, result.stdout, result.stderr), (0, "", ""))

    def test_quiet_keeps_json_and_errors(self):
        self.assertEqual(self.solve(self.matrix, "--quiet").code, 0)
        result = self.run_command("solve", "nowhere.mtx", "--quiet")
        self.assertEqual((result.code, result.stdout), (3, ""))
        self.check_error(result)

    def test_usage_error_with_json(self):
        result = self.solve("--nonsense")
        self.assertEqual((result.code, result.json["n"]), (2, None))

    def test_file_name_that_is_no_utf8(self):
        name = os.fsdecode(b"A\xff.mtx")
        (self.folder / "A.mtx").rename(self.folder / name)
        result = self.solve(name)
        self.assertEqual((result.code, result.json["matrix"]), (0, "A\ufffd.mtx"))

    def test_help_and_version(self):
        for arguments in [["--help"], ["solve", "--help"], ["analyze", "-h"], ["--version"]]:
            with self.subTest(arguments=arguments):
                result = self.run_command(*arguments)
                self.assertEqual((result.code, result.stderr), (0, ""))
                self.assertIn("clchol", result.stdout)

    def test_devices(self):
        result = self.run_command("devices", "--json")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(result.stdout.count("\n"), 1)
        self.assertGreaterEqual(result.json["cpu"]["cores"], 1)
        self.assertTrue(result.json["cpu"]["simd"])
        self.assertIsInstance(result.json["opencl"]["platforms"], list)
        text = self.run_command("devices")
        self.assertEqual(text.code, 0)
        self.assertIn("SIMD", text.stdout)


if __name__ == "__main__":
    unittest.main()
