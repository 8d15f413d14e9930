// What the phases of clchol::SparseCholesky did: one report for each phase.
//
// Members whose names end in _s are seconds of wall-clock time, and those that end in _bytes are
// bytes.  The library prints nothing; a program that wants a line for a person prints members of
// these structures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clchol/options.hpp"
#include "clchol/types.hpp"

namespace clchol {

// ---- Analysis -----------------------------------------------------------------------------------

/// What an analysis found, and how much memory it predicts.
struct AnalysisReport {
  Index n = 0;     ///< Number of rows of A.
  Offset nnz = 0;  ///< Entries of one triangle of A with the diagonal, duplicates counted once.

  Ordering ordering = Ordering::kNatural;                      ///< The method that was used.
  OrderingEffort ordering_effort = OrderingEffort::kBalanced;  ///< Effort of nested dissection.
  std::string ordering_reason;  ///< Why the library chose the method; empty if the caller did.
  Index compressed_n = 0;       ///< Number of vertices that were ordered; rows with equal patterns
                                ///< are one vertex.

  Offset nnz_l = 0;         ///< Entries of L without explicit zeros: the sum of its column counts.
  double flops = 0;         ///< Flops of a factorization: the sum of squares of the column counts.
  Offset nnz_stored = 0;    ///< Entries of L with the explicit zeros of amalgamation.
  double flops_stored = 0;  ///< Flops of a factorization with these zeros.

  Index supernodes = 0;             ///< Number of supernodes, that is of fronts.
  Index exact_supernodes = 0;       ///< Number of supernodes before amalgamation merged some.
  Index dynamic_supernodes = 0;     ///< How many of exact_supernodes have columns that were not
                                    ///< neighbours in the ordering; a renumbering made them so.
  bool backward_search = false;     ///< Whether supernodes were found from the last column down.
  Index tree_height = 0;            ///< Fronts on the longest path of the assembly tree.
  Index largest_front = 0;          ///< Rows of the largest front.
  Index largest_front_columns = 0;  ///< Pivot columns of the largest front.

  std::int64_t factor_bytes = 0;     ///< Memory of L on the CPU.
  std::int64_t workspace_bytes = 0;  ///< Memory of update matrices and kernels on the CPU.
  /// Predicted host memory of this solver after a factorization and a solve with one right-hand
  /// side on the CPU, when the matrix is not scaled.  MemoryOptions::host limits this sum.
  std::int64_t solver_host_bytes = 0;
  /// Predicted peak of the resident memory of the process, during a factorization and a solve with
  /// one right-hand side on the CPU: what was resident at the end of the analysis is included.
  std::int64_t predicted_host_bytes = 0;
  /// Memory that each further right-hand side adds to a solve on the CPU, up to 32 right-hand
  /// sides; more are solved for in blocks of 32, and take no more memory.
  std::int64_t solve_bytes_per_rhs = 0;

  bool loaded = false;  ///< Whether load_analysis() or load_factor() made the analysis.
  double order_s = 0;  ///< Time of the index of A by rows, the graph and the ordering; 0 if loaded.
  /// Time of the symbolic factorization and of the plan.  If the analysis was loaded: time of
  /// reading it, of the index of A by rows and of the plan.
  double symbolic_s = 0;
};

/// Predicted memory of one mode of making a factor on the CPU.
struct HostMode {
  bool is_out_of_core = false;  ///< Whether a part of L is in a scratch file.
  bool is_least = false;        ///< Whether this is the mode out of core with the least memory.
  /// Host memory of what MemoryOptions::host limits, with a copy of the values.
  std::int64_t host_bytes = 0;
  /// Size of the scratch file.  It holds panels, which each half of a solve reads once, and update
  /// matrices that wait there during a factorization.
  std::int64_t file_bytes = 0;
};

/// Predicted memory, times and transfers of one mode of making a factor on an OpenCL device.  A
/// simple model with measured rates of the device predicts the times (docs/device.md).
struct DeviceMode {
  bool is_streamed = false;       ///< Whether panels move through host memory.
  bool is_least = false;          ///< Whether this is about the least device memory that is enough.
  std::int64_t device_bytes = 0;  ///< Device memory, for a solve with one right-hand side too.
  std::int64_t host_bytes = 0;    ///< Host memory of panels and update matrices.
  std::int64_t file_bytes = 0;  ///< Panels in the scratch file; each half of a solve reads it once.
  double factor_s = 0;          ///< Time of a factorization.
  double solve_s = 0;           ///< Time of a solve with one right-hand side.
  std::int64_t to_host_bytes = 0;    ///< Transfers to host memory in a factorization.
  std::int64_t to_device_bytes = 0;  ///< Transfers to the device in a factorization.
  std::int64_t solve_bytes = 0;      ///< Transfers to the device in a solve.
  std::int64_t cpu_solve_bytes = 0;  ///< Panels in host memory that the CPU solves with.
};

// ---- Factorization ------------------------------------------------------------------------------

/// Kernels of a factorization on a device: plain OpenCL, or NVIDIA's tensor cores.
enum class FactorKernels { kPlain, kTensorCores };
/// Schedule of a solve on a device.
enum class SolveKernels {
  kWaves,    ///< One launch for each wave of the tree.
  kTickets,  ///< Two launches in each direction; work-groups draw tickets for tiles.
};

/// Returns "plain" or "tensor cores".
CLCHOL_EXPORT const char* to_string(FactorKernels kernels) noexcept;
/// Returns "waves" or "tickets".
CLCHOL_EXPORT const char* to_string(SolveKernels kernels) noexcept;

/// What one of several devices does in a factorization.
struct DevicePart {
  std::string device;  ///< Name of the device.
  Index fronts = 0;    ///< Number of fronts that the device owns.  0: it is idle, because fewer
                       ///< devices are faster.
  double flops = 0;    ///< Flops of these fronts.
  double busy_s = 0;   ///< Predicted time that the device computes; it waits in the remaining time.
  std::int64_t predicted_bytes = 0;  ///< Predicted device memory, with one right-hand side.
  std::int64_t peak_bytes = 0;       ///< Greatest device memory in use at a time so far.
  std::int64_t sent_bytes = 0;       ///< Update matrices that leave the device in a factorization.
};

/// How OpenCL devices were made ready.  With several devices, open_s, build_s, built and cached are
/// sums over the devices; plan_s, upload_s and pin_s are those of the slowest device.
struct DeviceSetup {
  FactorKernels kernels = FactorKernels::kPlain;      ///< Kernels that factor large fronts.
  SolveKernels solve_kernels = SolveKernels::kWaves;  ///< Kernels of solves.
  std::string kernels_reason;      ///< Why the kernels are plain on a device with tensor cores.
  std::vector<std::string> notes;  ///< Why files of tuning data were not read, a line for each.

  double open_s = 0;        ///< Time to open and probe the device, once for all matrices.
  double plan_s = 0;        ///< Time to build kernels and to make lists on the host.
  double build_s = 0;       ///< Time in OpenCL's compilers and loaders since the device was opened.
  Index built = 0;          ///< Number of programs built from source since then.
  Index cached = 0;         ///< Number of programs taken from the cache on disk since then.
  double upload_s = 0;      ///< Time to allocate buffers and to upload lists.
  double pin_s = 0;         ///< Time to page-lock the host memory that transfers use.
  Index solve_columns = 0;  ///< Greatest number of right-hand sides that are solved for at once.

  /// Host memory for the panels and update matrices for which device memory has no room.  0: all of
  /// L stays on the device.
  std::int64_t streamed_bytes = 0;
  std::string unpinned_reason;   ///< Why the driver refused to page-lock this host memory.
  double streamed_factor_s = 0;  ///< Predicted time of a streamed factorization.
  double streamed_solve_s = 0;   ///< Predicted time of a streamed solve with one right-hand side.

  std::vector<DevicePart> parts;  ///< One for each device that was named, in this order; empty if
                                  ///< one device was named or none.
  std::string parts_reason;       ///< Why fewer devices work than were named.
  double parts_factor_s = 0;      ///< Predicted time of a factorization by several devices.
};

/// What a factorization did, and how it ended.
struct FactorReport {
  Status status = Status::kOk;
  std::string message;  ///< One line for a person when the status is not kOk.

  Precision precision = Precision::kDouble;  ///< Precision of L: kDouble or kSingle.
  bool fell_back_to_double = false;          ///< Whether single was asked for, but L is in double.
  std::string precision_reason;              ///< Why L is not in single.
  bool scaled = false;                       ///< Whether the matrix was scaled.

  /// First row with a pivot that is not positive, zero-based, in the numbering of the caller's
  /// matrix; kNone: there is no such row.
  Index row = kNone;
  double pivot = 0;     ///< Value of the pivot in `row`, in the scale of A.
  double diagonal = 0;  ///< A(row, row).
  /// Largest |a(i,j) - a(j,i)| / (max(|a(i,j)|, |a(j,i)|) + sqrt|a(i,i) a(j,j)|) of a matrix that
  /// is given as a whole (Triangle::kBoth); above 8 eps the matrix is refused.  Empty for a matrix
  /// of which one triangle is read.
  std::optional<double> asymmetry;

  EngineKind engine = EngineKind::kAuto;  ///< What holds L: kCpu or kOpenCl; kAuto: there is no L.
  std::string engine_reason;  ///< Why the library chose this engine, or how a device failed.
  std::string device;         ///< Names of the OpenCL devices; empty on the CPU.
  /// Predicted memory, summed over all devices, of a factorization and a solve with one right-hand
  /// side; 0 on the CPU.
  std::int64_t predicted_device_bytes = 0;
  std::int64_t peak_device_bytes = 0;  ///< Greatest memory of all devices in use so far.
  DeviceSetup device_setup;            ///< How the devices were made ready; defaults on the CPU.
  std::int64_t file_bytes = 0;         ///< Size of the scratch file; 0: L is in memory.

  bool loaded = false;  ///< Whether load_factor() made the factor.
  /// Estimated reciprocal condition of D^-1/2 A D^-1/2 with D = diag(A); empty if none was asked
  /// for (FactorOptions::estimate_condition).
  std::optional<double> rcond;
  int threads = 0;         ///< Number of threads; fewer than asked for where the system refuses.
  double load_s = 0;       ///< Time to read and check a saved factor.
  double setup_s = 0;      ///< Time to make the engine: to allocate, and on a device to open it, to
                           ///< build kernels and to upload lists.
  double factor_s = 0;     ///< Time from the values to L; 0 when loaded.
  double condition_s = 0;  ///< Time to estimate the condition; 0 if no estimate was asked for.
};

// ---- Solve --------------------------------------------------------------------------------------

/// What a solve did, and how it ended.
struct [[nodiscard]] SolveReport {
  Status status = Status::kOk;
  std::string message;  ///< One line for a person when the status is not kOk.

  EngineKind engine = EngineKind::kAuto;  ///< What solved: kCpu or kOpenCl.
  std::string engine_reason;              ///< How a device failed, where the CPU took over.
  std::int64_t peak_device_bytes = 0;     ///< Greatest memory of all devices in use so far.

  /// Greatest number of refinement steps of a right-hand side.  Corrections of a few rows do not
  /// count.
  int refine_steps = 0;
  // The two errors are those of the X that is returned: the greatest of all right-hand sides.  They
  // are exact but for the rounding of residuals, which are summed in double.  They are empty if
  // they were not computed (ErrorChecks).
  std::optional<double> backward_error;       ///< |b - A x| / (|A| |x| + |b|) in infinity norms.
  std::optional<double> componentwise_error;  ///< max_i |b - A x|_i / (|A| |x| + |b|)_i.

  double solve_s = 0;   ///< Time of permutations and triangular solves for the first solution.
  double refine_s = 0;  ///< Time of residuals, errors and further solves.
};

}  // namespace clchol
