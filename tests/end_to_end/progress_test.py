#!/usr/bin/env python3
"""The progress bar: on a terminal while a long phase lasts, erased at the end, and nowhere else."""

import os
import pty
import subprocess
import unittest

from command_support import COMMAND, CommandTest, grid

ERASE = b"\r\033[K"


class Progress(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = self.write_matrix("A.mtx", 1200 * 16, grid(1200, 16))

    def run_on_terminal(self, *arguments, term="xterm"):
        """What a terminal on stderr shows, however fast the machine is."""
        ours, theirs = pty.openpty()
        command = [COMMAND, "solve", self.matrix, "--ordering", "natural", "--threads", "1", *arguments]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=theirs,
                                   env=self.environment({"TERM": term, "CLCHOL_PROGRESS_AFTER": "0"}))
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # Linux' word for the end of a terminal.
                break
            if not piece:
                break
            shown += piece
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        return shown

    def test_bar_is_drawn_and_erased(self):
        shown = self.run_on_terminal()
        self.assertIn(b"factorizing  [#", shown)
        self.assertTrue(shown.endswith(ERASE), shown[-80:])

    def test_none_when_quiet_or_for_programs(self):
        for option in ["--quiet", "--json"]:
            with self.subTest(option=option):
                self.assertEqual(self.run_on_terminal(option), b"")

    def test_none_on_a_dumb_terminal(self):
        self.assertEqual(self.run_on_terminal(term="dumb"), b"")


if __name__ == "__main__":
    unittest.main()
