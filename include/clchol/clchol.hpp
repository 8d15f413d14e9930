// clchol: sparse Cholesky direct solver.
//
//   clchol::SparseCholesky<double> solver;
//   solver.factorize(clchol::SparseView<double>{n, colptr, rowind, values});   // lower triangle
//   solver.solve(b, x);
//
// A is symmetric positive definite.  Analysis (ordering, symbolic factorization, plan) depends on
// the pattern alone and is kept: new values on the same pattern cost refactorize().  The library
// prints nothing, sets no global state, and is bitwise reproducible for any number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "clchol/types.hpp"

namespace clchol {

// ---- input --------------------------------------------------------------------------------------

/// Which entries of a sparse matrix are read.
enum class Triangle {
  kLower,  ///< Entries with row >= column; others are ignored.
  kUpper,  ///< Entries with row <= column; others are ignored.
  kBoth,   ///< The whole matrix is stored and symmetric but for rounding: every pair satisfies
           ///< |a(i,j) - a(j,i)| <= 8 eps (max(|a(i,j)|, |a(j,i)|) + sqrt|a(i,i) a(j,j)|), eps
           ///< that of T.  The values below the diagonal are taken.
};

/// A sparse symmetric matrix by columns, not owned.  Rows may come in any order, duplicates are
/// summed. A matrix stored by rows is given as it is, with kLower and kUpper exchanged. T is float
/// or double; (Ptr, Ind) is (int32, int32), (int64, int64) or (int64, int32).
template <class T, class Ptr = std::int32_t, class Ind = std::int32_t>
struct SparseView {
  Index n = 0;
  std::span<const Ptr> colptr;  ///< Start of each column.  Length n + 1, colptr[0] == 0.
  std::span<const Ind> rowind;  ///< Zero-based rows.       Length colptr[n].
  std::span<const T> values;    ///< Length colptr[n]; may be empty where only the pattern is read.
  Triangle triangle = Triangle::kLower;
};

// ---- options ------------------------------------------------------------------------------------

enum class Ordering {
  kAuto,                   ///< The library chooses; the report says what and why.
  kAmd,                    ///< Approximate minimum degree.
  kMinimumDegree,          ///< Exact external degree; slow where many rows are dense.
  kMultipleMinimumDegree,  ///< The same, eliminating many independent rows at once: faster.
  kNestedDissection,       ///< Separators; see Options::ordering_effort.
  kNatural,                ///< As given.
  kGiven,                  ///< Options::permutation.
};

/// What nested dissection may cost.
enum class OrderingEffort {
  kFast,      ///< Two thirds of the time of kBalanced, some 10 % more flops.
  kBalanced,  ///< For one factorization or a few.
  kBest,      ///< Four runs, of which the best is kept: for many factorizations.
};

enum class Precision {
  kAuto,    ///< That of the matrix' scalar type.
  kDouble,  ///< Factor in double.
  kSingle,  ///< Factor in single, accuracy of single.
  kMixed,   ///< Factor in single, refine to double's accuracy.
};

enum class Scaling {
  kNever,  ///< A factor in single precision then takes diagonals from 1e-18 to 1e18, one in
           ///< double from 2^-500 to 2^500: others are factored in double, or refused.
  kAuto,   ///< Where the diagonal spans more than about four orders of magnitude, or lies beyond
           ///< 1e-100 to 1e100 (in single precision 1e-18 to 1e18).
  kAlways,
};

/// Which solutions have their backward errors taken.  Errors cost a pass over A, which takes as
/// long as the solve where L hardly fills.
enum class ErrorChecks {
  kAuto,        ///< kEverySolve; behind Eigen's interface kFirstSolve.
  kEverySolve,  ///< All; those that need it are refined.
  /// The first after a factorization; later ones are checked, and refined, only if the first had to
  /// be refined.  With a factor in A's precision a normwise backward error above Options::tolerance
  /// alone makes that so; the componentwise one is reported.
  kFirstSolve,
  kNever,  ///< None: the first solution is returned as it is.
};

/// Called with work done and work in all (flops), by any thread, never by two of a call at once. An
/// exception that it throws ends the call and reaches the caller.
using ProgressFunction = void (*)(void* data, double done, double total);

/// Senseless values (enumerations out of range, negative numbers, a tolerance that is not in [0,
/// 1], a permutation without Ordering::kGiven) are refused by the calls that read options.
struct Options {
  Ordering ordering = Ordering::kAuto;
  OrderingEffort ordering_effort = OrderingEffort::kBalanced;
  std::uint64_t ordering_seed = 1;  ///< Of nested dissection's random choices.
  /// For kAuto: how many factorizations the pattern will see.  The more, the longer it may search.
  int expected_factorizations = 1;  ///< At least 1.
  /// For kAuto: how many right-hand sides each factorization will serve.  A solve reads all of L,
  /// so that for many of them an order with less fill is worth a longer search.
  int expected_solves = 1;  ///< At least 1.
  /// For kGiven: permutation[new] = old, zero-based, length n; with others empty.
  std::vector<Index> permutation;
  bool compress = true;    ///< Order rows with equal patterns as one; speeds up FEM matrices.
  bool amalgamate = true;  ///< Merge small fronts at the cost of explicit zeros in L.

  /// Where the factor is made and stays: "cpu", an OpenCL device by its number over all platforms,
  /// by "platform:device" or by a part of its name, or several of them between commas, which share
  /// the factor; "auto": the CPU for systems that it factors in about 0.3 s, the first GPU that can
  /// for larger ones.  A factorization on a named device that fails throws DeviceError; chosen by
  /// "auto", the CPU takes over, and the report says so.
  /// The analysis reads it too: for a named device it merges more fronts.
  std::string device = "auto";
  /// Threads at most, 256 of them; 0: what the process may use (affinity mask, CPU quota of its
  /// control groups, OMP_NUM_THREADS).  Digits do not depend on it.
  int threads = 0;
  Precision precision = Precision::kAuto;
  Scaling scaling = Scaling::kAuto;  ///< Symmetric diagonal scaling by powers of two: exact.

  /// Normwise backward error asked for, at most 1; 0: 1e-15 (double, mixed), 1e-6 (single).
  double tolerance = 0;
  /// Steps of iterative refinement at most, for each right-hand side; a step of the conjugate
  /// gradients that take their place where a factor in single precision is poor counts as one.
  /// Refinement ends by itself at a componentwise backward error of a few eps, or when it stops
  /// falling.  0: none, the first solution is returned.
  int max_refine_steps = 30;
  ErrorChecks error_checks = ErrorChecks::kAuto;
  bool estimate_condition =
      false;  ///< Estimate the condition after each factorization (4-5 solves).

  /// Bytes of host memory that a solver may use: its analysis, its factor on the CPU, the arenas of
  /// the factorization, a solve with one right-hand side (AnalysisReport::solver_host_bytes), and
  /// a copy of the values where the matrix is scaled; 0: what is free.  A factorization that would
  /// exceed it throws OutOfMemory before anything is allocated.
  std::int64_t host_memory_limit = 0;
  /// Directory for a file without a name.  Those parts of a factor go there that exceed the host
  /// memory that may be used, of a factor on one device too; every solve reads them once forward
  /// and once backward, and solves of several threads follow one another.  Empty: none, such a
  /// factor is refused.  A disk that is full, fails or returns something else than was written is
  /// FileError.
  std::string scratch_directory;
  /// Bytes of a device's memory that a solver may use, of several devices of each; 0: 19/20 of what
  /// the device has.  Where the fastest schedule would exceed it, one that takes less is chosen;
  /// where none does, parts of the factor are kept in host memory (DeviceSetup::streamed_bytes);
  /// OutOfMemory when not even that fits.
  std::int64_t device_memory_limit = 0;

  ProgressFunction progress = nullptr;
  void* progress_data = nullptr;
  const std::atomic<bool>* cancel = nullptr;  ///< When it turns true calls end with kInterrupted.
};

// ---- reports ------------------------------------------------------------------------------------

struct AnalysisReport {
  Index n = 0;
  Offset nnz = 0;  ///< Entries of one triangle, diagonal included.
  /// Method used: "amd", "md", "mmd", "nd:fast", "nd", "nd:best", "natural", "given".
  std::string ordering;
  std::string ordering_reason;  ///< Why, where the library chose.
  Index compressed_n = 0;       ///< Vertices that were ordered.
  Offset nnz_l = 0;             ///< Sum of column counts.
  double flops = 0;             ///< Sum of their squares.
  Offset nnz_stored = 0;        ///< With the zeros of amalgamation.
  double flops_stored = 0;
  Index supernodes = 0;
  Index exact_supernodes = 0;  ///< Before amalgamation.
  Index dynamic_supernodes =
      0;  ///< Of these, scattered ones that the final numbering made contiguous.
  bool backward_search = false;  ///< Supernodes found from the last column down.
  Index tree_height = 0;         ///< Fronts on the longest path.
  Index largest_front = 0;       ///< Rows.
  Index largest_front_columns = 0;
  std::int64_t factor_bytes = 0;     ///< L.
  std::int64_t workspace_bytes = 0;  ///< Update matrices and kernels' workspace.
  /// What this solver takes of the host's memory after a factorization and a solve with one
  /// right-hand side on the CPU, where the matrix is not scaled: predicted.
  std::int64_t solver_host_bytes = 0;
  /// Predicted peak of the process: what is resident now, a factorization, a solve with one
  /// right-hand side.
  std::int64_t predicted_host_bytes = 0;
  /// What each further right-hand side adds to a solve; no more than 32 are worked on at once.
  std::int64_t solve_bytes_per_rhs = 0;
  bool loaded = false;    ///< From load_analysis(): nothing was ordered.
  double order_s = 0;     ///< Index of A by rows, graph and ordering; 0 where loaded.
  double symbolic_s = 0;  ///< Symbolic factorization and plan; where loaded, reading, index, plan.
};

/// The fronts of the factor in the order of elimination, a postorder of their tree.  Columns are
/// those of the permuted matrix.
struct AssemblyTree {
  std::vector<Index> super_ptr;     ///< Front s eliminates columns [super_ptr[s],
                                    ///< super_ptr[s + 1]).              Length fronts + 1.
  std::vector<Index> super_parent;  ///< Parent of s, kNone at a root.  Length fronts.
  std::vector<Index> nrow;          ///< Rows of front s, pivots included.  Length fronts.
};

/// What one of several devices does in a factorization.
struct DevicePart {
  std::string device;  ///< Its name.
  Index fronts = 0;    ///< 0: the device is idle, because fewer devices are faster.
  double flops = 0;
  double busy_s = 0;                 ///< Seconds of its fronts by the model; it waits for the rest.
  std::int64_t predicted_bytes = 0;  ///< Of the device's memory, with one right-hand side.
  std::int64_t peak_bytes = 0;       ///< Most of the device's memory that was in use so far.
  std::int64_t sent_bytes = 0;       ///< Update matrices that leave the device, in a factorization.
};

/// How an OpenCL device was made ready, or several.  Nothing is said of the CPU.
struct DeviceSetup {
  std::string kernels;             ///< "tensor cores", or "plain".
  std::string solve_kernels;       ///< "tickets": one launch; or "waves": one for each of the tree.
  std::string kernels_reason;      ///< Why these are plain, where they are.
  std::vector<std::string> notes;  ///< Why files of tuning data were left aside.
  double open_s = 0;               ///< Context, queue and probes; once for all matrices.
  double plan_s = 0;               ///< Kernels and, on the host, lists; build_s included.
  double build_s = 0;              ///< In OpenCL's compilers and loaders, since it was opened.
  Index built = 0;                 ///< Programs from source,
  Index cached = 0;                ///< and from the cache on disk.
  double upload_s = 0;             ///< Buffers, and lists into them.
  double pin_s = 0;                ///< Buffers of the host that transfers go through.
  Index solve_columns = 0;         ///< Right-hand sides that are solved for at once, at most.
  /// Bytes of host memory for what the device's budget does not hold: panels, which every solve
  /// sends or the CPU solves with, and update matrices that wait there; 0: the factor is made and
  /// stays on the device.
  std::int64_t streamed_bytes = 0;
  /// Why that memory is not page-locked, where the driver refuses: transfers are slower.
  std::string unpinned_reason;
  double streamed_factor_s = 0;  ///< Then, by the plan: of a factorization, and of a solve with one
  double streamed_solve_s = 0;   ///< right-hand side.
  std::vector<DevicePart>
      parts;                  ///< One for each named device, in their order; empty for one device.
  std::string parts_reason;   ///< Why fewer of them work than were named, where that is so.
  double parts_factor_s = 0;  ///< A factorization by several, by the model (docs/device.md).
};

/// What one way to make a factor on an OpenCL device, and to solve with it, takes: known before
/// anything is allocated.  Times are of a simple model, with rates of one device (docs/device.md).
struct DeviceMode {
  bool is_streamed = false;       ///< Through host memory; else all of it is on the device.
  bool is_least = false;          ///< Within about the least of the device's memory that does.
  std::int64_t device_bytes = 0;  ///< Device memory, with one right-hand side.
  std::int64_t host_bytes = 0;    ///< Host memory that panels and update matrices take.
  /// Panels in a file in Options::scratch_directory: each half of a solve reads the file once.
  std::int64_t file_bytes = 0;
  double factor_s = 0;             ///< A factorization.
  double solve_s = 0;              ///< A solve with one right-hand side.
  std::int64_t to_host_bytes = 0;  ///< Transfers of a factorization, and from there to the device;
  std::int64_t to_device_bytes = 0;
  std::int64_t solve_bytes = 0;      ///< those of a solve.
  std::int64_t cpu_solve_bytes = 0;  ///< Panels that the CPU solves with, where they lie.
};

/// What one way to make a factor on the CPU takes: known before anything is allocated.
struct HostMode {
  bool is_out_of_core = false;  ///< The factor is partly in a file in Options::scratch_directory.
  bool is_least = false;        ///< No way is known that takes less host memory.
  /// Bytes of host memory, counted as Options::host_memory_limit counts, with a copy of the values.
  std::int64_t host_bytes = 0;
  /// Bytes of the scratch file: panels, which each half of a solve reads, and update matrices that
  /// wait there during a factorization.
  std::int64_t file_bytes = 0;
};

struct FactorReport {
  Status status = Status::kOk;
  std::string message;                       ///< One line for a person when status is not kOk.
  Precision precision = Precision::kDouble;  ///< Of the factor: kDouble or kSingle.
  bool fell_back_to_double = false;          ///< Single precision was asked for and does not do.
  std::string precision_reason;              ///< Why it does not do; empty otherwise.
  bool scaled = false;
  Index row = kNone;    ///< Row (zero-based, as given) of the first bad pivot.
  double pivot = 0;     ///< Its value, in the scale of A.
  double diagonal = 0;  ///< A(row,row).
  /// Of a whole matrix (Triangle::kBoth): the largest |a(i,j) - a(j,i)| over
  /// max(|a(i,j)|, |a(j,i)|) + sqrt|a(i,i) a(j,j)|; above 8 eps it is refused.  -1: one triangle.
  double asymmetry = -1;
  std::string engine;         ///< "cpu" or "opencl".
  std::string engine_reason;  ///< Why, where the library chose; how a device failed.
  std::string device;         ///< Name of the OpenCL device, or all names; empty on the CPU.
  /// Bytes of the device's memory, or of all devices', for the factorization and a solve with one
  /// right-hand side, known before anything is allocated; 0 on the CPU.
  std::int64_t predicted_device_bytes = 0;
  std::int64_t peak_device_bytes = 0;  ///< Most of its memory that was in use until then.
  DeviceSetup device_setup;
  std::int64_t file_bytes = 0;  ///< Bytes of the scratch file; 0: the factor is in memory.
  bool loaded = false;          ///< From load_factor(): nothing was factored.
  double load_s = 0;            ///< Then: reading the file, its checks and what follows from it.
  double rcond = -1;            ///< Reciprocal condition of D^-1/2 A D^-1/2; -1: not estimated.
  int threads = 0;  ///< That the call had: fewer than asked for where the system has refused some.
  double setup_s = 0;      ///< Allocation; on a device opening it, kernels, lists that go there.
  double factor_s = 0;     ///< Values to L; 0 where L was loaded.
  double condition_s = 0;  ///< Estimating the condition; 0 where that was not asked for.
};

struct SolveReport {
  Status status = Status::kOk;
  std::string message;
  std::string engine;                  ///< That solved: "cpu" or "opencl".
  std::string engine_reason;           ///< How a device failed, where the CPU took its place.
  std::int64_t peak_device_bytes = 0;  ///< Most of the device's memory that was in use until then.
  /// Most steps of any right-hand side; Options::max_refine_steps at most.  A correction of few
  /// rows does not count.
  int refine_steps = 0;
  /// Errors are those of the X returned, but for the rounding of residuals summed in double.
  /// Normwise: |b - Ax| / (|A| |x| + |b|), infinity norms; the worst.  -1: not taken.
  double backward_error = 0;
  /// max_i |b - Ax|_i / (|A| |x| + |b|)_i; the worst.  -1: not taken.
  double componentwise_error = 0;
  double solve_s = 0;   ///< Permutations and triangular solves of the first solution.
  double refine_s = 0;  ///< Residuals and further solves.
};

// ---- solver -------------------------------------------------------------------------------------

namespace opencl {
class Access;  // What clchol/opencl.hpp is made of.
}

/// L by columns, of A's permuted and scaled form  P S A S P' = L L'.
template <class T>
struct CholeskyFactor {
  Index n = 0;
  std::vector<Offset> colptr;  ///< Start of each column.  Length n + 1.
  std::vector<Index> rowind;   ///< Rows, ascending in each column, the diagonal first.
  std::vector<T> values;       ///< Entries of L.
};

/// Factors of A's permuted and scaled form,  P S A S P' = L L', S diagonal.
enum class Part {
  kPermute,    ///< x := P S x
  kForward,    ///< x := L^-1 x
  kBackward,   ///< x := L^-T x
  kUnpermute,  ///< x := S P' x; all four in turn solve A x = b.
};

/// A solver holds options, an analysis and a factor.  What a call leaves of them when it fails:
///
///   InvalidArgument   everything as it was, reports included: thrown before any work
///   another exception, kInterrupted, kNotPositiveDefinite
///                     no factor, and no analysis where that has failed: else it stays, and the
///                     next factorization with good values works
///
/// Calls that solve or report change nothing.  Every call that reads options throws InvalidArgument
/// for senseless ones (see Options), naming option, value and bound.  A solver that has been moved
/// from is like a new one with default options.
template <class T>
class CLCHOL_EXPORT SparseCholesky {
 public:
  explicit SparseCholesky(Options options = {});
  ~SparseCholesky();
  SparseCholesky(SparseCholesky&&) noexcept;
  SparseCholesky& operator=(SparseCholesky&&) noexcept;

  /// Orders and analyses the pattern; a factorization that was there is dropped.
  /// Throws InvalidArgument (a bad pattern, or permutation; the solver is as it was),
  /// std::bad_alloc.  kInterrupted when cancelled: nothing is analysed then.
  template <class Ptr, class Ind>
  Status analyze(const SparseView<T, Ptr, Ind>& a);

  /// Writes the analysis (permutation, fronts, row structure) to a file, or returns its bytes, for
  /// load_analysis() of any scalar type and number of threads.  The file is written under another
  /// name and renamed; a name that ends in ".gz" is compressed.
  /// Throws InvalidArgument when nothing is analysed or the file cannot be written (also a pipe
  /// that nobody reads, once Options::cancel is true), std::bad_alloc.
  void save_analysis(const std::string& path) const;
  std::vector<std::byte> save_analysis() const;

  /// Takes the place of analyze(a), without ordering: the analysis is one that was saved for a
  /// matrix of the same pattern.  The options ordering, compress and amalgamate are not read; other
  /// options, and the machine, need not be those of the saving solver.
  /// Throws InvalidArgument for a bad matrix, and for bytes that are damaged, foreign, of another
  /// version or pattern: then the solver is as it was.  std::bad_alloc.  kInterrupted when
  /// cancelled: nothing is analysed then.  Cost O(nnz(A) + bytes).
  template <class Ptr, class Ind>
  Status load_analysis(const SparseView<T, Ptr, Ind>& a, const std::string& path);
  template <class Ptr, class Ind>
  Status load_analysis(const SparseView<T, Ptr, Ind>& a, std::span<const std::byte> bytes);

  /// Writes the factor to a file, with the analysis and the scaling, for load_factor() of any
  /// number of threads; A itself is not in it.  The file is written under another name and renamed;
  /// it is never compressed.  Its bytes do not depend on the number of threads.
  /// @return kOk; kInterrupted when cancelled: no file is written then.
  /// Throws InvalidArgument when nothing is factored, when the factor was loaded without its matrix
  /// and where the file cannot be written; DeviceError, std::bad_alloc.
  /// Cost: one pass over L, nnz_stored entries, to the disk.
  Status save_factor(const std::string& path) const;

  /// Takes the place of factorize() with a factor that save_factor() has written, on the CPU
  /// whatever Options::device says.  The matrix is not known: solves take no errors and do not
  /// refine, so that X has the accuracy of the factor's precision, and refactorize(),
  /// save_analysis() and save_factor() throw InvalidArgument.
  /// @return kOk; kSingular as the factorization did; kInterrupted when cancelled: then the solver
  /// is empty.  Throws InvalidArgument for a file that is damaged, foreign or of another version,
  /// OutOfMemory where the factor exceeds Options::host_memory_limit or what is free,
  /// std::bad_alloc: then the solver is as it was.  Cost: reading nnz_stored entries by all
  /// threads.
  Status load_factor(const std::string& path);
  /// The same for the matrix that was factored: solves refine, and refactorize() works.
  /// Throws InvalidArgument also for a matrix with another pattern or other values.
  template <class Ptr, class Ind>
  Status load_factor(const SparseView<T, Ptr, Ind>& a, const std::string& path);

  /// Factors A; analyses it first unless the pattern is the one analysed, with the options that an
  /// analysis reads (see options()) as they are now.
  /// @return kOk, kNotPositiveDefinite (factor_report() names the row), kSingular when the
  /// condition was asked for and is below 2 eps, kInterrupted.  Throws InvalidArgument for bad
  /// input (values that are not finite, an unsymmetric matrix, an unknown device): then analysis,
  /// factor and reports are as they were.  OutOfMemory, DeviceError, FileError, std::bad_alloc: the
  /// analysis stays, the factor does not.  A factor of kSingular solves.
  template <class Ptr, class Ind>
  Status factorize(const SparseView<T, Ptr, Ind>& a);

  /// Bytes that a factorization, and a solve with one right-hand side, would take of the memory of
  /// the device that Options::device means: it is opened, its kernels are built, and nothing is
  /// allocated.  0: they would run on the CPU (analysis_report() has what they take there).
  /// Throws as factorize(): OutOfMemory where the device's memory, or Options::device_memory_limit,
  /// does not do.
  std::int64_t predict_device_bytes() const;

  /// What a factorization on that device would take in core, streamed within a half, a quarter and
  /// an eighth of the memory that this takes, where that does, and within the least that does,
  /// whatever Options::device_memory_limit is.  Empty: they would run on the CPU.  Cost: up to six
  /// times that of a set-up.  Throws as predict_device_bytes(), but for memory.
  std::vector<DeviceMode> device_modes() const;
  /// Ways to factor the analysed matrix on the CPU: in memory; out of core within
  /// Options::host_memory_limit or what is free, where it does not fit and that does; and out of
  /// core with the least memory.  Throws InvalidArgument when no matrix has been analysed.
  std::vector<HostMode> host_modes() const;

  /// New values on the analysed pattern; another pattern throws InvalidArgument, whatever options
  /// say now the analysis is kept.  Returns, throws and leaves what factorize() does.
  template <class Ptr, class Ind>
  Status refactorize(const SparseView<T, Ptr, Ind>& a);
  /// New values in the order of the matrix that was analysed.
  Status refactorize(std::span<const T> values);

  /// Solves A X = B with refinement.  B and X are n x nrhs; X may be B.
  /// Calls on one factorization may run at the same time.
  /// @return kOk, kAccuracyNotReached (X is the best found), kInterrupted.
  /// Throws InvalidArgument when shapes do not fit, B is not finite or nothing is factored: then X
  /// is as it was.  DeviceError, FileError, std::bad_alloc: X is undefined, the factor stays.
  SolveReport solve(const DenseView<const T>& b, const DenseView<T>& x) const;
  /// One right-hand side.
  SolveReport solve(std::span<const T> b, std::span<T> x) const;

  /// One piece of the solve, in place on n x nrhs entries, in the factor's precision.  Throws as
  /// solve(), and for a part out of the enumeration.
  void solve_part(Part part, const DenseView<T>& x) const;

  /// log(det(A)), summed in a fixed order.
  double log_determinant() const;
  /// Diagonal of L, of the permuted and scaled matrix.
  std::vector<T> diagonal() const;
  /// A copy of L with analysis_report().nnz_stored entries: the pattern depends on the analysis
  /// alone and includes the explicit zeros of amalgamation.  Takes 4 + sizeof(T) bytes an entry;
  /// a factor in single precision is widened.  Calls on one factorization may run at the same time.
  /// Throws InvalidArgument when nothing is factored, DeviceError, FileError, std::bad_alloc.
  CholeskyFactor<T> factor() const;
  /// permutation()[new] = old.
  std::vector<Index> permutation() const;
  AssemblyTree assembly_tree() const;
  /// S; all ones when the matrix was not scaled.
  std::vector<T> scaling() const;

  const AnalysisReport& analysis_report() const;
  const FactorReport& factor_report() const;
  const Options& options() const;
  /// All may change at any time, between calls.  ordering, ordering_effort, ordering_seed,
  /// permutation, compress and amalgamate are read by an analysis: when one has changed since,
  /// factorize() analyses anew, and refactorize() keeps the analysis that there is.  device and
  /// expected_factorizations, expected_solves count in the next analysis; precision, scaling and
  /// device in the next factorization; the others at once.
  Options& options();

 private:
  friend class opencl::Access;
  struct CLCHOL_HIDDEN Impl;
  // One that is empty takes the place of one that has been moved away.
  CLCHOL_HIDDEN Impl& impl();
  CLCHOL_HIDDEN const Impl& impl() const;
  // The same, with options that make sense: throws InvalidArgument.
  CLCHOL_HIDDEN Impl& checked();
  CLCHOL_HIDDEN const Impl& checked() const;

  std::unique_ptr<Impl> impl_;
};

extern template class SparseCholesky<float>;
extern template class SparseCholesky<double>;

/// "0.1.0"
CLCHOL_EXPORT const char* version() noexcept;

}  // namespace clchol
