// What the phases of clchol::SparseCholesky did: one report for each phase.
//
// Times are in seconds of the clock, sizes in bytes.  Nothing is printed; a program that wants a
// line for a person prints members of these structures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clchol/options.hpp"
#include "clchol/types.hpp"

namespace clchol {

// ---- Analysis -----------------------------------------------------------------------------------

struct AnalysisReport {
  Index n = 0;     ///< Rows of A.
  Offset nnz = 0;  ///< Entries of one triangle of A with the diagonal, duplicates summed.

  Ordering ordering = Ordering::kNatural;                      ///< The method that was used.
  OrderingEffort ordering_effort = OrderingEffort::kBalanced;  ///< Of nested dissection.
  std::string ordering_reason;                                 ///< Empty unless the library chose.
  Index compressed_n = 0;  ///< Vertices that were ordered: rows with equal patterns are one.

  Offset nnz_l = 0;         ///< Entries of L: the sum of its column counts.
  double flops = 0;         ///< Of a factorization: the sum of the squares of the column counts.
  Offset nnz_stored = 0;    ///< Entries of L with the explicit zeros of amalgamation.
  double flops_stored = 0;  ///< Flops with these zeros.

  Index supernodes = 0;
  Index exact_supernodes = 0;       ///< Before amalgamation.
  Index dynamic_supernodes = 0;     ///< Exact ones whose columns only the final numbering made
                                    ///< contiguous.
  bool backward_search = false;     ///< Whether supernodes were found from the last column down.
  Index tree_height = 0;            ///< Fronts on the longest path of the assembly tree.
  Index largest_front = 0;          ///< Rows of the largest front.
  Index largest_front_columns = 0;  ///< Pivot columns of the largest front.

  std::int64_t factor_bytes = 0;     ///< Of L on the CPU.
  std::int64_t workspace_bytes = 0;  ///< Of update matrices and of kernels' workspace, on the CPU.
  /// Predicted host memory of this solver after a factorization and a solve with one right-hand
  /// side on the CPU, where the matrix is not scaled: what MemoryOptions::host limits.
  std::int64_t solver_host_bytes = 0;
  /// Predicted peak of the process' resident memory: what is resident now, a factorization and a
  /// solve with one right-hand side on the CPU.
  std::int64_t predicted_host_bytes = 0;
  /// Bytes that each further right-hand side adds to a solve on the CPU, which works on no more
  /// than 32 at a time.
  std::int64_t solve_bytes_per_rhs = 0;

  bool loaded = false;    ///< Whether load_analysis() or load_factor() made the analysis.
  double order_s = 0;     ///< Index of A by rows, graph and ordering.  0 when loaded.
  double symbolic_s = 0;  ///< Symbolic factorization and plan; when loaded reading, index and plan.
};

/// What one way to make a factor on the CPU takes, known before anything is allocated.
struct HostMode {
  bool is_out_of_core = false;  ///< Whether a part of L is in a scratch file.
  bool is_least = false;        ///< Whether no other way is known that takes less host memory.
  /// Bytes of host memory, counted as MemoryOptions::host counts, with a copy of the values.
  std::int64_t host_bytes = 0;
  /// Bytes of the scratch file: panels, which each half of a solve reads once, and update matrices
  /// that wait there during a factorization.
  std::int64_t file_bytes = 0;
};

/// What one way to make a factor on an OpenCL device takes, known before anything is allocated.
/// Times are predicted by a simple model with measured rates of the device (docs/device.md).
struct DeviceMode {
  bool is_streamed = false;       ///< Whether panels move through host memory.
  bool is_least = false;          ///< Whether this is about the least device memory that is enough.
  std::int64_t device_bytes = 0;  ///< Device memory, with one right-hand side.
  std::int64_t host_bytes = 0;    ///< Host memory of panels and update matrices.
  std::int64_t file_bytes = 0;  ///< Panels in the scratch file; each half of a solve reads it once.
  double factor_s = 0;          ///< A factorization.
  double solve_s = 0;           ///< A solve with one right-hand side.
  std::int64_t to_host_bytes = 0;    ///< Transfers to host memory in a factorization.
  std::int64_t to_device_bytes = 0;  ///< Transfers to the device in a factorization.
  std::int64_t solve_bytes = 0;      ///< Transfers to the device in a solve.
  std::int64_t cpu_solve_bytes = 0;  ///< Panels in host memory with which the CPU solves.
};

// ---- Factorization ------------------------------------------------------------------------------

/// Kernels of a factorization on a device.
enum class FactorKernels { kPlain, kTensorCores };
/// Schedule of a solve on a device.
enum class SolveKernels {
  kWaves,    ///< One launch for each wave of the tree.
  kTickets,  ///< Two launches in each direction; work-groups draw tickets for tiles.
};

/// "plain", "tensor cores".
CLCHOL_EXPORT const char* to_string(FactorKernels kernels) noexcept;
/// "waves", "tickets".
CLCHOL_EXPORT const char* to_string(SolveKernels kernels) noexcept;

/// What one of several devices does in a factorization.
struct DevicePart {
  std::string device;  ///< Name of the device.
  Index fronts = 0;    ///< Fronts that the device owns.  0: idle, as fewer devices are faster.
  double flops = 0;    ///< Flops of these fronts.
  double busy_s = 0;   ///< Predicted time of these fronts; the device waits for the rest.
  std::int64_t predicted_bytes = 0;  ///< Device memory, with one right-hand side.
  std::int64_t peak_bytes = 0;       ///< Most device memory in use so far.
  std::int64_t sent_bytes = 0;       ///< Update matrices that leave the device in a factorization.
};

/// How OpenCL devices were made ready.
struct DeviceSetup {
  FactorKernels kernels = FactorKernels::kPlain;
  SolveKernels solve_kernels = SolveKernels::kWaves;
  std::string kernels_reason;      ///< Why the kernels are plain on a device with tensor cores.
  std::vector<std::string> notes;  ///< Why files of tuning data were not read.

  double open_s = 0;        ///< Context, queue and probes of the device: once for all matrices.
  double plan_s = 0;        ///< Kernels, and lists on the host; build_s included.
  double build_s = 0;       ///< OpenCL's compilers and loaders since the device was opened.
  Index built = 0;          ///< Programs that were built from source.
  Index cached = 0;         ///< Programs that came from the cache on disk.
  double upload_s = 0;      ///< Allocation of buffers and upload of lists.
  double pin_s = 0;         ///< Page-locking of the host memory that transfers use.
  Index solve_columns = 0;  ///< Most right-hand sides that are solved for at once.

  /// Bytes of host memory for panels and update matrices that the device's budget does not hold.
  /// 0: all of L stays on the device.
  std::int64_t streamed_bytes = 0;
  std::string unpinned_reason;   ///< Why the driver refused to page-lock this memory.
  double streamed_factor_s = 0;  ///< Predicted time of a streamed factorization.
  double streamed_solve_s = 0;   ///< Predicted time of a streamed solve with one right-hand side.

  std::vector<DevicePart>
      parts;                  ///< One for each named device in their order; empty for one device.
  std::string parts_reason;   ///< Why fewer devices work than were named.
  double parts_factor_s = 0;  ///< Predicted time of a factorization by several devices.
};

struct FactorReport {
  Status status = Status::kOk;
  std::string message;  ///< One line for a person when the status is not kOk.

  Precision precision = Precision::kDouble;  ///< Of L: kDouble or kSingle.
  bool fell_back_to_double = false;          ///< Whether single was asked for and is not enough.
  std::string precision_reason;              ///< Why it is not enough.
  bool scaled = false;                       ///< Whether the matrix was scaled.

  Index row = kNone;  ///< First row, zero-based and as given, with a bad pivot; kNone: no such row.
  double pivot = 0;   ///< Value of that pivot, in the scale of A.
  double diagonal = 0;  ///< A(row, row).
  /// Largest |a(i,j) - a(j,i)| / (max(|a(i,j)|, |a(j,i)|) + sqrt|a(i,i) a(j,j)|) of a whole matrix
  /// (Triangle::kBoth), which is refused above 8 eps.  Empty for one triangle.
  std::optional<double> asymmetry;

  EngineKind engine = EngineKind::kAuto;  ///< That holds L: kCpu or kOpenCl; kAuto: there is no L.
  std::string engine_reason;              ///< Why, where the library chose; how a device failed.
  std::string device;                     ///< Names of the OpenCL devices; empty on the CPU.
  /// Predicted bytes of all devices' memory for a factorization and a solve with one right-hand
  /// side; 0 on the CPU.
  std::int64_t predicted_device_bytes = 0;
  std::int64_t peak_device_bytes = 0;  ///< Most bytes of all devices' memory in use so far.
  DeviceSetup device_setup;            ///< Defaults on the CPU.
  std::int64_t file_bytes = 0;         ///< Size of the scratch file; 0: L is in memory.

  bool loaded = false;          ///< Whether load_factor() made the factor.
  std::optional<double> rcond;  ///< Estimated reciprocal condition of D^-1/2 A D^-1/2.
  int threads = 0;         ///< Threads of the call: fewer than asked for where the system refuses.
  double load_s = 0;       ///< Reading a factor's file and its checks.
  double setup_s = 0;      ///< Allocation; on a device opening, kernels and upload of lists.
  double factor_s = 0;     ///< From values to L; 0 when loaded.
  double condition_s = 0;  ///< Estimate of the condition; 0 where none was asked for.
};

// ---- Solve --------------------------------------------------------------------------------------

struct [[nodiscard]] SolveReport {
  Status status = Status::kOk;
  std::string message;  ///< One line for a person when the status is not kOk.

  EngineKind engine = EngineKind::kAuto;  ///< That solved: kCpu or kOpenCl.
  std::string engine_reason;              ///< How a device failed, where the CPU took over.
  std::int64_t peak_device_bytes = 0;     ///< Most bytes of all devices' memory in use so far.

  /// Most steps of any right-hand side.  A correction of few rows does not count.
  int refine_steps = 0;
  // Errors of the X that is returned, but for the rounding of residuals that are summed in double;
  // the worst of all right-hand sides; empty where they were not computed.
  std::optional<double> backward_error;       ///< |b - A x| / (|A| |x| + |b|) in infinity norms.
  std::optional<double> componentwise_error;  ///< max_i |b - A x|_i / (|A| |x| + |b|)_i.

  double solve_s = 0;   ///< Permutations and triangular solves of the first solution.
  double refine_s = 0;  ///< Residuals and further solves.
};

}  // namespace clchol
