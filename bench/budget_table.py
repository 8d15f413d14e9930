#!/usr/bin/env python3
"""Factors under budgets of a device's memory: measured, and as the table of docs/device.md.

    bench/budget_table.py measure PATH/clchol_device_bench MATRIX=PARTS... -- [OPTIONS] > X.jsonl
    bench/budget_table.py table X.jsonl

PARTS, as 2,4,8: budgets of a half, a quarter and an eighth of what the matrix takes in core, which
is measured first.  OPTIONS are the program's.  Each line is the program's, with `part`: 1 in core.
"""

import json
import pathlib
import subprocess
import sys

# Columns: members of a line, and what they are multiplied by: GB, s, ms.
COLUMNS = [("predicted", "predicted_bytes", 1e-9), ("in use", "solver_bytes", 1e-9),
           ("streamed", "streamed_bytes", 1e-9), ("set-up", "setup_s", 1),
           ("first", "first_s", 1e3), ("refactorization", "refactor_s", 1e3),
           ("solve, 1", "solve_s", 1e3), ("solve, 16", "solve16_s", 1e3)]
# Of these, behind the value, the ratio to what it is in core.
RATIOS = ["first_s", "refactor_s"]


def run(command):
    """The program's one line; what it failed with is a line too."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
    if lines:
        return json.loads(lines[-1])
    return {"error": result.stderr.strip() or f"exit code {result.returncode}"}


def measure(program, matrices, options):
    for word in matrices:
        matrix, _, parts = word.partition("=")
        in_core = run([program, *options, matrix])
        print(json.dumps({"matrix": matrix, **in_core, "part": 1}), flush=True)
        for part in map(int, filter(None, parts.split(","))):
            if "predicted_bytes" not in in_core:
                break
            budget = in_core["predicted_bytes"] // part
            line = run([program, *options, "--memory", str(budget), matrix])
            print(json.dumps({"matrix": matrix, **line, "part": part}), flush=True)


def short(value):
    if value != 0 and abs(value) < 1e-3:
        return f"{value:.0e}"
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def table(path):
    lines = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines() if line]
    in_core = {line["matrix"]: line for line in lines if line["part"] == 1}
    print("| matrix | budget | " + " | ".join(head for head, _, _ in COLUMNS) + " |")
    print("| --- " * (2 + len(COLUMNS)) + "|")
    for line in lines:
        budget = "none" if line["part"] == 1 else f"1/{line['part']}"
        if "error" in line:
            print(f"| {line['matrix']} | {budget} | {line['error']} |")
            continue
        cells = [line["matrix"], budget]
        for _, name, unit in COLUMNS:
            cells.append(short(line[name] * unit))
            if name in RATIOS and line["part"] > 1:
                cells[-1] += f" ({line[name] / in_core[line['matrix']][name]:.2f})"
        print("| " + " | ".join(cells) + " |")


def main():
    words = sys.argv[1:]
    if len(words) == 2 and words[0] == "table":
        return table(words[1])
    if len(words) > 2 and words[0] == "measure":
        end = words.index("--") if "--" in words else len(words)
        return measure(words[1], words[2:end], words[end + 1:])
    sys.exit(__doc__)


if __name__ == "__main__":
    main()
