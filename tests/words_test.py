#!/usr/bin/env python3
"""Comments in code can be read one at a time (README, Vocabulary; no build needed).

A comment beside a member or a statement is a sentence or a noun phrase of its own, which neither
goes on at the next member nor began at the one before.  "So many" points at a number that stands
elsewhere: the comment names it.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = {".hpp", ".cpp", ".h", ".cl"}
POINTING = re.compile(r"\bso (many|much|few|large|long)\b", re.IGNORECASE)
# Sends the reader to another declaration, and says nothing itself.
ELSEWHERE = re.compile(r"As [\w:]+(\(\))?[,.](\s|$)")
BEGINS_WITHIN = re.compile(
    r"(and|as|but|by|each|for|from|in|of|or|so|that|then|this|those|to|where|which|with)\b"
)


def comment_column(line):
    """Where a // comment begins in the line, outside of string literals; -1: nowhere."""
    in_string = ""
    k = 0
    while k < len(line):
        c = line[k]
        if in_string:
            if c == "\\":
                k += 1
            elif c == in_string:
                in_string = ""
        elif c == '"' or (c == "'" and not (k and line[k - 1].isalnum())):
            in_string = c
        elif line.startswith("//", k):
            return k
        k += 1
    return -1


def comments(lines):
    """(line number, whether code stands before it, text), lines of one comment joined."""
    found = []
    last_column, last_line = -1, -2
    for number, line in enumerate(lines, 1):
        column = comment_column(line)
        if column < 0:
            continue
        text = line[column:].rstrip().rstrip("\\").rstrip()
        has_code = bool(line[:column].strip())
        if not has_code and found and last_line == number - 1 and column == last_column:
            before = found[-1]
            found[-1] = (before[0], before[1], before[2] + " " + re.sub(r"^//+<?!?\s*", "", text))
        else:
            found.append((number, has_code, text))
        last_column, last_line = column, number
    return found


def faults(lines, name):
    """Yields what is wrong in the lines of a file with this name, a line each."""
    for number, line in enumerate(lines, 1):
        # A macro may have comments before its splices; a line of comment alone takes in the next one.
        if line.lstrip().startswith("//") and line.endswith("\\"):
            yield f"{name}:{number}: a comment goes on in the next line: {line}"
    for number, has_code, text in comments(lines):
        words = re.sub(r"^//+<?!?\s*", "", text)
        place = f"{name}:{number}"
        if POINTING.search(words):
            yield f"{place}: points at a number that stands elsewhere: {words}"
        elif ELSEWHERE.match(words):
            yield f"{place}: says what it means elsewhere: {words}"
        elif has_code and BEGINS_WITHIN.match(words):
            yield f"{place}: begins within a sentence: {words}"
        elif has_code and words.endswith((",", ";")):
            yield f"{place}: ends within a sentence: {words}"


def check_faults():
    """Plants one fault of each kind, and expects each to be found, and good comments to pass."""
    bad = ["int n;  // Fronts of the group,", "int n;  // and of its parent.", "// Has so many rows.",
           "/// As f(), with a team.", "// goes on \\"]
    good = ["int n;  // Number of fronts.", "// Rows [begin, end) of the panel.", "const char* s = \"// and,\";"]
    for text, expected in [(line, 1) for line in bad] + [(line, 0) for line in good]:
        found = list(faults([text], "planted"))
        assert len(found) == expected, (text, found)


def list_files():
    """Files of the project, by git where it is there, relative to the root."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-co", "--exclude-standard"]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if "build" not in path.parts]


def main():
    listed = sys.argv[1:] or list_files()
    paths = [ROOT / name for name in listed if pathlib.Path(name).suffix in SUFFIXES]
    check_faults()
    found = [fault for path in paths if path.exists()
             for fault in faults(path.read_text().split("\n"), path.relative_to(ROOT))]
    print("\n".join(found))
    print(f"{len(paths)} files, {len(found)} comments that cannot be read alone")
    return 1 if found or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
