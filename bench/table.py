#!/usr/bin/env python3
"""Makes the README's table from the JSON lines of solver_bench.

usage: solver_bench MATRIX... | table.py [--min-flops F]

One row a matrix with more than F flops (10^6), ordered by flops; below it geometric means and the
worst matrix.  Ratios are peer / clchol: above 1, clchol is faster.
"""
import argparse
import json
import math
import sys


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def milliseconds(seconds):
    return f"{1e3 * seconds:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--min-flops", type=float, default=1e6)
    parser.add_argument("file", nargs="?")
    arguments = parser.parse_args()
    source = open(arguments.file) if arguments.file else sys.stdin
    rows = [json.loads(line) for line in source if line.startswith("{")]
    rows = sorted((r for r in rows if r["flops"] > arguments.min_flops), key=lambda r: r["flops"])
    ratios = {
        "factor": lambda r: r["factor_peer_s"] / r["factor_s"],
        "solve": lambda r: r["solve_peer_s"] / r["solve_s"],
        "ordering": lambda r: r["amd_peer_s"] / r["order_s"],
        "analysis": lambda r: r["analyze_peer_s"] / r["analyze_s"],
        "nnz(L), clchol / peer": lambda r: r["nnz_l"] / r["nnz_l_peer"],
    }
    print("| matrix | n | flops | GFLOP/s | factor, ms: clchol / CHOLMOD | x | solve, ms: clchol / CHOLMOD "
          "| AMD, ms: clchol / SuiteSparse | nnz(L) ratio | backward error | componentwise |")
    print("| --- " * 11 + "|")
    for r in rows:
        print(f"| {r['matrix']} | {r['n']} | {r['flops']:.2g} | {r['flops'] / r['factor_s'] / 1e9:.1f} "
              f"| {milliseconds(r['factor_s'])} / {milliseconds(r['factor_peer_s'])} "
              f"| {ratios['factor'](r):.1f} "
              f"| {milliseconds(r['solve_s'])} / {milliseconds(r['solve_peer_s'])} "
              f"| {milliseconds(r['order_s'])} / {milliseconds(r['amd_peer_s'])} "
              f"| {ratios['nnz(L), clchol / peer'](r):.3f} "
              f"| {r['backward_error']:.1e} | {r['componentwise_error']:.1e} |")
    print()
    for name, ratio in ratios.items():
        values = [(ratio(r), r["matrix"]) for r in rows]
        worst = max(values) if name.startswith("nnz") else min(values)
        print(f"{name}: geometric mean {geometric_mean([v for v, _ in values]):.3f} over {len(values)} "
              f"matrices, worst {worst[0]:.3f} ({worst[1]})")
    different = [r["matrix"] for r in rows if r["nnz_l"] != r["nnz_l_same_perm"]]
    print("nnz(L) equals CHOLMOD's for the same permutation:", "yes" if not different else different)
    print(f"worst backward error {max(r['backward_error'] for r in rows):.2e}, "
          f"componentwise {max(r['componentwise_error'] for r in rows):.2e}")


main()
