#!/usr/bin/env python3
"""libclchol_pardiso.so has these functions of PARDISO and no other names."""

import argparse
import subprocess
import sys

EXPECTED = {
    "PARDISO", "PARDISOINIT", "PARDISO_64", "pardiso", "pardiso_", "pardiso_64", "pardiso_64_",
    "pardisoinit", "pardisoinit_",
    # Of Fortran's module.
    "pardiso_d_", "pardiso_d_2d_", "pardiso_d_64_", "pardiso_d_64_2d_",
    "pardiso_s_", "pardiso_s_2d_", "pardiso_s_64_", "pardiso_s_64_2d_",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--library", required=True)
    arguments = parser.parse_args()
    output = subprocess.run([arguments.nm, "-D", "--defined-only", arguments.library], check=True,
                            capture_output=True, text=True).stdout
    # "0000000000001234 T pardiso"; absolute symbols are version names.
    fields = (line.split() for line in output.splitlines())
    names = {field[2] for field in fields if len(field) == 3 and field[1] != "A"}
    failures = [f"missing: {name}" for name in sorted(EXPECTED - names)]
    failures += [f"visible but not PARDISO's: {name}" for name in sorted(names - EXPECTED)]
    print("\n".join(failures) or f"{len(names)} functions, all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
