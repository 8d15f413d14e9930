#!/usr/bin/env python3
"""Ctrl-C ends the command within a second or two, with exit code 7 and without a solution file."""

import json
import os
import signal
import time
import unittest

from command_support import CommandTest, Result, grid

# A busy machine may need longer than the second that the command allows itself.
PATIENCE_S = 2.5


class Interrupt(CommandTest):
    def interrupt(self, process, number=signal.SIGINT):
        begin = time.monotonic()
        process.send_signal(number)
        result = Result(process, *process.communicate(timeout=60))
        elapsed = time.monotonic() - begin
        self.assertEqual(result.code, 7, result.stderr)
        self.check_error(result)
        self.assertLess(elapsed, PATIENCE_S)
        self.assertFalse((self.folder / "x.mtx").exists())
        return result

    def long_run(self, *options):
        """A banded factorization of some seconds, over and over."""
        matrix = self.write_matrix("A.mtx", 1000 * 20, grid(1000, 20))
        return self.start("solve", matrix, "--ordering", "natural", "--repeat", 500, "-o", "x.mtx",
                          *options)

    def test_factorization(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU]:
            with self.subTest(number=number):
                process = self.long_run("--json")
                time.sleep(1.5)
                result = self.interrupt(process, number)
                self.check_json(result)
                self.assertEqual(self.names_in_folder(), ["A.mtx"])

    def test_report_file_is_whole(self):
        process = self.long_run("--report", "r.json")
        time.sleep(1.0)
        result = self.interrupt(process)
        self.assertEqual(result.stdout, "")
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(report["status"], "interrupted")

    def test_reading_that_waits(self):
        """Nobody writes into the pipe: no block is ever read, and no flag polled."""
        os.mkfifo(self.folder / "A.mtx")
        process = self.start("solve", "A.mtx", "--json")
        time.sleep(0.5)
        self.check_json(self.interrupt(process))

    def test_solution_for_a_pipe_that_nobody_opens(self):
        os.mkfifo(self.folder / "x.pipe")
        process = self.start("solve", self.write_matrix("A.mtx", 10, grid(10, 1)), "-o", "x.pipe",
                             "--json")
        time.sleep(0.7)
        self.check_json(self.interrupt(process))

    def test_solution_for_a_pipe_that_nobody_reads(self):
        os.mkfifo(self.folder / "x.pipe")
        reader = os.open(self.folder / "x.pipe", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        process = self.start("solve", self.write_matrix("A.mtx", 20000, grid(20000, 1)), "-o",
                             "x.pipe", "--json")
        time.sleep(1.5)
        self.check_json(self.interrupt(process))

    def test_report_for_a_pipe_that_nobody_opens(self):
        os.mkfifo(self.folder / "r.pipe")
        process = self.start("solve", self.write_matrix("A.mtx", 10, grid(10, 1)), "--report",
                             "r.pipe", "--json")
        time.sleep(0.7)
        self.check_json(self.interrupt(process))

    def test_standard_output_that_nobody_reads(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            with self.subTest(number=number):
                output, full = os.pipe()
                os.set_blocking(full, False)
                try:
                    while os.write(full, b"x" * 4096) > 0:
                        pass
                except BlockingIOError:
                    os.set_blocking(full, True)
                process = self.start("solve", self.write_matrix("A.mtx", 10, grid(10, 1)),
                                     "--json", stdout=full)
                time.sleep(0.7)
                begin = time.monotonic()
                process.send_signal(number)
                process.communicate(timeout=60)
                self.assertEqual(process.returncode, 7)
                self.assertLess(time.monotonic() - begin, PATIENCE_S)
                os.close(output)
                os.close(full)

    def test_hang_up_while_a_file_is_written(self):
        """The pipe feeds the trace; the solution before it is a file, and is whole."""
        os.mkfifo(self.folder / "t.pipe")
        process = self.start("solve", self.write_matrix("A.mtx", 10, grid(10, 1)), "-o", "x.mtx",
                             "--trace", "t.pipe", "--quiet")
        time.sleep(0.7)
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 7)
        self.assertEqual(self.names_in_folder(), ["A.mtx", "t.pipe", "x.mtx"])

    def test_second_signal_kills(self):
        os.mkfifo(self.folder / "A.mtx")
        process = self.start("solve", "A.mtx")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)  # Less than the command's own patience.
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)


if __name__ == "__main__":
    unittest.main()
