#!/usr/bin/env python3
"""Ratios of clchol_thread_bench's lines: time on several threads divided by time on one.

usage: thread_table.py LINES.jsonl
"""

import json
import math
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for phase in ("analyze", "factor", "solve"):
        ratios = sorted(
            ((r[f"{phase}_s"] / r[f"{phase}_1_s"], r["matrix"], r[f"{phase}_1_s"]) for r in rows), reverse=True)
        for name, chosen in (("all", ratios), ("below 200 us", [r for r in ratios if r[2] < 2e-4])):
            if not chosen:
                continue
            mean = math.exp(sum(math.log(r[0]) for r in chosen) / len(chosen))
            worst = ", ".join(f"{x:.2f} ({m}, {1e3 * t:.3g} ms)" for x, m, t in chosen[:6])
            print(f"* {phase}, {name}: geometric mean {mean:.2f} of {len(chosen)}; most {worst}")


main()
