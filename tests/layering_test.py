#!/usr/bin/env python3
"""Fails on an include that points up the diagram of the README ("Map"), and on its relatives.

    solver -> numeric -> symbolic -> ordering -> base        numeric -> gpu_kernels -> base
    drop_in -> the public headers

Checked for every C++ file of the repository:
  * a folder includes only itself and what lies below it;
  * the public headers include only each other, the standard library and, each in its own
    header, Eigen;
  * of the public headers, base/types.hpp brings in clchol/types.hpp; the others are for solver/,
    tests, bench and examples;
  * wings of a folder point one way: gpu_kernels/fronts -> dense -> runtime -> devices; the two
    engines of numeric/ do not see each other, and the CPU's sees no device (APART);
  * OpenCL headers stay out of base/, ordering/, symbolic/ and the public headers but opencl.hpp;
  * a quoted include names a file from the repository root (or from include/), and a source
    includes its own header first;
  * C++ includes <cstdio> and not <stdio.h>, and says `using` and not `typedef`.

The second half of this file plants one violation of each kind and expects it to be found.
"""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

BELOW = {
    "base": {"base"},
    "gpu_kernels": {"gpu_kernels", "base"},
    "ordering": {"ordering", "base"},
    "symbolic": {"symbolic", "ordering", "base"},
    "numeric": {"numeric", "symbolic", "ordering", "gpu_kernels", "base"},
    "solver": {"solver", "numeric", "symbolic", "ordering", "gpu_kernels", "base", "clchol"},
    "drop_in": {"drop_in", "clchol"},
    "include": {"clchol"},
}
# These see everything.  Nothing sees them but themselves.
ABOVE = {"tests", "bench", "examples", "python", "docs"}
FOLDERS = set(BELOW) - {"include"} | ABOVE | {"clchol"}

# Folders, and what their files do not include though it lies below or beside them.
APART = {
    "gpu_kernels/devices": ("gpu_kernels/runtime", "gpu_kernels/dense", "gpu_kernels/fronts"),
    "gpu_kernels/runtime": ("gpu_kernels/dense", "gpu_kernels/fronts"),
    "gpu_kernels/dense": ("gpu_kernels/fronts",),
    "numeric/cpu": ("numeric/device", "gpu_kernels"),
    "numeric/dense": ("numeric/cpu", "numeric/device", "gpu_kernels"),
    "numeric/device": ("numeric/cpu", "numeric/dense"),
}

WITHOUT_OPENCL = {"base", "ordering", "symbolic", "include"}
SUFFIXES = {".hpp", ".cpp", ".h", ".cc"}
# Libraries whose own habit is the quoted form.
QUOTED_OUTSIDERS = {"hwy"}
# Outsiders that one public header may name.
PUBLIC_OUTSIDERS = {
    "include/clchol/eigen.hpp": {"Eigen"},
    "include/clchol/eigen_factor.hpp": {"Eigen"},
    "include/clchol/eigen_ordering.hpp": {"Eigen"},
    "include/clchol/opencl.hpp": {"CL"},
}

# Headers of C that C++ has under another name; <signal.h>, <stdlib.h>, <time.h> have POSIX's functions
# too.
C_HEADERS = {"assert.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "limits.h",
             "locale.h", "math.h", "setjmp.h", "stdarg.h", "stddef.h", "stdint.h", "stdio.h",
             "string.h", "uchar.h", "wchar.h", "wctype.h"}
CXX_SUFFIXES = {".hpp", ".cpp"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
TYPEDEF = re.compile(r"^[ \t]*(typedef)\b", re.MULTILINE)


def includes_of(text):
    """The (line number, bracket, path) of each #include line, block comments taken out."""
    blanked = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text)
    return [
        (blanked.count("\n", 0, m.start(1)) + 1, m.group(1), m.group(2))
        for m in INCLUDE.finditer(blanked)
    ]


def direction_violation(folder, path, target):
    """Why `path` (repository-relative, in `folder`) may not include `target`, or None."""
    top = target.split("/")[0]
    for mine, others in APART.items():
        if path.startswith(f"{mine}/") and any(target.startswith(f"{o}/") for o in others):
            return f"{mine}/ does without {' and '.join(others)}"
    if folder in ABOVE or top not in FOLDERS or "/" not in target:
        return None
    if top in ABOVE:
        return f"only tests and their like include {top}/"
    if top in BELOW[folder]:
        return None
    if target == "clchol/types.hpp" and path == "base/types.hpp":
        return None
    if top == "clchol":
        return "public headers are for solver/ and outside; base/types.hpp has the shared types"
    return f"{folder}/ lies below {top}/ or beside it"


def outsider_violation(folder, path, target):
    """Why `path` may not include the outside header `target`, or None."""
    top = target.split("/")[0]
    if top in FOLDERS or ("/" not in target and not target.endswith(".h")):
        return None
    if folder == "include":
        if path.endswith(".h") and top in C_HEADERS:
            return None
        if top not in PUBLIC_OUTSIDERS.get(path, set()):
            return "public headers include the standard library and each other only"
    if folder in WITHOUT_OPENCL and top == "CL" and top not in PUBLIC_OUTSIDERS.get(path, set()):
        return f"{folder}/ never sees OpenCL"
    return None


def c_header_violation(path, target):
    """Why the C++ file `path` may not include the header of C `target`, or None."""
    if target in C_HEADERS and pathlib.PurePosixPath(path).suffix in CXX_SUFFIXES:
        return f"C++ includes <c{target.removesuffix('.h')}>"
    return None


def typedef_lines(path, text):
    """Lines of the C++ file `path` with a typedef, but for those in raw strings (OpenCL C)."""
    if pathlib.PurePosixPath(path).suffix not in CXX_SUFFIXES:
        return []
    blanked = RAW_STRING.sub(lambda m: "\n" * m.group().count("\n"), text)
    return [blanked.count("\n", 0, m.start(1)) + 1 for m in TYPEDEF.finditer(blanked)]


def quoted_violation(root, folder, target):
    """Why the quoted `target` names no file of ours, or None."""
    top = target.split("/")[0]
    if top in QUOTED_OUTSIDERS and folder != "include":
        return None
    if (root / target).is_file() or (root / "include" / target).is_file():
        return None
    return "quoted includes name a file from the repository root"


def own_header_violation(root, path, includes):
    """Why the first include of the source `path` is not its own header, or None."""
    header = pathlib.PurePosixPath(path).with_suffix(".hpp")
    if not path.endswith(".cpp") or not (root / header).is_file() or path.startswith("tests/"):
        return None
    if includes and includes[0][2] == str(header):
        return None
    return f"a source includes its own header first: {header}"


def violations_in(root, path):
    """All violations of one file, as text lines."""
    folder = path.split("/")[0]
    text = (root / path).read_text(encoding="utf-8")
    includes = includes_of(text)
    found = [f"{path}:{line}: `using` says it better" for line in typedef_lines(path, text)]
    for line, bracket, target in includes:
        reasons = [
            direction_violation(folder, path, target),
            outsider_violation(folder, path, target),
            c_header_violation(path, target),
            quoted_violation(root, folder, target) if bracket == '"' else None,
        ]
        found += [f"{path}:{line}: {target}: {reason}" for reason in reasons if reason]
    own = own_header_violation(root, path, includes)
    if own:
        found.append(f"{path}:1: {own}")
    return found


def sources(root):
    """Repository-relative paths of all C++ files in the folders of the diagram."""
    for folder in sorted(set(BELOW) | ABOVE):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path.relative_to(root).as_posix()


def violations(root):
    return [line for path in sources(root) for line in violations_in(root, path)]


class Repository(unittest.TestCase):
    def test_there_is_something_to_read(self):
        self.assertGreater(len(list(sources(ROOT))), 10)

    def test_every_include_points_down(self):
        found = violations(ROOT)
        self.assertEqual(found, [], "\n" + "\n".join(found))


class Planted(unittest.TestCase):
    """Each test writes a small tree and expects exactly one finding, or none."""

    def findings(self, files):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            return violations(root)

    def expect_one(self, files, culprit):
        found = self.findings(files)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(culprit), found)

    def test_each_upward_include_is_found(self):
        order = ["base", "ordering", "symbolic", "numeric", "solver"]
        for low, folder in enumerate(order):
            for upper in order[low + 1 :]:
                with self.subTest(folder=folder, upper=upper):
                    self.expect_one(
                        {f"{folder}/a.hpp": f'\n#include "{upper}/b.hpp"\n', f"{upper}/b.hpp": ""},
                        f"{folder}/a.hpp:2:",
                    )

    def test_habits_of_c_are_found(self):
        self.expect_one({"base/a.cpp": "#include <stdio.h>\n"}, "base/a.cpp:1:")
        self.expect_one({"base/a.hpp": "int x;\n  typedef int Int;\n"}, "base/a.hpp:2:")

    def test_habits_of_c_are_allowed_in_c(self):
        for path in ("base/a.h", "include/clchol/a.h"):
            self.assertEqual(self.findings({path: "#include <stddef.h>\ntypedef int Int;\n"}), [])
        kernel = 'auto k = R"(\ntypedef struct { int a; } Line;\n)";\n'
        self.assertEqual(self.findings({"tests/a.cpp": kernel}), [])

    def test_each_downward_include_is_allowed(self):
        order = ["base", "ordering", "symbolic", "numeric", "solver", "tests"]
        for low, folder in enumerate(order):
            for upper in order[low:]:
                with self.subTest(folder=folder, upper=upper):
                    files = {f"{folder}/b.hpp": "", f"{upper}/a.hpp": f'#include "{folder}/b.hpp"'}
                    self.assertEqual(self.findings(files), [])

    def test_kernels_and_trees_do_not_know_each_other(self):
        for one, other in [("gpu_kernels", "symbolic"), ("ordering", "gpu_kernels")]:
            with self.subTest(one=one, other=other):
                self.expect_one(
                    {f"{one}/a.hpp": f'#include "{other}/b.hpp"\n', f"{other}/b.hpp": ""},
                    f"{one}/a.hpp:1:",
                )

    def test_engines_do_not_know_each_other(self):
        for one, other in [("numeric/cpu", "numeric/device"), ("numeric/device", "numeric/cpu"),
                           ("numeric/cpu", "gpu_kernels"), ("numeric/device", "numeric/dense")]:
            with self.subTest(one=one, other=other):
                self.expect_one(
                    {f"{one}/a.hpp": f'#include "{other}/b.hpp"\n', f"{other}/b.hpp": ""},
                    f"{one}/a.hpp:1:",
                )

    def test_wings_of_the_kernels_point_one_way(self):
        order = ["devices", "runtime", "dense", "fronts"]
        for low, wing in enumerate(order):
            for upper in order[low + 1 :]:
                with self.subTest(wing=wing, upper=upper):
                    one, other = f"gpu_kernels/{wing}/a.hpp", f"gpu_kernels/{upper}/b.hpp"
                    self.expect_one({one: f'#include "{other}"\n', other: ""}, f"{one}:1:")
                    self.assertEqual(self.findings({one: "", other: f'#include "{one}"\n'}), [])

    def test_nothing_includes_tests(self):
        self.expect_one(
            {"solver/a.hpp": '#include "tests/b.hpp"\n', "tests/b.hpp": ""}, "solver/a.hpp:1:"
        )

    def test_public_header_of_a_lower_folder_is_found(self):
        self.expect_one(
            {"numeric/a.hpp": "#include <clchol/clchol.hpp>\n"}, "numeric/a.hpp:1:"
        )

    def test_shared_types_come_in_through_base_alone(self):
        files = {"base/types.hpp": '#include "clchol/types.hpp"\n', "include/clchol/types.hpp": ""}
        self.assertEqual(self.findings(files), [])
        files["ordering/a.hpp"] = '#include "clchol/types.hpp"\n'
        self.expect_one(files, "ordering/a.hpp:1:")

    def test_public_header_with_an_internal_one_is_found(self):
        self.expect_one(
            {"include/clchol/a.hpp": '#include "base/types.hpp"\n', "base/types.hpp": ""},
            "include/clchol/a.hpp:1:",
        )

    def test_public_header_with_an_outside_library_is_found(self):
        self.expect_one(
            {"include/clchol/clchol.hpp": "#include <span>\n#include <Eigen/SparseCore>\n"},
            "include/clchol/clchol.hpp:2:",
        )
        self.assertEqual(
            self.findings({"include/clchol/eigen.hpp": "#include <Eigen/SparseCore>\n"}), []
        )

    def test_opencl_in_symbolic_is_found(self):
        self.expect_one({"symbolic/a.cpp": "#include <CL/cl.h>\n"}, "symbolic/a.cpp:1:")

    def test_include_that_is_not_from_the_root_is_found(self):
        self.expect_one(
            {"base/a.hpp": "", "base/b.cpp": '#include "a.hpp"\n'}, "base/b.cpp:1:"
        )

    def test_own_header_that_is_not_first_is_found(self):
        self.expect_one(
            {"base/a.hpp": "", "base/a.cpp": '#include <span>\n#include "base/a.hpp"\n'},
            "base/a.cpp:1:",
        )

    def test_standard_header_named_like_a_folder_is_allowed(self):
        self.assertEqual(self.findings({"base/a.hpp": "#include <numeric>\n"}), [])

    def test_spaces_and_comments_do_not_mislead(self):
        self.expect_one(
            {"base/a.hpp": '/* #include "solver/b.hpp"\n*/\n #  include "solver/b.hpp"\n',
             "solver/b.hpp": ""},
            "base/a.hpp:3:",
        )


if __name__ == "__main__":
    sys.exit(unittest.main())
