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
        for number in [signal.SIGINT, signal.SIGTERM]:
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
