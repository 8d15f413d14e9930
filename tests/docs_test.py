#!/usr/bin/env python3
"""Code blocks of README.md and docs/*.md compile, and the files that these pages name exist.

Every ```cpp and ```c block is compiled against the public headers (no build needed, nothing is run):
  * a block with a main() of its own is a whole program, and compiles as it is;
  * the other blocks of a page are statements: each becomes the body of a function behind
    docs_prelude.hpp or, in C, docs_prelude.h, which declare names such as `solver`, `b` and `x`.
    Their #include lines go to the top of the page's translation unit.
A result that must not be ignored, and a format that does not fit its argument, are errors too.

Links to files and to headings of pages are followed, and files that are named between backticks
by their path from the root of the repository must exist.

The second half of this file plants one fault of each kind and expects it to be found.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRELUDE = ROOT / "tests" / "docs_prelude.hpp"
C_PRELUDE = ROOT / "tests" / "docs_prelude.h"

FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror=unused-result", "-Werror=format",
         "-DCL_TARGET_OPENCL_VERSION=120"]
# Language of a block -> flags of the compiler.
LANGUAGES = {"cpp": ["-x", "c++", "-std=c++20"],
             "c": ["-x", "c", "-std=c89", "-Wpedantic", "-Werror"]}
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b")
MAIN = re.compile(r"^int main\(", re.MULTILINE)
FENCE = re.compile(r"^[ \t]*```(\w*)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE_SPAN = re.compile(r"`([^`]+)`")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/(?:[\w-]+\.[\w.]+)?")  # A file with an ending, or a folder.


def pages(root):
    return [path for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]
            if path.is_file()]


def fenced(text):
    """The (line number of the first line within, language, lines) of each fenced block."""
    found, language, lines = [], None, []
    for number, line in enumerate(text.split("\n"), 1):
        fence = FENCE.match(line)
        if fence and language is None:
            language, lines, begin = fence.group(1), [], number + 1
        elif fence:
            found.append((begin, language, lines))
            language = None
        elif language is not None:
            lines.append(line)
    return found


# ---- Code blocks ---------------------------------------------------------------------------------


class Compiler:
    def __init__(self, name, include=(), system=(), prelude=PRELUDE, c_prelude=C_PRELUDE):
        self.name = name
        self.preludes = {"cpp": prelude, "c": c_prelude}
        self.folders = [f"-I{folder}" for folder in include]
        for folder in system:
            self.folders += ["-isystem", folder]

    def messages(self, text, language):
        """What the compiler says of the program; empty when it compiles."""
        with tempfile.TemporaryDirectory() as work:
            source = pathlib.Path(work) / "page"
            source.write_text(text, encoding="utf-8")
            result = subprocess.run([self.name, *FLAGS, *self.folders, *LANGUAGES[language],
                                     str(source)],
                                    capture_output=True, text=True, check=False,
                                    env={**os.environ, "LC_ALL": "C"})
        return result.stderr if result.returncode != 0 else ""


def program_of_statements(name, blocks, prelude):
    """A translation unit with a function for each block of the page, under the page's line
    numbers."""
    includes, functions = [], []
    for begin, lines in blocks:
        body = []
        for number, line in enumerate(lines, begin):
            if INCLUDE.match(line):
                includes += [f'#line {number} "{name}"', line]
                line = ""
            body.append(line)
        functions += [f"void block_at_line_{begin}(void);", f"void block_at_line_{begin}(void) {{", f'#line {begin} "{name}"', *body, "}"]
    return "\n".join([*includes, f'#include "{prelude}"', *functions, ""])


def faults_of_page(path, name, compiler):
    """(number of blocks, texts that each begin with file and line of a block that fails)."""
    num_blocks, faults = 0, []
    for language in LANGUAGES:
        blocks = [(begin, lines) for begin, own, lines
                  in fenced(path.read_text(encoding="utf-8")) if own == language]
        num_blocks += len(blocks)
        faults += faults_of_blocks(blocks, name, compiler, language)
    return num_blocks, faults


def faults_of_blocks(blocks, name, compiler, language):
    """The faults of the blocks of a page in one language."""
    programs, statements = [], []
    for begin, lines in blocks:
        if MAIN.search("\n".join(lines)):
            text = "\n".join([f'#line {begin} "{name}"', *lines, ""])
            programs.append(([(begin, lines)], text))
        else:
            statements.append((begin, lines))
    if statements:
        programs.append((statements, program_of_statements(name, statements,
                                                            compiler.preludes[language])))

    faults = []
    for parts, text in programs:
        messages = compiler.messages(text, language)
        if not messages:
            continue
        errors = re.findall(re.escape(name) + r":(\d+):(?:\d+:)? (?:fatal )?error: ", messages)
        culprits = sorted({begin for begin, lines in parts for line in map(int, errors)
                           if begin <= line <= begin + len(lines)})
        faults += [f"{name}:{begin}: this block does not compile"
                   for begin in culprits or [begin for begin, _ in parts]]
        faults += messages.splitlines()[:30]
    return faults


def block_faults(root, compiler):
    """All blocks that do not compile, as text lines; not empty either when there is no block."""
    num_blocks, faults = 0, []
    for path in pages(root):
        blocks, found = faults_of_page(path, path.relative_to(root).as_posix(), compiler)
        num_blocks += blocks
        faults += found
    return faults if num_blocks > 0 else ["there are no code blocks"]


# ---- Files that are named ------------------------------------------------------------------------


def without_fences(text):
    """The text with fenced blocks blanked, line by line."""
    lines = text.split("\n")
    for begin, _, within in fenced(text):
        for k in range(begin - 2, begin + len(within)):
            lines[k] = ""
    return "\n".join(lines)


def anchors(path):
    """The names by which links reach the page's headings."""
    found = set()
    for line in without_fences(path.read_text(encoding="utf-8")).split("\n"):
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            found.add(re.sub(r"[^\w\- ]", "", heading.group(1).lower()).strip().replace(" ", "-"))
    return found


def broken_link(page, target):
    """Why the link leads nowhere, or None."""
    if re.match(r"[a-z]+:", target):
        return None  # An address of the web.
    file_name, _, anchor = target.partition("#")
    path = page.parent / file_name if file_name else page
    if not path.exists():
        return f"{target}: there is no such file"
    if anchor and path.suffix == ".md" and anchor not in anchors(path):
        return f"{target}: there is no such heading"
    return None


def missing_file(root, words):
    """Why the words between backticks name a file of the repository that is missing, or None."""
    if not PATH.fullmatch(words) or not (root / words.split("/")[0]).is_dir():
        return None
    if words.split("/")[0] == "build" or (root / words).exists():
        return None
    return f"{words}: there is no such file"


def file_faults(root):
    """All links and names of files that lead nowhere, as text lines."""
    faults = []
    for path in pages(root):
        name = path.relative_to(root).as_posix()
        text = without_fences(path.read_text(encoding="utf-8"))
        for number, line in enumerate(text.split("\n"), 1):
            links = LINK.findall(CODE_SPAN.sub("", line))
            reasons = [broken_link(path, target) for target in links]
            reasons += [missing_file(root, words) for words in CODE_SPAN.findall(line)]
            faults += [f"{name}:{number}: {reason}" for reason in reasons if reason]
    return faults


# ---- Tests ---------------------------------------------------------------------------------------


class Pages(unittest.TestCase):
    def expect_none(self, faults):
        if faults:
            self.fail("\n" + "\n".join(faults))

    def test_every_code_block_compiles(self):
        self.expect_none(block_faults(ROOT, COMPILER))

    def test_every_file_exists(self):
        self.expect_none(file_faults(ROOT))


class Planted(unittest.TestCase):
    """Each test writes a small guide and expects exactly one fault, or none."""

    def faults(self, files, find):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            (root / "prelude.hpp").write_text(
                "enum class [[nodiscard]] Status { kOk };\nStatus f(int);\nextern int n;\n")
            (root / "prelude.h").write_text("extern int n;\n")
            return find(root)

    def block_faults(self, files):
        return self.faults(files, lambda root: block_faults(
            root, Compiler(COMPILER.name, prelude=root / "prelude.hpp",
                                             c_prelude=root / "prelude.h")))

    def file_faults(self, files):
        return self.faults(files, file_faults)

    def expect_block(self, files, culprit):
        found = [line for line in self.block_faults(files) if "this block" in line]
        self.assertEqual(found, [f"{culprit} this block does not compile"])

    def test_good_blocks_are_good(self):
        statements = "```cpp\n#include <vector>\nstd::vector<int> v(n);\nif (f(n) == Status::kOk) v[0] = 1;\n```\n"
        program = "```cpp\n#include <cstdio>\nint main() { std::puts(\"\"); }\n```\n"
        in_c = "```c\nint k;\nk = n;\nn = k;\n```\n"
        pages_of_both = {"README.md": program, "docs/a.md": statements + in_c}
        self.assertEqual(self.block_faults(pages_of_both), [])

    def test_block_that_does_not_compile_is_found(self):
        good = "# A\n\n```cpp\nint k = n;\n```\n\nWords.\n\n```cpp\n\nint k = m;\n```\n"
        self.expect_block({"docs/a.md": good}, "docs/a.md:10:")

    def test_program_that_does_not_compile_is_found(self):
        self.expect_block({"README.md": "```cpp\nint main() { return m; }\n```\n"}, "README.md:2:")

    def test_c_block_is_c89(self):
        self.expect_block({"docs/a.md": "```c\nint k = n; // C99\n```\n"}, "docs/a.md:2:")

    def test_c_block_that_does_not_compile_is_found(self):
        self.expect_block({"docs/a.md": "```c\nint k = m;\n```\n"}, "docs/a.md:2:")

    def test_statement_that_does_not_end_is_found(self):
        self.expect_block({"docs/a.md": "```cpp\nint k = 1\n```\n"}, "docs/a.md:2:")

    def test_missing_header_is_found(self):
        self.expect_block({"docs/a.md": "```cpp\nint k;\n#include <no/such>\n```\n"}, "docs/a.md:2:")

    def test_ignored_status_is_found(self):
        self.expect_block({"docs/a.md": "```cpp\nf(1);\n```\n"}, "docs/a.md:2:")

    def test_format_that_does_not_fit_is_found(self):
        text = '```cpp\n#include <cstdio>\nstd::printf("%g", n);\n```\n'
        self.expect_block({"docs/a.md": text}, "docs/a.md:2:")

    def test_a_guide_without_blocks_is_found(self):
        for text in ["", "```sh\nls\n```\n"]:
            self.assertEqual(self.block_faults({"README.md": text}), ["there are no code blocks"])

    def test_good_names_are_good(self):
        files = {"README.md": "[a](docs/a.md) `docs/a.md`, `docs/`, `no/such.md` [w](https://w.w/x)\n",
                 "docs/a.md": "# What `auto` takes\n[b](../README.md) [c](#what-auto-takes)\n"
                              "```cpp\n[](int) {}\n```\n"}
        self.assertEqual(self.file_faults(files), [])

    def test_link_to_nothing_is_found(self):
        self.assertEqual(self.file_faults({"docs/a.md": "\n[b](b.md)\n"}),
                         ["docs/a.md:2: b.md: there is no such file"])
        self.assertEqual(self.file_faults({"docs/a.md": "# A\n[b](a.md#b)\n"}),
                         ["docs/a.md:2: a.md#b: there is no such heading"])

    def test_name_of_nothing_is_found(self):
        self.assertEqual(self.file_faults({"docs/a.md": "`docs/b.md` has it\n"}),
                         ["docs/a.md:1: docs/b.md: there is no such file"])


def main():
    global COMPILER
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("-I", "--include", action="append", default=[],
                        help="folder of the public headers")
    parser.add_argument("--system", action="append", default=[], help="folder of other headers")
    arguments = parser.parse_args()
    COMPILER = Compiler(arguments.compiler, arguments.include, arguments.system)
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    return 0 if unittest.TextTestRunner(verbosity=2).run(tests).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
