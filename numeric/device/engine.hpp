// The interface of a factor that one OpenCL device computes and solves with (share.hpp): values of
// A go in, and x comes out.
//
// The constructor prepares everything that depends on the pattern alone.  A factorization uploads
// values and enqueues commands.
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
#include "numeric/device/refine.hpp"
#include "numeric/device/share.hpp"
#include "numeric/factor_result.hpp"

namespace clchol::numeric {

/// The factor of one matrix.  T: double, float.  Calls may come from several threads; solves run
/// one after another.
template <class T>
class DeviceEngine {
 public:
  /// Builds kernels, makes and uploads lists, and allocates memory.  Blocking.  The symbolic factor
  /// must outlive the engine.  Where a kernel with the device's own instructions does not build,
  /// all kernels are plain.  Throws OutOfMemory, before anything is allocated, when the budgets are
  /// too small or a buffer would be larger than the device allows; DeviceError; BuildError.
  DeviceEngine(std::shared_ptr<gpu::DeviceRuntime> runtime,
               const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
               const DeviceShareOptions& options = {});

  /// Predicts bytes() of an engine with these arguments.  Builds kernels and makes lists, but
  /// allocates nothing on the device.  Throws as the constructor.
  static Offset predict_bytes(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
                              const symbolic::EntryMap& entries,
                              const DeviceShareOptions& options = {});

  /// Predicts memory and times of several modes of this factor, for any device memory:
  /// SharePlanner::modes().
  static std::vector<ModeEstimate> predict_modes(gpu::DeviceRuntime& runtime,
                                                 const symbolic::SymbolicFactor& symbolic,
                                                 const symbolic::EntryMap& entries,
                                                 const DeviceShareOptions& options = {});

  /// Factors the matrix whose lower triangle has `values` in the order of the analysed pattern.
  /// Returns when the factorization is done or cancelled.  After a cancel, enqueued commands still
  /// run to their end, and the next call waits for them.  Throws DeviceError.
  FactorResult factorize(std::span<const T> values, const Control& control);

  /// Factors the matrix whose values are on the device, from entry `offset` of the buffer on.
  /// Commands on the runtime's queue read them.  The engine keeps the buffer until the next
  /// factorization; or it copies the values, if dropped slabs are factored again.
  /// Throws InvalidArgument when the buffer is too short; DeviceError.
  FactorResult factorize(gpu::DeviceBuffer<T> values, Offset offset);

  /// Factors the matrix whose values are on the device in another order: value e of the lower
  /// triangle is values[places[e]].  The engine does not keep the arguments.
  FactorResult factorize_gathered(gpu::DeviceView<const T> values,
                                  gpu::DeviceView<const Offset> places);

  /// Enqueues X := A^-1 B, in the original numbering.  B and X are n x nrhs, on the device.  X may
  /// be B.  The call waits while memory is allocated for the first time, and for the CPU where the
  /// CPU solves with some slabs.  At most 64 columns are solved for at once, fewer where the budget
  /// has less room.  Throws InvalidArgument for views that are too short; DeviceError.
  void solve(const gpu::DeviceColumns<const T>& b, const gpu::DeviceColumns<T>& x) const;

  /// Solves A X = B and refines X.  Blocking.  X may be B.
  /// @param lower       The analysed pattern.
  /// @param transposed  Index of `lower` by rows.
  /// @return the outcome for each column; none: the budget has no room for refinement, and nothing
  ///         was solved.
  /// Throws as solve().
  std::optional<std::vector<RefineResult>> solve_refined(const CscPatternView& lower,
                                                         const TransposedIndex& transposed,
                                                         const gpu::DeviceColumns<const T>& b,
                                                         const gpu::DeviceColumns<T>& x,
                                                         const RefineOptions& options) const;

  // ---- Copies between device and host memory.  Each call is blocking and throws DeviceError.

  /// Downloads columns of the caller.
  void read(const gpu::DeviceColumns<const T>& columns, const DenseView<T>& to) const;
  /// Uploads columns of the caller.
  void write(const DenseView<const T>& columns, const gpu::DeviceColumns<T>& to) const;
  /// Downloads the values of A's lower triangle that were factored.  Length nnz.
  std::vector<T> read_values() const;

  /// X := (L L')^-1 X, or one half of it: X := L^-1 X or X := L^-T X.  X is in host memory and has
  /// the final numbering.  A cancelled call ends soon, and X is void.  Throws DeviceError.
  void solve(const RowsView<T>& x, bool forward, bool backward, const Control& control = {}) const;

  /// Diagonal of L, in the final numbering.
  std::vector<T> diagonal() const;

  /// Calls visit(s, panel, ld) for each supernode s, with its panel of L in host memory.  Entries
  /// above the panel's diagonal are undefined.  One slab of panels is downloaded at a time.
  /// Throws DeviceError.
  void visit_panels(const std::function<void(Index, const T*, Offset)>& visit) const;

  /// The values of A's lower triangle that were factored.
  gpu::DeviceView<const T> values() const { return factored_; }

  /// Predicted bytes of device memory of a factorization and a solve with one right-hand side, the
  /// engine's own copy of A's values included.
  Offset bytes() const { return share_->bytes(); }
  /// Bytes of host memory for panels and update matrices that do not stay on the device.
  Offset host_bytes() const { return share_->host_bytes(); }
  /// Bytes of panels in the scratch file; 0: there is none.
  Offset file_bytes() const { return share_->file_bytes(); }
  DeviceShareSetup setup() const;
  /// Groups of fronts that are factored one after another.
  Index num_groups() const { return static_cast<Index>(share_->factor().plan().groups.size()); }

  const gpu::DeviceRuntime& runtime() const { return *runtime_; }
  gpu::DeviceRuntime& runtime() { return *runtime_; }

 private:
  /// Kernels and buffers that calls use, one call after another.
  struct Tools {
    Tools(gpu::DeviceRuntime& runtime, Offset chunk)
        : staging(runtime.queue(), chunk),
          permute(runtime.programs()),
          gather(runtime.programs()),
          first_failure(runtime.programs()) {}

    gpu::Staging<T> staging;  // Transfers values of A and rows of X.
    gpu::PermuteRhs<T> permute;
    gpu::Gather<T> gather;
    gpu::FirstFailure<T> first_failure;
    gpu::DeviceBuffer<T> b;  // Copy of B for refinements in which X overwrites B.
    std::unique_ptr<DeviceRefinement<T>> refinement;
  };

  bool enqueue_factorization(gpu::DeviceView<const T> values, const Control& control = {});
  FactorResult factor_and_wait(gpu::DeviceView<const T> values);
  FactorResult read_result();
  void solve_block(const RowsView<T>& x, bool forward, bool backward, const Control& control) const;
  void enqueue_solve(const gpu::DeviceColumns<const T>& b, const gpu::DeviceColumns<T>& x) const;
  Index refined_columns(const CscPatternView& lower, Index nrhs) const;
  std::vector<RefineResult> refine_block(const gpu::DeviceColumns<const T>& b,
                                         const gpu::DeviceColumns<T>& x,
                                         const RefineOptions& options) const;

  std::shared_ptr<gpu::DeviceRuntime> runtime_;
  const symbolic::SymbolicFactor* symbolic_;
  int threads_;
  mutable std::mutex mutex_;  // Guards the queue and the members below.
  std::unique_ptr<DeviceShare<T>> share_;
  std::unique_ptr<Tools> tools_;
  gpu::DeviceBuffer<T> callers_values_;  // The caller's buffer of values, if factored_ is in it.
  gpu::DeviceView<const T> factored_;    // Values that were factored.
  gpu::DeviceBuffer<gpu::PivotStatus<T>> failure_;  // First failed pivot of a factorization.
  gpu::DeviceBuffer<Index> place_, order_;          // Permutations iperm and perm.
};

}  // namespace clchol::numeric
