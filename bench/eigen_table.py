#!/usr/bin/env python3
"""Table of clchol_eigen_bench's lines: times of SimplicialLLT divided by clchol's.

usage: eigen_table.py LINES.jsonl
"""

import json
import math
import sys


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    print("| matrix | n | nnz(L)/nnz(A) | flops | columns | SimplicialLLT, ms | EigenCholesky | with errors | bare |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for r in rows:
        base = r["simplicial_s"]
        fill = r["nnz_l"] / r["nnz"]
        ratios = " | ".join(f"{base / r[key]:.2f}" for key in ("eigen_s", "class_s", "bare_s"))
        print(f"| {r['matrix']} | {r['n']} | {fill:.1f} | {r['flops']:.1e} | {r['nrhs']} | {1e3 * base:.3g} | {ratios} |")
    large = [r for r in rows if r["flops"] > 1e6]
    filled = [r for r in rows if r["nnz_l"] >= 4 * r["nnz"]]
    print()
    for name, chosen, key, base in (
        ("EigenCholesky, all", rows, "eigen_s", "simplicial_s"),
        ("EigenCholesky, above 1e6 flops", large, "eigen_s", "simplicial_s"),
        ("with errors, nnz(L) >= 4 nnz(A)", filled, "class_s", "simplicial_s"),
        ("bare beside with errors, all", rows, "class_s", "bare_s"),
    ):
        ratios = [(r[base] / r[key], f"{r['matrix']} {r['nrhs']}") for r in chosen]
        if ratios:
            least = sorted(ratios)[:5]
            slower = sum(1 for x, _ in ratios if x < 1)
            print(f"* {name}: geometric mean {mean([x for x, _ in ratios]):.2f} of {len(ratios)}, below 1: {slower}; least "
                  + ", ".join(f"{x:.2f} ({m})" for x, m in least))


main()
