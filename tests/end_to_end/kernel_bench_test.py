#!/usr/bin/env python3
"""`clchol bench kernels` on whatever OpenCL device there is: PoCL where there is no other."""

import json
import math
import pathlib
import signal
import tempfile
import time
import unittest

from command_support import CommandTest, Result

# What every line has for whoever compares kernels; and for whoever asks where it comes from.
MEMBERS = """kernel variant precision shape tflops gbs peak_share max_error status reason seconds
repetitions params device driver platform version""".split()
PEAKS = ["peak_fma", "peak_tensor", "peak_copy"]
KERNELS = ["reduce_dot", "reduce_norm2", "reduce_max", "scan"]
# Sums of 10^4 terms of one sign: far above what they err by, far below what a lost term would do.
MOST_ERROR = {"double": 1e-11, "single": 1e-4}


class DeviceTest(CommandTest):
    """One cache of compiled kernels for all tests of a class: they run one after another."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.cache = pathlib.Path(cls.holder.name)

    def environment(self, extra):
        environment = super().environment({"POCL_CACHE_DIR": str(self.cache / "pocl"),
                                           "CLCHOL_CACHE": str(self.cache / "clchol")})
        environment.update(extra or {})
        return environment

    def need_device(self):
        devices = self.run_command("devices", "--json").json
        if not any(platform["devices"] for platform in devices["opencl"]["platforms"]):
            self.skipTest("no OpenCL device on this machine")

    def lines(self, *arguments, **options):
        """A run that succeeds: its lines, parsed."""
        result = self.run_command(*arguments, "--quick", "--json", **options)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return [json.loads(line) for line in result.stdout.splitlines()]


class BenchKernels(DeviceTest):
    def setUp(self):
        super().setUp()
        self.need_device()

    def check_measured(self, line):
        self.assertIsNone(line["reason"], line)
        self.assertGreater(line["seconds"], 0, line)
        self.assertGreater(line["repetitions"], 0, line)
        self.assertGreater(line["tflops"] + line["gbs"], 0, line)
        self.assertGreater(line["peak_share"], 0, line)
        self.assertTrue(0 <= line["max_error"] <= MOST_ERROR[line["precision"]], line)

    def check_absent(self, line):
        """Listed with the reason, and without a number that could pass for a result."""
        self.assertEqual(line["status"], "absent", line)
        self.assertTrue(line["reason"], line)
        for name in ["tflops", "gbs", "peak_share", "max_error", "seconds"]:
            self.assertIsNone(line[name], line)

    def test_every_kernel_is_measured_or_absent_with_its_reason(self):
        lines = self.lines("bench", "kernels")
        for line in lines:
            self.assertEqual(sorted(line), sorted(MEMBERS))
            self.check_measured(line) if line["status"] == "ok" else self.check_absent(line)
        names = [line["kernel"] for line in lines]
        self.assertEqual(sorted(set(names)), sorted(PEAKS + KERNELS))
        # The generic variant of each runs on any device.
        single = [line["kernel"] for line in lines
                  if line["precision"] == "single" and line["status"] == "ok"]
        for kernel in ["peak_fma", "peak_copy", *KERNELS]:
            self.assertIn(kernel, single)

    def test_rates_are_work_over_time(self):
        n = 10007
        for line in self.lines("bench", "kernels", "--kernel", "scan,reduce_dot"):
            if line["status"] != "ok" or line["kernel"] in PEAKS:
                continue
            self.assertEqual(line["shape"], f"n={n}")
            size = 8 if line["precision"] == "double" else 4
            flops = {"scan": n, "reduce_dot": 2 * n}[line["kernel"]]
            self.assertTrue(math.isclose(line["tflops"], flops / line["seconds"] * 1e-12), line)
            self.assertTrue(math.isclose(line["gbs"], 2 * n * size / line["seconds"] * 1e-9), line)

    def test_kernels_and_precision_by_name(self):
        lines = self.lines("bench", "kernels", "--kernel", "scan,reduce_max", "--precision",
                           "single")
        self.assertEqual({line["precision"] for line in lines}, {"single"})
        self.assertEqual({line["kernel"] for line in lines} - set(PEAKS), {"scan", "reduce_max"})

    def test_table_has_a_line_for_each_case(self):
        arguments = ["bench", "kernels", "--kernel", "scan", "--precision", "single"]
        lines = self.lines(*arguments)
        table = self.run_command(*arguments, "--quick")
        self.assertEqual(table.code, 0, table.stderr)
        self.assertEqual(len(table.stdout.splitlines()), 2 + len(lines))
        self.assertIn(lines[0]["device"], table.stdout)
        for name in ["TFLOP/s", "GB/s", "max error", "scan", "peak_copy"]:
            self.assertIn(name, table.stdout)

    def test_quiet_prints_nothing(self):
        result = self.run_command("bench", "kernels", "--kernel", "scan", "--quick", "--quiet")
        self.assertEqual((result.code, result.stdout, result.stderr), (0, "", ""))

    def test_unknown_device(self):
        for name in ["nonesuch", "cpu", "0,0"]:
            with self.subTest(name=name):
                result = self.run_command("bench", "kernels", "--device", name, "--quick")
                self.assertEqual(result.code, 2)
                self.check_error(result)
                self.assertIn("OpenCL devices: 0 (0:0", result.stderr)

    def test_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            process = self.start("bench", "kernels", "--kernel", "scan", "--quick", stdout=full)
            _, stderr = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 2)
        self.assertIn(b"standard output", stderr)

    def test_interrupt(self):
        process = self.start("bench", "kernels", "--json")
        process.stdout.readline()  # It is at work.
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        result = Result(process, *process.communicate(timeout=60))
        self.assertLess(time.monotonic() - begin, 2.5)  # A second is what the command allows itself.
        self.assertEqual(result.code, 7, result.stderr)
        self.assertEqual(result.json["status"], "interrupted")
        self.check_error(result)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # Reasons of skipped tests are shown, for ctest.
