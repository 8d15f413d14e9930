#!/usr/bin/env python3
"""Every declaration of every public header is called by the stranger's programs.

The declarations are taken from the headers by clang (the syntax tree as JSON), the calls from the
symbols of the programs' object files.  It is an error
  * when a header below include/clchol is included by none of the programs;
  * when a function, constructor, destructor or member that is declared there, and is not private or
    deleted, is called by none of them: of a template, no instance;
  * when the library exports a function that none of them calls: another instance, or a function
    that no header declares.
That what is called can be linked, the linker says (tests/install/stranger/CMakeLists.txt).

Exit status 77, and a list of what was not compared, where there is no clang.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

SKIPPED = 77
FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl",
             "CXXConversionDecl"}
SCOPES = {"NamespaceDecl", "LinkageSpecDecl", "ClassTemplateDecl", "FunctionTemplateDecl",
          "CXXRecordDecl", "ClassTemplateSpecializationDecl",
          "ClassTemplatePartialSpecializationDecl"}
# Constructors and destructors have several symbols: of complete objects and of parts.
VARIANT = re.compile(r"([CD])[0-2](?=E)")


def same_variant(symbol):
    return VARIANT.sub(r"\g<1>1", symbol)


def run(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def syntax_trees(clang, flags, source):
    """The declarations whose names have "clchol" in them, each with its file filled in: clang names
    a file only where it is another than the one before."""
    text = run([clang, *flags, "-x", "c++", "-fsyntax-only", "-Xclang", "-ast-dump=json",
                "-Xclang", "-ast-dump-filter=clchol", str(source)])
    file = None

    def fill_in(place):
        nonlocal file
        if "offset" in place:
            file = place.setdefault("file", file)
        return place

    decoder = json.JSONDecoder(object_hook=fill_in)
    # "Dumping clchol::name:" stands before some of them.
    text = re.sub(r"^Dumping .*:$", "", text, flags=re.MULTILINE)
    at = 0
    while match := re.compile(r"\S").search(text, at):
        tree, at = decoder.raw_decode(text, match.start())
        yield tree


def declarations(node, access="public"):
    """(place, name, mangled name or None) of each function in reach of a user."""
    kind = node.get("kind")
    if kind in FUNCTIONS:
        if access != "private" and not node.get("isImplicit") and not node.get("explicitlyDeleted"):
            place = node["loc"].get("spellingLoc", node["loc"])
            yield (place.get("file"), place.get("offset")), node["name"], node.get("mangledName")
        return
    if kind not in SCOPES or access == "private":
        return
    inside = "private" if node.get("tagUsed") == "class" else "public"
    if kind in ("ClassTemplateDecl", "FunctionTemplateDecl"):
        inside = access
    for child in node.get("inner", []):
        if child.get("kind") == "AccessSpecDecl":
            inside = child["access"]
        else:
            yield from declarations(child, inside)


def symbols(nm, *arguments):
    """(kind, symbol) of each line."""
    for line in run([nm, *arguments]).splitlines():
        fields = line.split()
        if len(fields) >= 2:
            yield fields[-2], same_variant(fields[-1])


class Calls:
    """What the programs include and call, and what the headers declare."""

    def __init__(self, headers, without=()):
        self.headers = headers  # Folder.
        self.without = set(without)  # Names of headers that this library has no functions for.
        self.included, self.called, self.wanted = set(), set(), set()
        self.declared = {}  # Place in a header -> name, mangled names.

    def add(self, tools, flags, source, work):
        # C programs too: names of C++ without C++ around them are those of C.
        listed = run([tools.cxx, *flags, "-x", "c++", "-MM", str(source)])
        self.included |= {pathlib.Path(name).resolve() for name in listed.split()
                          if name.endswith((".hpp", ".h"))}
        obj = pathlib.Path(work) / (source.stem + ".o")
        run([tools.cxx, *flags, "-x", "c++", "-O0", "-c", str(source), "-o", str(obj)])
        for kind, symbol in symbols(tools.nm, str(obj)):
            self.called.add(symbol)
            if kind == "U":
                self.wanted.add(symbol)
        for tree in syntax_trees(tools.clang, flags, source):
            for (file, offset), name, mangled in declarations(tree):
                path = pathlib.Path(file).resolve() if file else None
                if path and path.is_relative_to(self.headers):
                    entry = self.declared.setdefault((path, offset), (name, set()))
                    if mangled:
                        entry[1].add(same_variant(mangled))

    def failures(self, exported):
        found = []
        for header in sorted(self.headers.rglob("*.h*")):
            if header.resolve() not in self.included and header.name not in self.without:
                found.append(f"{header.name}: no program includes it")
        for (path, offset), (name, mangled) in sorted(self.declared.items()):
            if not mangled & self.called:
                line = path.read_bytes()[:offset].count(b"\n") + 1
                found.append(f"{path.name}:{line}: no program calls {name}")
        for symbol in sorted(exported - self.wanted):
            found.append(f"exported, but no program calls it: {symbol}")
        return found


def exported_functions(nm, library):
    return {symbol for kind, symbol in symbols(nm, "-D", "--defined-only", str(library))
            if kind in "TW" and not symbol.startswith("_ZT")}


class SelfTest(unittest.TestCase):
    """One declaration of each kind that is forgotten, and one that is not."""

    HEADER = """
        namespace clchol {
        void called(int);
        void forgotten(int);
        void forgotten(double);  // An overload.
        template <class T> void f(T);
        template <class T> void g(T);
        inline int inline_called() { return 1; }
        inline int inline_forgotten() { return 1; }
        class C {
          int hidden();
         public:
          C(); ~C(); C(const C&) = delete;
          int m() const;
          template <class T> int t(T);
          int operator()(int);
        };
        template <class T> struct S { T a() { return 1; } T b() { return 1; } };
        }
        """
    PROGRAM = """
        #include "clchol/x.hpp"
        int main() {
          clchol::called(1); clchol::forgotten(1.0); clchol::f(1); clchol::inline_called();
          clchol::C c; c(1); clchol::S<int> s; return s.a();
        }
        """

    def test_finds_what_is_forgotten(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder).resolve()
            headers = folder / "include/clchol"
            headers.mkdir(parents=True)
            (headers / "x.hpp").write_text(textwrap.dedent(self.HEADER))
            (headers / "unseen.hpp").write_text("#pragma once\n")
            source = folder / "program.cpp"
            source.write_text(textwrap.dedent(self.PROGRAM))
            calls = Calls(headers)
            calls.add(TOOLS, ["-std=c++20", f"-I{folder}/include"], source, folder)
            found = calls.failures({"_ZN6clchol6calledEi", "_ZN6clchol1fIdEEvT_"})

        self.assertEqual(found, ["unseen.hpp: no program includes it",
                                 "x.hpp:4: no program calls forgotten",
                                 "x.hpp:7: no program calls g",
                                 "x.hpp:9: no program calls inline_forgotten",
                                 "x.hpp:14: no program calls m",
                                 "x.hpp:15: no program calls t",
                                 "x.hpp:18: no program calls b",
                                 "exported, but no program calls it: _ZN6clchol1fIdEEvT_"])


def main():
    global TOOLS
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cxx", "nm", "library", "include"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--clang", default="clang++-14")
    parser.add_argument("--system", action="append", default=[], help="folder of other headers")
    parser.add_argument("--without", action="append", default=[], metavar="HEADER",
                        help="a header whose functions this build of the library has not")
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    TOOLS = parser.parse_args()

    if shutil.which(TOOLS.clang) is None:
        print(f"{TOOLS.clang} is not installed; the calls of these programs were not compared with "
              "the headers:", *TOOLS.sources, sep="\n  ")
        return SKIPPED
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(SelfTest)
    if not unittest.TextTestRunner().run(tests).wasSuccessful():
        return 1

    flags = ["-std=c++20", f"-I{TOOLS.include}"]
    for folder in TOOLS.system:
        flags += ["-isystem", folder]
    calls = Calls(pathlib.Path(TOOLS.include).resolve() / "clchol", TOOLS.without)
    with tempfile.TemporaryDirectory() as work:
        for source in TOOLS.sources:
            calls.add(TOOLS, flags, source, work)
    failures = calls.failures(exported_functions(TOOLS.nm, TOOLS.library))
    print("\n".join(failures) or f"{len(calls.declared)} declarations, all called"
          + "".join(f"; not compared: {name}" for name in TOOLS.without))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
