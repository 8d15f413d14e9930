#!/usr/bin/env python3
"""Tables of docs/kernels.md from the lines of `clchol bench kernels --json`.

    clchol bench kernels --json > kernels.jsonl
    bench/kernel_table.py kernels.jsonl [KERNEL...]

One table for each kernel and precision: variants down, shapes across; TFLOP/s, or GB/s where a
kernel's share of the copy rate is the larger one, with the share of the device's peak.
"""

import json
import sys


def cell(line):
    """Rate and share of peak of one measurement, or why there is none."""
    if line["status"] != "ok":
        return line["status"]
    share = f" ({100 * line['peak_share']:.0f} %)" if line["peak_share"] is not None else ""
    if line["tflops"] * 100 > line["gbs"]:  # More than 10 flops a byte: arithmetic.
        return f"{line['tflops']:.3g}{share}"
    return f"{line['gbs']:.4g} GB/s{share}"


def tables(lines, kernels):
    """Markdown of all tables."""
    groups = {}
    for line in lines:
        if kernels and line["kernel"] not in kernels:
            continue
        rows = groups.setdefault((line["kernel"], line["precision"]), {})
        rows.setdefault(line["variant"], {})[line["shape"]] = cell(line)
    for (kernel, precision), rows in groups.items():
        shapes = list(dict.fromkeys(shape for row in rows.values() for shape in row))
        yield f"| {kernel}, {precision} | " + " | ".join(shapes) + " |"
        yield "| --- |" + " --- |" * len(shapes)
        for variant, row in rows.items():
            yield f"| {variant} | " + " | ".join(row.get(shape, "") for shape in shapes) + " |"
        yield ""


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as source:
        lines = [json.loads(line) for line in source]
    devices = {(line["device"], line["driver"]) for line in lines}
    for device, driver in sorted(devices):
        print(f"{device}, driver {driver}\n")
    print("\n".join(tables(lines, sys.argv[2:])))


if __name__ == "__main__":
    main()
