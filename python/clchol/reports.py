"""What the phases of a solver did: one report for each phase.

Fields that end in ``_s`` are seconds of wall-clock time, those that end in ``_bytes`` are bytes.
None means that a number was not computed or that there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class AnalysisReport:
    """What an analysis found, and how much memory it predicts."""

    n: int  #: Number of rows.
    nnz: int  #: Entries of one triangle with the diagonal, duplicates counted once.
    ordering: str  #: The ordering that was used.
    ordering_reason: str  #: Why the library chose it; empty if the caller did.
    compressed_n: int  #: Number of vertices that were ordered.
    nnz_l: int  #: Entries of L without explicit zeros.
    flops: float  #: Flops of a factorization: the sum of squares of the column counts.
    nnz_stored: int  #: Entries of L with the explicit zeros of amalgamation.
    flops_stored: float  #: Flops of a factorization with these zeros.
    supernodes: int  #: Number of fronts.
    exact_supernodes: int  #: Number of supernodes before amalgamation merged some.
    dynamic_supernodes: int  #: How many of these a renumbering of columns made.
    backward_search: bool  #: Whether supernodes were found from the last column down.
    tree_height: int  #: Fronts on the longest path of the assembly tree.
    largest_front: int  #: Rows of the largest front.
    largest_front_columns: int  #: Pivot columns of the largest front.
    factor_bytes: int  #: Memory of L on the CPU.
    workspace_bytes: int  #: Memory of update matrices and kernels on the CPU.
    solver_host_bytes: int  #: Predicted host memory of the solver, which `host_bytes` limits.
    predicted_host_bytes: int  #: Predicted peak of the resident memory of the process.
    solve_bytes_per_rhs: int  #: Memory that each further right-hand side adds, up to 32.
    loaded: bool  #: Whether the analysis was loaded.
    order_s: float  #: Time of the graph and the ordering.
    symbolic_s: float  #: Time of the symbolic factorization and of the plan.


@dataclass(frozen=True)
class HostMode:
    """Predicted memory of one mode of making a factor on the CPU."""

    is_out_of_core: bool  #: Whether a part of L is in a scratch file.
    is_least: bool  #: Whether this is the mode with the least memory.
    host_bytes: int  #: Host memory of what `host_bytes` limits.
    file_bytes: int  #: Size of the scratch file.


@dataclass(frozen=True)
class DeviceMode:
    """Predicted memory, times and transfers of one mode of making a factor on a device."""

    is_streamed: bool  #: Whether panels move through host memory.
    is_least: bool  #: Whether this is about the least device memory that is enough.
    device_bytes: int  #: Device memory, for a solve with one right-hand side too.
    host_bytes: int  #: Host memory of panels and update matrices.
    file_bytes: int  #: Panels in the scratch file.
    factor_s: float  #: Time of a factorization.
    solve_s: float  #: Time of a solve with one right-hand side.
    to_host_bytes: int  #: Transfers to host memory in a factorization.
    to_device_bytes: int  #: Transfers to the device in a factorization.
    solve_bytes: int  #: Transfers to the device in a solve.
    cpu_solve_bytes: int  #: Panels in host memory that the CPU solves with.


@dataclass(frozen=True)
class DevicePart:
    """What one of several devices does in a factorization."""

    device: str  #: Name of the device.
    fronts: int  #: Number of fronts that the device owns; 0: it is idle.
    flops: float  #: Flops of these fronts.
    busy_s: float  #: Predicted time that the device computes.
    predicted_bytes: int  #: Predicted device memory.
    peak_bytes: int  #: Greatest device memory in use at a time so far.
    sent_bytes: int  #: Update matrices that leave the device in a factorization.


@dataclass(frozen=True)
class DeviceSetup:
    """How OpenCL devices were made ready."""

    kernels: str  #: Kernels that factor large fronts: "plain" or "tensor cores".
    solve_kernels: str  #: Kernels of solves: "waves" or "tickets".
    kernels_reason: str  #: Why the kernels are plain on a device with tensor cores.
    notes: list[str]  #: Why files of tuning data were not read.
    open_s: float  #: Time to open and probe the device.
    plan_s: float  #: Time to build kernels and to make lists on the host.
    build_s: float  #: Time in OpenCL's compilers and loaders.
    built: int  #: Number of programs built from source.
    cached: int  #: Number of programs taken from the cache on disk.
    upload_s: float  #: Time to allocate buffers and to upload lists.
    pin_s: float  #: Time to page-lock the host memory that transfers use.
    solve_columns: int  #: Greatest number of right-hand sides that are solved for at once.
    streamed_bytes: int  #: Host memory of parts for which device memory has no room.
    unpinned_reason: str  #: Why the driver refused to page-lock this host memory.
    streamed_factor_s: float  #: Predicted time of a streamed factorization.
    streamed_solve_s: float  #: Predicted time of a streamed solve.
    parts: list[DevicePart]  #: One for each of several devices.
    parts_reason: str  #: Why fewer devices work than were named.
    parts_factor_s: float  #: Predicted time of a factorization by several devices.


@dataclass(frozen=True)
class FactorReport:
    """What a factorization did, and how it ended."""

    status: str  #: "ok", "not_positive_definite", "singular" or "interrupted".
    message: str  #: One line for a person when the status is not "ok".
    precision: str  #: Precision of L: "double" or "single".
    fell_back_to_double: bool  #: Whether single was asked for, but L is in double.
    precision_reason: str  #: Why L is not in single.
    scaled: bool  #: Whether the matrix was scaled.
    row: int | None  #: First row with a pivot that is not positive, from 0.
    pivot: float  #: The pivot in `row`.
    diagonal: float  #: The diagonal entry of A in `row`.
    asymmetry: float | None  #: Largest relative difference of a pair of entries.
    engine: str  #: What holds L: "cpu" or "opencl"; "auto": there is no L.
    engine_reason: str  #: Why the library chose this engine, or how a device failed.
    device: str  #: Names of the OpenCL devices; empty on the CPU.
    predicted_device_bytes: int  #: Predicted device memory; 0 on the CPU.
    peak_device_bytes: int  #: Greatest device memory in use so far.
    device_setup: DeviceSetup  #: How the devices were made ready.
    file_bytes: int  #: Size of the scratch file; 0: L is in memory.
    loaded: bool  #: Whether the factor was loaded.
    rcond: float | None  #: Estimated reciprocal condition of the scaled matrix.
    threads: int  #: Number of threads.
    load_s: float  #: Time to read and check a saved factor.
    setup_s: float  #: Time to make the engine.
    factor_s: float  #: Time from the values to L.
    condition_s: float  #: Time to estimate the condition.

    @classmethod
    def _of(cls, values: dict[str, Any]) -> FactorReport:
        setup = values["device_setup"]
        setup["parts"] = [DevicePart(**part) for part in setup["parts"]]
        return cls(**{**values, "device_setup": DeviceSetup(**setup)})


@dataclass(frozen=True)
class SolveReport:
    """What a solve did, and how it ended."""

    status: str  #: "ok", "accuracy_not_reached" or "interrupted".
    message: str  #: One line for a person when the status is not "ok".
    engine: str  #: What solved: "cpu" or "opencl"; "auto": nothing was solved yet.
    engine_reason: str  #: How a device failed, where the CPU took over.
    peak_device_bytes: int  #: Greatest device memory in use so far.
    refine_steps: int  #: Greatest number of refinement steps of a right-hand side.
    backward_error: float | None  #: |b - A x| / (|A| |x| + |b|) in infinity norms.
    componentwise_error: float | None  #: max_i |b - A x|_i / (|A| |x| + |b|)_i.
    solve_s: float  #: Time of permutations and triangular solves for the first solution.
    refine_s: float  #: Time of residuals, errors and further solves.


@dataclass(frozen=True, eq=False)
class AssemblyTree:
    """The fronts of the factor, in the order of elimination, a postorder of their tree."""

    super_ptr: NDArray[Any]  #: Front s eliminates columns super_ptr[s] to super_ptr[s + 1] - 1.
    super_parent: NDArray[Any]  #: Parent of each front, -1 at a root.
    nrow: NDArray[Any]  #: Rows of each front, pivots included.
