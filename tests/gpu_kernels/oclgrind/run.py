#!/usr/bin/env python3
"""The kernels in Oclgrind, an interpreter of OpenCL C: no access outside of a buffer or an array, no
data race, no value that was never written, no call that OpenCL forbids.

    run.py PROGRAM KEEP_BUFFERS [NAME ...]
    run.py --check-rows                     only whether every kernel has its row

PROGRAM is clchol_opencl_test, KEEP_BUFFERS the library of keep_buffers.cpp; NAMEs are rows of RUNS,
all without one.  Interpreting takes long: a row has the smallest of its kernel's cases.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import time

# Its detector of uninitialized values does not know LLVM's instruction `freeze`, which optimizing
# makes of divisions.
UNOPTIMIZED = "-cl-opt-disable"


@dataclasses.dataclass
class Run:
    name: str
    kernels: str  # Files that are checked, without their suffix.
    tests: str  # Of clchol_opencl_test.
    options: str = ""  # For the compiler.
    uninitialized: bool = True


RUNS = [
    Run("elementwise", "axpy gather", "ElementwiseTest/*.Axpy*:ElementwiseTest/*.Gather*"),
    Run("extend_add", "extend_add", "ExtendAddTest/*.Adds*:ExtendAddTest/*.Other*"),
    Run("first_failure", "first_failure", "FirstFailureTest.Is*"),
    Run("gemm", "gemm", "GemmTest/1.Lower*:GemmTest/*.Products*:GemmFloatTest.*"),
    Run("move_rows", "move_rows", "MoveRowsTest/*.Moves*", options=UNOPTIMIZED),
    # factor_panel has `freeze`, and unoptimized it takes minutes.  Not with pivots that fail: a
    # group reads the status that another one may write, and does the same whatever it reads.
    Run("panel", "panel gemm", "PotrfTest/1.Batch*", uninitialized=False),
    Run("peak", "peak", "PeakTest/*.Chains*:PeakTest/*.Copies*"),
    Run("permute_rhs", "permute_rhs", "PermuteRhsTest/1.Both*", options=UNOPTIMIZED),
    Run("probe", "probe", "CapabilitiesTest.PortableProbes*"),
    Run("reduce", "reduce", "ReduceTest/*.Parts*:ReduceTest/1.MaxNormIsNan*"),
    Run("residual", "residual", "ResidualTest/*.Agrees*:ResidualTest/*.Row*:ResidualTest/*.Zero*",
        options=UNOPTIMIZED),
    Run("row_reduce", "row_reduce", "RowReduceTest/*.Agrees*"),
    Run("scan", "scan", "ScanTest/*.WorksIn*:ScanTest/0.Parts*"),
    Run("scatter", "scatter", "ScatterTest/1.*"),
    Run("small_front", "small_front", "SmallFrontTest/*.OnlyListed*"),
    Run("small_front_races", "small_front", "SmallFrontTest/1.AgreesWithItsTwinWithOne*",
        uninitialized=False),
    Run("solve", "forward_solve backward_solve",
        "TriangularSolveTest/1.Forward*:TriangularSolveTest/1.Backward*", options=UNOPTIMIZED),
    Run("solve_races", "forward_solve backward_solve",
        "TriangularSolveTest/*.Forward*:TriangularSolveTest/*.Backward*:OneSideTest.*",
        uninitialized=False),
    Run("trinv", "trinv", "TrsmTest/1.Trinv*"),
    Run("trsm", "trsm trinv", "TrsmTest/1.Solves*"),
]
# PTX, which runs in tests/gpu_kernels/emulated.
NOT_RUN = {"couple_blocks", "front_batch", "front_solve", "small_front_rows", "small_front_tiles",
           "subtree_solve", "tensor_gemm"}

KERNELS = pathlib.Path(__file__).parents[3] / "gpu_kernels" / "kernels"
LIBRARY = "/usr/lib/oclgrind/liboclgrind-rt.so"
MOST_SECONDS = 300  # Of one run.


def check_that_no_kernel_is_missing():
    files = {path.stem for path in KERNELS.rglob("*.cl") if "__kernel" in path.read_text()}
    covered = {name for run in RUNS for name in run.kernels.split()}
    if files != covered | NOT_RUN:
        sys.exit(f"kernels without a row: {sorted(files - covered - NOT_RUN)}; rows without a "
                 f"kernel: {sorted((covered | NOT_RUN) - files)}")


def environment(run, keep_buffers):
    variables = dict(os.environ, LD_PRELOAD=f"{keep_buffers} {LIBRARY}", CLCHOL_DEVICE="Oclgrind",
                     OCLGRIND_DATA_RACES="1", OCLGRIND_CHECK_API="1",
                     OCLGRIND_MAX_ERRORS="20", OCLGRIND_NUM_THREADS="1",
                     OCLGRIND_BUILD_OPTIONS=run.options)
    if run.uninitialized:
        variables["OCLGRIND_UNINITIALIZED"] = "1"
    return variables


def problem(run, arguments):
    """What went wrong, or nothing."""
    command = [arguments.program, "--gtest_filter=" + run.tests]
    try:
        # Not OCLGRIND_LOG: every context begins that file anew.
        done = subprocess.run(command, env=environment(run, arguments.keep_buffers),
                              capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"more than {MOST_SECONDS} s"
    passed = re.search(r"\[  PASSED  \] ([1-9]\d*) test", done.stdout)
    if done.returncode == 0 and passed and "SKIPPED" not in done.stdout and not done.stderr:
        return None
    return done.stderr + done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?")
    parser.add_argument("keep_buffers", nargs="?")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check-rows", action="store_true")
    arguments = parser.parse_args()
    check_that_no_kernel_is_missing()
    if arguments.check_rows:
        return
    if arguments.keep_buffers is None:
        parser.error("PROGRAM and KEEP_BUFFERS are missing")
    unknown = set(arguments.names) - {run.name for run in RUNS}
    if unknown:
        sys.exit(f"unknown: {' '.join(unknown)}; known: {' '.join(run.name for run in RUNS)}")

    def timed(run):
        begin = time.monotonic()
        return problem(run, arguments), time.monotonic() - begin

    # The interpreter runs in one thread: as many rows at once as there are cores.
    chosen = [run for run in RUNS if not arguments.names or run.name in arguments.names]
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for run, (found, seconds) in zip(chosen, pool.map(timed, chosen)):
            print(f"{run.name:20}{'failed' if found else 'ok':8}{seconds:6.1f} s", flush=True)
            if found:
                failed.append(run.name)
                print(found[:4000], flush=True)
    sys.exit(f"failed: {' '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
