#!/usr/bin/env python3
"""--scratch: a factor that exceeds --memory goes to a file, of which nothing is left."""

import json
import os
import signal
import time
import unittest

from command_support import CommandTest

PROBLEM = "grid3d:22"


class OutOfCore(CommandTest):
    def setUp(self):
        super().setUp()
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()

    def modes(self):
        result = self.run_command("analyze", PROBLEM, "--device", "cpu", "--threads", 2, "--json",
                                  "--scratch", self.scratch)
        self.assertEqual(result.code, 0, result.stderr)
        return result.json["host_modes"]

    def test_solves_within_the_least_memory(self):
        in_memory, least = self.modes()
        self.assertFalse(in_memory["out_of_core"])
        self.assertTrue(least["out_of_core"] and least["least"])
        self.assertLess(least["host_bytes"], 0.7 * in_memory["host_bytes"])

        result = self.solve(PROBLEM, "--device", "cpu", "--threads", 2, "--memory",
                            least["host_bytes"],
                            "--scratch", self.scratch, "--repeat", 2)

        self.assertEqual(result.code, 0, result.stderr)
        self.assertLessEqual(result.json["backward_error"], 1e-15)
        self.assertGreater(result.json["file_bytes"], 0)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_predicts_the_least_memory_below_the_least(self):
        in_memory, least = self.modes()
        nnz = self.run_command("analyze", PROBLEM, "--json").json["nnz"]
        command = [PROBLEM, "--device", "cpu", "--threads", 2, "--scratch", self.scratch]
        in_core = self.solve(*command)
        self.assertEqual(in_core.code, 0, in_core.stderr)
        # The prediction includes a scaled copy of A's values, 8 nnz bytes, which is not made here.
        result = self.solve(*command, "--memory", least["host_bytes"] - 4 * nnz)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertGreater(result.json["file_bytes"], 0)
        # Both predictions contain the resident memory of their process before the factorization,
        # which differs from run to run by less than half of what the file saves.
        saved = in_memory["host_bytes"] - least["host_bytes"]
        self.assertLess(result.json["predicted_host_bytes"],
                        in_core.json["predicted_host_bytes"] - saved // 2)

    def test_trace_has_the_file_and_the_memory(self):
        least = self.modes()[-1]["host_bytes"]
        budget = least * 5 // 4
        result = self.solve(PROBLEM, "--device", "cpu", "--threads", 2, "--memory", budget,
                            "--scratch", self.scratch, "--repeat", 2, "--trace", "t.json")
        self.assertEqual(result.code, 0, result.stderr)
        file_bytes = result.json["file_bytes"]

        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        budgets = {e["args"]["name"]: e["args"]["bytes"] for e in events
                   if e["name"] == "memory_budget"}
        self.assertEqual(budgets, {"host memory": budget, "file": file_bytes})
        levels = {name: [e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == name]
                  for name in budgets}
        # Ranges of the buffer do not fit without gaps, and the ring of a solve needs room.
        self.assertLessEqual(max(levels["host memory"]), budget)
        self.assertGreater(max(levels["host memory"]), 0.85 * budget)
        self.assertEqual(max(levels["file"]), file_bytes)
        self.assertGreaterEqual(min(levels["file"]), 0)

        lanes = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
                 if e["name"] == "thread_name"}
        work = [e for e in events if e["ph"] == "X" and e["cat"] == "host"]
        moves = [e for e in work if e["name"] in ("read", "write")]
        for move in moves:
            self.assertRegex(lanes[move["pid"], move["tid"]], "^file, thread [0-9]$")
        factorizations = len([e for e in events if e["name"] == "factor"])
        self.assertEqual(sum(e["args"]["bytes"] for e in moves if e["name"] == "write"),
                         factorizations * file_bytes)
        self.assertGreater(sum(e["args"]["bytes"] for e in moves if e["name"] == "read"),
                           factorizations * file_bytes)
        waits = {lanes[e["pid"], e["tid"]] for e in work if e["name"] == "wait for the file"}
        self.assertEqual(waits, {"host"})

        self.assertEqual(self.run_command("plot", "t.json", "-o", "t.svg").code, 0)
        drawing = (self.folder / "t.svg").read_text()
        for word in ["host memory", ">file<", "budget ", "peak ", "file, thread 0"]:
            self.assertIn(word, drawing)

    def test_is_in_memory_where_that_does(self):
        result = self.solve(PROBLEM, "--device", "cpu", "--scratch", self.scratch)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(result.json["file_bytes"], 0)

    def test_refuses_too_little_memory(self):
        least = self.modes()[-1]["host_bytes"]
        result = self.solve(PROBLEM, "--device", "cpu", "--threads", 2, "--memory", least // 2,
                            "--scratch", self.scratch)
        self.assertEqual((result.code, result.json["status"]), (5, "out_of_memory"))
        self.assertIn("out of core", result.json["message"])

    def test_names_a_directory_that_is_missing(self):
        least = self.modes()[-1]["host_bytes"]
        result = self.solve(PROBLEM, "--device", "cpu", "--threads", 2, "--memory", least,
                            "--scratch", "nowhere")
        self.assertEqual((result.code, result.json["status"]), (5, "file_failure"))
        self.assertIn("'nowhere'", result.json["message"])

    def test_a_killed_run_leaves_nothing(self):
        least = self.modes()[-1]["host_bytes"]
        process = self.start("solve", PROBLEM, "--device", "cpu", "--threads", 2, "--memory", least,
                             "--scratch", self.scratch, "--repeat", 1000, "-q")
        descriptors = f"/proc/{process.pid}/fd"

        def has_scratch_file():
            try:
                names = [os.readlink(f"{descriptors}/{fd}") for fd in os.listdir(descriptors)]
            except OSError:
                return False
            return any(name.startswith(str(self.scratch)) for name in names)

        for _ in range(3000):
            if has_scratch_file():
                break
            time.sleep(0.01)
        self.assertTrue(has_scratch_file())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertEqual(list(self.scratch.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
