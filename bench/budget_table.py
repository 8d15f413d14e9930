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

# Members of a line, and what they are multiplied by: GB, s, ms.
COLUMNS = [("device_bytes", 1e-9), ("solver_bytes", 1e-9), ("predicted_bytes", 1e-9),
           ("streamed_bytes", 1e-9), ("setup_s", 1), ("first_s", 1e3), ("refactor_s", 1e3),
           ("streamed_factor_s", 1e3), ("solve_s", 1e3), ("streamed_solve_s", 1e3),
           ("solve16_s", 1e3), ("backward_error", 1)]
# Of these, the ratio to what they are in core.
RATIOS = ["refactor_s", "solve_s", "solve16_s", "first_s"]


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
    names = [name for name, _ in COLUMNS]
    ratios = [f"{name}, of in core" for name in RATIOS]
    print("| matrix | budget | " + " | ".join([*names, *ratios]) + " |")
    print("| --- " * (2 + len(names) + len(ratios)) + "|")
    for line in lines:
        budget = "none" if line["part"] == 1 else f"1/{line['part']}"
        if "error" in line:
            print(f"| {line['matrix']} | {budget} | {line['error']} |")
            continue
        cells = [line["matrix"], budget]
        cells += [short(line[name] * unit) for name, unit in COLUMNS]
        cells += [f"{line[name] / in_core[line['matrix']][name]:.2f}" for name in RATIOS]
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
