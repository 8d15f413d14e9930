// What a caller chooses: options of clchol::SparseCholesky, nested by the phase that reads them.
//
//   member of Options   what it is about          calls that read it
//   analysis            ordering, supernodes      analyze(); factorize() where it analyses
//   factor              precision, scaling        factorize(), refactorize()
//   solve               refinement, errors        solve()
//   memory              budgets, scratch files    all
//   all other members   engine, threads, control  all
//
// Every call that reads options checks all of them first.  It throws InvalidArgument, whose message
// names the option, its value and the bound, for: a value that is not of its enumeration, a
// negative number, a tolerance outside [0, 1], a permutation without Ordering::kGiven, a device
// with EngineKind::kCpu.
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
  kMinimumDegree,          ///< Exact minimum degree (external degree); slow with many dense rows.
  kMultipleMinimumDegree,  ///< The same, many independent rows eliminated at once: faster.
  kNestedDissection,       ///< AnalysisOptions::effort says how small its separators should be.
  kNatural,                ///< The order of the rows as given.
  kGiven,                  ///< The order in AnalysisOptions::permutation.
};

/// How long nested dissection searches for small separators.
enum class OrderingEffort {
  kFast,      ///< Takes two thirds of the time of kBalanced; L then costs some 10 % more flops.
  kBalanced,  ///< Good for one factorization or a few.
  kBest,      ///< Keeps the best of four runs; good for many factorizations.
};

/// Returns the name of an ordering: "auto", "amd", "md", "mmd", "nd:fast", "nd", "nd:best",
/// "natural" or "given".
/// @param effort  distinguishes the three names of nested dissection, and is not read otherwise.
CLCHOL_EXPORT const char* to_string(Ordering ordering,
                                    OrderingEffort effort = OrderingEffort::kBalanced) noexcept;

/// Options that an analysis reads.  When one of them has changed since the analysis, factorize()
/// analyses again, and refactorize(), which keeps the analysis, throws InvalidArgument.
struct AnalysisOptions {
  Ordering ordering = Ordering::kAuto;
  OrderingEffort effort = OrderingEffort::kBalanced;  ///< Effort of nested dissection.
  std::uint64_t seed = 1;  ///< Seed of the random numbers in nested dissection.
  /// Number of factorizations, at least 1, that the analysis will serve.  The greater it is, the
  /// longer Ordering::kAuto searches for an order with few flops, and the smaller are the systems
  /// for which EngineKind::kAuto takes a GPU.
  int expected_factorizations = 1;
  /// Number of right-hand sides, at least 1, that each factorization will serve.  A solve reads all
  /// of L: the greater the number, the longer Ordering::kAuto searches for an order with little
  /// fill.
  int expected_solves = 1;
  /// For Ordering::kGiven: permutation[new] = old, zero-based, length n.  Otherwise it must be
  /// empty.
  std::vector<Index> permutation = {};
  /// Whether rows with equal patterns are ordered as one vertex, which speeds up the ordering of
  /// matrices of finite elements.
  bool compress = true;
  /// Whether small fronts are merged where that saves time, at the cost of explicit zeros in L.
  bool amalgamate = true;

  friend bool operator==(const AnalysisOptions&, const AnalysisOptions&) = default;
};

// ---- Factorization ------------------------------------------------------------------------------

enum class Precision {
  kAuto,    ///< L in the scalar type of the matrix.
  kDouble,  ///< L in double.
  kSingle,  ///< L in single; X with the accuracy of single.
  kMixed,   ///< L in single; X refined to the accuracy of double.
};

/// Whether the matrix is scaled symmetrically, S A S, by powers of two, which is exact.
enum class Scaling {
  kNever,   ///< Not scaled.  If the diagonal leaves 1e-18 to 1e18, L is in double whatever
            ///< FactorOptions::precision says; if it leaves 2^-500 to 2^500, A is refused.
  kAuto,    ///< Scaled if the diagonal spans more than about four orders of magnitude, or leaves
            ///< 1e-100 to 1e100 (for L in single 1e-18 to 1e18).
  kAlways,  ///< Scaled.
};

/// Options that a factorization reads.
struct FactorOptions {
  Precision precision = Precision::kAuto;
  Scaling scaling = Scaling::kAuto;
  /// Whether the condition of the scaled matrix is estimated after each factorization, for
  /// FactorReport::rcond.  This usually costs four or five solves.
  bool estimate_condition = false;
};

// ---- Solve --------------------------------------------------------------------------------------

/// For which solutions the backward errors are computed.  Only such solutions can be refined.  The
/// errors of a solution cost a pass over A, which takes as long as the solve when L has hardly more
/// entries than A.
enum class ErrorChecks {
  kAuto,        ///< kEverySolve; for EigenCholesky kFirstSolve.
  kEverySolve,  ///< For every solution; solutions whose errors are too large are refined.
  /// For the first solution after a factorization; for later ones only if the first had to be
  /// refined.  With L in A's precision, a solution is refined only if its normwise backward error
  /// is above SolveOptions::tolerance; the componentwise error is only reported.
  kFirstSolve,
  kNever,  ///< For no solution: each is returned without refinement.
};

/// Options that a solve reads.
struct SolveOptions {
  /// Normwise backward error that is asked for, in [0, 1].  0: 1e-15 (double, mixed), 1e-6
  /// (single).
  double tolerance = 0;
  /// Greatest number of steps of iterative refinement for one right-hand side.  Where an L in
  /// single precision is poor, conjugate gradients replace refinement, and each of their steps
  /// counts. Refinement ends earlier when the componentwise backward error is a few eps, or does
  /// not fall any more.  0: solutions are not refined.
  int max_refine_steps = 30;
  ErrorChecks error_checks = ErrorChecks::kAuto;  ///< For which solutions errors are computed.
};

// ---- Where --------------------------------------------------------------------------------------

/// What factors the matrix and solves with L.
enum class EngineKind {
  /// The devices in Options::devices.  If it is empty: the CPU for systems that it factors in less
  /// than about 0.3 s, and for larger systems the first GPU that has the precision of L.  When that
  /// GPU fails, the CPU takes over; FactorReport::engine_reason and SolveReport::engine_reason say
  /// so.
  kAuto,
  kCpu,     ///< The CPU; Options::devices must be empty.
  kOpenCl,  ///< The devices in Options::devices.  If it is empty: the first GPU that has the
            ///< precision of L; a factorization throws InvalidArgument if there is none.
};

/// Returns the name of an engine: "auto", "cpu" or "opencl".
CLCHOL_EXPORT const char* to_string(EngineKind engine) noexcept;

/// Limits of the memory of one solver.
struct MemoryOptions {
  /// Limit of host memory, in bytes.  0: the free memory.  The limit holds for the sum of the
  /// analysis, L on the CPU, the arenas of a factorization, the panels and update matrices of a
  /// streamed factor, a solve with one right-hand side (up to here the sum is
  /// AnalysisReport::solver_host_bytes), and a copy of the values where the matrix is scaled.  A
  /// factorization that would exceed the limit throws OutOfMemory before anything is allocated.
  std::int64_t host = 0;
  /// Limit of memory of each device, in bytes.  0: 19/20 of the memory of the device.  If the
  /// fastest plan for the factorization exceeds the limit, one that takes less memory is chosen; if
  /// all plans exceed it, parts of L stay in host memory (DeviceSetup::streamed_bytes); if that
  /// does not suffice either, OutOfMemory is thrown.
  std::int64_t device = 0;
  /// Directory for a scratch file, which is unlinked at once, so that no name of it is seen there.
  /// The parts of L for which host memory has no room go to the file; a solve reads them once
  /// forward and once backward, and solves of several threads run one after another.  A full or
  /// failing disk, and bytes that come back changed, throw FileError.  Empty: no file is made, and
  /// a factor that exceeds host memory is refused with OutOfMemory.
  std::string scratch_directory = {};

  friend bool operator==(const MemoryOptions&, const MemoryOptions&) = default;
};

/// A function that a factorization calls to report its progress: from any thread, but never from
/// two threads at once.  An exception from the function ends the factorization and reaches its
/// caller; the message of the factor report then says so.
/// @param data   Options::progress_data.
/// @param done   flops that are done.
/// @param total  flops of the whole factorization.
using ProgressFunction = void (*)(void* data, double done, double total);

struct Options {
  AnalysisOptions analysis = {};
  FactorOptions factor = {};
  SolveOptions solve = {};
  MemoryOptions memory = {};

  /// What factors the matrix.  The engine also decides the costs by which an analysis merges fronts
  /// and Ordering::kAuto chooses: those of the first device in `devices`; if `devices` is empty,
  /// under EngineKind::kOpenCl those of the first GPU, otherwise those of the CPU.  When these
  /// costs have changed since the analysis, factorize() analyses again; refactorize() keeps the
  /// analysis, and makes L on the new engine.
  EngineKind engine = EngineKind::kAuto;
  /// OpenCL devices, each by its number over all platforms ("0"), as "platform:device" ("0:1") or
  /// by a part of its name ("H200").  Several devices share one factor.  The CPU does not take over
  /// from a device that is named: a call that fails on the device throws DeviceError.
  std::vector<std::string> devices = {};
  /// Greatest number of threads, up to 256.  0: as many as the process may use (affinity mask, CPU
  /// quota of its control groups, OMP_NUM_THREADS).  The digits of results do not depend on the
  /// number of threads.
  int threads = 0;

  ProgressFunction progress = nullptr;  ///< Is called during a factorization; null: nothing.
  void* progress_data = nullptr;        ///< First argument of `progress`.
  /// Once true, calls end with Status::kInterrupted.  Must not become false while a call runs.
  const std::atomic<bool>* cancel = nullptr;
};

}  // namespace clchol
