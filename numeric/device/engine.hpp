// Sparse Cholesky factorization on one OpenCL device.  The class DeviceEngine factors A from given
// values, solves A X = B, and copies results to host memory.  DeviceEngine permutes right-hand
// sides and guards the calls by a mutex; it owns a DeviceShare (share.hpp), which enqueues the
// factorization and the solves.
//
// The constructor prepares everything that depends on the pattern of A alone: kernels, the lists
// that kernels read, and memory.  A factorization then only uploads values and enqueues commands.
//
// A is n x n, and P A P' = L L', where the permutation P is SymbolicFactor::permutation.  "The
// factor's order" is the order of the rows of P A P'.  "The caller's order" is the order of the
// rows of A.
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
#include "numeric/panel_table.hpp"

namespace clchol::numeric {

/// The factor of one matrix on one device.  Several host threads may call member functions at the
/// same time: a mutex makes factorizations, solves and copies run one after another.
/// T: double, float.
template <class T>
class DeviceEngine {
 public:
  /// Builds kernels, makes and uploads lists, and allocates memory.  Blocking.  The symbolic factor
  /// must outlive the engine.  When a kernel with vendor-specific instructions does not build, all
  /// kernels of the engine are plain OpenCL kernels.
  /// @param entries  Map from A's entries to the panels of `symbolic`.
  /// Throws OutOfMemory, before anything is allocated on the device, when the memory budgets of
  /// `options` are too small or a buffer would be larger than the device allows; DeviceError;
  /// BuildError; FileError when the scratch file cannot be made.
  DeviceEngine(std::shared_ptr<gpu::DeviceRuntime> runtime,
               const symbolic::SymbolicFactor& symbolic, const symbolic::EntryMap& entries,
               const DeviceShareOptions& options = {});

  /// Predicts bytes() of an engine that is constructed with these arguments.  Builds kernels and
  /// makes lists, but allocates nothing on the device.
  /// Throws OutOfMemory, DeviceError and BuildError when the constructor would.
  static Offset predict_bytes(gpu::DeviceRuntime& runtime, const symbolic::SymbolicFactor& symbolic,
                              const symbolic::EntryMap& entries,
                              const DeviceShareOptions& options = {});

  /// Predicts memory and times of several modes of factorization and solve: in core, and streamed
  /// within several amounts of device memory.  options.memory has no influence.
  /// @return one estimate for each mode; SharePlanner::modes() (share_plan.hpp) lists the modes.
  /// Throws BuildError.
  static std::vector<ModeEstimate> predict_modes(gpu::DeviceRuntime& runtime,
                                                 const symbolic::SymbolicFactor& symbolic,
                                                 const symbolic::EntryMap& entries,
                                                 const DeviceShareOptions& options = {});

  /// Factors A.  Returns when the factorization has ended or was cancelled.  After a cancel, the
  /// commands that were enqueued before still run to their end, before the commands of the next
  /// call.
  /// @param values  Values of A's lower triangle, in the order of the pattern that was analysed.
  /// @return Status::kInterrupted after a cancel; otherwise whether A is positive definite.
  /// Throws DeviceError; for a streamed factor OutOfMemory when the host cannot allocate memory,
  /// and FileError when there is a scratch file.
  FactorResult factorize(std::span<const T> values, const Control& control);

  /// Factors A, whose values are already on the device, and waits for the result.  Commands that
  /// write the values must have ended, or must be in the runtime's in-order queue, before the call.
  /// @param values  Buffer that holds the values of A's lower triangle, in the order of the pattern
  ///                that was analysed.  If the factor is streamed and solves factor dropped slabs
  ///                again, the engine copies the values.  Otherwise the engine retains the buffer
  ///                until the next factorization, and values(), read_values() and solve_refined()
  ///                read the buffer, so the caller must not change the values as long as it uses
  ///                these functions.
  /// @param offset  Offset in the buffer of A's first value, in entries.
  /// Throws InvalidArgument when the buffer is too short; and the exceptions of factorize() above.
  FactorResult factorize(gpu::DeviceBuffer<T> values, Offset offset);

  /// Factors A, whose values are on the device in any order, and waits for the result.  The engine
  /// copies the values of A, and does not retain `values` or `places`.
  /// @param places  places[e] is the index in `values` of entry e of A's lower triangle; entries
  ///                are counted in the order of the pattern that was analysed.  Length: number of
  ///                stored entries of A's lower triangle.
  /// Precondition: `places` has this length, and every index is less than values.size.
  /// Throws InvalidArgument when `places` is too long.  A `places` that is too short and an index
  /// that is too large are not detected.  Throws also the exceptions of the first factorize()
  /// above.
  FactorResult factorize_gathered(gpu::DeviceView<const T> values,
                                  gpu::DeviceView<const Offset> places);

  /// Enqueues X := A^-1 B.  B and X are on the device, n x nrhs, with rows in the caller's order.
  /// X may be the same memory as B.  The device solves for at most 64 columns at a time, or for
  /// fewer columns if the budget of device memory has no room for 64.  The call blocks when it
  /// allocates memory, as the first call does, and when the CPU solves with some slabs
  /// (host_solve.hpp).
  /// Throws InvalidArgument for views that are too short; OutOfMemory when a solve kernel does not
  /// build and the kernels used instead need more memory than the budget has left; DeviceError; for
  /// a streamed factor also std::bad_alloc, and FileError when there is a scratch file.
  void solve(const gpu::DeviceColumns<const T>& b, const gpu::DeviceColumns<T>& x) const;

  /// Solves A X = B and refines X iteratively (refine.hpp).  Blocking.  B and X are on the device,
  /// n x nrhs, with rows in the caller's order.  X may be the same memory as B.
  /// @param lower       Pattern of A's lower triangle: the pattern that was analysed.
  /// @param transposed  The strict lower triangle of `lower`, row by row
  ///                    (base/transposed_index.hpp).
  /// @return the outcome for each column of X, length nrhs.  nullopt: the budget of device memory
  ///         has no room for refinement, and X was not computed.
  /// Throws the exceptions of solve() above; BuildError.
  std::optional<std::vector<RefineResult>> solve_refined(const CscPatternView& lower,
                                                         const TransposedIndex& transposed,
                                                         const gpu::DeviceColumns<const T>& b,
                                                         const gpu::DeviceColumns<T>& x,
                                                         const RefineOptions& options) const;

  // ---- Copies between device and host memory.  Each call is blocking and throws DeviceError.

  /// Downloads the first to.nrow rows of each column of `columns`, which are in a device buffer of
  /// the caller.
  void read(const gpu::DeviceColumns<const T>& columns, const DenseView<T>& to) const;
  /// Uploads all columns.nrow rows of each column to the first rows of `to`, which is in a device
  /// buffer of the caller.
  void write(const DenseView<const T>& columns, const gpu::DeviceColumns<T>& to) const;
  /// Downloads the values of A's lower triangle that were factored last, in the order of the
  /// pattern that was analysed.
  std::vector<T> read_values() const;

  /// Computes X := L^-1 X if `forward` is true, then X := L^-T X if `backward` is true.  X is in
  /// host memory, with rows in the factor's order.  Blocking.  After a cancel, the call ends when
  /// it has solved with the current slab of panels, and X is undefined.
  /// Throws the exceptions of the solve() above that takes B and X in device memory, except
  /// InvalidArgument.
  void solve(const RowsView<T>& x, bool forward, bool backward, const Control& control = {}) const;

  /// Downloads the diagonal of L, in the factor's order.  Blocking.
  /// Throws the exceptions of DeviceShare::with_range().
  std::vector<T> diagonal() const;

  /// Downloads L slab by slab, and calls visit() for the panel of each supernode of the symbolic
  /// factor.  Blocking.  Throws the exceptions of DeviceShare::with_range().
  void visit_panels(const VisitColumns<T>& visit) const;

  /// @return the values of A's lower triangle that were factored last, on the device.
  gpu::DeviceView<const T> values() const { return factored_; }

  /// Predicted bytes of device memory that a factorization and a solve with one right-hand side
  /// need, including the engine's copy of A's values.
  Offset bytes() const { return share_->bytes(); }
  /// Predicted bytes of host memory for panels and update matrices that do not stay on the device,
  /// and for the slots through which panels go to the scratch file.
  Offset host_bytes() const { return share_->host_bytes(); }
  /// Predicted bytes of panels in the scratch file; 0: no panel is in a file.
  Offset file_bytes() const { return share_->file_bytes(); }
  /// @return which kernels the engine uses, and how many seconds its preparation took.
  DeviceShareSetup setup() const;
  /// Number of groups of fronts.  A factorization takes one group after another.
  Index num_groups() const { return static_cast<Index>(share_->factor().plan().groups.size()); }

  const gpu::DeviceRuntime& runtime() const { return *runtime_; }
  gpu::DeviceRuntime& runtime() { return *runtime_; }

 private:
  /// Kernels and buffers that all calls share.  Only the call that holds mutex_ may use an object.
  struct Tools {
    Tools(gpu::DeviceRuntime& runtime, Offset chunk)
        : staging(runtime.queue(), chunk),
          permute(runtime.programs()),
          gather(runtime.programs()),
          first_failure(runtime.programs()) {}

    gpu::Staging<T> staging;  // Transfers values of A and, in the factor's order, rows of X.
    gpu::PermuteRhs<T> permute;
    gpu::Gather<T> gather;
    gpu::FirstFailure<T> first_failure;
    // Copy of B, n x nrhs, for refinements in which X overwrites B.  Empty until one is needed.
    gpu::DeviceBuffer<T> b;
    std::unique_ptr<DeviceRefinement<T>> refinement;  // Null until the first solve_refined().
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
  int threads_;               // Host threads that copy data from and to transfer buffers.
  mutable std::mutex mutex_;  // Guards the runtime's queue and the members below.
  std::unique_ptr<DeviceShare<T>> share_;
  std::unique_ptr<Tools> tools_;
  // The caller's buffer of A's values, if factored_ is a range of this buffer; otherwise empty.
  gpu::DeviceBuffer<T> callers_values_;
  gpu::DeviceView<const T> factored_;  // Values of A that were factored last.
  // First failed pivot of the last factorization (FirstFailure::run()).  Length 1.
  gpu::DeviceBuffer<gpu::PivotStatus<T>> failure_;
  gpu::DeviceBuffer<Index> place_,  // Permutation: place_[row of A] = row of P A P'.  Length n.
      order_;                       // Permutation: order_[row of P A P'] = row of A.  Length n.
};

}  // namespace clchol::numeric
