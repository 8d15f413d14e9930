#!/usr/bin/env python3
"""The public headers compile in other people's programs: behind their macros, under their warnings.

Every header below include/clchol is included behind macros that system headers and frameworks
define, with -Wall -Wextra -Wshadow -Wconversion as errors, in C++20 and C++23; and behind
<complex.h> in GNU C++20, CMake's default.  Programs that use what the headers declare are compiled
with them, because a template shows its warnings where it is used.

Exit status 77, and a list of what was not compiled, where the compiler is not installed.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
STANDARDS = ["c++20", "c++2b"]  # The second is what these compilers call C++23.

# Not among them: names that are public here or Eigen's own (X11's Status and Success), and T, which
# nobody is known to define.
OBJECTS = {
    "single letters (<complex.h>'s I, Arduino's F)": "A B C D E F G H I J K L M N O P Q R S U V W X Y Z",
    "<termios.h>": "B0 B50 B110 B300 B9600 ECHO NL0 CR1",
    "<math.h> of System V": "DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS HUGE",
    "<windows.h>": "near far small hyper interface IN OUT OPTIONAL DIFFERENCE ERROR NO_ERROR DELETE "
                   "VOID CONST TRUE FALSE STRICT IGNORE PASCAL CALLBACK ABSOLUTE RELATIVE",
    "X11": "None Bool True False Always Unsorted KeyPress",
    "GNU C++ and BSD": "linux unix i386 PAGE_SIZE",
    "Qt": "signals slots emit forever",
    "macOS and Objective-C": "nil Nil YES NO",
    "R": "length error warning",
    "Arduino": "PI LOW HIGH INPUT OUTPUT DEFAULT EXTERNAL",
}
FUNCTIONS = {
    "<windows.h> and f2c": "min max abs dabs dmin dmax",
    "<sys/sysmacros.h>": "major minor makedev",
    "<sys/param.h>": "MIN MAX howmany roundup powerof2",
    "AssertMacros.h": "check verify require",
    "Qt, Boost, logging": "foreach CHECK LOG ASSERT UNUSED",
}


def words(groups):
    return " ".join(groups.values()).split()


def hostile_macros():
    # No token that can stand in a program.
    return ([f"#undef {word}\n#define {word} @hostile@" for word in words(OBJECTS)]
            + [f"#undef {word}\n#define {word}(a, b) @hostile@" for word in words(FUNCTIONS)])


def friendly_again():
    return [f"#undef {word}" for word in words(OBJECTS) + words(FUNCTIONS)]


class House:
    """The folder of public headers, and how they are compiled."""

    def __init__(self, compiler, include, system, without=()):
        self.compiler = compiler
        self.include = pathlib.Path(include)
        self.system = system
        self.headers = sorted(path for path in (self.include / "clchol").rglob("*.h*")
                              if path.name not in without)

    def preface(self, hostile):
        """Other libraries' headers first, which must look after themselves; then the macros, and
        the public headers."""
        foreign = sorted({name for path in self.headers for name in
                          re.findall(r"^#include <([^>]+)>", path.read_text(), re.MULTILINE)})
        ours = [f'#include "{path.relative_to(self.include)}"' for path in self.headers]
        return "\n".join([f"#include <{name}>" for name in foreign] + hostile + ours
                         + friendly_again()) + "\n"

    def compile(self, standard, text):
        """The compiler's messages; empty when it is content."""
        command = [self.compiler, f"-std={standard}", "-fsyntax-only", *WARNINGS,
                   "-DCL_TARGET_OPENCL_VERSION=120", f"-I{self.include}"]
        for folder in self.system:
            command += ["-isystem", folder]
        with tempfile.TemporaryDirectory() as work:
            source = pathlib.Path(work) / "program.cpp"
            source.write_text(text)
            result = subprocess.run([*command, str(source)], capture_output=True, text=True,
                                    env={**os.environ, "LC_ALL": "C"})
        return result.stderr if result.returncode != 0 else ""


class PublicHeaders(unittest.TestCase):
    def expect_content(self, standard, text):
        messages = HOUSE.compile(standard, text)
        if messages:
            self.fail("\n" + "\n".join(messages.splitlines()[:40]))

    def test_there_are_some(self):
        self.assertIn("clchol.hpp", [path.name for path in HOUSE.headers])

    def test_compile_behind_hostile_macros(self):
        for standard in STANDARDS:
            preface = HOUSE.preface(hostile_macros())
            for program in PROGRAMS:
                with self.subTest(standard=standard, program=program.name):
                    self.expect_content(standard, preface + program.read_text())

    def test_compile_behind_complex_h(self):
        preface = "#include <complex.h>\n#ifndef I\n#error no I\n#endif\n"
        ours = "".join(f'#include "{path.relative_to(HOUSE.include)}"\n' for path in HOUSE.headers)
        self.expect_content("gnu++20", preface + ours)

    def test_refuse_other_scalars_in_one_clear_line(self):
        for scalar in ["std::complex<double>", "std::complex<float>", "long double", "int"]:
            with self.subTest(scalar=scalar):
                messages = HOUSE.compile("c++20", f"""
                    #include "clchol/eigen.hpp"
                    #include <complex>
                    void f(const Eigen::SparseMatrix<{scalar}>& a) {{
                      clchol::EigenCholesky<Eigen::SparseMatrix<{scalar}>> solver(a);
                    }}""")
                errors = [line for line in messages.splitlines() if " error: " in line]
                self.assertIn("clchol solves in float and in double", errors[0])


class SelfTest(unittest.TestCase):
    """One header of each kind of fault."""

    def found(self, header, program="int main() {}"):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "clchol").mkdir()
            (folder / "clchol/x.hpp").write_text("#pragma once\n#include <limits>\n" + header)
            house = House(HOUSE.compiler, folder, [])
            return house.compile("c++20", house.preface(hostile_macros()) + program)

    def test_good_headers_are_good(self):
        self.assertEqual(self.found("inline int f() { return (std::numeric_limits<int>::max)(); }"),
                         "")

    def test_names_of_macros_are_found(self):
        self.assertIn("x.hpp:3:", self.found("template <class I> I f(I);"))
        self.assertIn("max", self.found(
            "inline int f() { return std::numeric_limits<int>::max(); }"))

    def test_warnings_of_templates_in_use_are_found(self):
        self.assertIn("onversion", self.found("template <class T> int f(T x) { return x; }",
                                              "int main() { return f(1L); }"))


def main():
    global HOUSE, PROGRAMS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--system", action="append", default=[], help="folder of other headers")
    parser.add_argument("--without", action="append", default=[], metavar="HEADER",
                        help="a header whose own needs are not installed")
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()

    HOUSE = House(arguments.compiler, arguments.include, arguments.system, arguments.without)
    PROGRAMS = arguments.programs
    if shutil.which(HOUSE.compiler) is None:
        print(f"{HOUSE.compiler} is not installed; it did not compile:",
              *HOUSE.headers, *PROGRAMS, sep="\n  ")
        return SKIPPED
    for name in arguments.without:
        print(f"not compiled: {name}")
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    return 0 if unittest.TextTestRunner(verbosity=2).run(tests).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
