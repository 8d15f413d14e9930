#!/usr/bin/env python3
"""Real matrices, and real input that must be refused, from the collection that CLCHOL_MATRICES (or
CLCHOL_SHARED) names: a folder with index.tsv and, in bad/, another.  Skipped without it.

CLCHOL_MAX_FLOPS: matrices that take more than that by the index are left out (default 2e8);
CLCHOL_MAX_DEVICE_FLOPS: the same for the OpenCL device, which may be a CPU (default 5e7).
"""

import csv
import os
import pathlib
import unittest

from command_support import CommandTest
from device_support import DeviceCommandTest

MAX_FLOPS = float(os.environ.get("CLCHOL_MAX_FLOPS", "2e8"))
MAX_DEVICE_FLOPS = float(os.environ.get("CLCHOL_MAX_DEVICE_FLOPS", "5e7"))


def collection():
    for variable in ["CLCHOL_MATRICES", "CLCHOL_SHARED"]:
        for folder in [pathlib.Path(os.environ.get(variable, "")),
                       pathlib.Path(os.environ.get(variable, "")) / "matrices"]:
            if variable in os.environ and (folder / "index.tsv").is_file():
                return folder
    return None


def rows_of(table):
    with open(table, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


# Files of bad/ by what their name begins with: exit codes, and words of the message.
EXPECTED = {
    "indef": ({4}, ["row"]),
    "structsing": ({4}, ["row"]),
    "semidef": ({4, 6}, []),
    "unsym": ({3}, ["not symmetric"]),
    "general_spd": ({0}, []),
    "rect": ({3}, ["square"]),
    "pattern": ({3}, ["pattern"]),
    "integer_spd": ({0}, []),
    "hermitian": ({3}, ["hermitian"]),
    "badheader": ({3}, []),
}


@unittest.skipIf(collection() is None, "CLCHOL_MATRICES is not set")
class SharedMatrices(CommandTest):
    def test_real_matrices_are_solved_to_working_precision(self):
        rows = [row for row in rows_of(collection() / "index.tsv")
                if float(row["flops_amd"]) <= MAX_FLOPS]
        self.assertGreater(len(rows), 0)
        for row in rows:
            with self.subTest(matrix=row["name"]):
                result = self.solve(collection() / f"{row['name']}.mtx.gz")
                self.assertEqual(result.code, 0, result.stderr)
                self.assertEqual(str(result.json["n"]), row["n"])
                self.assertEqual(str(result.json["nnz"]), row["nnz_lower"])
                self.assertLessEqual(result.json["backward_error"], 1e-15)
                self.assertLessEqual(result.json["componentwise_error"], 1e-14)

    def test_bad_input_is_refused(self):
        rows = rows_of(collection() / "bad" / "index.tsv")
        self.assertGreater(len(rows), 0)
        for row in rows:
            with self.subTest(matrix=row["name"]):
                codes, words = next(expected for prefix, expected in EXPECTED.items()
                                    if row["name"].startswith(prefix))
                result = self.solve(collection() / "bad" / f"{row['name']}.mtx.gz", "-o", "x.mtx")
                self.assertIn(result.code, codes, result.stderr)
                for word in words:
                    self.assertIn(word, result.stderr)
                self.assertEqual((self.folder / "x.mtx").exists(), result.code in (0, 6))
                (self.folder / "x.mtx").unlink(missing_ok=True)


@unittest.skipIf(collection() is None, "CLCHOL_MATRICES is not set")
class SharedMatricesOnADevice(DeviceCommandTest):
    """The same errors as on the CPU."""

    def test_real_matrices_are_solved_to_working_precision(self):
        rows = [row for row in rows_of(collection() / "index.tsv")
                if float(row["flops_amd"]) <= MAX_DEVICE_FLOPS]
        self.assertGreater(len(rows), 0)
        for row in rows:
            with self.subTest(matrix=row["name"]):
                result = self.solve_on_device(collection() / f"{row['name']}.mtx.gz")
                self.assertEqual(result.code, 0, result.stderr)
                self.assertLessEqual(result.json["backward_error"], 1e-15)
                self.assertLessEqual(result.json["componentwise_error"], 1e-14)

    def test_bad_pivots_are_named_as_on_the_cpu(self):
        for row in rows_of(collection() / "bad" / "index.tsv"):
            if not row["name"].startswith(("indef", "structsing")):
                continue
            with self.subTest(matrix=row["name"]):
                matrix = collection() / "bad" / f"{row['name']}.mtx.gz"
                cpu = self.solve(matrix, "--device", "cpu")
                device = self.solve(matrix, "--device", 0, timeout=600)
                self.assertEqual((device.code, device.json["row"]), (cpu.code, cpu.json["row"]))


if __name__ == "__main__":
    unittest.main()
