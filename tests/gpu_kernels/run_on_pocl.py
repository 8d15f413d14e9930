#!/usr/bin/env python3
"""Runs a test program, and its remaining tests again where PoCL has ended the process.

PoCL 3.1 counts the users of a compiled kernel wrongly where several devices run it at once, and
its own assertion then ends the process now and then (docs/device.md, "What may go wrong").  The
tests that had not ended before then run in a new process, a few times at most.  Whatever else ends
the program badly, its status is the test's.
"""

import itertools
import re
import subprocess
import sys

ASSERTION = "pocl_release_dlhandle_cache: Assertion"
MOST_RUNS = 5
# What GoogleTest prints when a test has ended; a test that failed fails the program, too.
ENDED = re.compile(r"^\[ +(?:OK|SKIPPED|FAILED) +\] (\S+) \(\d+ ms\)$", re.MULTILINE)


def main():
    command, ended, has_failed = sys.argv[1:], [], False
    has_filter = any(argument.startswith("--gtest_filter") for argument in command)
    for run in itertools.count(1):
        others = ["--gtest_filter=-" + ":".join(ended)] if ended and not has_filter else []
        program = subprocess.run(command + others, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, errors="replace", check=False)
        print(program.stdout, end="", flush=True)
        has_failed = has_failed or "[  FAILED  ]" in program.stdout
        if program.returncode >= 0:
            return program.returncode or int(has_failed)
        if ASSERTION not in program.stdout or run == MOST_RUNS:
            return 128 - program.returncode  # A signal's number as a shell gives it.
        ended += ENDED.findall(program.stdout)
        print("PoCL's assertion has ended the program; its remaining tests once more", flush=True)


if __name__ == "__main__":
    sys.exit(main())
