#!/usr/bin/env python3
"""`clchol solve --device` on whatever OpenCL device there is: PoCL where there is no other."""

import json
import re
import unittest

from command_support import diagonal, grid, multiply
from device_support import DeviceCommandTest


class DeviceTest(DeviceCommandTest):
    def test_known_solution(self):
        result = self.solve_on_device("grid3d:10", "--nrhs", 3)
        self.assertEqual(result.code, 0, result.stderr)
        j, cpu = result.json, self.solve("grid3d:10", "--nrhs", 3, "--device", "cpu").json
        self.assertEqual((cpu["engine"], cpu["peak_device_bytes"]), ("cpu", 0))
        for name in ["n", "nnz_l", "ordering", "precision", "largest_front"]:
            self.assertEqual(j[name], cpu[name])
        self.assertLessEqual(j["backward_error"], 1e-15)
        self.assertLessEqual(j["componentwise_error"], 1e-14)
        # Both estimate the condition of the same matrix, to a few digits.
        self.assertAlmostEqual(j["rcond"] / cpu["rcond"], 1, delta=1e-6)
        self.assertIn("opencl", self.run_command("solve", "grid3d:10", "--device", 0).stdout)

    def test_right_hand_side_and_solution_in_files(self):
        x = [float(i + 1) for i in range(30)]
        matrix = self.write_matrix("A.mtx", 30, grid(5, 6))
        b = self.write_vector("b.mtx", multiply(30, grid(5, 6), x))
        result = self.solve_on_device(matrix, "-b", b, "-o", "x.mtx")
        self.assertEqual(result.code, 0, result.stderr)
        for found, known in zip(self.read_vector("x.mtx")[0], x):
            # The condition is below 100, so 13 digits are right.
            self.assertAlmostEqual(found / known, 1, delta=1e-13)

    def test_single_and_mixed(self):
        single = self.solve_on_device("grid3d:10", "--precision", "single")
        self.assertEqual(single.code, 0, single.stderr)
        mixed = self.solve_on_device("grid3d:10", "--precision", "mixed")
        self.assertEqual(mixed.code, 0, mixed.stderr)
        self.assertLessEqual(mixed.json["backward_error"], 1e-15)

    def test_setup_is_told(self):
        (self.folder / "cache" / "tuning").mkdir(parents=True)
        name = re.sub("[^a-z0-9]+", "-", self.devices[0]["name"].lower()).strip("-")
        damaged = self.folder / "cache" / "tuning" / f"{name}.json"
        damaged.write_text("{")
        first, second = (self.solve("grid2d:20", "--device", 0, timeout=600,
                                    env={"CLCHOL_CACHE": str(self.folder / "cache")})
                         for _ in range(2))
        self.assertEqual(first.code, 0, first.stderr)
        cold, warm = first.json["device_setup"], second.json["device_setup"]
        self.assertIn(cold["kernels"], ["plain", "tensor cores"])
        self.assertEqual(cold["kernels"] == "plain", cold["kernels_reason"] != "")
        self.assertIn(cold["solve_kernels"], ["tickets", "waves"])
        self.assertEqual(len(cold["notes"]), 1)
        self.assertIn(damaged.name, cold["notes"][0])
        self.assertGreater(cold["programs_built"], 0)
        self.assertEqual((warm["programs_built"], cold["programs_cached"]), (0, 0))
        self.assertEqual(warm["programs_cached"], cold["programs_built"])
        for setup, seconds in [(cold, first.json["setup_s"]), (warm, second.json["setup_s"])]:
            parts = ["open_s", "plan_s", "upload_s", "pin_s"]
            for part in parts + ["build_s"]:
                self.assertGreater(setup[part], 0)
            self.assertLessEqual(sum(setup[part] for part in parts), seconds)
        self.assertIsNone(self.solve("grid2d:20", "--device", "cpu").json["device_setup"])
        said = self.run_command("solve", "grid2d:20", "--device", 0, timeout=600,
                                env={"CLCHOL_CACHE": str(self.folder / "cache")}).stdout
        self.assertIn("left aside: ", said)
        self.assertIn("solves by ", said)

    def test_repeated(self):
        result = self.solve_on_device("grid2d:30", "--repeat", 2)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertLessEqual(result.json["factor_s"], result.json["factor_first_s"])
        self.assertGreater(result.json["refactor_s"], 0)

    def test_scaled(self):
        result = self.solve_on_device(
            self.write_matrix("A.mtx", 4, diagonal([1e-20, 1.0, 1e9, 1e20])))
        self.assertEqual(result.code, 0, result.stderr)
        self.assertTrue(result.json["scaled"])

    def test_failing_pivot_is_named_as_on_the_cpu(self):
        entries = [(i, j, -9.0 if i == j == 17 else v) for i, j, v in grid(6, 6)]
        entries += [(17, 17, 10.0)]  # A positive diagonal entry whose pivot is not.
        matrix = self.write_matrix("A.mtx", 36, entries)
        device = self.solve(matrix, "--device", 0, timeout=600)
        cpu = self.solve(matrix, "--device", "cpu")
        self.assertEqual((device.code, cpu.code), (4, 4))
        self.assertEqual(device.json["row"], cpu.json["row"])
        self.assertAlmostEqual(device.json["pivot"] / cpu.json["pivot"], 1, delta=1e-12)

    def memory_in(self, name):
        """The levels and the budget of each kind of memory in a trace of one device."""
        events = json.loads((self.folder / name).read_text())["traceEvents"]
        levels, budgets = {}, {}
        for event in events:
            if event["ph"] == "C":
                levels.setdefault(event["name"], []).append(event["args"]["bytes"])
            if event["name"] == "memory_budget":
                budgets[event["args"]["name"]] = event["args"]["bytes"]
        for tier, of in levels.items():
            self.assertGreaterEqual(min(of), 0, tier)
            self.assertLessEqual(max(of), budgets[tier], tier)
        return levels, budgets

    def test_trace_has_the_device_s_commands(self):
        result = self.solve_on_device("grid2d:20", "--trace", "t.json")
        self.assertEqual(result.json["engine_reason"], "")
        self.assertEqual(result.code, 0, result.stderr)
        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        device = [pid for pid, name in names.items() if name == self.devices[0]["name"]]
        self.assertEqual(len(device), 1)
        commands = [e for e in events if e["ph"] == "X" and e["pid"] == device[0]]
        for name in ["upload", "forward_solve", "download"]:
            self.assertIn(name, {e["name"] for e in commands})
        phases = {e["name"]: e for e in events if e["ph"] == "X" and e["pid"] != device[0]}
        # The solve's kernels lie within the host's phases, to the clocks' millisecond.
        begin, end = phases["factor"]["ts"], phases["refine"]["ts"] + phases["refine"]["dur"]
        for command in commands:
            if command["name"] == "forward_solve":
                self.assertGreater(command["ts"], begin - 1000)
                self.assertLess(command["ts"] + command["dur"], end + 1000)
        drawn = self.run_command("plot", "t.json", "-o", "t.svg")
        self.assertEqual(drawn.code, 0, drawn.stderr)

    def test_device_from_the_environment(self):
        result = self.solve("grid2d:10", env={"CLCHOL_DEVICE": self.devices[0]["address"]},
                            timeout=600)
        self.assertEqual((result.code, result.json["engine"]), (0, "opencl"))

    def test_small_systems_stay_on_the_cpu(self):
        result = self.solve("grid2d:10", "--device", "auto")
        self.assertEqual(result.json["engine"], "cpu")
        self.assertIn("the CPU takes about", result.json["engine_reason"])

    def test_memory_is_predicted(self):
        predicted = self.run_command("analyze", "grid3d:12", "--device", 0, "--json", timeout=600)
        self.assertEqual(predicted.code, 0, predicted.stderr)
        bytes_there = predicted.json["predicted_device_bytes"]
        solved = self.solve_on_device("grid3d:12").json
        self.assertEqual(solved["predicted_device_bytes"], bytes_there)
        # Solves are in it.
        self.assertLessEqual(solved["peak_device_bytes"], bytes_there)
        self.assertGreater(solved["peak_device_bytes"], 0.98 * bytes_there)
        self.assertEqual(predicted.json["device"], self.devices[0]["name"])
        modes = predicted.json["device_modes"]
        self.assertEqual([m["streamed"] for m in modes], [False] + [True] * (len(modes) - 1))
        self.assertEqual([m["least"] for m in modes], [False] * (len(modes) - 1) + [True])
        self.assertEqual(modes[0]["device_bytes"], bytes_there)
        self.assertEqual(modes[0]["host_bytes"] + modes[0]["to_host_bytes"], 0)
        least = modes[-1]["device_bytes"]
        for mode in modes:
            self.assertLessEqual(least, mode["device_bytes"])
            self.assertGreater(mode["factor_s"], 0)
        # The least does.
        self.assertEqual(self.solve_on_device("grid3d:12", "--memory", f"device={least}").code, 0)
        refused = self.run_command("analyze", "grid3d:12", "--device", 0, "--memory",
                                   bytes_there // 40, "--json", timeout=600)
        self.assertEqual(refused.code, 5)
        self.assertEqual(self.run_command("analyze", "grid3d:12", "--json").json[
            "predicted_device_bytes"], 0)

    def test_factor_that_does_not_fit_is_streamed(self):
        whole = self.solve_on_device("grid3d:12").json
        self.assertEqual(whole["device_setup"]["streamed_bytes"], 0)
        modes = self.run_command("analyze", "grid3d:12", "--device", 0, "--json",
                                 timeout=600).json["device_modes"]
        least = modes[-1]
        result = self.solve_on_device("grid3d:12", "--memory", f"device={least['device_bytes']}",
                                      "--trace", "streamed.json")
        self.assertGreater(result.json["device_setup"]["streamed_bytes"], 0)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertLessEqual(result.json["peak_device_bytes"], least["device_bytes"])
        self.assertLess(result.json["backward_error"], 1e-15)
        levels, budgets = self.memory_in("streamed.json")
        self.assertEqual(budgets["device memory"], least["device_bytes"])
        self.assertLessEqual(max(levels["device memory"]), result.json["peak_device_bytes"])
        self.assertGreater(max(levels["device memory"]), 0.8 * result.json["peak_device_bytes"])
        streamed = result.json["device_setup"]["streamed_bytes"]
        self.assertLessEqual(max(levels["host memory"]), streamed)
        self.assertGreater(max(levels["host memory"]), 0.8 * streamed)
        # Slabs go beside the kernels, in lanes of their own; back where the CPU does not solve.
        comes_back = least["to_device_bytes"] + least["solve_bytes"] > 0
        events = json.loads((self.folder / "streamed.json").read_text())["traceEvents"]
        for queue, copy, is_used in [("to the host", "download", True),
                                     ("to the device", "upload", comes_back)]:
            lanes = {(e["pid"], e["tid"]) for e in events
                     if e["ph"] == "M" and e["args"].get("name") == f"queue copies {queue}"}
            self.assertEqual(len(lanes), 1 if is_used else 0)
            if not is_used:
                continue
            copies = {e["name"] for e in events
                      if e["ph"] == "X" and (e["pid"], e["tid"]) in lanes}
            self.assertEqual(copies, {copy})

    def test_what_the_host_does_not_hold_goes_to_a_file(self):
        modes = self.run_command("analyze", "grid3d:16", "--device", 0, "--json",
                                 timeout=600).json["device_modes"]
        # The least of the device's memory wants more of the host's.
        device = modes[-1]["device_bytes"] * 23 // 20
        budget = f"device={device},host=2500k"
        refused = self.run_command("solve", "grid3d:16", "--device", 0, "--memory", budget,
                                   timeout=600)
        self.assertEqual(refused.code, 5)
        self.assertIn("scratch directory", refused.stderr)
        result = self.solve_on_device("grid3d:16", "--memory", budget, "--scratch", self.folder,
                                      "--trace", "file.json")
        self.assertGreater(result.json["file_bytes"], 0)
        self.assertLess(result.json["device_setup"]["streamed_bytes"], 2_500_000)
        self.assertLessEqual(result.json["peak_device_bytes"], device)
        self.assertLess(result.json["backward_error"], 1e-15)
        levels, budgets = self.memory_in("file.json")
        self.assertEqual(budgets["device memory"], device)
        self.assertEqual(max(levels["file"]), budgets["file"])
        # The file's threads have lanes: every panel is written once, and read once each way.
        events = json.loads((self.folder / "file.json").read_text())["traceEvents"]
        written = sum(e["args"]["bytes"] for e in events
                      if e["ph"] == "X" and e["name"] == "write" and e["cat"] == "host")
        # Pieces of the file begin at whole pages.
        self.assertEqual(written, budgets["file"])
        self.assertGreaterEqual(written, result.json["file_bytes"])
        self.assertLess(written, 1.1 * result.json["file_bytes"])
        moves = [e["name"] for e in events if e["ph"] == "X" and e["name"] in ("read", "write")]
        self.assertGreater(moves.count("write"), 0)
        self.assertGreaterEqual(moves.count("read"), 2 * moves.count("write"))
        shown = self.run_command("analyze", "grid3d:16", "--device", 0, "--memory", "host=2500k",
                                 "--scratch", self.folder, timeout=600)
        self.assertRegex(shown.stdout, r"streamed, the least .*, host .*, file ")


class SeveralDevicesTest(DeviceCommandTest):
    """Two devices: PoCL makes as many of the processor as it is asked for."""

    def environment(self, extra):
        environment = super().environment(extra)
        environment.setdefault("POCL_DEVICES", "pthread pthread")
        return environment

    def setUp(self):
        super().setUp()
        if len(self.devices) < 2:
            self.skipTest("no two OpenCL devices on this machine")
        # Slow rates: then work on small matrices is worth a hand-over.
        rates = {"kernel": "stream", "variant": "rates", "precision": "double", "sizes": [],
                 "params": {"gflops": 1, "group_us": 1}}
        tuning = {"format": 1, "driver": "", "date": "", "command": "", "kernels": [rates],
                  "device": self.devices[0]["name"]}
        folder = self.caches / "clchol" / "tuning"
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub("[^a-z0-9]+", "-", self.devices[0]["name"].lower()).strip("-")
        tuning_file = folder / f"{name}.json"
        tuning_file.write_text(json.dumps(tuning))
        self.addCleanup(tuning_file.unlink)

    def test_two_devices_share_the_factor(self):
        result = self.solve("grid3d:12", "--device", "0,1", "--trace", "t.json", timeout=600)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertLessEqual(result.json["backward_error"], 1e-15)
        self.assertEqual(result.json["device"],
                         ", ".join(device["name"] for device in self.devices[:2]))
        parts = result.json["device_setup"]["parts"]
        self.assertEqual(len(parts), 2)
        for part in parts:
            self.assertGreater(part["fronts"], 0)
            self.assertGreater(part["predicted_bytes"], 0)
            self.assertLessEqual(part["predicted_bytes"], part["peak_bytes"] * 1.02)
        self.assertGreater(parts[0]["sent_bytes"] + parts[1]["sent_bytes"], 0)
        self.assertEqual(sum(part["fronts"] for part in parts), result.json["supernodes"])
        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        for k in range(2):
            pid = [pid for pid, name in names.items()
                   if name == f"{k + 1}: {self.devices[k]['name']}"]
            self.assertEqual(len(pid), 1, names)
            commands = {e["name"] for e in events if e["ph"] == "X" and e["pid"] == pid[0]}
            self.assertIn("upload", commands)
            self.assertIn("forward_solve", commands)
        said = self.run_command("solve", "grid3d:12", "--device", "0,1", timeout=600).stdout
        self.assertRegex(said, r"device 2 +\d+ % +of the flops")

    def test_many_right_hand_sides_and_repeats(self):
        result = self.solve("grid3d:10", "--device", "0,1", "--nrhs", 3, "--repeat", 2,
                            timeout=600)
        self.assertEqual(result.code, 0, result.stderr)
        self.assertLessEqual(result.json["backward_error"], 1e-15)

    def test_prediction(self):
        result = self.run_command("analyze", "grid3d:12", "--device", "0,1", "--json", timeout=600)
        self.assertEqual(result.code, 0, result.stderr)
        solved = self.solve("grid3d:12", "--device", "0,1", timeout=600).json
        self.assertEqual(result.json["predicted_device_bytes"], solved["predicted_device_bytes"])

    def test_a_device_is_named_once(self):
        result = self.solve("grid3d:4", "--device", "0,0")
        self.assertEqual(result.code, 2)
        self.assertIn("for the second time", result.stderr)


if __name__ == "__main__":
    unittest.main()
