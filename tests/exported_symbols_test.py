#!/usr/bin/env python3
"""The shared library shows the public names and nothing else.

Every defined dynamic symbol is a name of namespace clchol itself (not of a folder's namespace
below it), the type information of such a class, or a clchol_* function of the C interface.
"""

import argparse
import re
import subprocess
import sys

FOLDERS = "base|gpu|ordering|symbolic|numeric|solver|cli|test|detail|internal"
PREFIX = r"(?:(?:typeinfo name|typeinfo|vtable|VTT|guard variable) for )?"
PUBLIC = re.compile(rf"^{PREFIX}(?:clchol::(?!(?:{FOLDERS})::)|clchol_[a-z])")
# Template members carry their return type in front: "void clchol::SparseCholesky<...>::f<...>(...)".
RETURNS = re.compile(r"^(?:void|bool|int|long|double|float|auto|char const\*) (?=clchol::)")
# The library is not what it should be when these are missing.
EXPECTED = ["clchol::to_string(clchol::Status)", "typeinfo for clchol::InvalidArgument"]


def hidden_names(names):
    """Those that should not be visible."""
    return [name for name in names if not PUBLIC.match(RETURNS.sub("", name))]


def exported(nm, library):
    output = subprocess.run(
        [nm, "-D", "--defined-only", "--demangle", library],
        check=True, capture_output=True, text=True,
    ).stdout
    # "0000000000001234 T clchol::name(int)"; absolute symbols are version names.
    fields = (line.split(maxsplit=2) for line in output.splitlines())
    return [field[2] for field in fields if len(field) == 3 and field[1] != "A"]


def self_test():
    bad = ["std::vector<int>::resize(unsigned long)", "clchol::numeric::factor()", "inflate",
           "typeinfo for clchol::gpu::Device", "void clchol::detail::f<int>()"]
    good = ["clchol::SparseCholesky<double>::solve()", "typeinfo for clchol::DeviceError",
            "vtable for clchol::OutOfMemory", "clchol_solve", "void clchol::f<int>(int)"]
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
