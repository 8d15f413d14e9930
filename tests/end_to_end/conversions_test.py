#!/usr/bin/env python3
"""Matrices from elsewhere: model problems made in memory or on disk, Harwell-Boeing files, and their
way into Matrix Market files."""

import gzip
import os
import unittest

from command_support import CommandTest, diagonal, path

HEAD = "%%MatrixMarket matrix coordinate real symmetric\n"
# 4 -1  0
#-1  4 -1
# 0 -1  4    and a right-hand side that no command reads; numbers stand without blanks between.
HARWELL_BOEING = ("Three by three                                                          TINY\n"
                  "             7             1             1             2             1\n"
                  "RSA                        3             3             5             0\n"
                  "(4I2)           (5I2)           (3E10.3)            (3E10.3)\n"
                  "F                          1             0\n"
                  " 1 3 5 6\n 1 2 2 3 3\n"
                  " 4.000E+00-1.000E+00 4.000E+00\n-1.000E+00 4.000E+00\n"
                  " 1.000E+00 1.000E+00 1.000E+00\n")
THREE_BY_THREE = HEAD + "3 3 5\n1 1 4\n2 1 -1\n2 2 4\n3 2 -1\n3 3 4\n"


class Conversions(CommandTest):
    """Outputs, and what their run reports."""

    def convert(self, command, *arguments, **options):
        result = self.run_command(command, *arguments, "--json", **options)
        self.check_json(result)
        return result

    def text(self, name):
        content = (self.folder / name).read_bytes()
        return (gzip.decompress(content) if name.endswith(".gz") else content).decode()

    def expect_refusal_of(self, code, words, command, *arguments, **options):
        result = self.convert(command, *arguments, **options)
        self.assertEqual(result.code, code, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        return result


class Generate(Conversions):
    def test_small_matrix_is_written_entry_by_entry(self):
        result = self.convert("generate", "grid2d:2", "A.mtx")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(self.text("A.mtx"), HEAD + "4 4 8\n1 1 6.001\n2 1 -1\n3 1 -1\n2 2 6.001\n"
                         "4 2 -1\n3 3 6.001\n4 3 -1\n4 4 6.001\n")
        self.assertEqual(self.names_in_folder(), ["A.mtx"])

    def test_report_of_a_run(self):
        j = self.convert("generate", "grid3d:5", "A.mtx.gz", "--report", "r.json").json
        self.assertEqual((j["command"], j["matrix"], j["output"]), ("generate", "grid3d:5", "A.mtx.gz"))
        self.assertEqual((j["n"], j["nnz"]), (125, 425))
        self.assertEqual(j["output_bytes"], (self.folder / "A.mtx.gz").stat().st_size)
        self.assertGreater(j["write_s"], 0)
        self.assertGreaterEqual(j["total_s"], j["read_s"] + j["write_s"])
        for name in ["ordering", "precision", "nrhs", "factor_s", "predicted_host_bytes", "device"]:
            self.assertIsNone(j[name], name)
        self.assertEqual(self.names_in_folder(), ["A.mtx.gz", "r.json"])

    def test_every_kind_is_written_and_solved_from_disk_and_memory(self):
        for spec in ["grid2d:6", "grid3d:4", "grid3d27:4", "elast3d:3"]:
            with self.subTest(spec=spec):
                self.assertEqual(self.convert("generate", spec, "A.mtx.gz").code, 0)
                from_disk = self.solve("A.mtx.gz", "-o", "disk.mtx")
                from_memory = self.solve(spec, "-o", "memory.mtx")
                self.assertEqual((from_disk.code, from_memory.code), (0, 0), from_memory.stderr)
                self.assertEqual(self.text("disk.mtx"), self.text("memory.mtx"))
                for name in ["n", "nnz", "nnz_l", "flops"]:
                    self.assertEqual(from_disk.json[name], from_memory.json[name], name)
                self.assertEqual(from_memory.json["matrix"], spec)

    def test_same_bytes_from_any_number_of_threads(self):
        files = set()
        for threads in [1, 2, 3]:
            self.assertEqual(self.convert("generate", "grid2d:150", "A.mtx.gz", "--threads",
                                          threads).code, 0)
            files.add((self.folder / "A.mtx.gz").read_bytes())
        self.assertEqual(len(files), 1)

    def test_names_that_are_no_model_problem(self):
        for spec, word in [("grid2d:0", "from 1 to 46340"), ("grid2d:-1", "whole number"),
                           ("grid2d:", "whole number"), ("grid2d:3x", "whole number"),
                           ("grid3d:1291", "from 1 to 1290"), ("elast3d:99999999999", "from 1 to 893"),
                           ("grid2d", "no model problem"), ("A.mtx", "no model problem")]:
            with self.subTest(spec=spec):
                self.expect_refusal_of(2, [spec, word], "generate", spec, "A.mtx")
        self.assertEqual(self.names_in_folder(), [])

    def test_what_does_not_fit_is_refused_before_it_is_made(self):
        result = self.expect_refusal_of(5, ["memory", "model problem"], "generate", "grid3d:100",
                                        "A.mtx", "--memory", "50M")
        self.assertLess(result.json["peak_host_bytes"], 50e6)
        self.assertEqual(self.names_in_folder(), [])


class ModelProblemsInPlaceOfFiles(CommandTest):
    def test_analyze(self):
        result = self.run_command("analyze", "grid2d:20", "--json")
        self.check_json(result)
        self.assertEqual((result.json["n"], result.json["nnz"]), (400, 1160))

    def test_summary_tells_that_it_was_made(self):
        result = self.run_command("solve", "grid2d:20")
        self.assertEqual((result.code, result.stderr), (0, ""))
        self.assertIn("made in", result.stdout)
        self.assertNotIn("read in", result.stdout)

    def test_file_of_that_name_needs_its_folder(self):
        self.write_matrix("grid2d:20", 3, path(3))
        self.assertEqual(self.solve("grid2d:20").json["n"], 400)
        self.assertEqual(self.solve("./grid2d:20").json["n"], 3)

    def test_output_may_have_the_name_of_a_model_problem(self):
        self.assertEqual(self.solve("grid2d:4", "-o", "grid2d:4").code, 0)
        self.assertEqual(self.read_vector("grid2d:4")[1:], (16, 1))

    def test_bad_size(self):
        self.expect_refusal(2, ["grid2d:0", "from 1 to 46340"], "grid2d:0")

    def test_one_point(self):
        self.assertEqual(self.solve("grid3d:1").json["nnz_l"], 1)


class Convert(Conversions):
    def test_generated_file_comes_back_byte_by_byte(self):
        self.convert("generate", "elast3d:3", "A.mtx")
        for source, target in [("A.mtx", "B.mtx.gz"), ("B.mtx.gz", "C.mtx")]:
            self.assertEqual(self.convert("convert", source, target).code, 0)
        self.assertEqual(self.text("B.mtx.gz"), self.text("A.mtx"))
        self.assertEqual(self.text("C.mtx"), self.text("A.mtx"))

    def test_model_problem_is_taken_as_everywhere(self):
        self.convert("generate", "grid2d:3", "A.mtx")
        self.assertEqual(self.convert("convert", "grid2d:3", "B.mtx").code, 0)
        self.assertEqual(self.text("B.mtx"), self.text("A.mtx"))

    def test_entries_in_any_order_are_written_in_one(self):
        self.write("A.mtx", HEAD + "3 3 6\n3 3 4\n1 2 -1\n2 2 4\n3 2 -1\n1 1 1.5\n1 1 2.5\n")
        self.assertEqual(self.convert("convert", "A.mtx", "B.mtx").code, 0)
        self.assertEqual(self.text("B.mtx"), THREE_BY_THREE)

    def test_general_file_becomes_symmetric(self):
        lower = path(4)
        self.write_matrix("A.mtx", 4, lower + [(j, i, v) for i, j, v in lower if i != j],
                          "coordinate real general")
        result = self.convert("convert", "A.mtx", "B.mtx")
        self.assertTrue(result.json["general_but_symmetric"])
        self.assertEqual(self.text("B.mtx").splitlines()[:2], [HEAD.strip(), "4 4 7"])

    def test_numbers_keep_their_bits(self):
        values = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 123456789012345680.0, 1e23]
        self.write_matrix("A.mtx", 6, diagonal(values))
        self.convert("convert", "A.mtx", "B.mtx")
        written = [float(line.split()[2]) for line in self.text("B.mtx").splitlines()[2:]]
        self.assertEqual(written, values)

    def test_harwell_boeing(self):
        self.write("A.rsa", HARWELL_BOEING)
        result = self.convert("convert", "A.rsa", "B.mtx")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(self.text("B.mtx"), THREE_BY_THREE)
        self.assertTrue(any("right-hand sides" in note for note in result.json["notes"]))

    def test_compressed_harwell_boeing_of_any_name(self):
        self.write("A.mtx", gzip.compress(HARWELL_BOEING.encode()))
        self.assertEqual(self.convert("convert", "A.mtx", "B.mtx.gz").code, 0)
        self.assertEqual(self.text("B.mtx.gz"), THREE_BY_THREE)

    def test_pipe(self):
        """Nothing is read twice, and nothing renamed over a pipe."""
        os.mkfifo(self.folder / "in")
        process = self.start("convert", "in", "B.mtx", "--json")
        with open(self.folder / "in", "w", encoding="ascii") as pipe:
            pipe.write(HARWELL_BOEING)
        process.communicate(timeout=60)
        self.assertEqual((process.returncode, self.text("B.mtx")), (0, THREE_BY_THREE))

    def test_summary_and_quiet(self):
        self.write("A.rsa", HARWELL_BOEING)
        result = self.run_command("convert", "A.rsa", "B.mtx")
        self.assertEqual((result.code, result.stderr), (0, ""))
        for word in ["A.rsa", "B.mtx", "Matrix", "Output", "written in", "right-hand sides"]:
            self.assertIn(word, result.stdout)
        result = self.run_command("convert", "A.rsa", "C.mtx", "--quiet")
        self.assertEqual((result.code, result.stdout, result.stderr), (0, "", ""))

    def test_refused_matrix_leaves_the_output_as_it_was(self):
        self.write("B.mtx", "old")
        for name, text, words in [
                ("pattern.mtx", HEAD.replace("real", "pattern") + "1 1 1\n1 1\n", ["pattern"]),
                ("pattern.psa", HARWELL_BOEING.replace("RSA", "PSA"), ["line 3", "PSA", "pattern"]),
                ("complex.csa", HARWELL_BOEING.replace("RSA", "CSA"), ["line 3", "complex"]),
                ("elemental.rse", HARWELL_BOEING.replace("RSA", "RSE"), ["line 3", "elemental"]),
                ("unsym.rua", HARWELL_BOEING.replace("RSA", "RUA"), ["not symmetric"]),
                ("short.rsa", HARWELL_BOEING[:HARWELL_BOEING.index("-1.000E+00 4.000E+00\n 1")],
                 ["line 8", "ends"]),
                ("html", "<html>\n", ["HTML"]), ("empty", "", ["empty"])]:
            with self.subTest(name=name):
                self.write(name, text)
                self.expect_refusal_of(3, [name, *words], "convert", name, "B.mtx")
                self.assertEqual(self.text("B.mtx"), "old")
                (self.folder / name).unlink()
        self.assertEqual(self.names_in_folder(), ["B.mtx"])

    def test_unwritable_output_is_found_before_the_matrix_is_read(self):
        (self.folder / "sub.mtx").mkdir()
        for output in ["nowhere/B.mtx", "sub.mtx", "/proc/B.mtx"]:
            with self.subTest(output=output):
                self.expect_refusal_of(2, [output], "convert", "missing.mtx", output)

    def test_full_disk(self):
        self.expect_refusal_of(2, ["/dev/full", "No space"], "convert", "grid2d:9", "/dev/full")

    def test_other_formats_are_not_written(self):
        for output in ["B.rsa", "B", "B.mtx.bz2", "mtx"]:
            with self.subTest(output=output):
                self.expect_refusal_of(2, [output, ".mtx.gz"], "convert", "grid2d:3", output)

    def test_output_over_the_input(self):
        self.write("A.mtx", THREE_BY_THREE)
        self.expect_refusal_of(2, ["OUT", "same file"], "convert", "A.mtx", "./A.mtx")
        self.expect_refusal_of(2, ["OUT", "same file"], "convert", "A.mtx", "B.mtx", "--report",
                               "B.mtx")
        self.assertEqual(self.text("A.mtx"), THREE_BY_THREE)

    def test_missing_arguments(self):
        for arguments in [["convert"], ["convert", "A.mtx"], ["generate", "grid2d:3"],
                          ["generate", "grid2d:3", "A.mtx", "B.mtx"]]:
            with self.subTest(arguments=arguments):
                self.expect_refusal_of(2, ["--help"], *arguments)


class HarwellBoeingIsSolved(CommandTest):
    def test_solve_and_analyze(self):
        self.write("A.rsa", HARWELL_BOEING)
        b = self.write_vector("b.mtx", [3.0, 2.0, 3.0])
        result = self.solve("A.rsa", "-b", b, "-o", "x.mtx")
        self.assertEqual(result.code, 0, result.stderr)
        # All ones; the condition is below 3.
        for value in self.read_vector("x.mtx")[0]:
            self.assertAlmostEqual(value, 1.0, delta=1e-15)
        self.assertEqual(self.run_command("analyze", "A.rsa", "--json").json["nnz"], 5)

    def test_right_hand_sides_must_be_matrix_market(self):
        self.write("A.rsa", HARWELL_BOEING)
        self.expect_refusal(3, ["A.rsa", "Harwell-Boeing", "convert"], "grid2d:3", "-b", "A.rsa")


if __name__ == "__main__":
    unittest.main()
