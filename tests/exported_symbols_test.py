#!/usr/bin/env python3
"""The shared library shows the public names and nothing else.

Every defined dynamic symbol is a name of namespace clchol itself (not of a folder's namespace
below it), the type information of such a class, or a clchol_* function of the C interface.  The
latter are those of a list in a file: programs in C and other languages are linked with them by name,
so that one that goes missing breaks these programs.
"""

import argparse
import pathlib
import re
import subprocess
import sys

FOLDERS = ["base", "gpu", "ordering", "symbolic", "numeric", "solver", "cli", "test", "detail",
           "internal"]
# Mangled names (the Itanium C++ ABI): demangled, an instance of a template begins with its return
# type, which may be of the library too.  "_ZN6clchol7numeric..." is clchol::numeric::...
NESTED = "|".join(f"{len(name)}{name}" for name in FOLDERS)
PUBLIC = re.compile(rf"(?:_Z(?:T[ISV])?NK?6clchol(?!{NESTED})|clchol_[a-z])")
# The library is not what it should be when these are missing: to_string(Status), and the type
# information of InvalidArgument.
EXPECTED = ["_ZN6clchol9to_stringENS_6StatusE", "_ZTIN6clchol15InvalidArgumentE"]


def hidden_names(names):
    """Those that should not be visible."""
    return [name for name in names if not PUBLIC.match(name)]


def c_differences(names, listed):
    """What is wrong with the C functions among the names, beside the list."""
    own = {name for name in names if name.startswith("clchol_")}
    return ([f"no longer exported: {name}" for name in sorted(listed - own)]
            + [f"not in the list of C functions: {name}" for name in sorted(own - listed)])


def exported(nm, library):
    output = subprocess.run(
        [nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    # "0000000000001234 T _ZN6clchol..."; absolute symbols are version names.
    fields = (line.split() for line in output.splitlines())
    return [field[2] for field in fields if len(field) == 3 and field[1] != "A"]


def self_test():
    bad = ["_ZNSt6vectorIiSaIiEE6resizeEm",  # std::vector<int>::resize(unsigned long)
           "_ZN6clchol7numeric6factorEv",  # clchol::numeric::factor()
           "inflate",
           "_ZTIN6clchol3gpu6DeviceE",  # typeinfo for clchol::gpu::Device
           "_ZN6clchol6detail1fIiEENS_6StatusEv",  # clchol::Status clchol::detail::f<int>()
           "_ZN7clcholz1fEv"]  # clcholz::f()
    good = ["_ZN6clchol14SparseCholeskyIdED1Ev",  # clchol::SparseCholesky<double>::~SparseCholesky()
            "_ZNK6clchol14SparseCholeskyIfE8diagonalEv",  # ...<float>::diagonal() const
            "_ZTVN6clchol11OutOfMemoryE",  # vtable for clchol::OutOfMemory
            "_ZN6clchol6opencl5solveIdEEvRKNS_14SparseCholeskyIT_EE",  # void clchol::opencl::solve<...
            "clchol_solve"]
    assert hidden_names(bad + good) == bad, hidden_names(bad + good)
    assert c_differences(good, {"clchol_solve"}) == []
    assert len(c_differences(good, {"clchol_gone"})) == 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--c-functions", type=pathlib.Path, required=True,
                        help="file with the name of a function in each line")
    arguments = parser.parse_args()

    self_test()
    names = exported(arguments.nm, arguments.library)
    failures = [f"visible but not public: {name}" for name in hidden_names(names)]
    failures += [f"not exported: {name}" for name in EXPECTED if name not in names]
    failures += c_differences(names, set(arguments.c_functions.read_text().split()))
    print("\n".join(failures) or f"{len(names)} symbols, all public")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
