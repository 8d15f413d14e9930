#!/usr/bin/env python3
"""`clchol bench kernels` and `clchol tune` on whatever OpenCL device there is: PoCL where there is no other."""

import json
import math
import pathlib
import re
import signal
import tempfile
import time
import unittest

from command_support import CommandTest, Result

# What every line has for whoever compares kernels; and for whoever asks where it comes from.
MEMBERS = """kernel variant precision shape tflops gbs peak_share max_error status reason seconds
repetitions params device driver platform version""".split()
PEAKS = ["peak_fma", "peak_tensor", "peak_copy"]
# Every family, in the order of the report.
KERNELS = """gemm syrk trsm trinv potrf small_front front_batch scatter extend_add gather_rhs
scatter_rhs forward_solve backward_solve reduce_dot reduce_norm2 reduce_max residual row_reduce scan""".split()
# Tiles that compilers are done with soon.
TILES = {"tile_m": 8, "tile_n": 8, "tile_k": 4, "item_m": 2, "item_n": 2, "warp_m": 2, "warp_n": 2,
         "vector": 2, "fragments": 1, "buffers": 1}
PANELS = {"block": 16, "rows": 16, "few_tiles": 8}
# Sums of up to 10^4 terms that do not cancel: far above what they err by, far below what a lost
# term would do.
MOST_ERROR = {"double": 1e-11, "single": 1e-4}


class DeviceTest(CommandTest):
    """One cache of compiled kernels for all tests: they run one after another."""

    holder = tempfile.TemporaryDirectory()
    cache = pathlib.Path(holder.name)

    def environment(self, extra):
        environment = super().environment({"POCL_CACHE_DIR": str(self.cache / "pocl"),
                                           "CLCHOL_CACHE": str(self.cache / "clchol"),
                                           # What is measured here is not looked at.
                                           "POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"})
        environment.update(extra or {})
        return environment

    def setUp(self):
        super().setUp()
        platforms = self.run_command("devices", "--json").json["opencl"]["platforms"]
        names = [device["name"] for platform in platforms for device in platform["devices"]]
        if not names:
            self.skipTest("no OpenCL device on this machine")
        self.device = names[0]
        self.tuning = self.cache / "clchol" / "tuning" / f"{self.file_name(self.device)}.json"
        self.write_tuning(TILES)

    @staticmethod
    def file_name(device):
        """Letters and digits in lower case, '-' for everything between them."""
        return re.sub("[^a-z0-9]+", "-", device.lower()).strip("-")

    def write_tuning(self, params):
        rows = [{"kernel": kernel, "variant": variant, "precision": precision, "sizes": [],
                 "params": values}
                for kernel, variant, values in [("gemm", "plain", params),
                                                ("gemm", "plain_small", params),
                                                ("potrf", "plain", PANELS)]
                for precision in ["double", "single"]]
        self.tuning.parent.mkdir(parents=True, exist_ok=True)
        self.tuning.write_text(json.dumps({"format": 1, "device": self.device, "driver": "",
                                           "date": "", "command": "", "kernels": rows}))

    def lines(self, *arguments, **options):
        """A run that succeeds: its lines, parsed."""
        result = self.run_command(*arguments, "--quick", "--json", **options)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return [json.loads(line) for line in result.stdout.splitlines()]


class BenchKernels(DeviceTest):
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
        # In one precision: the compiler is what takes long.
        lines = self.lines("bench", "kernels", "--device", 0, "--precision", "single", timeout=600)
        for line in lines:
            self.assertEqual(sorted(line), sorted(MEMBERS))
            self.check_measured(line) if line["status"] == "ok" else self.check_absent(line)
        names = [line["kernel"] for line in lines]
        kernels = ["peak_fma", "peak_copy", *KERNELS]
        self.assertEqual(list(dict.fromkeys(names)), kernels)
        # One variant of each at least runs on any device.
        measured = [line["kernel"] for line in lines if line["status"] == "ok"]
        for kernel in kernels:
            self.assertIn(kernel, measured)

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

    def test_work_of_dense_kernels_is_that_of_their_formulas(self):
        n = 150
        formulas = {"potrf": n**3 / 3 + n**2 / 2 + n / 6, "trsm": 97 * 75**2,
                    "row_reduce": 3 * 101 * 37}
        lines = self.lines("bench", "kernels", "--precision", "single", "--kernel",
                           ",".join(formulas), timeout=300)
        for line in lines:
            if line["kernel"] not in PEAKS:
                flops = line["tflops"] * 1e12 * line["seconds"]
                self.assertTrue(math.isclose(flops, formulas[line["kernel"]]), line)

    def test_trace_holds_cases_and_commands(self):
        lines = self.lines("bench", "kernels", "--kernel", "scan", "--precision", "single",
                           "--trace", "t.json")
        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
                  if e["name"] == "thread_name"}
        complete = [(tracks[e["pid"], e["tid"]], e) for e in events if e["ph"] == "X"]
        cases = [e for track, e in complete if track == "cases"]
        commands = [e for track, e in complete if track == "queue bench"]
        self.assertEqual(len(cases), len(lines))
        self.assertIn("scan", cases[-1]["name"])
        repetitions = sum(line["repetitions"] or 0 for line in lines)
        self.assertGreaterEqual(len(commands), repetitions)
        for command in commands:
            self.assertLessEqual(command["args"]["queued_us"], command["args"]["submitted_us"])
            self.assertLessEqual(command["args"]["submitted_us"], command["ts"] + 0.01)
            # Some case was under way; clocks differ by less than a millisecond after alignment.
            self.assertTrue(any(case["ts"] - 1000 <= command["ts"] and
                                command["ts"] + command["dur"] <= case["ts"] + case["dur"] + 1000
                                for case in cases), command)
        result = self.run_command("plot", "t.json", "-o", "t.svg")
        self.assertEqual((result.code, result.stderr), (0, ""))

    def test_unwritable_trace(self):
        result = self.run_command("bench", "kernels", "--quick", "--trace", "nowhere/t.json")
        self.assertEqual(result.code, 2, result.stderr)
        self.assertIn("nowhere/t.json", result.stderr)

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


class Tune(DeviceTest):
    def tune(self, *arguments, **options):
        result = self.run_command("tune", "--device", 0, "--quick", *arguments, **options)
        self.assertEqual((result.code, result.stderr), (0, ""))
        return result

    def check_file(self, path):
        tuning = json.loads(path.read_text())
        self.assertEqual((tuning["format"], tuning["device"]), (1, self.device))
        self.assertTrue(tuning["command"].startswith("clchol tune "))
        rows = [(row["kernel"], row["variant"], row["precision"]) for row in tuning["kernels"]]
        for variant in ["plain", "plain_small"]:
            self.assertIn(("gemm", variant, "single"), rows)
        for row in tuning["kernels"]:
            if row["kernel"] == "gemm" and row["variant"].startswith("plain"):
                self.assertEqual(sorted(row["params"]), sorted(TILES))
        return tuning

    def test_bench_reads_what_tune_has_written(self):
        result = self.tune("--json", timeout=600)
        self.assertEqual(result.json["output"], str(self.tuning))
        found = self.check_file(self.tuning)["kernels"]
        for row in result.json["kernels"]:
            self.assertGreater(row["tflops"], 0, row)
            self.assertEqual(row["refused"], 0, row)
            self.assertEqual(row["tried"], 2, row)  # One and two buffers; three and four slabs.
        rates = result.json["rates"]
        self.assertEqual([row["params"] for row in found if row["kernel"] == "stream"], [rates])
        for name in ["gflops", "mb_per_s", "thread_mb_per_s", "host_mb_per_s"]:
            self.assertGreater(rates[name], 0, rates)

        lines = self.lines("bench", "kernels", "--device", 0, "--kernel", "gemm", "--precision",
                           "single")
        tuned = [row["params"] for row in found if row["kernel"] == "gemm" and
                 (row["variant"], row["precision"]) == ("plain", "single")]
        used = [line["params"] for line in lines if line["variant"] == "all"]
        self.assertEqual(used, tuned)

    def test_rows_of_other_kernels_stay(self):
        tuning = json.loads(self.tuning.read_text())
        other = {"kernel": "potrf", "variant": "plain", "precision": "double", "sizes": [7],
                 "params": {"block": 8}}
        tuning["kernels"].append(other)
        self.tuning.write_text(json.dumps(tuning))
        self.tune("--kernel", "gemm", "--quiet")
        self.assertIn(other, self.check_file(self.tuning)["kernels"])

    def test_rates_of_streamed_factors_alone(self):
        before = json.loads(self.tuning.read_text())["kernels"]
        result = self.tune("--kernel", "stream", "-o", "rates.json", "--json")
        self.assertEqual(result.json["kernels"], [])
        rows = json.loads((self.folder / "rates.json").read_text())["kernels"]
        stream, *others = sorted(rows, key=lambda row: row["kernel"] != "stream")
        self.assertEqual(stream["params"], result.json["rates"])
        self.assertEqual(others, [row for row in before if row["kernel"] != "stream"])

    def test_file_by_name(self):
        before = self.tuning.read_text()
        result = self.tune("-o", "mine.json")
        self.check_file(self.folder / "mine.json")
        self.assertEqual(self.tuning.read_text(), before)
        self.assertIn("mine.json", result.stdout)

    def test_unwritable_file_is_refused_before_the_work(self):
        result = self.run_command("tune", "--device", 0, "-o", "nowhere/mine.json")
        self.assertEqual(result.code, 2)
        self.check_error(result)
        self.assertIn("nowhere/mine.json", result.stderr)

    def test_no_cache_folder(self):
        result = self.run_command("tune", "--device", 0, env={"CLCHOL_CACHE": ""})
        self.assertEqual(result.code, 2)
        self.check_error(result)
        self.assertIn("-o", result.stderr)

    def test_unknown_kernel(self):
        result = self.run_command("tune", "--kernel", "scan")
        self.assertEqual(result.code, 2)
        self.check_error(result)
        self.assertIn("'scan': no such kernel; known: gemm", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)  # Reasons of skipped tests are shown, for ctest.
