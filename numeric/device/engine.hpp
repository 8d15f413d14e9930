// The device engine: factor and solve wholly on one OpenCL device; values go in and x comes out.
//
// Everything that the pattern decides is prepared by the constructor; a factorization uploads
// values and enqueues.  What that takes of the device's memory is known before anything is
// allocated; where it exceeds the budget, fronts are factored depth first (groups.hpp).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/dense_view.hpp"
#include "gpu_kernels/dense/gather.hpp"
#include "gpu_kernels/dense/permute_rhs.hpp"
#include "gpu_kernels/fronts/first_failure.hpp"
#include "gpu_kernels/runtime/staging.hpp"
#include "numeric/control.hpp"
#include "numeric/device/factor.hpp"
#include "numeric/device/refine.hpp"
#include "numeric/device/solve.hpp"
#include "numeric/factor_result.hpp"

namespace clchol::numeric {

struct DeviceEngineOptions {
  int threads = 1;     ///< Of the host, that make lists.
  Offset memory = 0;   ///< Bytes of the device's memory that may be used; 0: 19/20 of it all.
  Offset largest = 0;  ///< Bytes of a buffer at most; 0: what the device allows.
};

/// How an engine was made.
struct DeviceEngineSetup {
  std::string kernels;         ///< "tensor cores" or "plain".
  std::string solve_kernels;   ///< "tickets" or "waves".
  std::string kernels_reason;  ///< Why they are plain, if they are.
  double plan_s = 0;           ///< Kernels, and lists on the host.
  double upload_s = 0;         ///< Buffers, and lists into them.
  double pin_s = 0;            ///< Pinned buffers of transfers.
};

/// The factor of one matrix.  T: double, float.  Calls may come from several threads; solves run
/// one after another.
template <class T>
class DeviceEngine {
 public:
  /// Builds kernels, makes lists, uploads them, allocates; blocking.  The symbolic factor outlives
  /// it.  Where a kernel for the device's own instructions does not build, all are plain.
  /// Throws OutOfMemory, before anything is allocated, when the budget does not do, or a buffer
  /// would be larger than the device allows; DeviceError; BuildError.
  DeviceEngine(std::shared_ptr<gpu::DeviceRuntime> runtime,
               const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
               const DeviceEngineOptions& options = {});

  /// bytes() of such an engine, without making it: kernels are built and lists made, but nothing is
  /// allocated.  Throws as the constructor.
  static Offset predict_bytes(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
                              const symbolic::EntryMap& entries,
                              const DeviceEngineOptions& options = {});

  /// Factors the matrix whose lower triangle has `values` in the order of the analysed pattern;
  /// returns when it is done, or cancelled: what is enqueued then runs to its end all the same, and
  /// the next call waits for it.  Throws DeviceError.
  FactorResult factorize(std::span<const T> values, const Control& control);

  /// The same with the values on the device, from the `offset`-th on, read by commands on its
  /// queue; the buffer is kept until the next factorization.
  /// Throws InvalidArgument when it is too short, DeviceError.
  FactorResult factorize(gpu::DeviceBuffer<T> values, Offset offset);

  /// The same with the values in another order: the e-th is values[places[e]].  Nothing is kept.
  FactorResult factorize_gathered(gpu::DeviceView<const T> values,
                                  gpu::DeviceView<const Offset> places);

  /// X := A^-1 B, in the original numbering; B and X are n x nrhs on the device.  X may be B.
  /// Enqueues, and waits for nothing once there is room; so many columns at once as the budget has
  /// room for, at most 64.
  /// Throws InvalidArgument for views that are too short, DeviceError.
  void solve(const gpu::DeviceColumns<const T>& b, const gpu::DeviceColumns<T>& x) const;

  /// The same, then refinement; returns when it is done.  X may be B.
  /// Throws as solve(); OutOfMemory when the budget has no room for refinement.
  /// @param lower, transposed  the analysed pattern.
  std::vector<RefineResult> solve_refined(const CscPatternView& lower,
                                          const TransposedIndex& transposed,
                                          const gpu::DeviceColumns<const T>& b,
                                          const gpu::DeviceColumns<T>& x,
                                          const RefineOptions& options) const;

  /// X := (L L')^-1 X, or one half of it; X in the final numbering, on the host.
  /// Throws DeviceError.
  void solve(const DenseView<T>& x, bool forward, bool backward) const;

  /// Diagonal of L, in the final numbering.
  std::vector<T> diagonal() const;

  /// Calls visit(s, panel, ld) for each supernode s with its panel of L on the host, above the
  /// panel's diagonal undefined.  One slab of panels is downloaded at a time.  Throws DeviceError.
  void visit_panels(const std::function<void(Index, const T*, Offset)>& visit) const;

  /// Of A's lower triangle, that were factored.
  gpu::DeviceView<const T> values() const { return factored_; }

  /// What a factorization and a solve with one right-hand side take of the device's memory,
  /// values of its own included: predicted.
  Offset bytes() const { return prepared_.bytes; }
  DeviceEngineSetup setup() const;
  /// Groups of fronts that are factored one after another.
  Index num_groups() const { return static_cast<Index>(prepared_.factor->plan().groups.size()); }

  const gpu::DeviceRuntime& runtime() const { return *runtime_; }
  gpu::DeviceRuntime& runtime() { return *runtime_; }

 private:
  struct Prepared {
    std::unique_ptr<DeviceFactor<T>> factor;
    std::unique_ptr<DeviceSolve<T>> solve;
    bool inverses_in_updates = false;
    Offset bytes = 0;       // With one right-hand side,
    Offset budget = 0;      // of so many;
    Index columns = 1;      // so many right-hand sides at once
    Offset bytes_more = 0;  // take so many more.
  };

  /// Values of a solve, and which of them lie in the update matrices.
  struct SolveRoom {
    Offset x = 0, workspace = 0;
    bool x_in_updates = false, workspace_in_updates = false;
    Offset behind = 0;  // So many of the update matrices' values.
    /// The others.
    Offset own() const { return (x_in_updates ? 0 : x) + (workspace_in_updates ? 0 : workspace); }
  };

  static Prepared prepare(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
                          const symbolic::EntryMap& entries, const DeviceEngineOptions& options,
                          DeviceEngineSetup& setup);
  static Prepared prepare_within(gpu::DeviceRuntime& runtime,
                                 const symbolic::SymbolicFactor& symbolic,
                                 const symbolic::EntryMap& entries,
                                 const DeviceEngineOptions& options,
                                 const DeviceKernelParams& params);
  static Prepared prepare_groups(gpu::DeviceRuntime& runtime,
                                 const symbolic::SymbolicFactor& symbolic,
                                 const symbolic::EntryMap& entries,
                                 const DeviceKernelParams& params, const GroupLimits& limits,
                                 Offset budget);
  static void place_inverses(Prepared& prepared, Index n, Offset num_values, Offset budget);
  static Offset total_bytes(const Prepared& prepared, Index n, Offset num_values, Index columns);
  gpu::DeviceView<T> own_values();
  static SolveRoom solve_room(const Prepared& prepared, Index n, Index columns);
  void enqueue_factorization(gpu::DeviceView<const T> values);
  FactorResult factor_and_wait(gpu::DeviceView<const T> values);
  FactorResult read_result();
  void solve_block(const DenseView<T>& x, bool forward, bool backward) const;
  void enqueue_solve(const gpu::DeviceColumns<const T>& b, const gpu::DeviceColumns<T>& x) const;
  Index refined_columns(const CscPatternView& lower, Index nrhs) const;
  std::vector<RefineResult> refine_block(const gpu::DeviceColumns<const T>& b,
                                         const gpu::DeviceColumns<T>& x,
                                         const RefineOptions& options) const;
  gpu::DeviceView<T> reserve(Index nrhs) const;
  void solve_by_waves() const;
  DeviceSolve<T>& solves() const;
  gpu::DeviceView<T> room_of_inverses(Offset entries) const;

  std::shared_ptr<gpu::DeviceRuntime> runtime_;
  const symbolic::SymbolicFactor* symbolic_;
  Offset num_values_;
  DeviceEngineSetup setup_;
  mutable Prepared prepared_;  // Of which solve may be made again.
  gpu::FirstFailure<T> first_failure_;
  mutable gpu::Gather<T> gather_;
  gpu::DeviceBuffer<T> values_;  // Taken when they are first needed.
  gpu::DeviceBuffer<T> callers_values_;
  gpu::DeviceView<const T> factored_;  // The values of the factor that is there.
  gpu::DeviceBuffer<gpu::PivotStatus<T>> failure_;

  mutable std::mutex mutex_;               // Of the queue and what follows.
  mutable gpu::DeviceBuffer<T> room_;      // Of solves: what the update matrices have no room for.
  mutable gpu::DeviceBuffer<T> inverses_;  // Where they do not lie in the update matrices.
  mutable gpu::DeviceBuffer<T> b_;         // B where X overwrites it.
  mutable std::unique_ptr<DeviceRefinement<T>> refinement_;
  int threads_;
  mutable gpu::Staging<T> staging_;  // Of values and X.
  mutable gpu::PermuteRhs<T> permute_;
  gpu::DeviceBuffer<Index> place_, order_;  // Of rows of A in the factor's order, and the reverse.
};

}  // namespace clchol::numeric
