#!/usr/bin/env python3
"""The table of docs/device.md: clchol_device_bench's lines beside a peer's, and geometric means.

    bench/device_table.py bench/results/nvidia-h200.jsonl PEER.jsonl

A peer's line has matrix, factor_s, factor_first_s, solve_s, solve16_s, device_gb, analyze_s.
"""

import json
import math
import pathlib
import sys


def lines_of(path):
    """By matrix; lines of other programs, and of runs that failed, are left out."""
    lines = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines() if line]
    return {pathlib.Path(line["matrix"]).name.replace(".mtx.gz", ""): line
            for line in lines if "matrix" in line and "solve16_s" in line}


def short(value):
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def milliseconds(ours, peers):
    return f"{short(ours * 1e3)} ({short(peers * 1e3)})"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ours, peers = lines_of(sys.argv[1]), lines_of(sys.argv[2])
    pairs = [("refactor_s", "factor_s"), ("first_s", "factor_first_s"), ("solve_s", "solve_s"),
             ("solve16_s", "solve16_s")]
    ratios = {}
    for matrix, a in ours.items():
        p = peers[matrix]
        gigabytes = a["device_bytes"] / 1e9
        cells = [matrix, *(milliseconds(a[x], p[y]) for x, y in pairs),
                 f"{gigabytes:.1f} ({p['device_gb']:.1f})",
                 f"{a['analyze_s']:.2f} + {a['setup_s']:.2f} ({p['analyze_s']:.2f})"]
        print("| " + " | ".join(cells) + " |")
        for x, y in pairs:
            ratios.setdefault(f"{x}, times faster", []).append(p[y] / a[x])
        ratios.setdefault("memory, of the peer's", []).append(gigabytes / p["device_gb"])
        ratios.setdefault("analysis and set-up, of the peer's analysis", []).append(
            (a["analyze_s"] + a["setup_s"]) / p["analyze_s"])
        ratios.setdefault("TFLOP/s of refactor_s", []).append(a["flops"] / a["refactor_s"] * 1e-12)
    for name, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"{name}: {mean:.2f} in geometric mean of {len(values)}, "
              f"{min(values):.2f} to {max(values):.2f}")


if __name__ == "__main__":
    main()
