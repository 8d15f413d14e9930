// What a caller chooses: options of clchol::SparseCholesky, nested by the phase that reads them.
//
//   Options::analysis   ordering, supernodes      analyze(); factorize() where it analyses
//   Options::factor     precision, scaling        factorize(), refactorize()
//   Options::solve      refinement, errors        solve()
//   Options::memory     budgets, scratch files    all
//   the others          engine, threads, control  all
//
// Every call that reads options checks all of them first, and throws InvalidArgument that names the
// option, its value and the bound: for a value that is not of its enumeration, a negative number, a
// tolerance outside [0, 1], a permutation without Ordering::kGiven, a device with EngineKind::kCpu.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "clchol/types.hpp"

namespace clchol {

// ---- Analysis -----------------------------------------------------------------------------------

enum class Ordering {
  kAuto,                   ///< The library chooses; AnalysisReport::ordering_reason says why.
  kAmd,                    ///< Approximate minimum degree.
  kMinimumDegree,          ///< Exact external degree; slow where many rows are dense.
  kMultipleMinimumDegree,  ///< Exact external degree, many independent rows at once: faster.
  kNestedDissection,       ///< Separators; AnalysisOptions::effort says how good they are.
  kNatural,                ///< The order of the rows as given.
  kGiven,                  ///< AnalysisOptions::permutation.
};

/// How long nested dissection searches for small separators.
enum class OrderingEffort {
  kFast,      ///< Two thirds of the time of kBalanced, some 10 % more flops.
  kBalanced,  ///< For one factorization or a few.
  kBest,      ///< Four runs, of which the best is kept: for many factorizations.
};

/// "auto", "amd", "md", "mmd", "nd:fast", "nd", "nd:best", "natural", "given".
/// @param effort  distinguishes the three names of nested dissection, and is not read otherwise.
CLCHOL_EXPORT const char* to_string(Ordering ordering,
                                    OrderingEffort effort = OrderingEffort::kBalanced) noexcept;

/// Read by an analysis.  When one of these options has changed since, factorize() analyses again,
/// and refactorize(), which keeps the analysis, throws InvalidArgument.
struct AnalysisOptions {
  Ordering ordering = Ordering::kAuto;
  OrderingEffort effort = OrderingEffort::kBalanced;  ///< Of nested dissection.
  std::uint64_t seed = 1;                             ///< Of nested dissection's random choices.
  /// Number of factorizations, at least 1, that the analysis will serve.  Ordering::kAuto searches
  /// longer for an order with few flops when there are many, and EngineKind::kAuto opens a GPU
  /// sooner.
  int expected_factorizations = 1;
  /// Number of right-hand sides, at least 1, that each factorization will serve.  A solve reads all
  /// of L: Ordering::kAuto searches longer for an order with little fill when there are many.
  int expected_solves = 1;
  /// For Ordering::kGiven: permutation[new] = old, zero-based, length n.  Empty otherwise.
  std::vector<Index> permutation = {};
  /// Order rows with equal patterns as one vertex, which speeds up the ordering of FEM matrices.
  bool compress = true;
  /// Merge small fronts where that saves time, at the cost of explicit zeros in L.
  bool amalgamate = true;

  friend bool operator==(const AnalysisOptions&, const AnalysisOptions&) = default;
};

// ---- Factorization ------------------------------------------------------------------------------

enum class Precision {
  kAuto,    ///< That of the matrix' scalar type.
  kDouble,  ///< L in double.
  kSingle,  ///< L in single; X with the accuracy of single.
  kMixed,   ///< L in single; X refined to the accuracy of double.
};

/// When the matrix is scaled symmetrically by powers of two, S A S, which is exact.
enum class Scaling {
  kNever,  ///< A diagonal outside 1e-18 to 1e18 is then factored in double in any case, one outside
           ///< 2^-500 to 2^500 is refused.
  kAuto,   ///< When the diagonal spans more than about four orders of magnitude, or leaves 1e-100
           ///< to 1e100 (for L in single 1e-18 to 1e18).
  kAlways,
};

/// Read by a factorization.
struct FactorOptions {
  Precision precision = Precision::kAuto;
  Scaling scaling = Scaling::kAuto;
  /// Estimate the condition of the scaled matrix after each factorization: FactorReport::rcond.
  /// Costs four or five solves.
  bool estimate_condition = false;
};

// ---- Solve --------------------------------------------------------------------------------------

/// For which solutions the backward errors are computed.  They cost a pass over A, which takes as
/// long as the solve where L hardly fills.
enum class ErrorChecks {
  kAuto,        ///< kEverySolve; behind Eigen's interface kFirstSolve.
  kEverySolve,  ///< Every solution; those that need it are refined.
  /// The first solution after a factorization.  Later ones are checked, and refined, only if the
  /// first had to be refined.  With L in A's precision the first counts as refined when its
  /// normwise backward error is above SolveOptions::tolerance; the componentwise error is only
  /// reported.
  kFirstSolve,
  kNever,  ///< None: the first solution is returned as it is.
};

/// Read by a solve.
struct SolveOptions {
  /// Normwise backward error that is asked for, in [0, 1].  0: 1e-15 (double, mixed), 1e-6
  /// (single).
  double tolerance = 0;
  /// Most steps of iterative refinement of a right-hand side.  A step of the conjugate gradients
  /// that replace refinement where an L in single precision is poor counts as one.  Refinement ends
  /// by itself when the componentwise backward error is a few eps, or does not fall any more.
  /// 0: the first solution is returned.
  int max_refine_steps = 30;
  ErrorChecks error_checks = ErrorChecks::kAuto;
};

// ---- Where --------------------------------------------------------------------------------------

/// What factors the matrix and solves with L.
enum class EngineKind {
  /// The devices that are named.  Where none is: the CPU for systems that it factors in less than
  /// about 0.3 s, and the first GPU that can for larger ones.  When that GPU fails, the CPU takes
  /// over; FactorReport::engine_reason and SolveReport::engine_reason say so.
  kAuto,
  kCpu,     ///< The CPU; Options::devices must be empty.
  kOpenCl,  ///< The devices that are named.  Where none is: the first GPU; a factorization throws
            ///< InvalidArgument if there is no GPU.
};

/// "auto", "cpu", "opencl".
CLCHOL_EXPORT const char* to_string(EngineKind engine) noexcept;

/// Bytes that one solver may use.  0: no limit but what is free.
struct MemoryOptions {
  /// Bytes of host memory: the analysis, L on the CPU, the arenas of a factorization, the panels
  /// and update matrices of a streamed factor, a solve with one right-hand side
  /// (AnalysisReport::solver_host_bytes), and a copy of the values where the matrix is scaled.
  /// A factorization that would exceed this throws OutOfMemory before anything is allocated.
  std::int64_t host = 0;
  /// Bytes of device memory, of each device.  0: 19/20 of what the device has.  Where the fastest
  /// schedule would exceed this limit, one that takes less is chosen; where none does, parts of L
  /// stay in host memory (DeviceSetup::streamed_bytes); OutOfMemory when that does not fit either.
  std::int64_t device = 0;
  /// Directory for a scratch file, which has no name there.  The parts of L for which host memory
  /// has no room go to the file; a solve reads them once forward and once backward, and solves of
  /// several threads follow one another.  A full or failing disk, and bytes that come back changed,
  /// throw FileError.  Empty: no file; a factor that exceeds host memory is refused.
  std::string scratch_directory = {};

  friend bool operator==(const MemoryOptions&, const MemoryOptions&) = default;
};

/// Called with the work that is done and all work, in flops, by any thread, never by two threads of
/// a call at once.  An exception from the function ends the call and reaches the caller.
using ProgressFunction = void (*)(void* data, double done, double total);

struct Options {
  AnalysisOptions analysis = {};
  FactorOptions factor = {};
  SolveOptions solve = {};
  MemoryOptions memory = {};

  /// The analysis merges fronts, and Ordering::kAuto chooses, by the costs of the first device that
  /// is meant: named in `devices`, or the first GPU under EngineKind::kOpenCl; otherwise by those
  /// of the CPU.  When these costs have changed since the analysis, factorize() analyses again;
  /// refactorize() keeps the analysis, and makes L on the new engine.
  EngineKind engine = EngineKind::kAuto;
  /// OpenCL devices, each by its number over all platforms ("0"), as "platform:device" ("0:1") or
  /// by a part of its name ("H200").  Several share one factor.  A call that fails on a device that
  /// is named throws DeviceError.
  std::vector<std::string> devices = {};
  /// Most threads, up to 256.  0: as many as the process may use (affinity mask, CPU quota of its
  /// control groups, OMP_NUM_THREADS).  The digits of results do not depend on the number of
  /// threads.
  int threads = 0;

  ProgressFunction progress = nullptr;
  void* progress_data = nullptr;              ///< First argument of `progress`.
  const std::atomic<bool>* cancel = nullptr;  ///< Once true, calls end with Status::kInterrupted.
};

}  // namespace clchol
