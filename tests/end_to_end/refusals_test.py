#!/usr/bin/env python3
"""Bad input and hard input: each gets its exit code and one clear line, and leaves no file behind."""

import gzip
import resource
import subprocess
import unittest

from command_support import COMMAND, CommandTest, dense, diagonal, grid, neumann, path

HEAD = "%%MatrixMarket matrix coordinate real symmetric\n"


class UnreadableFiles(CommandTest):
    """Code 3: the matrix cannot be read, or no solver could use it."""

    def expect(self, words, *arguments):
        result = self.expect_refusal(3, words, *arguments, "-o", "x.mtx")
        self.assertFalse((self.folder / "x.mtx").exists())
        return result

    def expect_text(self, text, *words):
        self.expect(["A.mtx", *words], self.write("A.mtx", text))

    def test_missing_file(self):
        self.expect(["nowhere.mtx", "No such file"], "nowhere.mtx")

    def test_directory(self):
        (self.folder / "sub").mkdir()
        self.expect(["sub", "directory"], "sub")

    def test_empty_file(self):
        self.expect_text("", "empty")

    def test_other_format(self):
        self.expect_text("<html><body>404</body></html>\n", "Matrix Market")

    def test_truncated(self):
        self.expect_text(HEAD + "3 3 3\n1 1 2.0\n2 2 2.0\n")

    def test_truncated_gzip(self):
        self.expect_text(gzip.compress((HEAD + "1 1 1\n1 1 2.0\n").encode())[:-9])

    def test_more_entries_than_announced(self):
        self.expect_text(HEAD + "2 2 1\n1 1 2.0\n2 2 2.0\n", "line 4")

    def test_index_out_of_range(self):
        self.expect_text(HEAD + "2 2 2\n1 1 2.0\n3 2 2.0\n", "line 4")

    def test_index_zero(self):
        self.expect_text(HEAD + "2 2 2\n1 1 2.0\n0 2 2.0\n", "line 4")

    def test_size_that_overflows(self):
        self.expect_text(HEAD + "99999999999999999999 99999999999999999999 1\n1 1 2.0\n", "line 2")

    def test_order_beyond_32_bits(self):
        self.expect_text(HEAD + "3000000000 3000000000 1\n1 1 2.0\n", "line 2")

    def test_word_for_a_value(self):
        self.expect_text(HEAD + "1 1 1\n1 1 two\n", "line 3")

    def test_nan(self):
        self.expect_text(HEAD + "1 1 1\n1 1 nan\n", "line 3")

    def test_infinity(self):
        self.expect_text(HEAD + "1 1 1\n1 1 inf\n", "line 3")

    def test_value_that_overflows(self):
        self.expect_text(HEAD + "1 1 1\n1 1 1e999\n", "line 3")

    def test_complex(self):
        self.expect_text(HEAD.replace("real", "complex") + "1 1 1\n1 1 2.0 0.0\n", "complex")

    def test_hermitian(self):
        self.expect_text(HEAD.replace("real symmetric", "complex hermitian") +
                         "1 1 1\n1 1 2.0 0.0\n", "hermitian")

    def test_skew(self):
        self.expect_text(HEAD.replace("symmetric", "skew-symmetric") + "2 2 1\n2 1 2.0\n", "skew")

    def test_pattern(self):
        self.expect_text(HEAD.replace("real", "pattern") + "1 1 1\n1 1\n", "pattern", "values")

    def test_not_square(self):
        self.expect_text(HEAD.replace("symmetric", "general") + "2 3 1\n1 1 2.0\n", "2 x 3", "square")

    def test_unsymmetric_names_the_worst_pair(self):
        self.expect_text(HEAD.replace("symmetric", "general") +
                         "2 2 4\n1 1 2.0\n2 2 2.0\n2 1 0.5\n1 2 0.25\n", "(2, 1)", "(1, 2)")

    def test_no_rows(self):
        self.expect_text(HEAD + "0 0 0\n")


class RightHandSides(CommandTest):
    """Code 3: b does not fit, or holds what is no number."""

    def setUp(self):
        super().setUp()
        self.matrix = self.write_matrix("A.mtx", 3, path(3))

    def test_wrong_length(self):
        b = self.write_vector("b.mtx", [1.0, 2.0])
        self.expect_refusal(3, ["b.mtx", "2 rows", "expected 3"], self.matrix, "-b", b)

    def test_nan(self):
        b = self.write_vector("b.mtx", ["1.0", "nan", "2.0"])
        self.expect_refusal(3, ["b.mtx", "line 4"], self.matrix, "-b", b)

    def test_missing(self):
        self.expect_refusal(3, "b.mtx", self.matrix, "-b", "b.mtx")


class NotPositiveDefinite(CommandTest):
    """Code 4: the row is named, 1-based."""

    def expect(self, row, words, n, entries):
        matrix = self.write_matrix("A.mtx", n, entries)
        result = self.expect_refusal(4, [f"row {row} ", *words], matrix, "-o", "x.mtx")
        self.assertEqual(self.names_in_folder(), ["A.mtx"])
        self.assertEqual(result.json["row"], row)
        self.assertEqual(result.json["n"], n)
        self.assertIsNone(result.json["factor_s"])
        self.assertIsNone(result.json["backward_error"])
        return result

    def test_zero_diagonal(self):
        self.expect(2, ["diagonal entry 0"], 3, diagonal([1.0, 0.0, 1.0]))

    def test_missing_diagonal(self):
        self.expect(3, ["no diagonal"], 3, [(0, 0, 1.0), (1, 1, 1.0), (2, 0, 0.5)])

    def test_negative_diagonal(self):
        self.expect(1, ["diagonal entry -2"], 2, diagonal([-2.0, 1.0]))

    def test_indefinite(self):
        result = self.expect(2, ["pivot", "-3", "diagonal entry 1"], 2,
                             [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0)])
        self.assertEqual(result.json["pivot"], -3.0)
        self.assertEqual(result.json["diagonal"], 1.0)

    def test_exactly_singular(self):
        self.expect(2, ["pivot", "is 0"], 2, [(0, 0, 4.0), (1, 0, 2.0), (1, 1, 1.0)])

    def test_row_is_numbered_as_in_the_file(self):
        """Row 5 alone carries the defect, whatever the ordering."""
        entries = path(9)
        entries[4] = (4, 4, -1.0)
        for ordering in ["natural", "amd"]:
            with self.subTest(ordering=ordering):
                matrix = self.write_matrix("A.mtx", 9, entries)
                self.expect_refusal(4, "row 5 ", matrix, "--ordering", ordering)

    def test_single_precision_does_not_change_the_verdict(self):
        matrix = self.write_matrix("A.mtx", 2, [(0, 0, 1.0), (1, 0, 1.0 - 1e-9), (1, 1, 1.0)])
        result = self.solve(matrix, "--precision", "single")
        self.assertEqual(result.code, 0)
        self.assertTrue(result.json["fell_back_to_double"])


class Memory(CommandTest):
    """Code 5: predicted, and refused before anything is allocated."""

    def test_limit_below_the_prediction(self):
        matrix = self.write_matrix("A.mtx", 900, grid(30, 30))
        result = self.expect_refusal(5, "memory", matrix, "--memory", "200k", "-o", "x.mtx")
        self.assertEqual(self.names_in_folder(), ["A.mtx"])
        self.assertEqual(result.json["status"], "out_of_memory")

    def test_prediction_of_a_refused_factorization_is_reported(self):
        matrix = self.write_matrix("A.mtx", 300 * 300, grid(300, 300))
        result = self.expect_refusal(5, "memory", matrix, "--ordering", "natural", "--memory", "130M")
        self.assertGreater(result.json["predicted_host_bytes"], 130e6)
        # What there is before the factor, of which nothing was allocated; sanitizers add to it.
        j = result.json
        self.assertLess(j["peak_host_bytes"], j["predicted_host_bytes"] - j["factor_bytes"] / 2)

    def test_limit_above_the_prediction(self):
        matrix = self.write_matrix("A.mtx", 900, grid(30, 30))
        self.assertEqual(self.solve(matrix, "--memory", "1Gi").code, 0)

    def test_right_hand_sides_beyond_the_memory(self):
        matrix = self.write_matrix("A.mtx", 10000, grid(100, 100))
        self.expect_refusal(5, "right-hand sides", matrix, "--nrhs", 100000, "--memory", "1G")


class Hard(CommandTest):
    """Code 6: factored, but x is not what was asked for; it is written all the same."""

    def test_singular_to_working_precision(self):
        matrix = self.write_matrix("A.mtx", 50, neumann(50))
        result = self.solve(matrix, "-o", "x.mtx")
        # The last pivot is zero up to rounding: which side of zero is a matter of luck.
        self.assertIn(result.code, (4, 6), result.stderr)
        self.assertEqual((self.folder / "x.mtx").exists(), result.code == 6)

    def test_near_singular(self):
        """One pivot is left at a few eps: the factorization passes, the condition does not."""
        eps = 2.0**-52
        matrix = self.write_matrix("A.mtx", 2, [(0, 0, 1.0), (1, 0, 1.0), (1, 1, 1.0 + eps)])
        b = self.write_vector("b.mtx", [1.0, 2.0])
        result = self.expect_refusal(6, ["singular", "supports", "x.mtx"], matrix, "-b", b,
                                     "-o", "x.mtx")
        self.assertEqual(result.json["status"], "singular")
        self.assertLess(result.json["rcond"], 2 * eps)
        self.assertEqual(self.read_vector("x.mtx")[1:], (2, 1))

    def test_without_the_condition_a_singular_matrix_passes(self):
        eps = 2.0**-52
        matrix = self.write_matrix("A.mtx", 2, [(0, 0, 1.0), (1, 0, 1.0), (1, 1, 1.0 + eps)])
        result = self.solve(matrix, "--no-condition")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertIsNone(result.json["rcond"])

    def test_tolerance_not_reached(self):
        matrix = self.write_matrix("A.mtx", 100, grid(10, 10, 0.123))
        result = self.expect_refusal(6, ["accuracy", "1.0e-30", "x.mtx"], matrix, "--tol", "1e-30",
                                     "-o", "x.mtx")
        self.assertEqual(result.json["status"], "accuracy_not_reached")
        self.assertEqual(self.read_vector("x.mtx")[1:], (100, 1))

    def test_solution_that_overflows(self):
        matrix = self.write_matrix("A.mtx", 1, diagonal([1e-200]))
        b = self.write_vector("b.mtx", [1e200])
        self.expect_refusal(6, ["accuracy", "range"], matrix, "-b", b, "-o", "x.mtx")
        self.assertEqual(self.names_in_folder(), ["A.mtx", "b.mtx"])

    def test_solution_that_is_undefined(self):
        """Two infinite unknowns of opposite sign: A x is no number."""
        matrix = self.write_matrix("A.mtx", 2, [(0, 0, 1e-200), (1, 0, 5e-201), (1, 1, 1e-200)])
        b = self.write_vector("b.mtx", [1e200, -1e200])
        result = self.expect_refusal(6, ["accuracy", "range"], matrix, "-b", b, "-o", "x.mtx")
        self.assertIsNone(result.json["backward_error"])
        self.assertEqual(self.names_in_folder(), ["A.mtx", "b.mtx"])

    def test_known_vector_that_overflows(self):
        matrix = self.write_matrix("A.mtx", 3, dense(3)[:-1] + [(2, 2, 1.7e308)])
        self.expect_refusal(3, ["overflows", "-b"], matrix)


class Usage(CommandTest):
    """Code 2, before any work."""

    def setUp(self):
        super().setUp()
        self.matrix = self.write_matrix("A.mtx", 3, path(3))

    def expect(self, words, *arguments):
        result = self.expect_refusal(2, words, *arguments)
        self.assertEqual(self.names_in_folder(), ["A.mtx"])
        return result

    def test_unknown_ordering(self):
        self.expect(["'metis'", "amd", "md", "mmd", "natural", "auto"], self.matrix, "--ordering", "metis")

    def test_unknown_device(self):
        self.expect(["'abacus'", "auto, cpu"], self.matrix, "--device", "abacus")

    def test_device_number_out_of_range(self):
        self.expect(["'77'", "auto, cpu"], self.matrix, "--device", "77")

    def test_several_devices(self):
        for names, word in [("cpu,cpu", "cpu"), ("auto,0", "auto"), ("abacus,0", "abacus")]:
            self.expect([f"'{word}'", "OpenCL devices"], self.matrix, "--device", names)

    def test_device_from_the_environment(self):
        self.expect_refusal(2, "'abacus'", self.matrix, env={"CLCHOL_DEVICE": "abacus"})
        self.assertEqual(self.solve(self.matrix, "--device", "cpu",
                                    env={"CLCHOL_DEVICE": "abacus"}).code, 0)

    def test_unknown_option(self):
        self.expect(["--fast", "clchol solve --help"], self.matrix, "--fast")

    def test_values_out_of_range(self):
        for option, value in [("--threads", "0"), ("--threads", "-1"), ("--threads", "1000000"),
                              ("--threads", "two"), ("--nrhs", "0"), ("--repeat", "0"),
                              ("--tol", "0"), ("--tol", "-1"), ("--tol", "nan"), ("--tol", "x"),
                              ("--memory", "0"), ("--memory", "lots"), ("--memory", "5X"),
                              ("--memory", "-5M"), ("--memory", "1e300"),
                              ("--memory", "nan"), ("--memory", "inf"), ("--memory", "disk=5G"),
                              ("--memory", "host=1G,host=2G"), ("--memory", "host="),
                              ("--memory", "host=1G,"), ("--memory", "device=1G,5G"), ("--nrhs", "-1"),
                              ("--threads", "1.5"), ("--threads", "nan"), ("--tol", "inf"),
                              ("--tol", "1.5"), ("--factorizations", "0"),
                              ("--factorizations", "-2"), ("--factorizations", "1e99"),
                              ("--refine-steps", "nan"), ("--repeat", "-1"),
                              ("--precision", "half"), ("--refine-steps", "-1")]:
            with self.subTest(option=option, value=value):
                self.expect(option, self.matrix, option, value)

    def test_missing_matrix(self):
        self.expect("A.mtx")

    def test_two_matrices(self):
        self.expect("B.mtx", self.matrix, "B.mtx")

    def test_number_of_columns_with_a_file(self):
        self.expect("-b", self.matrix, "-b", "b.mtx", "--nrhs", "2")

    def test_outputs_beyond_the_limit_of_the_process(self):
        """The kernel's signal for them, SIGXFSZ, would end the command and leave what it wrote."""
        matrix = self.write_matrix("A.mtx", 1000, diagonal([2.0] * 1000))
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        try:
            self.expect_refusal(2, "x.mtx: cannot write the file: File too large", matrix, "-o",
                                "x.mtx")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual(self.names_in_folder(), ["A.mtx"])

    def test_unwritable_outputs(self):
        """Found before the matrix is read: there is none."""
        (self.folder / "sub").mkdir()
        for option in ["-o", "--report", "--write-permutation"]:
            for path_name in ["nowhere/x.mtx", "sub", "A.mtx/x.mtx", "/proc/x.mtx"]:
                with self.subTest(option=option, path=path_name):
                    self.expect_refusal(2, path_name, "missing.mtx", option, path_name)
        self.assertEqual(self.names_in_folder(), ["A.mtx", "sub"])

    def test_output_over_an_input(self):
        self.expect(["-o", "same file"], self.matrix, "-o", "./A.mtx")

    def test_two_outputs_of_one_name(self):
        self.expect(["--report", "same file"], self.matrix, "-o", "x", "--report", "x")

    def test_no_subcommand(self):
        for arguments in [[], ["invert"], ["--json"]]:
            with self.subTest(arguments=arguments):
                result = self.run_command(*arguments)
                self.assertEqual(result.code, 2)
                self.check_error(result)

    def test_line_break_in_a_name(self):
        self.expect_refusal(3, "no such", "no such\nfile.mtx")


class StandardOutput(CommandTest):
    """Results that cannot be printed are not lost in silence."""

    def run_shell(self, redirection):
        matrix = self.write_matrix("A.mtx", 3, path(3))
        script = f'"$0" solve {matrix} {redirection}'
        process = subprocess.run(
            ["sh", "-c", script, COMMAND], cwd=self.folder,
            capture_output=True, text=True, check=False)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertIn("clchol: cannot write to standard output", process.stderr)

    def test_full(self):
        self.run_shell("> /dev/full")

    def test_closed(self):
        self.run_shell("-o x.mtx >&-")
        self.assertEqual(self.read_vector("x.mtx")[1:], (3, 1))


class KernelBench(CommandTest):
    """`clchol bench kernels` where there is nothing to do, or nothing to do it on."""

    def refuse(self, code, words, *arguments, **options):
        result = self.run_command(*arguments, **options)
        self.assertEqual(result.code, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.check_error(result)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_unknown_kernel(self):
        if not self.run_command("devices", "--json").json["opencl"]["built"]:
            self.skipTest("a build without OpenCL knows no kernels")
        self.refuse(2, ["'gem'", "known: ", "reduce_dot, ", "scan"], "bench", "kernels", "--kernel",
                    "scan,gem")

    def test_unknown_precision(self):
        self.refuse(2, ["double, single or both"], "bench", "kernels", "--precision", "mixed")

    def test_nothing_to_bench(self):
        self.refuse(2, ["bench --help"], "bench")

    def test_no_platform(self):
        nowhere = {"OCL_ICD_VENDORS": str(self.folder), "OPENCL_VENDOR_PATH": str(self.folder)}
        self.refuse(5, ["no OpenCL device"], "bench", "kernels", env=nowhere)
        result = self.run_command("bench", "kernels", "--json", env=nowhere)
        self.assertEqual(result.json["status"], "device_failure")
        self.assertEqual(result.json["exit_code"], 5)


if __name__ == "__main__":
    unittest.main()
