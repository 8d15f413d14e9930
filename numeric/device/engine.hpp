// The host's face of a factor that lies wholly on one OpenCL device (share.hpp): values go in and x
// comes out.
//
// Everything that the pattern decides is prepared by the constructor; a factorization uploads
// values and enqueues.
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
  /// Builds kernels, makes lists, uploads them, allocates; blocking.  The symbolic factor outlives
  /// it.  Where a kernel for the device's own instructions does not build, all are plain.
  /// Throws OutOfMemory, before anything is allocated, when the budget does not do, or a buffer
  /// would be larger than the device allows; DeviceError; BuildError.
  DeviceEngine(std::shared_ptr<gpu::DeviceRuntime> runtime,
               const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
               const DeviceShareOptions& options = {});

  /// bytes() of such an engine, without making it: kernels are built and lists made, but nothing is
  /// allocated.  Throws as the constructor.
  static Offset predict_bytes(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
                              const symbolic::EntryMap& entries,
                              const DeviceShareOptions& options = {});

  /// What the ways to make such a factor would take, whatever the budgets are:
  /// SharePlanner::modes().
  static std::vector<ModeEstimate> predict_modes(gpu::DeviceRuntime& runtime,
                                                 const symbolic::SymbolicFactor& symbolic,
                                                 const symbolic::EntryMap& entries,
                                                 const DeviceShareOptions& options = {});

  /// Factors the matrix whose lower triangle has `values` in the order of the analysed pattern;
  /// returns when it is done, or cancelled: what is enqueued then runs to its end all the same, and
  /// the next call waits for it.  Throws DeviceError.
  FactorResult factorize(std::span<const T> values, const Control& control);

  /// The same with the values on the device, from the `offset`-th on, read by commands on its
  /// queue; the buffer is kept until the next factorization, or copied where panels are made again.
  /// Throws InvalidArgument when it is too short, DeviceError.
  FactorResult factorize(gpu::DeviceBuffer<T> values, Offset offset);

  /// The same with the values in another order: the e-th is values[places[e]].  Nothing is kept.
  FactorResult factorize_gathered(gpu::DeviceView<const T> values,
                                  gpu::DeviceView<const Offset> places);

  /// X := A^-1 B, in the original numbering; B and X are n x nrhs on the device.  X may be B.
  /// Enqueues.  The call waits for the first room, and for the CPU where the CPU solves with some
  /// slabs.  At most 64 columns are solved for at once, fewer where the budget has less room.
  /// Throws InvalidArgument for views that are too short, DeviceError.
  void solve(const gpu::DeviceColumns<const T>& b, const gpu::DeviceColumns<T>& x) const;

  /// The same, then refinement; returns when it is done.  X may be B.
  /// @param lower, transposed  the analysed pattern.
  /// @return none where the budget has no room for refinement: then nothing was solved.
  /// Throws as solve().
  std::optional<std::vector<RefineResult>> solve_refined(const CscPatternView& lower,
                                                         const TransposedIndex& transposed,
                                                         const gpu::DeviceColumns<const T>& b,
                                                         const gpu::DeviceColumns<T>& x,
                                                         const RefineOptions& options) const;

  // ---- Of the caller's columns and of the values that were factored, in host memory.  Blocking.
  // ---- Each throws DeviceError.

  void read(const gpu::DeviceColumns<const T>& columns, const DenseView<T>& to) const;
  void write(const DenseView<const T>& columns, const gpu::DeviceColumns<T>& to) const;
  /// Length nnz.
  std::vector<T> read_values() const;

  /// X := (L L')^-1 X, or one half of it; X in the final numbering, on the host.
  /// Cancelled, it ends soon, and X is void.  Throws DeviceError.
  void solve(const RowsView<T>& x, bool forward, bool backward, const Control& control = {}) const;

  /// Diagonal of L, in the final numbering.
  std::vector<T> diagonal() const;

  /// Calls visit(s, panel, ld) for each supernode s with its panel of L on the host, above the
  /// panel's diagonal undefined.  One slab of panels is downloaded at a time.  Throws DeviceError.
  void visit_panels(const std::function<void(Index, const T*, Offset)>& visit) const;

  /// Of A's lower triangle, that were factored.
  gpu::DeviceView<const T> values() const { return factored_; }

  /// What a factorization and a solve with one right-hand side take of the device's memory,
  /// values of its own included: predicted.
  Offset bytes() const { return share_->bytes(); }
  /// Bytes of panels that do not stay on the device but in host memory.
  Offset host_bytes() const { return share_->host_bytes(); }
  /// Bytes of panels in the scratch file; 0: there is none.
  Offset file_bytes() const { return share_->file_bytes(); }
  DeviceShareSetup setup() const;
  /// Groups of fronts that are factored one after another.
  Index num_groups() const { return static_cast<Index>(share_->factor().plan().groups.size()); }

  const gpu::DeviceRuntime& runtime() const { return *runtime_; }
  gpu::DeviceRuntime& runtime() { return *runtime_; }

 private:
  /// What calls use one after another.
  struct Tools {
    Tools(gpu::DeviceRuntime& runtime, Offset chunk)
        : staging(runtime.queue(), chunk),
          permute(runtime.programs()),
          gather(runtime.programs()),
          first_failure(runtime.programs()) {}

    gpu::Staging<T> staging;  // Transfers of values and of X.
    gpu::PermuteRhs<T> permute;
    gpu::Gather<T> gather;
    gpu::FirstFailure<T> first_failure;
    gpu::DeviceBuffer<T> b;  // B where X overwrites it.
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
  gpu::DeviceBuffer<T> callers_values_;
  gpu::DeviceView<const T> factored_;  // The values of the factor that is there.
  gpu::DeviceBuffer<gpu::PivotStatus<T>> failure_;
  gpu::DeviceBuffer<Index> place_, order_;  // Of rows of A in the factor's order, and the reverse.
};

}  // namespace clchol::numeric
