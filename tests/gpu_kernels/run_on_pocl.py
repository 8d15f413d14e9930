#!/usr/bin/env python3
"""Runs a test program, and once more where PoCL has ended the process.

PoCL 3.1 counts the users of a compiled kernel wrongly where several devices run it at once, and
its own assertion then ends the process (docs/device.md, "What may go wrong"): about one run of
some dozens.  Whatever else ends the program badly, its first status is the test's.
"""

import subprocess
import sys

ASSERTION = "pocl_release_dlhandle_cache: Assertion"


def main():
    for is_last in (False, True):
        program = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, errors="replace", check=False)
        print(program.stdout, end="", flush=True)
        if program.returncode >= 0 or ASSERTION not in program.stdout or is_last:
            # A signal's number as a shell gives it.
            return program.returncode if program.returncode >= 0 else 128 - program.returncode
        print("PoCL's assertion has ended the program; once more", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
