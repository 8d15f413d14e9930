#!/usr/bin/env python3
"""Fails where the library or the command turns numbers into text in a way that follows a locale.

Streams follow the host's C++ locale, printf and strtod its C locale, std::to_string of a double
too.  base/number_text.hpp is the one place that formats floating-point numbers; text is parsed by
std::from_chars.  Not looked for: std::to_string, which is right for integers.

The second half of this file plants one violation of each kind and expects it to be found.
"""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["base", "drop_in", "gpu_kernels", "include", "numeric", "ordering", "solver", "symbolic"]

FOLLOWS_A_LOCALE = re.compile(
    r"\b(o?stringstream|(?:sn|f|v?s|vsn)?printf|strto[dfl]d?|ato[fil]|sto[dfi]|stold|setprecision)\b"
    r"\s*[({]|\bstd::(?:o?stringstream)\b|\blocaleconv\b|\bsetlocale\b|\bstd::cout\b|\bstd::cerr\b")

# What has a reason: file and the words that may stand there.
ALLOWED = {
    "base/thread_limit.cpp": {"atoi"},  # An integer of the environment.
    "gpu_kernels/runtime/binary_cache.cpp": {"ostringstream"},  # Takes a file's bytes.
    "gpu_kernels/devices/tuning.cpp": {"ostringstream"},  # The same.
    "solver/cli/plot/colours.cpp": {"snprintf"},  # Integers, in hexadecimal digits.
    "solver/cli/progress.cpp": {"atof"},  # The command sets no C locale.
}


def violations(root):
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".hpp", ".cpp"}:
                continue
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                code = line.split("//")[0]
                for match in FOLLOWS_A_LOCALE.finditer(code):
                    word = re.sub(r"^std::|\W+$", "", match.group())
                    if word not in ALLOWED.get(name, set()):
                        found.append(f"{name}:{number}: {word} follows a locale")
    return found


class Repository(unittest.TestCase):
    def test_formats_numbers_in_one_place(self):
        self.assertEqual(violations(ROOT), [])


class Planted(unittest.TestCase):
    def found(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "solver").mkdir()
            (pathlib.Path(folder) / "solver" / "x.cpp").write_text(text)
            return violations(pathlib.Path(folder))

    def test_streams(self):
        self.assertTrue(self.found("std::ostringstream text;"))
        self.assertTrue(self.found("std::stringstream(s) >> x;"))
        self.assertTrue(self.found("std::cout << x;"))

    def test_functions_of_c(self):
        for call in ["std::snprintf(t, 9, f, x)", "printf(f, x)", "strtod(t, &e)", "std::stod(t)",
                     "atof(t)", "vsnprintf(t, 9, f, a)", "fprintf(stderr, f)"]:
            self.assertTrue(self.found(call), call)

    def test_what_is_right(self):
        for text in ["std::to_chars(a, b, x);", "general_text(x, 3);", "// printf(x)",
                     "print(text);", "std::istringstream in(text);"]:
            self.assertEqual(self.found(text), [], text)


if __name__ == "__main__":
    sys.exit(unittest.main())
