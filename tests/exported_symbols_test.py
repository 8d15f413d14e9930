#!/usr/bin/env python3
"""The shared library shows the public names and nothing else.

Every defined dynamic symbol is a name of namespace clchol itself (not of a folder's namespace
below it), the type information of such a class, or a clchol_* function of the C interface.
"""

import argparse
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--library", required=True)
    arguments = parser.parse_args()

    self_test()
    names = exported(arguments.nm, arguments.library)
    failures = [f"visible but not public: {name}" for name in hidden_names(names)]
    failures += [f"not exported: {name}" for name in EXPECTED if name not in names]
    print("\n".join(failures) or f"{len(names)} symbols, all public")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
