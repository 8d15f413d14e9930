#!/usr/bin/env python3
"""libclchol_cholmod.so defines every function of CHOLMOD that has a factor among its arguments.

A function that is missing would hand a factor that clchol holds to CHOLMOD, which would read arrays
that are not there.  The list is that of CHOLMOD's own headers, of whatever version they are.
"""

import argparse
import re
import subprocess
import sys

# These make factors and take none; finish frees what is kept for the next factor.
OTHERS = {"analyze", "analyze_p", "analyze_p2", "finish"}
NOT_OURS = {"allocate_factor", "alloc_factor"}
PROTOTYPE = re.compile(r"\bcholmod_(l_)?([a-z0-9_]+)\s*\(([^()]*)\)\s*;")


def declared(text):
    """Names, without cholmod_ and cholmod_l_, of functions with a factor among their arguments."""
    return {name for _, name, arguments in PROTOTYPE.findall(text)
            if re.search(r"\bcholmod_factor\b", arguments)} - NOT_OURS


def preprocessed(compiler, include):
    return subprocess.run([compiler, "-E", "-P", "-x", "c++", "-I", include, "-"],
                          input="#include <cholmod.h>\n", check=True, capture_output=True,
                          text=True).stdout


def exported(nm, library):
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return {line.split()[2].split("@")[0] for line in lines if line.split()[1] != "A"}


def self_test():
    text = """int cholmod_f ( int, cholmod_factor *L , cholmod_common *Common ) ;
              int cholmod_l_g (cholmod_factor **, cholmod_common *) ;
              cholmod_factor *cholmod_allocate_factor (size_t n, cholmod_common *Common) ;
              int cholmod_h (cholmod_sparse *, cholmod_common *) ;"""
    assert declared(text) == {"f", "g"}, declared(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--compiler", required=True)
    arguments = parser.parse_args()

    self_test()
    names = declared(preprocessed(arguments.compiler, arguments.include)) | OTHERS
    if len(names) < 30:
        print(f"only {len(names)} functions in CHOLMOD's headers: they were not understood")
        return 1
    wanted = {f"cholmod_{flavour}{name}" for name in names for flavour in ("", "l_")}
    found = exported(arguments.nm, arguments.library)
    problems = [f"not defined: {name}" for name in sorted(wanted - found)]
    problems += [f"defined, but not CHOLMOD's: {name}" for name in sorted(found - wanted)]
    print("\n".join(problems) or f"{len(found)} functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
